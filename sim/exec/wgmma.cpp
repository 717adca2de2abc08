// Products of a warpgroup: wgmma.mma_async. Each of the four warps makes its own 16 rows of D (64 x N); A comes from registers or
// shared memory, B from shared memory, where a descriptor says how 8 x 16-byte cores lie: start address, two byte offsets, swizzle.
// Simplified: a product is made when it is issued, so that its registers change before wgmma.wait_group; hardware leaves them open until
// then. The descriptor's base offset must be zero: patterns begin at multiples of their size.
// Source: PTX ISA 9.0, 9.7.15.5 (matrix descriptor, layouts); layouts and arithmetic compared with an H200 (tests/exec/matrices).
#include "exec/tensor_core.h"
#include "exec/wgmma.h"

namespace warpmill::exec::WM_ISA {
namespace {

// A matrix in shared memory: lines (rows of A, columns of B) by k.
class SharedMatrix {
 public:
  SharedMatrix(const Exec& x, u64 descriptor, bool acrossLines) : shared_(x.block->shared.data()), size_(x.block->shared.size()), across_(acrossLines) {
    start_ = static_cast<u32>(descriptor & 0x3FFF) << 4;
    leading_ = static_cast<u32>(descriptor >> 16 & 0x3FFF) << 4;
    stride_ = static_cast<u32>(descriptor >> 32 & 0x3FFF) << 4;
    const u32 mode = static_cast<u32>(descriptor >> 62);  // 0 none, 1: 128 bytes, 2: 64, 3: 32
    span_ = mode == 0 ? 16 : 256u >> mode;
    phases_ = mode == 0 ? 0 : (8u >> (mode - 1)) - 1;
  }

  // The 32 bits of `line` that begin at byte 4 * w along k.
  [[nodiscard]] u32 word(unsigned line, unsigned w) {
    if (across_) return half(line, 2 * w) | half(line, 2 * w + 1) << 16;
    const u32 byte = 4 * w;
    return read<u32>(start_ + line % 8 * span_ + line / 8 * stride_ + byte / span_ * leading_ + byte % span_);
  }
  [[nodiscard]] bool outside() const { return outside_; }

 private:
  // 16-bit elements that lie side by side across lines.
  [[nodiscard]] u32 half(unsigned line, unsigned k) {
    const u32 unit = span_ / 2, perUnit = span_ == 16 ? stride_ : leading_, perEight = span_ == 16 ? leading_ : stride_;
    return read<u16>(start_ + line % unit * 2 + line / unit * perUnit + k % 8 * span_ + k / 8 * perEight);
  }
  template <class E> u32 read(u32 address) {
    address ^= (address >> 7 & phases_) << 4;
    E e{};
    if (address + sizeof(E) > size_) outside_ = true;
    else __builtin_memcpy(&e, shared_ + address, sizeof(E));
    return e;
  }

  const u8* shared_;
  u64 size_;
  bool across_, outside_ = false;
  u32 start_ = 0, leading_ = 0, stride_ = 0, span_ = 16, phases_ = 0;
};

// Places of D's elements in the registers of a warp: register, lane, shift.
struct Place { unsigned slot, lane, shift; };
Place place(unsigned row, unsigned column, bool halves) {
  const unsigned core = column / 8 * 2 + row / 8, lane = row % 8 * 4 + column % 8 / 2;
  if (halves) return {core, lane, 16 * (column & 1)};
  return {2 * core + (column & 1), lane, 0};
}

void executeWgmma(Exec& x, const Op& op, LaneMask mask) {
  const WgmmaFlags flags = WgmmaFlags::of(op.aux2);
  const ptx::Modifiers& m = op.instruction->mods;
  ProductSpec s{m.type, m.sourceType, m.thirdType, m.type, 16, op.aux & 0xFFFF, op.aux >> 16, flags.sparse, m.satfinite, flags.negateA, flags.negateB};
  const u32* registers = x.code->manySlots().data() + op.offset;
  const auto plane = [&](unsigned slot) { return x.base[Slot::Registers] + registers[slot]; };
  const auto first = static_cast<unsigned>(std::countr_zero(mask));
  SharedMatrix a(x, flags.fromRegisters ? 0 : get<u64>(x.at(op.a), first), flags.acrossA), b(x, get<u64>(x.at(op.b), first), flags.acrossB);
  const unsigned warp = x.warp->indexInBlock % 4 * 16;
  const auto wordOfA = [&](unsigned row, unsigned w) {
    if (flags.fromRegisters) return x.at(op.elements[w / 4 * 2 + row / 8])[row % 8 * 4 + w % 4];
    return a.word(warp + row, w);
  };
  const bool halves = s.d == Type::F16, accumulate = (x.value(op.predicate) & laneBit[first]) != 0;
  if (s.a == Type::B1) {
    for (unsigned row = 0; row < 16; ++row)
      for (unsigned column = 0; column < s.n; ++column) {
        const Place p = place(row, column, false);
        u32 total = accumulate ? plane(p.slot)[p.lane] : 0;
        for (unsigned w = 0; w < s.k / 32; ++w) total += static_cast<u32>(std::popcount(wordOfA(row, w) & b.word(column, w)));
        plane(p.slot)[p.lane] = total;
      }
  } else {
    Tile tile(s);
    tile.takeRows(16, wordOfA);
    if (s.sparse) {
      const unsigned chunks = s.k / (bitsOf(s.a) == 32 ? 2 : 4), lanes = chunks / 4;
      const u32* positions = x.at(op.c);
      tile.takePositions(16, [&](unsigned row, unsigned chunk) {
        if (bitsOf(s.a) == 8) return positions[row % 8 * 4 + row / 8 + chunk / 8 * 2] >> (chunk % 8 * 4) & 15;
        return positions[row % 8 * 4 + (lanes < 4 ? lanes * flags.selector : 0) + chunk / 4] >> (16 * (row / 8) + chunk % 4 * 4) & 15;
      });
    }
    for (unsigned left = 0; left < s.n; left += 8) {
      tile.takeColumns([&](unsigned column, unsigned w) { return b.word(left + column, w); });
      for (unsigned row = 0; row < 16; ++row) {
        std::array<u32, 8> c{}, d;
        const Place p = place(row, left, halves);
        u32 *even = plane(p.slot) + p.lane, *odd = halves ? even : plane(p.slot + 1) + p.lane;
        if (accumulate)
          for (unsigned t = 0; t < 4; ++t) {
            c[2 * t] = halves ? even[t] & 0xFFFF : even[t];
            c[2 * t + 1] = halves ? even[t] >> 16 : odd[t];
          }
        tile.row(row, c.data(), d.data());
        for (unsigned t = 0; t < 4; ++t) {
          even[t] = halves ? d[2 * t] | d[2 * t + 1] << 16 : d[2 * t];
          if (!halves) odd[t] = d[2 * t + 1];
        }
      }
    }
  }
  if (a.outside() || b.outside()) reportOutsideShared(x, op, mask);
}

}  // namespace

Handler wgmmaHandler() { return &executeWgmma; }

}  // namespace warpmill::exec::WM_ISA
