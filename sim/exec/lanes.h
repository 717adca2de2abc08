// Whole-warp loops over register planes. Handlers are a scalar functor per lane; these templates give them a loop for a full warp and
// one for a partial one, both written so that the compiler vectorises them.
// This header, and what includes it, is compiled once per instruction set (see handlers.h): everything is in namespace WM_ISA, so that
// the linker cannot take the variant for newer processors where the portable one is meant.
#pragma once

#include "exec/handlers.h"
#include "exec/op.h"

#include <bit>
#include <type_traits>

namespace warpmill::exec::WM_ISA {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s8 = std::int8_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;
typedef u64 __attribute__((may_alias)) PlaneWord64;  // planes are stored as 32-bit words

alignas(64) inline constexpr u32 laneBit[32] = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,  1u << 8,  1u << 9,  1u << 10,
    1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21,
    1u << 22, 1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};

// The value of lane i as a T. 16-bit and 8-bit values are zero-extended in their word.
template <class T>
inline T get(const u32* plane, unsigned i) {
  if constexpr (sizeof(T) == 8) return std::bit_cast<T>(static_cast<u64>(reinterpret_cast<const PlaneWord64*>(plane)[i]));
  else if constexpr (sizeof(T) == 4) return std::bit_cast<T>(plane[i]);
  else if constexpr (sizeof(T) == 2) return std::bit_cast<T>(static_cast<u16>(plane[i]));
  else return std::bit_cast<T>(static_cast<u8>(plane[i]));
}
template <class T>
inline void put(u32* plane, unsigned i, T value) {
  if constexpr (sizeof(T) == 8) reinterpret_cast<PlaneWord64*>(plane)[i] = std::bit_cast<u64>(value);
  else if constexpr (sizeof(T) == 4) plane[i] = std::bit_cast<u32>(value);
  else if constexpr (sizeof(T) == 2) plane[i] = std::bit_cast<u16>(value);
  else plane[i] = std::bit_cast<u8>(value);
}

// Any width at run time; for handlers off the hot path.
inline u64 getBits(const Exec& x, const Slot& s, unsigned i) {
  return s.bits == 64 ? static_cast<u64>(reinterpret_cast<const PlaneWord64*>(x.at(s))[i]) : x.at(s)[i];
}
inline void putBits(const Exec& x, const Slot& s, unsigned i, u64 value) {
  if (s.bits == 64) reinterpret_cast<PlaneWord64*>(x.at(s))[i] = value;
  else if (s.bits == 32) x.at(s)[i] = static_cast<u32>(value);
  else x.at(s)[i] = static_cast<u32>(value) & ((1u << s.bits) - 1);
}

template <class F>
inline void eachLane(LaneMask mask, F body) {
  for (; mask != 0; mask &= mask - 1) body(static_cast<unsigned>(std::countr_zero(mask)));
}

// Functors that are cheap and cannot trap run for all lanes and keep the old value where the mask is off; those that define
// `scalarOnly` run only for the lanes of the mask.
template <class F> concept ScalarOnly = requires { F::scalarOnly; };

// Lanes are independent, even where source and destination are the same register.
#ifdef __clang__
#define WM_IVDEP _Pragma("clang loop vectorize(assume_safety)")
#else
#define WM_IVDEP _Pragma("GCC ivdep")
#endif

template <class D, class F>
inline void writeLanes(u32* d, LaneMask mask, F value) {
  if (mask == allLanes) {
    WM_IVDEP
    for (unsigned i = 0; i < 32; ++i) put<D>(d, i, value(i));
  } else {
    WM_IVDEP
    for (unsigned i = 0; i < 32; ++i) {
      const D v = value(i);
      put<D>(d, i, (mask & laneBit[i]) != 0 ? v : get<D>(d, i));
    }
  }
}

template <class D, class A, class F>
void unary(Exec& x, const Op& op, LaneMask mask) {
  u32* d = x.at(op.dst);
  const u32* a = x.at(op.a);
  if constexpr (ScalarOnly<F>) eachLane(mask, [&](unsigned i) { put<D>(d, i, F{}(get<A>(a, i))); });
  else writeLanes<D>(d, mask, [=](unsigned i) { return static_cast<D>(F{}(get<A>(a, i))); });
}

template <class D, class A, class B, class F>
void binary(Exec& x, const Op& op, LaneMask mask) {
  u32* d = x.at(op.dst);
  const u32* a = x.at(op.a);
  const u32* b = x.at(op.b);
  if constexpr (ScalarOnly<F>) eachLane(mask, [&](unsigned i) { put<D>(d, i, F{}(get<A>(a, i), get<B>(b, i))); });
  else writeLanes<D>(d, mask, [=](unsigned i) { return static_cast<D>(F{}(get<A>(a, i), get<B>(b, i))); });
}

template <class D, class A, class B, class C, class F>
void ternary(Exec& x, const Op& op, LaneMask mask) {
  u32* d = x.at(op.dst);
  const u32* a = x.at(op.a);
  const u32* b = x.at(op.b);
  const u32* c = x.at(op.c);
  if constexpr (ScalarOnly<F>) eachLane(mask, [&](unsigned i) { put<D>(d, i, F{}(get<A>(a, i), get<B>(b, i), get<C>(c, i))); });
  else writeLanes<D>(d, mask, [=](unsigned i) { return static_cast<D>(F{}(get<A>(a, i), get<B>(b, i), get<C>(c, i))); });
}

// One bit a lane where the condition holds.
template <class F>
inline LaneMask gatherMask(F condition) {
  u32 bits = 0;
  for (unsigned i = 0; i < 32; ++i) bits |= condition(i) ? laneBit[i] : 0u;
  return bits;
}

template <class T> struct Tag { using type = T; };

// f(Tag<T>) for the C++ type of an integer PTX type; .bN counts as unsigned. nullptr for others.
template <class F>
inline Handler forInteger(ptx::Type type, F f) {
  using ptx::Type;
  switch (type) {
    case Type::U16: case Type::B16: return f(Tag<u16>{});
    case Type::S16: return f(Tag<s16>{});
    case Type::U32: case Type::B32: return f(Tag<u32>{});
    case Type::S32: return f(Tag<s32>{});
    case Type::U64: case Type::B64: return f(Tag<u64>{});
    case Type::S64: return f(Tag<s64>{});
    default: return nullptr;
  }
}
// The same by width only.
template <class F>
inline Handler forBits(ptx::Type type, F f) {
  switch (ptx::sizeBytes(type)) {
    case 2: return f(Tag<u16>{});
    case 4: return f(Tag<u32>{});
    case 8: return f(Tag<u64>{});
    default: return nullptr;
  }
}
template <class F>
inline Handler forBool(bool flag, F f) { return flag ? f(std::true_type{}) : f(std::false_type{}); }

}  // namespace warpmill::exec::WM_ISA
