// Every form of matrices/forms.txt gives the bits that an H200 gave (matrices/h200.txt).
// To see what differs, record raw results with record.py and set WARPMILL_MATRICES_RAW to that file.
#include "exec/launcher.h"
#include "exec/matrices/matrices.h"

#include "base/sha256.h"

#include <cstdlib>
#include <fstream>
#include <iostream>

using namespace warpmill;
using namespace warpmill::exec::test;

namespace {

const std::string folder = std::string(WARPMILL_SOURCE_DIR) + "/tests/exec/matrices/";

struct Ran {
  std::vector<std::uint32_t> words;
  std::string faults;
};
Ran runForm(const MatrixForm& form) {
  Launcher l(programOf(form));
  l.buffer(inputsOf(form));
  const auto out = l.buffer(std::vector<std::uint32_t>(form.outputWords() * form.blocks()));
  const auto run = l.run({form.blocks(), 1, 1}, {form.threads, 1, 1});
  return {l.read<std::uint32_t>(out), describe(run)};
}

void showDifferences(const MatrixForm& form, const Ran& ran, const std::vector<std::uint32_t>& want) {
  std::size_t bad = 0;
  std::cout << form.line.substr(0, 20) << " ... " << form.line.substr(form.line.find("mma") == std::string::npos ? 0 : form.line.rfind("mma"), 90) << "  "
            << ran.faults.substr(0, 150) << "\n";
  std::array<std::size_t, 4> byMode{};
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (want[i] == ran.words[i]) continue;
    const auto block = i / form.outputWords(), at = i % form.outputWords();
    ++byMode[block & 3];
    if (++bad <= 6)
      std::cout << std::hex << "   block " << block << " register " << at / form.threads << " thread " << at % form.threads << "  want " << want[i] << " got "
                << ran.words[i] << std::dec << "\n";
  }
  std::cout << "   " << bad << " of " << want.size() << " differ, by block kind " << byMode[0] << " " << byMode[1] << " " << byMode[2] << " " << byMode[3] << "\n";
}

}  // namespace

TEST_CASE("every matrix instruction gives the bits that an H200 gave") {
  const auto forms = readMatrixForms(folder + "forms.txt");
  std::ifstream recorded(folder + "h200.txt");
  const char* rawPath = std::getenv("WARPMILL_MATRICES_RAW");
  std::ifstream raw(rawPath != nullptr ? rawPath : "", std::ios::binary);
  std::size_t compared = 0;
  for (const MatrixForm& form : forms) {
    std::string wanted;
    REQUIRE(std::getline(recorded, wanted));
    std::vector<std::uint32_t> want(form.outputWords() * form.blocks());
    if (rawPath != nullptr) raw.read(reinterpret_cast<char*>(want.data()), static_cast<std::streamsize>(4 * want.size()));
    const Ran ran = runForm(form);
    ++compared;
    const auto hash = sha256Hex({reinterpret_cast<const std::uint8_t*>(ran.words.data()), 4 * ran.words.size()}).substr(0, 16);
    if (hash == wanted) continue;
    if (rawPath != nullptr) {
      showDifferences(form, ran, want);
      continue;
    }
    INFO(form.line);
    INFO(ran.faults);
    CHECK(hash == wanted);
  }
  CHECK(compared >= 396);
}
