// Every form of semantics/forms.txt gives the bits that an H200 gave (semantics/h200.txt).
// To see what differs, record raw results with record.py and set WARPMILL_SEMANTICS_RAW to that file.
#include "exec/launcher.h"
#include "exec/semantics/forms.h"

#include "base/sha256.h"

#include <cstdlib>
#include <fstream>
#include <iostream>

using namespace warpmill;
using namespace warpmill::exec::test;

namespace {

const std::string folder = std::string(WARPMILL_SOURCE_DIR) + "/tests/exec/semantics/";

std::vector<std::string> linesOf(const std::string& path) {
  std::vector<std::string> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

// This approximation may differ in its last bits.
bool isApproximate(const Form& f) { return f.code.rfind("tanh.approx", 0) == 0; }

struct Ran {
  std::vector<std::uint64_t> values;
  std::string faults;
};
Ran runForm(const Form& form) {
  Launcher l(programOf(form));
  l.buffer(inputsOf(form));
  const auto out = l.buffer(std::vector<std::uint64_t>(form.outputWords()));
  const auto run = l.run({formElements / 256, 1, 1}, {256, 1, 1});
  return {l.read<std::uint64_t>(out), describe(run)};
}

}  // namespace

TEST_CASE("every listed instruction form gives the bits that an H200 gave") {
  const auto forms = readForms(folder + "forms.txt");
  const auto recorded = linesOf(folder + "h200.txt");
  REQUIRE(forms.size() == recorded.size());
  const char* rawPath = std::getenv("WARPMILL_SEMANTICS_RAW");
  std::ifstream raw(rawPath != nullptr ? rawPath : "", std::ios::binary);
  std::size_t compared = 0, unsupported = 0;
  for (std::size_t k = 0; k < forms.size(); ++k) {
    const Form& form = forms[k];
    std::vector<std::uint64_t> want(form.outputWords());
    if (rawPath != nullptr) raw.read(reinterpret_cast<char*>(want.data()), static_cast<std::streamsize>(8 * want.size()));
    if (recorded[k] == "-" || (isApproximate(form) && rawPath == nullptr)) continue;  // "-": the GPU's assembler refuses the form
    const Ran ran = runForm(form);
    if (ran.faults.rfind("unsupported", 0) == 0) {
      ++unsupported;
      if (rawPath == nullptr) continue;
    }
    const auto hash = sha256Hex({reinterpret_cast<const std::uint8_t*>(ran.values.data()), 8 * ran.values.size()}).substr(0, 16);
    ++compared;
    if (hash == recorded[k]) continue;
    if (isApproximate(form) && rawPath == nullptr) continue;
    INFO(form.line);
    INFO(ran.faults);
    if (rawPath == nullptr) CHECK(hash == recorded[k]);
    else {
      std::size_t bad = 0;
      const auto in = inputsOf(form);
      std::cout << form.line << "  " << ran.faults.substr(0, 100) << "\n";
      for (std::size_t i = 0; i < want.size(); ++i)
        if (want[i] != ran.values[i] && ++bad <= 4) {
          std::cout << std::hex << "   [" << i << "]";
          for (std::size_t a = i % formElements; a < in.size(); a += formElements) std::cout << " " << in[a];
          std::cout << "  want " << want[i] << " got " << ran.values[i] << std::dec << "\n";
        }
      std::cout << "   " << bad << " differ\n";
    }
  }
  CHECK(compared > 1000);
  CHECK(unsupported < 16);  // packed video and fp8 forms are still to be written
}
