#include "arrows/arrows.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>

namespace warpmill::arrows {

namespace fs = std::filesystem;

namespace {

std::vector<std::string> words(std::string_view text) {
  std::istringstream in{std::string(text)};
  std::vector<std::string> result;
  for (std::string word; in >> word;) result.push_back(word);
  return result;
}

const Room* roomByName(const Table& table, const std::string& name) {
  const auto found = std::find_if(table.rooms.begin(), table.rooms.end(), [&](const Room& r) { return r.name == name; });
  return found == table.rooms.end() ? nullptr : &*found;
}

const Room* roomOfFile(const Table& table, const std::string& relative) {
  for (const Room& room : table.rooms)
    if (relative.starts_with(room.folder + "/")) return &room;
  return nullptr;
}

struct Include {
  std::string path;
  bool quoted = false;
};

std::optional<Include> includeOf(std::string_view line) {
  const auto skipBlanks = [&] { line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size())); };
  skipBlanks();
  if (!line.starts_with('#')) return std::nullopt;
  line.remove_prefix(1);
  skipBlanks();
  if (!line.starts_with("include")) return std::nullopt;
  line.remove_prefix(7);
  skipBlanks();
  if (line.empty() || (line[0] != '"' && line[0] != '<')) return std::nullopt;
  const bool quoted = line[0] == '"';
  const std::size_t end = line.find(quoted ? '"' : '>', 1);
  if (end == std::string_view::npos) return std::nullopt;
  return Include{std::string(line.substr(1, end - 1)), quoted};
}

bool isSource(const fs::path& path) {
  static const std::set<std::string> endings{".h", ".hpp", ".c", ".cpp", ".cc", ".cu", ".def", ".inc"};
  return endings.contains(path.extension().string());
}

// The file of ours that an include means, relative to the root; nothing for a library's.
std::optional<std::string> resolve(const fs::path& root, const fs::path& includer, const Include& include) {
  std::vector<fs::path> bases{root / "sim", root / "app", root};
  if (include.quoted) bases.insert(bases.begin(), includer.parent_path());
  for (const fs::path& base : bases)
    if (fs::is_regular_file(base / include.path)) return fs::relative(base / include.path, root).generic_string();
  return std::nullopt;
}

// Empty when the include is allowed.
std::string objection(const Table& table, const Room& room, const fs::path& root, const fs::path& file, const Include& include) {
  if (const auto own = resolve(root, file, include)) {
    const Room* other = roomOfFile(table, *own);
    if (other == nullptr) return room.name + " may not include " + include.path + ", which is in no room";
    if (!room.mayUse.contains(other->name)) return room.name + " may not include " + include.path + " of room " + other->name;
    return "";
  }
  for (const Library& library : table.libraries)
    for (const std::string& pattern : library.patterns)
      if (matches(pattern, include.path) && !library.rooms.contains(room.name))
        return room.name + " may not include <" + include.path + "> of library " + library.name;
  return "";
}

void checkFile(const Table& table, const fs::path& root, const fs::path& file, Findings& findings) {
  const std::string relative = fs::relative(file, root).generic_string();
  const Room* room = roomOfFile(table, relative);
  ++findings.files;
  if (room == nullptr) {
    findings.offences.push_back(relative + ":1: this folder is no room of arrows.txt");
    return;
  }
  std::ifstream in(file);
  std::size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    const auto include = includeOf(line);
    if (!include) continue;
    ++findings.includes;
    const std::string text = objection(table, *room, root, file, *include);
    if (!text.empty()) findings.offences.push_back(relative + ":" + std::to_string(number) + ": " + text);
  }
}

}  // namespace

bool matches(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern[0] == '*') {
    for (std::size_t skip = 0; skip <= text.size(); ++skip)
      if (matches(pattern.substr(1), text.substr(skip))) return true;
    return false;
  }
  return !text.empty() && pattern[0] == text[0] && matches(pattern.substr(1), text.substr(1));
}

Table readTable(std::string_view text) {
  Table table;
  std::istringstream in{std::string(text)};
  std::size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    const auto mistake = [&](const std::string& what) { table.mistakes.push_back("line " + std::to_string(number) + ": " + what); };
    if (line.empty() || line[0] == '#') continue;
    const std::size_t colon = line.find(':');
    const std::vector<std::string> left = words(std::string_view(line).substr(0, colon));
    const std::vector<std::string> right =
        colon == std::string::npos ? std::vector<std::string>{} : words(std::string_view(line).substr(colon + 1));
    if (colon == std::string::npos || left.size() < 3 || (left[0] != "room" && left[0] != "library") || (left[0] == "room" && left.size() != 3)) {
      mistake("expected \"room NAME FOLDER: ROOM...\" or \"library NAME PATTERN...: ROOM...\"");
      continue;
    }
    for (const std::string& name : right)
      if (roomByName(table, name) == nullptr) mistake(left[1] + " names " + name + ", which is no room of a line above");
    if (left[0] == "library") {
      table.libraries.push_back({left[1], {left.begin() + 2, left.end()}, {right.begin(), right.end()}});
      continue;
    }
    Room room{left[1], left[2], {left[1]}};
    for (const std::string& name : right)
      if (const Room* used = roomByName(table, name)) room.mayUse.insert(used->mayUse.begin(), used->mayUse.end());
    table.rooms.push_back(std::move(room));
  }
  return table;
}

Findings checkIncludes(const Table& table, const fs::path& root, const std::vector<std::string>& roots) {
  std::vector<fs::path> files;
  for (const std::string& folder : roots) {
    if (!fs::is_directory(root / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / folder))
      if (entry.is_regular_file() && isSource(entry.path())) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  Findings findings;
  for (const fs::path& file : files) checkFile(table, root, file, findings);
  return findings;
}

}  // namespace warpmill::arrows
