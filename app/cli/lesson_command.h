// warpmill lesson: lists lessons, shows their texts, plays them through.
#pragma once

#include <string>

namespace warpmill::cli {

struct LessonOptions {
  std::string action;             // "list", "show", "run", "check"
  std::string lesson;             // id, number or folder
  std::string solution;           // of "check"
  std::string language;           // "en", "ru"; empty: the system's where lessons have it, else English
  std::string device = "h200";
  std::string variant;            // only the steps of this one
  std::string size;               // another full size: "n2^24"
  bool noFull = false;            // leave the full size out
  unsigned jobs = 0;              // threads for the full size
  std::string json;
};
int lesson(const LessonOptions& options);

}  // namespace warpmill::cli
