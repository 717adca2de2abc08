// How undefined bytes go through one instruction from registers to registers, by its rule (see facts.h).
#pragma once

#include "faults/poison.h"

namespace warpmill::faults {

class Mover {
 public:
  // Registers are as the instruction left them.
  Mover(const exec::Exec& x, const exec::Op& op, const Facts& facts, WarpPoison& warp, std::uint32_t origin)
      : x_(x), op_(op), facts_(facts), w_(warp), lanes_(x.outcome->executed), origin_(origin) {}
  void run();

 private:
  [[nodiscard]] LaneMask byte(std::size_t source, std::uint32_t k) const {
    const Span& s = facts_.sources[source];
    return k < s.count ? w_.bytes[s.first + k] : 0;
  }
  [[nodiscard]] LaneMask anyOf(std::size_t source) const;
  [[nodiscard]] LaneMask anySource() const;
  void put(const Span& destination, std::uint32_t k, LaneMask undefined);
  void putAll(LaneMask undefined);
  void putPredicates(LaneMask undefined);
  // The constant that source k is, byte by byte, when it is one.
  [[nodiscard]] const std::uint32_t* constant(std::size_t source) const;

  void bytewise();
  void masked(std::uint8_t deciding);
  void vectors();
  void pack();
  void unpack();
  void select();
  void shift(bool left);
  void convert();
  void compare();
  void predicates(bool conjunction);
  void shuffle();

  const exec::Exec& x_;
  const exec::Op& op_;
  const Facts& facts_;
  WarpPoison& w_;
  LaneMask lanes_;
  std::uint32_t origin_;
};

}  // namespace warpmill::faults
