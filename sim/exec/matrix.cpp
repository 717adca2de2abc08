// Matrix products of a warp: mma.sync, dense and sparse, wmma.mma, movmatrix; for every shape and type of sm_90.
// Floats are added as tensor_core.h says; doubles by one fma after the other; integers exactly, the sum wrapped or saturated at the end.
// Source: PTX ISA 9.0, 9.7.15 (fragment layouts); arithmetic measured on an H200 (tests/exec/matrices).
#include "exec/tensor_core.h"

namespace warpmill::exec::WM_ISA {
namespace {

struct Shape { unsigned m = 0, n = 0, k = 0; };
Shape shapeOf(u32 aux) { return {aux & 0xFF, aux >> 8 & 0xFF, aux >> 16}; }

// Where the warp's registers hold the elements: the registers of D, A, B and C stand one behind the other in op.elements.
// An operand is cut into cores of 8 rows (B: columns) by 4 words along k, a word a lane; a core is one register.
// A result is cut into cores of 8 x 8, two neighbours a lane.
struct Fragments {
  const Exec& x;
  const Op& op;
  unsigned a, b, c, e;   // first slots
  unsigned m, kWords;    // kWords: 32-bit words along k in B
  [[nodiscard]] u32 word(unsigned slot, unsigned lane) const { return x.at(op.elements[slot])[lane]; }
  [[nodiscard]] u32 wordOfA(unsigned row, unsigned w) const { return word(a + w / 4 * (m / 8) + row / 8, row % 8 * 4 + w % 4); }
  [[nodiscard]] u32 wordOfB(unsigned column, unsigned w) const { return word(b + column / 8 * (kWords > 4 ? kWords / 4 : 1) + w / 4, column % 8 * 4 + w % 4); }
  struct Place { unsigned slot, lane, shift; };
  [[nodiscard]] Place place(unsigned row, unsigned column, bool halves) const {
    const unsigned core = column / 8 * (m / 8) + row / 8, lane = row % 8 * 4 + column % 8 / 2;
    if (halves) return {core, lane, 16 * (column & 1)};
    return {2 * core + (column & 1), lane, 0};
  }
  [[nodiscard]] u32 wordOfC(unsigned row, unsigned column, bool halves) const {
    const Place p = place(row, column, halves);
    return word(c + p.slot, p.lane) >> p.shift & (halves ? 0xFFFFu : ~0u);
  }
  // Eight neighbours of a row of C.
  void readC(unsigned row, unsigned column, bool halves, u32* c8) const {
    const Place p = place(row, column, halves);
    const u32* even = x.at(op.elements[c + p.slot]) + p.lane;
    const u32* odd = halves ? even : x.at(op.elements[c + p.slot + 1]) + p.lane;
    for (unsigned t = 0; t < 4; ++t) {
      c8[2 * t] = halves ? even[t] & 0xFFFF : even[t];
      c8[2 * t + 1] = halves ? even[t] >> 16 : odd[t];
    }
  }
  // Positions of a sparse A: 16 bits a row and 16 columns (of 16-bit elements), rows r and r + 8 in one register. `selector` says which lanes of four hold
  // them where fewer than all are needed.
  [[nodiscard]] u32 nibble(unsigned row, unsigned chunk, unsigned chunks, unsigned selector, bool bytes) const {
    const unsigned lanes = chunks / 4;  // that hold a row
    if (bytes) return word(e, row % 8 * 4 + row / 8 + (lanes < 4 ? 2 * selector : chunk / 8 * 2)) >> (chunk % 8 * 4) & 15;
    return word(e, row % 8 * 4 + (lanes < 4 ? lanes * selector : 0) + chunk / 4) >> (16 * (row / 8) + chunk % 4 * 4) & 15;
  }
};

ProductSpec specOf(const ptx::Instruction& in, u32 aux) {
  const ptx::Modifiers& m = in.mods;
  ProductSpec s;
  const bool implied = m.thirdType == Type::None;  // wmma on f16 names D and C only
  s.d = m.type;
  s.a = implied ? Type::F16 : m.sourceType;
  s.b = implied ? Type::F16 : m.thirdType;
  s.c = implied ? m.sourceType : m.fourthType;
  const Shape shape = shapeOf(aux);
  s.m = shape.m;
  s.n = shape.n;
  s.k = shape.k;
  s.saturate = m.satfinite;
  s.sparse = in.opcode == ptx::Opcode::MmaSp;
  s.halved = in.opcode == ptx::Opcode::Wmma && s.a == Type::TF32;
  s.widenFloat8 = s.a == Type::E4M3 || s.a == Type::E5M2;
  return s;
}

unsigned accumulatorRegisters(const ProductSpec& s, Type t) { return s.m * s.n * bitsOf(t) / 32 / 32; }

using Results = std::array<std::array<u32, 32>, 8>;
void writeResults(Exec& x, const Op& op, LaneMask mask, const Results& out, unsigned count) {
  for (unsigned r = 0; r < count; ++r) eachLane(mask, [&](unsigned i) { x.at(op.elements[r])[i] = out[r][i]; });
}

Fragments fragmentsOf(const Exec& x, const Op& op, const ProductSpec& s) {
  const unsigned d = accumulatorRegisters(s, s.d), c = accumulatorRegisters(s, s.c);
  const unsigned copies = op.aux2 & 0xFF;  // wmma keeps f16 operands in 8 registers, whatever the shape
  const unsigned a = copies != 0 ? copies : s.m * s.k * bitsOf(s.a) / 32 / 32 / (s.sparse ? 2 : 1);
  const unsigned b = copies != 0 ? copies : s.n * s.k * bitsOf(s.b) / 32 / 32;
  return {x, op, d, d + a, d + a + b, d + a + b + c, s.m, s.k * bitsOf(s.b) / 32};
}

// mma.sync and wmma.mma. aux2: registers of a wmma operand in f16 | selector of a sparse product << 8.
void executeMma(Exec& x, const Op& op, LaneMask mask) {
  const ProductSpec s = specOf(*op.instruction, op.aux);
  const Fragments f = fragmentsOf(x, op, s);
  const bool halvesC = s.c == Type::F16, halvesD = s.d == Type::F16;
  const unsigned rows = s.m < 16 ? s.m : 16, selector = op.aux2 >> 8;
  Results out{};
  Tile tile(s);
  for (unsigned top = 0; top < s.m; top += rows) {
    tile.takeRows(rows, [&](unsigned row, unsigned w) { return f.wordOfA(top + row, w); });
    if (s.sparse) {
      const unsigned chunks = s.k * bitsOf(s.a) / (bitsOf(s.a) < 16 && bitsOf(s.a) != 4 ? 32 : bitsOf(s.a) == 4 ? 32 : 64);
      tile.takePositions(rows, [&](unsigned row, unsigned chunk) { return f.nibble(row, chunk, chunks, selector, bitsOf(s.a) <= 8); });
    }
    for (unsigned left = 0; left < s.n; left += 8) {
      tile.takeColumns([&](unsigned column, unsigned w) { return f.wordOfB(left + column, w); });
      for (unsigned row = 0; row < rows; ++row) {
        std::array<u32, 8> c, d;
        f.readC(top + row, left, halvesC, c.data());
        tile.row(row, c.data(), d.data());
        const auto p = f.place(top + row, left, halvesD);
        for (unsigned t = 0; t < 4; ++t) {
          if (halvesD) {
            out[p.slot][p.lane + t] = d[2 * t] | d[2 * t + 1] << 16;
          } else {
            out[p.slot][p.lane + t] = d[2 * t];
            out[p.slot + 1][p.lane + t] = d[2 * t + 1];
          }
        }
      }
    }
  }
  writeResults(x, op, mask, out, f.a);
}

// m8n8k4 on f16: four products of eight lanes each (lanes 4q to 4q + 3 and 16 more). aux2: A in columns | B in columns << 1.
// There is no such unit on this machine: the products are added up in f32 by one fma after the other; from C on and
// downwards where the result is f16; from zero on and upwards where it is f32, and then C.
void executeQuarters(Exec& x, const Op& op, LaneMask mask) {
  const ProductSpec s = specOf(*op.instruction, op.aux);
  const unsigned dCount = s.d == Type::F16 ? 4 : 8, a = dCount, b = a + 2, c = b + 2;
  const bool columnsA = (op.aux2 & 1) != 0, columnsB = (op.aux2 & 2) != 0;
  struct Place { unsigned slot, lane, shift; };
  const auto place = [](unsigned row, unsigned column, bool halves) -> Place {
    if (halves) return {column / 2, row % 4 + row / 4 * 16, 16 * (column & 1)};
    return {(column & 4) + (row & 2) + (column & 1), (row & 1) + (column & 2) + row / 4 * 16, 0};
  };
  const auto half = [&](unsigned slot, unsigned lane, unsigned i) { return static_cast<u16>(x.at(op.elements[slot + i / 2])[lane] >> (16 * (i & 1))); };
  // Lines: rows of A, or columns of B; `along`: the lanes run along k.
  const auto element = [&](unsigned base, unsigned quarter, unsigned line, unsigned k, bool along) {
    const unsigned lane = (along ? k : line % 4) + 4 * quarter + line / 4 * 16;
    return half(base, lane, along ? line % 4 : k);
  };
  Results out{};
  for (unsigned q = 0; q < 4; ++q)
    for (unsigned row = 0; row < 8; ++row)
      for (unsigned column = 0; column < 8; ++column) {
        const Place from = place(row, column, s.c == Type::F16), to = place(row, column, s.d == Type::F16);
        const u32 bits = x.at(op.elements[c + from.slot])[from.lane + 4 * q] >> from.shift;
        const float add = s.c == Type::F16 ? fromF16(static_cast<u16>(bits)) : asF32(bits);
        float sum = s.d == Type::F16 ? add : 0.0f;
        for (unsigned step = 0; step < 4; ++step) {
          const unsigned k = s.d == Type::F16 ? 3 - step : step;
          sum = std::fma(fromF16(element(a, q, row, k, columnsA)), fromF16(element(b, q, column, k, !columnsB)), sum);
        }
        if (s.d != Type::F16) sum += add;
        out[to.slot][to.lane + 4 * q] |= (s.d == Type::F16 ? u32{toF16(sum)} : sum != sum ? nan32 : bitsOf(sum)) << to.shift;
      }
  writeResults(x, op, mask, out, dCount);
}

// Single bits: the count of ones in A ^ B or A & B. aux2: 1 for and.
void executeBits(Exec& x, const Op& op, LaneMask mask) {
  const ProductSpec s = specOf(*op.instruction, op.aux);
  const Fragments f = fragmentsOf(x, op, s);
  const bool both = (op.aux2 >> 8) != 0;
  Results out{};
  for (unsigned row = 0; row < s.m; ++row)
    for (unsigned column = 0; column < s.n; ++column) {
      u32 total = f.wordOfC(row, column, false);
      for (unsigned w = 0; w < s.k / 32; ++w) {
        const u32 p = f.wordOfA(row, w), q = f.wordOfB(column, w);
        total += static_cast<u32>(std::popcount(both ? p & q : p ^ q));
      }
      const auto p = f.place(row, column, false);
      out[p.slot][p.lane] = total;
    }
  writeResults(x, op, mask, out, f.a);
}

// Double precision: one fma after the other.
void executeMmaDouble(Exec& x, const Op& op, LaneMask mask) {
  const Shape s = shapeOf(op.aux);
  const auto at = [&](unsigned slot, unsigned lane) { return get<double>(x.at(op.elements[slot]), lane); };
  const unsigned half = s.m / 8, a = 2 * half, b = a + half * s.k / 4, c = b + s.k / 4;
  std::array<std::array<double, 32>, 4> out{};
  for (unsigned row = 0; row < s.m; ++row)
    for (unsigned column = 0; column < 8; ++column) {
      const unsigned lane = row % 8 * 4 + column / 2, r = row / 8 * 2 + (column & 1);
      double v = at(c + r, lane);
      for (unsigned k = 0; k < s.k; ++k) {
        const double p = at(a + k / 4 * half + row / 8, row % 8 * 4 + k % 4), q = at(b + k / 4, column * 4 + k % 4);
        v = nanOf(std::fma(p, q, v), q, v, p);
      }
      out[r][lane] = v;
    }
  for (unsigned r = 0; r < a; ++r) eachLane(mask, [&](unsigned i) { put<double>(x.at(op.elements[r]), i, out[r][i]); });
}

// Rows of an 8x8 matrix of 16-bit elements: lane i holds elements (i / 4, 2 * (i % 4)) and the next; transposed.
void executeMovmatrix(Exec& x, const Op& op, LaneMask mask) {
  const u32* a = x.at(op.a);
  std::array<u32, 32> out{};
  for (unsigned row = 0; row < 8; ++row)
    for (unsigned column = 0; column < 8; ++column) {
      const u32 v = a[column * 4 + row / 2] >> (16 * (row & 1)) & 0xFFFF;
      out[row * 4 + column / 2] |= v << (16 * (column & 1));
    }
  u32* d = x.at(op.dst);
  eachLane(mask, [&](unsigned i) { d[i] = out[i]; });
}

}  // namespace

// The kinds of product there are; the decoder has compared the shape with the types (matrixShapeFits).
Handler productHandler(const ptx::Instruction& in, u32 shape) {
  const ProductSpec s = specOf(in, shape);
  if (s.a == Type::F64) return &executeMmaDouble;
  if (s.a == Type::B1) return &executeBits;
  const bool isWmma = in.opcode == ptx::Opcode::Wmma;
  return s.m == 8 && s.k == 4 && !isWmma ? &executeQuarters : &executeMma;
}
Handler movmatrixHandler() { return &executeMovmatrix; }

}  // namespace warpmill::exec::WM_ISA
