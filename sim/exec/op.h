// A decoded instruction: everything a handler needs to execute it for a whole warp, with operands as offsets instead of names.
// Registers are planes of 32 lanes; immediates and launch constants are planes too (in Code's constants), so that handlers know
// one kind of source only.
#pragma once

#include "exec/code.h"

namespace warpmill::exec {

inline constexpr LaneMask allLanes = 0xFFFFFFFFu;
inline constexpr std::uint32_t planeWords = machine::warpSize;

// Where a 32-lane value lives: `base` 0: the warp's registers, 1: the code's constants, 2: scratch of this one step (special registers
// that vary, and destinations written as "_"). `offset` in 32-bit words. A 64-bit value takes 32 consecutive 64-bit words.
struct Slot {
  enum Base : std::uint8_t { Registers, Constants, Scratch };
  std::uint32_t offset = 0;
  Base base = Registers;
  std::uint8_t bits = 32;      // width of the register (8, 16, 32, 64, 128); what is wider than the type is extended on writing
  bool present = false;
};

struct PredicateSource {
  std::uint32_t index = ptx::none;  // none: the constant
  LaneMask constant = allLanes;
  bool negated = false;
};

struct SpecialFill {
  ptx::SpecialRegister special = ptx::SpecialRegister::None;
  std::uint32_t offset = 0;    // in scratch
  bool wide = false;
};

// How an instruction moves the program counter.
enum class Flow : std::uint8_t { Next, Branch, Exit, BlockBarrier, WarpCollective, Table, Call, Return, Await /* the handler says whether the path waits */ };

struct Exec;
using Handler = void (*)(Exec&, const Op&, LaneMask);

// What a run of instructions without stops can do with an operation: execute it and go on, jump when all lanes agree, or neither (the
// whole of `issue` is needed).
enum class Stride : std::uint8_t { Stop, Step, Jump };

struct Op {
  Handler handler = nullptr;
  Flow flow = Flow::Next;
  Stride stride = Stride::Stop;
  bool guarded = false, guardNegated = false;
  bool spinLoop = false, backward = false;
  std::uint32_t guard = 0;                       // predicate number
  std::uint32_t pc = 0, target = 0, reconvergence = ptx::none;

  Slot dst, a, b, c, e;                          // destination and up to four sources
  std::uint32_t dstPredicate = ptx::none, dstPredicate2 = ptx::none;
  PredicateSource predicate, predicate2;         // predicate sources (selp's, setp's combined one, and.pred's two)

  ptx::Space space = ptx::Space::None;           // memory instructions; Generic is resolved lane by lane
  Handler general = nullptr;                     // loads and stores: the handler for what the quick one leaves
  std::uint8_t elementBytes = 0;
  bool signExtend = false;
  bool resultUnused = false;                     // of an atomic: a reduction, or an atom whose result no instruction reads
  std::int64_t offset = 0;                       // added to `a`, or the whole address when `a` is not present
  std::int64_t offset2 = 0;                      // cp.async: added to `b`, the source's address

  std::uint32_t aux = 0, aux2 = 0;               // what the handler wants to know besides: lop3's table, a matrix' shape ...
  std::uint8_t specialCount = 0;
  std::array<SpecialFill, 4> specials{};
  const ptx::Instruction* instruction = nullptr;

  std::uint8_t elementCount = 0;                 // of a vector operand; matrix instructions: of all of them, one behind the other
  std::array<Slot, 32> elements{};
};

// Where an operation found its bytes the last time.
struct LastAccess {
  machine::PageTable::Region* region = nullptr;
  std::uint64_t offset = 0, stride = 0;          // in the region, of the first lane; from the time before to the last time
};

// What a handler works on during one step.
struct Exec {
  std::array<std::uint32_t*, 3> base{};
  LaneMask* predicates = nullptr;
  std::uint32_t carry = 0;                       // predicate number of the carry flags
  const Code* code = nullptr;
  machine::Memory* memory = nullptr;
  machine::Block* block = nullptr;
  machine::Warp* warp = nullptr;
  const Clock* clock = nullptr;
  StepOutcome* outcome = nullptr;
  ClusterView cluster;
  machine::Path::Status waitsAs = machine::Path::Status::Runnable;  // Flow::Await: set where the path is to wait, and for what
  std::uint32_t waitsFor = 0;
  LaneMask lanes = 0;                            // of the path, before the guard

  // Quick loads and stores: what each operation accessed last, by pc. nullptr where every access shall be recorded in the outcome, as
  // the timing run needs it: then only the general handlers run.
  LastAccess* last = nullptr;
  std::uint8_t* shared = nullptr;                // of the block
  std::uint64_t sharedBytes = 0;
  std::uint8_t* local = nullptr;                 // of the warp: a frame a lane, one behind the other
  std::uint64_t frameBytes = 0;
  const std::uint8_t* parameters = nullptr;
  std::uint64_t parameterBytes = 0;

  // Always inlined: see handlers.h.
  [[nodiscard, gnu::always_inline]] std::uint32_t* at(const Slot& s) const { return base[s.base] + s.offset; }
  [[nodiscard, gnu::always_inline]] LaneMask value(const PredicateSource& p) const {
    const LaneMask v = p.index == ptx::none ? p.constant : predicates[p.index];
    return p.negated ? ~v : v;
  }
  [[gnu::always_inline]] void setPredicate(std::uint32_t index, LaneMask value, LaneMask lanesWritten) const {
    if (index != ptx::none) predicates[index] = (predicates[index] & ~lanesWritten) | (value & lanesWritten);
  }
};

}  // namespace warpmill::exec
