// From PTX to what the machine issues: cost only, what an instruction does stays PTX's. For each PTX instruction: the pipe it uses, how
// many machine instructions it becomes (0: folded into another), its latency, the registers it waits for.
// The machine executes PTX's order, in which the debugger steps. That ptxas puts loads before the uses of earlier ones is told by `sinks`
// and `joins`: an instruction that sinks takes its turn where it stands, but its result is there only as if it had waited for its
// operands, so that later loads go past it; what joins waits until all that sank would have issued.
// Simplified: peephole rules instead of ptxas; no spilling; loads that go past what sank are counted by rounds of an unrolled loop (up to
// 16 registers), elsewhere any number may, up to the next join.
#pragma once

#include "device/profile.h"
#include "ptx/module.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace warpmill::lowering {

enum class Pipe : std::uint8_t { None, Fma, Alu, Imad, Fp64, Fp16, Sfu, Tensor, Lsu, Constant, SpecialRegister, Branch, Barrier, Count };
inline constexpr std::size_t pipeCount = static_cast<std::size_t>(Pipe::Count);
std::string_view pipeName(Pipe pipe);

// Work that goes on while the warp does: copies to shared memory (cp.async), bulk stores, products of a warpgroup (wgmma).
enum class AsyncKind : std::uint8_t { None, Copies, Stores, Products };
enum class AsyncRole : std::uint8_t { Issue, Commit, Wait };

inline constexpr std::uint16_t noLoop = 0xFFFF;

struct TimedOp {
  Pipe pipe = Pipe::Alu;
  std::uint16_t issues = 1;           // machine instructions it counts as
  std::uint16_t latency = 4;          // cycles until a dependent one may issue; memory: the part before the load/store unit's answer
  std::uint16_t interval = 1;         // cycles that its pipe is taken
  bool isMemory = false;
  AsyncKind async = AsyncKind::None;
  AsyncRole role = AsyncRole::Issue;
  bool sinks = false;                 // issues without waiting for its operands; see above
  bool joins = false;                 // waits for the issue of all that sank
  bool crowdsPorts = false;           // reads three registers for the FP32 pipe, two of them through one port: see ports.h
  bool reusesOperand = false;         // finds one of them in the reuse cache when it directly follows the instruction before it
  bool endsRound = false;             // the branch at the end of an unrolled loop's body
  std::uint8_t joinsEvery = 0;        // the beginning of its body joins, too, once in so many rounds; 0: it does not
  std::uint32_t guardOf = ptx::none;  // a load that ptxas puts under the guard of the instruction there, which alone wants its value
  bool oneLane = false;               // an atomic that one lane does for all (their sum, when they add to one place)
  std::uint8_t pieces = 1;            // accesses of a matrix fragment: quarters of 8 by 8 elements
  std::uint8_t mergedBytes = 0;       // a load that takes in its neighbours (which are folded): bytes of a lane; 0: none
  std::int16_t mergedOffset = 0;      // from its own address to the first of them
  std::uint16_t every = 1;            // of a loop that ptxas unrolls: this is needed once in so many rounds, else it is as in `between`
  std::uint16_t loop = noLoop;        // which of the unrolled loops
  std::uint16_t armIssues = 0;        // a branch that ptxas replaces by predicates: what a warp issues all the same when it takes it
  std::uint32_t keptGroups = 0;       // Wait: committed groups that may stay open; ~0: none, and what is not committed is waited for too
  std::vector<std::uint32_t> reads;   // scoreboard entries: register r of the function is entry r
  std::vector<std::uint32_t> writes;
};

struct Lowered {
  std::vector<TimedOp> ops;               // by instruction number
  std::vector<TimedOp> between;           // the same for the rounds in which an op with `every` is not needed; empty: there are none
  std::uint16_t loops = 0;                // unrolled ones
  std::uint32_t prologueIssues = 0;       // machine instructions before the first
  std::uint32_t registersPerThread = 0;   // by liveness
  std::uint32_t machineInstructions = 0;  // static count, for the instruction cache
};

Lowered lower(const ptx::Module& module, const ptx::Function& function, const device::Profile& profile);

}  // namespace warpmill::lowering
