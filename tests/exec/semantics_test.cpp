// Every form of semantics/forms.txt and scalar.txt gives the bits that an H200 gave (h200.txt, scalar-h200.txt).
// To see what differs, record raw results with record.py and set WARPMILL_SEMANTICS_RAW to their folder (forms.raw, scalar.raw).
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

struct Ran {
  std::vector<std::uint64_t> values;
  std::string faults;
};
// `inputs` is kept from the form before: neighbours have the same ones.
Ran runForm(const Form& form, const std::vector<std::uint64_t>& inputs) {
  const std::string text = programOf(form);
  if (const auto parsed = ptx::parse(text, "form.ptx"); !parsed.ok())
    return {std::vector<std::uint64_t>(form.outputWords()), formatDiagnostics(parsed.diagnostics())};
  Launcher l(text);
  l.buffer(inputs);
  const auto out = l.buffer(std::vector<std::uint64_t>(form.outputWords()));
  l.buffer(std::vector<std::uint64_t>(8 * formElements));
  const auto run = l.run({formElements / 256, 1, 1}, {256, 1, 1});
  return {l.read<std::uint64_t>(out), describe(run)};
}

// What a recording holds for one form, as wide as its result.
std::vector<std::uint64_t> readRaw(std::istream& raw, const Form& form) {
  std::vector<std::uint64_t> values(form.outputWords());
  for (std::uint64_t& v : values) raw.read(reinterpret_cast<char*>(&v), form.bits / 8);
  return values;
}

void show(const Form& form, const Ran& ran, const std::vector<std::uint64_t>& in, const std::vector<std::uint64_t>& want) {
  std::size_t bad = 0;
  std::cout << form.line << "  " << ran.faults.substr(0, 160) << "\n";
  for (std::size_t i = 0; i < want.size(); ++i)
    if (want[i] != ran.values[i] && ++bad <= 4) {
      std::cout << std::hex << "   [" << i << "]";
      for (std::size_t a = i % formElements; a < in.size(); a += formElements) std::cout << " " << in[a];
      std::cout << "  want " << want[i] << " got " << ran.values[i] << std::dec << "\n";
    }
  std::cout << "   " << bad << " differ\n";
}

// How many forms were compared.
std::size_t compareList(const std::string& list, const std::string& results) {
  const auto forms = readForms(folder + list + ".txt");
  const auto recorded = linesOf(folder + results);
  REQUIRE(forms.size() == recorded.size());
  const char* rawFolder = std::getenv("WARPMILL_SEMANTICS_RAW");
  std::ifstream raw(rawFolder != nullptr ? rawFolder + ("/" + list + ".raw") : "", std::ios::binary);
  std::vector<std::uint64_t> inputs;
  for (std::size_t k = 0; k < forms.size(); ++k) {
    const Form& form = forms[k];
    if (k == 0 || form.inputs != forms[k - 1].inputs) inputs = inputsOf(form);
    const Ran ran = runForm(form, inputs);
    const auto hash = sha256Hex({reinterpret_cast<const std::uint8_t*>(ran.values.data()), 8 * ran.values.size()}).substr(0, 16);
    const auto want = rawFolder != nullptr ? readRaw(raw, form) : std::vector<std::uint64_t>{};
    if (hash == recorded[k] && ran.faults.empty()) continue;
    if (rawFolder != nullptr) show(form, ran, inputs, want);
    INFO(form.line);
    INFO(ran.faults);
    CHECK(hash == recorded[k]);
  }
  return forms.size();
}

}  // namespace

TEST_CASE("every scalar instruction form that sm_90a has gives the bits that an H200 gave") {
  CHECK(compareList("scalar", "scalar-h200.txt") > 5600);
}

TEST_CASE("chosen border cases and matrix products give the bits that an H200 gave") {
  CHECK(compareList("forms", "h200.txt") > 50);
}
