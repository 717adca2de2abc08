// A lesson played through in the terminal: question, runs of the scale model, moments, checks, simulated beside measured.
#pragma once

#include "lesson/run.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace warpmill::cli {

struct WalkOptions {
  std::string language = "en";
  std::string variant;         // only the steps of this one; empty: all
  bool full = true;            // simulate the full size too
  bool text = true;            // false: figures only
  std::string size;            // which of the full sizes, by the last part of its name ("n2^24"); empty: the lesson's own
  unsigned jobs = 0;           // threads for the full size; 0: as many as there are cores
  std::function<void(const std::string&)> progress;   // called by one thread at a time
  std::function<void(std::string_view)> show;         // takes the text piece by piece, as far as it is known
};

struct Walk {
  std::string text;
  bool ok = true;              // every result that was checked is right, and no run had a fault
  std::map<std::size_t, lesson::ScaleRun> scale;   // by variant
  std::map<std::size_t, lesson::FullRun> full;
  lesson::Figures figures;
  std::optional<lesson::Measured> record;
};

// The lesson with another of its full sizes. Errors: no such size, with those that there are.
Result<lesson::Lesson> withFullSize(lesson::Lesson lesson, const std::string& size);

// Runs all variants and writes the walk-through: the question first, then what the scale models show; the full size, which takes
// longest, is run where the text comes to it. Errors: PTX that does not parse, a launch that the device refuses.
Result<Walk> walkLesson(const lesson::Lesson& lesson, const device::Profile& device, const WalkOptions& options);
nlohmann::json walkJson(const lesson::Lesson& lesson, const device::Profile& device, const WalkOptions& options, const Walk& walk);

// The texts alone, with the figures that need no run and those of the record.
std::string showLesson(const lesson::Lesson& lesson, const lesson::Figures& figures, const std::string& language);

}  // namespace warpmill::cli
