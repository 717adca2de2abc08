// Accesses to shared memory that begin at one named array and end in another, or in the gap between: which array an address is computed from is
// found once, where the PTX names it; then each access is held against that array's bounds. (What leaves shared memory altogether is found by
// the access itself.)
// Simplified: addresses that come from memory, or from one of several arrays, are not held against any; arrays in local memory have no names.
#pragma once

#include "faults/report.h"

#include <vector>

namespace warpmill::faults {

class SubArrays {
 public:
  SubArrays(const exec::Code& code, Reports& reports);
  [[nodiscard]] bool any() const { return any_; }
  [[nodiscard]] bool watches(std::uint32_t pc) const { return bounds_[pc].variable != nullptr; }
  // Of an access to shared memory by `lanes`, addresses in x.outcome->access or `target`.
  void access(const exec::Exec& x, const exec::Op& op, exec::LaneMask lanes, const std::array<std::uint64_t, 32>& address, std::uint32_t bytes) const {
    const Bounds& b = bounds_[op.pc];
    if (b.variable == nullptr || b.size < bytes) return;
    if (lanes == exec::allLanes) {
      const std::uint64_t last = b.size - bytes;
      std::uint64_t signs = 0;  // of what lies before the array, or behind it
      for (unsigned i = 0; i < 32; ++i) {
        const std::uint64_t offset = address[i] - b.begin;
        signs |= offset | (last - offset);
      }
      if (signs >> 63 == 0) return;
    }
    outside(x, op, lanes, address, bytes);
  }

 private:
  struct Bounds {
    const ptx::Variable* variable = nullptr;
    std::uint64_t begin = 0, size = 0;
  };
  void outside(const exec::Exec& x, const exec::Op& op, exec::LaneMask lanes, const std::array<std::uint64_t, 32>& address, std::uint32_t bytes) const;

  Reports& reports_;
  std::vector<Bounds> bounds_;  // by instruction
  bool any_ = false;
};

}  // namespace warpmill::faults
