// NaN and infinity, from where they begin to where they come out: each register that holds one remembers the instruction that made it from
// ordinary numbers, or the load that brought it, also by way of memory. Told of is where it began, when it comes out: into global memory, or
// turned into an integer. What a kernel writes down as a constant (-infinity before a maximum) has no origin and is not told of.
// Also counted, not faults: values that .ftz replaced by zero, and arithmetic in double precision between floats.
// Simplified: of the two halves of a register one stands for both; results that .ftz flushed are found of sums, products and fma only; copies by
// cp.async and in bulk, textures and fragments count as loads of what was there before.
#pragma once

#include "faults/note.h"
#include "faults/number_facts.h"
#include "faults/report.h"

#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

namespace warpmill::faults {

using exec::LaneMask;

struct BlockNumbers {
  std::vector<std::vector<std::uint32_t>> origins;                          // by warp: by plane and lane, the instruction plus one; 0: none
  std::unordered_map<std::uint64_t, std::uint32_t> shared, local;           // by address; `local` with warp and lane above it
};

class Numbers {
 public:
  Numbers(const exec::Code& code, Reports& reports);

  [[nodiscard]] BlockNumbers start(const machine::Block& block) const;
  [[nodiscard]] bool watches(std::uint32_t pc) const { return facts_[pc].work != NumberWork::None; }
  void before(const exec::Exec& x, const exec::Op& op, LaneMask executed, BlockNumbers& block);
  void after(const exec::Exec& x, const exec::Op& op, BlockNumbers& block);
  [[nodiscard]] std::vector<Note> notes() const;

 private:
  using Origins = std::unordered_map<std::uint64_t, std::uint32_t>;
  struct Operands {                                       // of one instruction, as they were before it
    LaneMask nan = 0, infinite = 0, subnormal = 0;
    std::array<std::uint32_t, 32> origin{};               // of the first that is not finite
    std::array<std::array<double, 32>, 3> values{};       // of the first three
    unsigned count = 0;
  };

  void compute(const exec::Exec& x, const exec::Op& op, LaneMask executed, std::vector<std::uint32_t>& origins);
  void exchange(const exec::Exec& x, const exec::Op& op, LaneMask executed, std::vector<std::uint32_t>& origins);
  void load(const exec::Exec& x, const exec::Op& op, LaneMask executed, BlockNumbers& block);
  void store(const exec::Exec& x, const exec::Op& op, LaneMask executed, BlockNumbers& block);
  void come(const exec::Exec& x, const exec::Op& op, unsigned lane, std::uint32_t origin, const Place* target);
  void begins(const exec::Exec& x, const exec::Op& op, unsigned lane, double result, const Place* place);
  void flushed(const exec::Exec& x, const exec::Op& op, LaneMask executed, const NumberFacts& facts);
  Origins* memoryOf(const exec::Exec& x, BlockNumbers& block, ptx::Space space, unsigned lane, std::uint64_t& key);

  const exec::Code& code_;
  Reports& reports_;
  std::vector<NumberFacts> facts_;
  Operands operands_;
  std::map<std::uint32_t, NumberOrigin> made_;            // by instruction: the first one
  Origins global_;
  std::vector<std::uint64_t> detours_;                    // by instruction: threads that executed it
  std::uint64_t flushed_ = 0;
  std::uint32_t firstFlush_ = ptx::none;
};

}  // namespace warpmill::faults
