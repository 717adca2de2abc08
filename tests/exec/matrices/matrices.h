// Matrix instructions of whole warps and warpgroups in the simulator: the twin of record.py, which runs the same on a GPU.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpmill::exec::test {

struct MatrixForm {
  struct Input { char letter = 'A', kind = 'i'; std::uint32_t count = 0; };
  std::string line, code;
  std::uint32_t threads = 32, sharedBytes = 0, outputBits = 32, outputs = 0;
  char sharedKind = 'i';
  bool putsSharedOut = false;
  std::vector<Input> inputs;
  [[nodiscard]] std::uint32_t blocks() const { return threads == 32 ? 16 : 4; }
  [[nodiscard]] std::uint32_t inputWords() const;   // of a block
  [[nodiscard]] std::uint32_t outputWords() const;
};

std::vector<MatrixForm> readMatrixForms(const std::string& path);
std::string programOf(const MatrixForm& form);
std::vector<std::uint32_t> inputsOf(const MatrixForm& form);

}  // namespace warpmill::exec::test
