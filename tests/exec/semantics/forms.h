// Single instructions on many inputs, in the simulator: the twin of record.py, which does the same on a GPU.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace warpmill::exec::test {

inline constexpr std::uint32_t formElements = 1024;

struct Form {
  std::string line;
  std::vector<std::pair<std::string, std::uint32_t>> inputs;  // kind, count (0: one, without a number in its name)
  std::uint32_t bits = 32, outputs = 0;
  std::string code;
  [[nodiscard]] std::uint32_t outputWords() const { return formElements * (outputs == 0 ? 1 : outputs); }
};

std::vector<Form> readForms(const std::string& path);
std::string programOf(const Form& form);
std::vector<std::uint64_t> inputsOf(const Form& form);

}  // namespace warpmill::exec::test
