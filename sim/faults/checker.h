// The checks of a functional run that look at every access: races, values that nobody has written,
// and addresses from sums and products that wrapped. One checker for one run.
#pragma once

#include "exec/observer.h"
#include "exec/prepare.h"
#include "faults/note.h"
#include "faults/undefined_memory.h"

#include <memory>

namespace warpmill::faults {

struct Checks {
  bool races = true, uninitialized = true, overflow = true;
  bool numbers = false;  // NaN and infinity; slow, so only when asked
  bool arrays = true;    // accesses that go from one array of shared memory to another
  [[nodiscard]] bool any() const { return races || uninitialized || overflow || numbers || arrays; }
};

class Checker : public exec::Observer {
 public:
  // True when something was too large to be looked at wholly: what, in a few words; else empty.
  [[nodiscard]] virtual std::string incomplete() const = 0;
  [[nodiscard]] virtual std::vector<Note> notes() const = 0;
};

// undefinedAllocations: into Memory::allocations(), of buffers that nothing was written to.
std::unique_ptr<Checker> makeChecker(Checks checks, std::vector<std::uint32_t> undefinedAllocations = {});
// undefined: what the launches before it have left unwritten, and then this one; nullptr: there are none before it.
std::unique_ptr<Checker> makeChecker(Checks checks, const exec::PreparedLaunch& launch, std::shared_ptr<UndefinedMemory> undefined = nullptr);
// Of a sequence's buffers before its first launch.
std::shared_ptr<UndefinedMemory> undefinedBuffers(const launch::Launch& sequence, const exec::DeviceState& device);

}  // namespace warpmill::faults
