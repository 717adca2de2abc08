#include "house/hygiene.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <set>
#include <sstream>
#include <string_view>

namespace warpmill::house {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t longestSource = 600;
constexpr std::size_t linesForTheReason = 20;

bool endsWithAny(const std::string& name, std::initializer_list<std::string_view> endings) {
  return std::any_of(endings.begin(), endings.end(), [&](std::string_view ending) { return name.ends_with(ending); });
}

bool isCode(const std::string& name) { return endsWithAny(name, {".h", ".cpp", ".def", ".cu", ".glsl", ".vert", ".frag"}); }

bool isText(const std::string& name) {
  return isCode(name) || endsWithAny(name, {".cmake", "CMakeLists.txt", ".sh", ".md", ".json", ".txt", ".py", ".ptx", ".qrc", ".ts"}) ||
         name == "run" || name == "test" || name == ".ci/run";
}

// Written in parts so that this file does not complain about itself.
bool namesAMachine(std::string_view line) {
  static const std::array<std::string, 6> traces{std::string("/wor") + "k/",  std::string("/hom") + "e/",   std::string("/roo") + "t/",
                                                 std::string("/User") + "s/", std::string("C:\\Use") + "rs", std::string("/var/tm") + "p/"};
  return std::any_of(traces.begin(), traces.end(), [&](const std::string& trace) {
    const std::size_t at = line.find(trace);
    return at != std::string_view::npos && (at == 0 || std::string_view(" \"'`(=:<,").find(line[at - 1]) != std::string_view::npos);
  });
}

}  // namespace

std::vector<std::string> filesOf(const fs::path& root) {
  static const std::set<std::string> skipped{"out", "node_modules", "__pycache__"};
  std::vector<std::string> files;
  for (auto it = fs::recursive_directory_iterator(root); it != fs::recursive_directory_iterator(); ++it) {
    const std::string name = it->path().filename().string();
    if (it->is_directory() && ((name.starts_with(".") && name != ".ci") || name.starts_with("build") || skipped.contains(name)))
      it.disable_recursion_pending();
    else if (it->is_regular_file())
      files.push_back(fs::relative(it->path(), root).generic_string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> complaints(const std::string& name, const std::string& text) {
  std::vector<std::string> found;
  if (!isText(name)) return found;
  const auto complain = [&](std::size_t line, const std::string& what) { found.push_back(name + ":" + std::to_string(line) + ": " + what); };
  std::istringstream in(text);
  std::size_t number = 0;
  bool reasonGiven = false;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (number <= linesForTheReason && line.find("Long:") != std::string::npos) reasonGiven = true;
    if (namesAMachine(line)) complain(number, "a path of one machine");
    if (!line.empty() && line.back() == '\r') complain(number, "a carriage return at the end");
    if (!isCode(name)) continue;
    if (line.find('\t') != std::string::npos) complain(number, "a tab");
    if (!line.empty() && line.back() == ' ') complain(number, "a blank at the end");
  }
  if (isCode(name)) {
    if (number > longestSource && !reasonGiven)
      complain(number, "over " + std::to_string(longestSource) + " lines; split it, or say why near the top (Long: ...)");
    if (!text.empty() && text.back() != '\n') complain(number, "no newline at the end");
    if (name.starts_with("sim/") && name.ends_with(".h") && !text.starts_with("//")) complain(1, "a header opens with a comment on what it models");
  }
  return found;
}

std::string readFile(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace warpmill::house
