// What every file of the tree keeps to: plain text, no traces of one machine, a length that can be read.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace warpmill::house {

// Files of the tree by relative path, sorted; without build folders, hidden folders and pictures' bytes.
std::vector<std::string> filesOf(const std::filesystem::path& root);

// All bytes of a file; empty when it cannot be read.
std::string readFile(const std::filesystem::path& path);

// What is wrong with a file of that name and text, as "name:line: what".
std::vector<std::string> complaints(const std::string& name, const std::string& text);

}  // namespace warpmill::house
