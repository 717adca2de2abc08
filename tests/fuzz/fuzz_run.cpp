// Any PTX that parses is run, functionally and in time, for some thousand instructions: it ends, faults or is stopped, and never crashes.
//   cmake --preset fuzz && cmake --build --preset fuzz --target fuzz_run
//   build/fuzz/tests/fuzz/fuzz_run -dict=tests/fuzz/ptx.dict -max_total_time=300 FOLDER_FOR_FINDS tests/fuzz/corpus/ptx
#include "exec/functional.h"
#include "exec/prepare.h"
#include "timing/machine.h"

#include <cstddef>
#include <cstdint>
#include <string>

using namespace warpmill;

namespace {

// An argument that fits the parameter: a buffer for 8 bytes, a number for less.
launch::Argument argumentFor(const ptx::Variable& parameter) {
  launch::Argument a;
  const bool isFloat = ptx::isFloat(parameter.type);
  switch (parameter.sizeBytes) {
    case 8:
      a.type = isFloat ? launch::DType::F64 : launch::DType::F32;
      a.isBuffer = !isFloat;
      a.count = 64;
      a.init.kind = launch::Init::Kind::Iota;
      break;
    case 4: a.type = isFloat ? launch::DType::F32 : launch::DType::U32; a.bits = 40; break;
    case 2: a.type = isFloat ? launch::DType::F16 : launch::DType::U16; a.bits = 3; break;
    default: a.type = launch::DType::U8; a.bits = 1; break;
  }
  return a;
}

void runEntry(const std::shared_ptr<const ptx::Module>& module, const ptx::Function& entry, const device::Profile& profile) {
  constexpr std::uint64_t limit = 4000;
  launch::Launch l;
  l.kernel = entry.name;
  l.grid = {3, 1, 1};
  l.block = {40, 1, 1};
  if (entry.requiredThreads[0] != 0)
    l.block = {entry.requiredThreads[0], std::max(entry.requiredThreads[1], 1u), std::max(entry.requiredThreads[2], 1u)};
  for (const ptx::Variable& p : entry.params) l.arguments.push_back(argumentFor(p));
  l.dynamicSharedBytes = 1024;
  auto prepared = exec::prepare(l, module, profile);
  if (!prepared) return;
  machine::Memory memory = prepared->memory;
  (void)exec::runFunctional(*prepared->code, memory, exec::FunctionalLimits{limit, 64, false});
  const auto machine = timing::Machine::create(std::move(*prepared), profile);
  if (!machine) return;
  timing::MachineState state = (*machine)->initialState();
  timing::Trace trace;
  (*machine)->runToEnd(state, &trace, limit);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const device::Profile profile = device::loadProfile("teaching").value();
  auto parsed = ptx::parse(std::string(reinterpret_cast<const char*>(data), size), "fuzz.ptx");
  if (!parsed) return 0;
  const auto module = std::make_shared<const ptx::Module>(std::move(*parsed));
  for (const ptx::Variable& v : module->variables)
    if (v.sizeBytes > 1 << 20) return 0;  // memory is not what is tested here
  std::size_t runs = 0;
  for (const ptx::Function* entry : module->entries())
    if (entry->localBytes < 1 << 16 && ++runs <= 3) runEntry(module, *entry, profile);
  return 0;
}
