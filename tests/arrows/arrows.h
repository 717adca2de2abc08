// Checks the includes of every room against a table of who may use whom (arrows.txt has the format).
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace warpmill::arrows {

struct Room {
  std::string name;
  std::string folder;              // relative to the root, with '/'
  std::set<std::string> mayUse;    // closed: all that its rooms may use is in it, itself too
};

struct Library {
  std::string name;
  std::vector<std::string> patterns;
  std::set<std::string> rooms;
};

struct Table {
  std::vector<Room> rooms;
  std::vector<Library> libraries;
  std::vector<std::string> mistakes;  // "line 4: room x uses y, which no line above tells of"
};

// Rooms may only name rooms of lines above, so a table that has no mistakes has no cycles.
Table readTable(std::string_view text);

bool matches(std::string_view pattern, std::string_view text);

struct Findings {
  std::vector<std::string> offences;  // "sim/base/x.cpp:3: base may not include device/profile.h of room device"
  std::size_t files = 0, includes = 0;
};

// Reads every source file below the folders of `roots` ("sim", "app", "cuda").
Findings checkIncludes(const Table& table, const std::filesystem::path& root, const std::vector<std::string>& roots);

}  // namespace warpmill::arrows
