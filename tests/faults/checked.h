// Runs a kernel of tests/data/faults with all checks.
#pragma once

#include "exec/launcher.h"
#include "faults/checker.h"

#include <fstream>
#include <sstream>

namespace warpmill::faults::test {

inline std::string dataFile(const std::string& name) {
  std::ifstream in(std::string(WARPMILL_SOURCE_DIR) + "/tests/data/faults/" + name);
  REQUIRE(in);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

inline std::string line(const std::string& text, std::uint32_t number) {
  std::istringstream in(text);
  std::string l;
  for (std::uint32_t k = 0; k < number && std::getline(in, l); ++k) {}
  return l;
}

struct Shape { std::uint32_t blocks = 1, threads = 64, resident = 0; };

// Kernels have the parameters (out, in, raw, sync): 1024 integers each; in[i] = i + 1; `rawIsUndefined`: nothing was written to raw.
inline exec::FunctionalRun runChecked(const std::string& ptx, const std::string& kernel, Shape shape, bool rawIsUndefined, Checks checks = {},
                                      std::vector<Note>* notes = nullptr) {
  exec::test::Launcher l(ptx, kernel);
  std::vector<std::uint32_t> in(1024), zeros(1024);
  for (std::uint32_t i = 0; i < in.size(); ++i) in[i] = i + 1;
  l.buffer(zeros, "out");
  l.buffer(in, "in");
  const std::uint32_t raw = l.buffer(zeros, "raw");
  l.buffer(zeros, "sync");
  const auto checker = makeChecker(checks, rawIsUndefined ? std::vector<std::uint32_t>{raw} : std::vector<std::uint32_t>{});
  exec::FunctionalLimits limits;
  limits.maxInstructions = 20'000'000;
  limits.residentBlocks = shape.resident;
  if (checks.any()) limits.observer = checker.get();
  exec::FunctionalRun run = l.run({shape.blocks, 1, 1}, {shape.threads, 1, 1}, 1024, limits);
  if (notes != nullptr) *notes = checker->notes();
  return run;
}

}  // namespace warpmill::faults::test
