// A kernel made ready to run: PTX instructions decoded into dense operations with handlers, for one launch shape.
#pragma once

#include "base/result.h"
#include "exec/texture.h"
#include "machine/block.h"
#include "machine/fault.h"
#include "machine/memory.h"
#include "ptx/module.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace warpmill::exec {

using machine::LaneMask;

struct Dim3 { std::uint32_t x = 1, y = 1, z = 1; };

// What is the same for every thread of a launch.
struct LaunchContext {
  Dim3 grid, block;
  Dim3 cluster;                           // blocks of a cluster
  bool explicitCluster = false;
  std::uint32_t dynamicSharedBytes = 0;
  std::uint32_t staticSharedBytes = 0;
  std::vector<std::uint8_t> parameters;   // the parameter block, laid out as Function::params say
  std::uint32_t stackBytes = 16 * 1024;   // of a thread, beyond the kernel's own frame: frames of calls, what they keep, alloca
  std::uint32_t smCount = 1, maxWarpsPerSm = 64;
  std::uint32_t reservedSharedBytes = 1024;  // of a block, for the system
  std::uint64_t seed = 0;
  std::vector<std::uint64_t> variableAddress;  // by Module::variables: generic address of module-level .global and .const variables; .texref: a handle
  std::vector<BoundTexture> textures;          // a texture's handle is its place here plus one
  std::vector<SamplerState> samplers;          // of .samplerref variables that instructions name
};

// Blocks of the running block's cluster by rank; a block that has ended is nullptr. None at all: a block alone.
struct ClusterView {
  machine::Block* const* blocks = nullptr;
  std::uint32_t count = 0;
};

// What one warp instruction touched in memory: filled for ld, st, atom, red, cp.async ...; lanes without an access are not in `lanes`.
struct MemoryAccess {
  enum class Kind : std::uint8_t { None, Load, Store, Atomic, Reduction, AsyncCopy };
  Kind kind = Kind::None;
  ptx::Space space = ptx::Space::None;      // resolved: Global, Shared, Local, Const or Param, never Generic
  LaneMask lanes = 0;
  std::uint32_t bytesPerLane = 0;           // whole vector: 16 for v4.f32
  std::array<std::uint64_t, 32> address{};  // Shared and Local: offset in their space; others: address
};

// What one issue of a warp did.
struct StepOutcome {
  std::uint32_t pc = machine::noPc;         // the instruction that was issued
  LaneMask lanes = 0;                       // lanes of the path that issued it (before its guard)
  LaneMask executed = 0;                    // lanes for which the guard held
  MemoryAccess access;
  bool branch = false, diverged = false, reconverged = false;
  bool polled = false;                      // went round a loop that waits for memory
  bool arrivedAtBarrier = false;            // a block barrier; the path waits unless the barrier opened
  std::uint8_t barrier = 0;
  bool barrierOpened = false;               // this arrival opened it: other warps of the block may be runnable again
  bool queued = false;                      // something asynchronous is on its way to an mbarrier (Block::arrivals)
  bool woke = false;                        // paths that waited at an mbarrier or the cluster's barrier may be runnable again
  bool warpDone = false;                    // the warp's last lane exited
  std::uint32_t sleepNanoseconds = 0;       // nanosleep
  bool fault = false;                       // `faults` has one for it; the lanes concerned did nothing
  std::vector<machine::Fault> faults;
};

// A call as it is carried out.
struct CallPlan {
  struct Saved {
    std::uint32_t offset = 0;   // into the warp's planes, in words, or the number of the predicate
    std::uint8_t words = 0;     // of a lane; 0: a predicate
  };
  const ptx::CallSite* site = nullptr;
  std::vector<Saved> saved;
  std::uint32_t savedWords = 0;
};

struct Op;  // decoded instruction, exec's own
struct HandlerSet;

class Code {
 public:
  // `function` is an entry of `module`; both must outlive the code.
  // `handlers`: nullptr for the best that this host can run.
  static Result<Code> decode(const ptx::Module& module, const ptx::Function& function, LaunchContext context, const HandlerSet* handlers = nullptr);
  Code(Code&&) noexcept;
  Code& operator=(Code&&) noexcept;
  ~Code();

  [[nodiscard]] const ptx::Module& module() const { return *module_; }
  [[nodiscard]] const ptx::Function& function() const { return *function_; }
  [[nodiscard]] const LaunchContext& context() const { return context_; }
  [[nodiscard]] const std::vector<Op>& ops() const;   // by instruction number
  [[nodiscard]] const std::vector<std::uint32_t>& constants() const { return constants_; }  // planes of immediates
  [[nodiscard]] const std::vector<std::uint32_t>& manySlots() const { return manySlots_; }  // register offsets of operands too long for an Op
  [[nodiscard]] const std::vector<CallPlan>& calls() const { return calls_; }               // by ptx::Function::callSites
  [[nodiscard]] std::uint32_t routineOf(std::uint32_t function) const;                      // ptx::none: it has no body here

  // A block at its start: warps, registers at zero, shared memory at zero.
  [[nodiscard]] machine::Block makeBlock(std::uint64_t linear, std::uint32_t sm) const;
  void startBlock(machine::Block& block, std::uint64_t linear, std::uint32_t sm) const;  // the same in the place of a block that has ended

 private:
  friend class Decoder;
  Code();
  const ptx::Module* module_ = nullptr;
  const ptx::Function* function_ = nullptr;
  LaunchContext context_;
  std::unique_ptr<std::vector<Op>> ops_;
  std::vector<std::uint32_t> constants_, manySlots_;
  std::vector<CallPlan> calls_;
  std::vector<std::uint32_t> routineOf_;   // by function of the module, as far as needed
  bool usesStack_ = false;                 // calls, or alloca
};

// Values that special registers take, from the caller's clock.
struct Clock { std::uint64_t cycle = 0; std::uint64_t nanoseconds = 0; };

// Issues the next instruction of `warp` (its path `warp.current`, which must be runnable): executes it for the lanes whose guard
// holds, moves the program counters, parts and joins paths, arrives at barriers. Afterwards `warp.current` is the path that issues
// next (or any, if none is runnable). Deterministic. `outcome` is cleared first.
void step(const Code& code, machine::Memory& memory, machine::Block& block, machine::Warp& warp, const Clock& clock, StepOutcome& outcome, ClusterView cluster = {});

// Is any path of the warp able to issue?
bool runnable(const machine::Warp& warp);

}  // namespace warpmill::exec
