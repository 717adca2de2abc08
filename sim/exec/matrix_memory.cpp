// Fragments of matrices from and to memory: ldmatrix, stmatrix, wmma.load, wmma.store.
// Simplified: the layout of a wmma fragment is a secret of each GPU generation; here it is that of the mma fragments, of which f16
// operands keep a second copy where the shape leaves room for one. The access record of a wmma instruction tells the first address of each lane only.
// Source: PTX ISA 9.0, 9.7.15.
#include "exec/access.h"

#include <cstring>

namespace warpmill::exec {
namespace {

using namespace portable;
using ptx::Space;
using ptx::Type;

// Lane 8 k + r gives the address of row r of matrix k (8 rows of 16 bytes). aux: matrices | transposed << 8.
struct RowAddresses {
  std::array<std::uint8_t*, 32> row{};
  BadLanes bad;
};
RowAddresses rowsOf(Exec& x, const Op& op, LaneMask mask, bool forWrite) {
  const u32 count = op.aux & 0xFF;
  const LaneMask givers = mask & (count >= 4 ? allLanes : (1u << (8 * count)) - 1);
  recordAccess(x, givers, forWrite ? MemoryAccess::Kind::Store : MemoryAccess::Kind::Load, op.space, 16, op.a, op.offset);
  if (op.space == Space::Generic && givers != 0) resolveGeneric(x, givers);
  RowAddresses rows;
  Locator locate(x, Space::Shared, 16, forWrite);
  eachLane(givers, [&](unsigned i) { rows.row[i] = locate.find(x.outcome->access.address[i], i, rows.bad); });
  return rows;
}

void executeLdmatrix(Exec& x, const Op& op, LaneMask mask) {
  RowAddresses rows = rowsOf(x, op, mask, false);
  const bool transposed = (op.aux >> 8 & 1) != 0;
  for (u32 k = 0; k < (op.aux & 0xFF); ++k) {
    u32* d = x.at(op.elements[k]);
    const auto half = [&](unsigned row, unsigned column) {
      u16 v = 0;
      if (const std::uint8_t* p = rows.row[8 * k + row]) std::memcpy(&v, p + 2 * column, 2);
      return u32{v};
    };
    eachLane(mask, [&](unsigned i) {
      const unsigned r = i / 4, c = 2 * (i % 4);
      d[i] = transposed ? half(c, r) | half(c + 1, r) << 16 : half(r, c) | half(r, c + 1) << 16;
    });
  }
  rows.bad.report(x, op, Space::Shared, "load", 16);
}

void executeStmatrix(Exec& x, const Op& op, LaneMask mask) {
  RowAddresses rows = rowsOf(x, op, mask, true);
  const bool transposed = (op.aux >> 8 & 1) != 0;
  for (u32 k = 0; k < (op.aux & 0xFF); ++k) {
    const u32* a = x.at(op.elements[k]);
    eachLane(mask, [&](unsigned i) {
      for (unsigned h = 0; h < 2; ++h) {
        const unsigned r = i / 4, c = 2 * (i % 4) + h;
        std::uint8_t* p = rows.row[8 * k + (transposed ? c : r)];
        const u16 v = static_cast<u16>(a[i] >> (16 * h));
        if (p != nullptr) std::memcpy(p + 2 * (transposed ? r : c), &v, 2);
      }
    });
  }
  rows.bad.report(x, op, Space::Shared, "store", 16);
}

// What a wmma instruction moves, packed in aux2: fragment (0 A, 1 B, 2 C or D) | column-major << 2 | elements a register << 8; aux holds
// the shape. Elements below a byte move in whole 32-bit words, which lie along k.
enum Fragment : u32 { FragmentA, FragmentB, FragmentC };

// Matrix position of part `h` of register r in lane i, as matrix.cpp cuts fragments into cores.
struct Position { u32 row, column; };
struct FragmentShape {
  Fragment fragment;
  u32 m, n, k, per;  // k in what is moved at once (words, where elements are below a byte); per: of these a register
  [[nodiscard]] Position position(u32 r, u32 i, u32 h) const {
    const u32 g = i / 4, t = i % 4, high = m / 8, along = k / per > 4 ? k / per / 4 : 1;
    if (fragment == FragmentA) {
      const u32 core = r % (high * along);
      return {core % high * 8 + g, (core / high * 4 + t) * per + h};
    }
    if (fragment == FragmentB) {
      const u32 core = r % (along * (n / 8));
      return {(core % along * 4 + t) * per + h, core / along * 8 + g};
    }
    const u32 core = per == 2 ? r : r / 2, sub = per == 2 ? h : r & 1;
    return {core % high * 8 + g, core / high * 8 + 2 * t + sub};
  }
};

template <class E> void moveFragment(Exec& x, const Op& op, LaneMask mask, bool store) {
  const auto fragment = static_cast<Fragment>(op.aux2 & 3);
  const bool columnMajor = (op.aux2 >> 2 & 1) != 0;
  const u32 perRegister = op.aux2 >> 8, parts = sizeof(E) < 4 ? 4 / static_cast<u32>(sizeof(E)) : 1;
  const u32 inWord = perRegister > parts ? perRegister : 1;  // elements in what is moved at once: more than one below a byte
  const FragmentShape shape{fragment, op.aux & 0xFF, op.aux >> 8 & 0xFF, (op.aux >> 16) / inWord, parts};
  const u32 rows = fragment == FragmentB ? op.aux >> 16 : shape.m, columns = fragment == FragmentA ? op.aux >> 16 : shape.n;
  recordAccess(x, mask, store ? MemoryAccess::Kind::Store : MemoryAccess::Kind::Load, op.space, static_cast<u32>(sizeof(E)) * parts, op.a, op.offset);
  if (op.space == Space::Generic) resolveGeneric(x, mask);
  const Space space = x.outcome->access.space;
  const std::array<u64, 32> base = x.outcome->access.address;
  Locator locate(x, space, sizeof(E), store);
  BadLanes bad;
  eachLane(mask, [&](unsigned i) {
    const u64 stride = (op.b.present ? x.at(op.b)[i] : columnMajor ? rows : columns) / inWord;
    for (u32 r = op.elementCount; r-- > 0;) {  // downwards, so that the recorded address is the first register's
      u32* plane = x.at(op.elements[r]);
      u64 word = 0;
      for (u32 h = 0; h < parts; ++h) {
        const Position p = shape.position(r, i, h);
        const u64 address = base[i] + (columnMajor ? p.column * stride + p.row : p.row * stride + p.column) * sizeof(E);
        if (h == 0) x.outcome->access.address[i] = address;
        std::uint8_t* at = locate.find(address, i, bad);
        if (at == nullptr) continue;
        E e{};
        if (store) {
          e = static_cast<E>(sizeof(E) == 8 ? get<u64>(plane, i) : u64{plane[i]} >> (8 * sizeof(E) * h));
          std::memcpy(at, &e, sizeof(E));
        } else {
          std::memcpy(&e, at, sizeof(E));
          word |= u64{e} << (8 * sizeof(E) * h);
        }
      }
      if (!store) {
        if constexpr (sizeof(E) == 8) put<u64>(plane, i, word);
        else plane[i] = static_cast<u32>(word);
      }
    }
  });
  bad.report(x, op, space, store ? "store" : "load", sizeof(E));
}
template <class E> void loadFragment(Exec& x, const Op& op, LaneMask mask) { moveFragment<E>(x, op, mask, false); }
template <class E> void storeFragment(Exec& x, const Op& op, LaneMask mask) { moveFragment<E>(x, op, mask, true); }

}  // namespace

Handler ldmatrixHandler() { return &executeLdmatrix; }
Handler stmatrixHandler() { return &executeStmatrix; }
Handler wmmaMemoryHandler(Type type, bool store) {
  switch (type) {
    case Type::F16: case Type::BF16: return store ? &storeFragment<u16> : &loadFragment<u16>;
    case Type::S8: case Type::U8: return &loadFragment<u8>;
    case Type::S4: case Type::U4: case Type::B1: return &loadFragment<u32>;
    case Type::F32: case Type::TF32: case Type::S32: return store ? &storeFragment<u32> : &loadFragment<u32>;
    case Type::F64: return store ? &storeFragment<u64> : &loadFragment<u64>;
    default: return nullptr;
  }
}

}  // namespace warpmill::exec
