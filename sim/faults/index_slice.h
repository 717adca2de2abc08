// Which instructions compute what may become an address, found once: backwards from every address through sums, products, shifts to the
// left, widenings and copies. What goes through anything else on the way (a remainder, a mask, a hash, memory) begins anew there: such
// steps wrap on purpose, or undo that something did.
#pragma once

#include "exec/op.h"

#include <vector>

namespace warpmill::faults {

// How a step's result follows from its sources, in exact integers.
enum class Linear : std::uint8_t { None, Copy, Sum, Difference, Product, ProductAndSum, Shift, Negation, Widening, Choice, Exchange, JoinedBits };

struct SliceStep {
  Linear kind = Linear::None;     // None: no address follows from it
  bool isWatched = false;         // it may wrap in this launch
  bool widens = false;            // its (two first) sources are half as wide, or narrower, and read as signed or not
  bool isSigned = false;
  std::uint8_t width = 0, sourceWidth = 0;   // bits of the result and of those sources
  // How what follows reads a result of 16 or 32 bits: as a signed number, as one without a sign, or as an address.
  bool readSigned = false, readUnsigned = false, readAsAddress = false;
  std::vector<std::uint32_t> addresses;      // planes of registers that it takes addresses from
  std::vector<std::uint32_t> written;        // planes of registers of the slice that it writes
};

// By instruction; empty: nothing in this kernel can wrap on its way to an address.
std::vector<SliceStep> sliceOf(const exec::Code& code);

}  // namespace warpmill::faults
