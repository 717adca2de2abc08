// Runs the program `warpmill` as a user would, in a folder of its own.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace warpmill::testing {

struct Ended {
  int exitCode = -1;    // 128 + signal when one killed it
  std::string out, err;
};

// A temporary folder with a vector addition in it: vec_add.ptx, vec_add.json (1000 elements) and suite.json (three sizes).
class Workplace {
 public:
  Workplace();
  ~Workplace();
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;

  [[nodiscard]] Ended run(const std::vector<std::string>& arguments) const;
  // The same with standard output sent to a path, or closed at once when the path is "|".
  [[nodiscard]] Ended runInto(const std::string& standardOutput, const std::vector<std::string>& arguments) const;

  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, const std::string& text) const;
  // vec_add.json with the first `from` replaced.
  void writeLaunch(const std::string& name, const std::string& from, const std::string& to) const;
  [[nodiscard]] std::string read(const std::string& name) const;
  [[nodiscard]] bool has(const std::string& name) const { return std::filesystem::exists(folder_ / name); }
  [[nodiscard]] std::size_t fileCount() const;

 private:
  std::filesystem::path folder_;
};

extern const char* const vecAddPtx;
extern const char* const vecAddLaunch;

// An environment variable for as long as this lives.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) { ::setenv(name, value.c_str(), 1); }
  ~Variable() { ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

}  // namespace warpmill::testing
