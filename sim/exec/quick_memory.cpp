// Loads and stores the quick way: when all lanes find their bytes in one page (or in shared, local or parameter memory), with one check
// for the whole warp, and as one copy where the lanes' addresses follow one another. What is left over (several pages, an address that
// is bad, a run that wants addresses recorded) goes to the general handler, which decides it all anew; so faults are told in one place.
#include "exec/reach.h"

#include <cstring>

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace warpmill::exec::WM_ISA {
namespace {

using ptx::Space;

template <class E, class W> inline W widen(E e) {
  if constexpr (std::is_signed_v<E>) return static_cast<W>(static_cast<std::make_signed_t<W>>(e));
  else return static_cast<W>(e);
}
template <class E> inline E fetch(const u8* from) {
  E e;
  std::memcpy(&e, from, sizeof(E));
  return e;
}

template <class E, class W> inline void broadcast(u32* d, LaneMask mask, const u8* from) {
  const W w = widen<E, W>(fetch<E>(from));
  writeLanes<W>(d, mask, [w](unsigned) { return w; });
}

// Element k of vectors of `count` that follow one another.
template <class E, class W, unsigned count> inline void unstripe(u32* d, const u8* from) {
  if constexpr (count == 1 && sizeof(E) == sizeof(W) && sizeof(E) >= 4) std::memcpy(d, from, 32 * sizeof(E));
  else
    for (unsigned i = 0; i < 32; ++i) put<W>(d, i, widen<E, W>(fetch<E>(from + std::size_t{i} * count * sizeof(E))));
}

template <class E, class W> inline void gather(u32* d, LaneMask mask, const u8* from, const u32* offset) {
#ifdef __AVX2__
  if constexpr (sizeof(E) == 4 && sizeof(W) == 4) {
    for (unsigned i = 0; i < 32; i += 8) {
      const __m256i at = _mm256_load_si256(reinterpret_cast<const __m256i*>(offset + i));
      __m256i v = _mm256_i32gather_epi32(reinterpret_cast<const int*>(from), at, 1);
      if (mask != allLanes) {
        const __m256i bits = _mm256_load_si256(reinterpret_cast<const __m256i*>(laneBit + i));
        const __m256i on = _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(static_cast<int>(mask)), bits), bits);
        v = _mm256_blendv_epi8(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(d + i)), v, on);
      }
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(d + i), v);
    }
    return;
  }
#endif
  if (mask == allLanes)
    for (unsigned i = 0; i < 32; ++i) put<W>(d, i, widen<E, W>(fetch<E>(from + offset[i])));
  else eachLane(mask, [&](unsigned i) { put<W>(d, i, widen<E, W>(fetch<E>(from + offset[i]))); });
}

template <class E, class W> void load(Exec& x, const Op& op, LaneMask mask) {
  const u32 bytes = static_cast<u32>(sizeof(E)) * op.elementCount;
  Reach r;
  if (!op.a.present) {
    const u8* from = x.regions == nullptr ? nullptr : oneAddress(x, op, bytes);
    if (from == nullptr) return op.general(x, op, mask);
    for (u32 k = 0; k < op.elementCount; ++k) broadcast<E, W>(x.at(op.elements[k]), mask, from + k * sizeof(E));
    return;
  }
  if (x.regions == nullptr || !reach<false>(x, op, mask, bytes, r)) return op.general(x, op, mask);
  const Pattern pattern = patternOf(r, bytes);
  for (u32 k = 0; k < op.elementCount; ++k) {
    u32* d = x.at(op.elements[k]);
    const u8* from = r.bytes + k * sizeof(E);
    if (pattern == Pattern::Same) {
      broadcast<E, W>(d, mask, from + r.offset[0]);
    } else if (pattern == Pattern::Row && mask == allLanes) {
      from += r.offset[0];
      if (op.elementCount == 1) unstripe<E, W, 1>(d, from);
      else if (op.elementCount == 2) unstripe<E, W, 2>(d, from);
      else if (op.elementCount == 4) unstripe<E, W, 4>(d, from);
      else gather<E, W>(d, mask, r.bytes + k * sizeof(E), r.offset);
    } else {
      gather<E, W>(d, mask, from, r.offset);
    }
  }
}

template <class E, class W, unsigned count> inline void stripe(u8* to, const u32* const* plane) {
  for (unsigned i = 0; i < 32; ++i)
    for (unsigned k = 0; k < count; ++k) {
      const E e = static_cast<E>(get<W>(plane[k], i));
      std::memcpy(to + (std::size_t{i} * count + k) * sizeof(E), &e, sizeof(E));
    }
}

template <class E, class W> void store(Exec& x, const Op& op, LaneMask mask) {
  const u32 bytes = static_cast<u32>(sizeof(E)) * op.elementCount;
  Reach r;
  if (x.regions == nullptr || !op.a.present || op.elementCount > 4 || !reach<true>(x, op, mask, bytes, r)) return op.general(x, op, mask);
  const u32* plane[4] = {};
  for (u32 k = 0; k < op.elementCount; ++k) plane[k] = x.at(op.elements[k]);
  if (mask == allLanes && patternOf(r, bytes) == Pattern::Row) {
    u8* to = r.bytes + r.offset[0];
    if (op.elementCount == 1) {
      if constexpr (sizeof(E) == sizeof(W)) std::memcpy(to, plane[0], 32 * sizeof(E));
      else stripe<E, W, 1>(to, plane);
    } else if (op.elementCount == 2) {
      stripe<E, W, 2>(to, plane);
    } else {
      stripe<E, W, 4>(to, plane);
    }
    return;
  }
  // Lane by lane: of two that write one place the later lane's value stays.
  const auto one = [&](unsigned i) {
    u8* to = r.bytes + r.offset[i];
    for (u32 k = 0; k < op.elementCount; ++k) {
      const E e = static_cast<E>(get<W>(plane[k], i));
      std::memcpy(to + k * sizeof(E), &e, sizeof(E));
    }
  };
  if (mask == allLanes)
    for (unsigned i = 0; i < 32; ++i) one(i);
  else eachLane(mask, one);
}

template <class E> Handler loadInto(u32 registerBits) {
  if (registerBits == 64) return &load<E, u64>;
  if constexpr (sizeof(E) <= 4) if (registerBits == 32) return &load<E, u32>;
  if constexpr (sizeof(E) <= 2) if (registerBits == 16) return &load<E, u16>;
  if constexpr (sizeof(E) == 1) if (registerBits == 8) return &load<E, std::make_unsigned_t<E>>;
  return nullptr;
}
template <class E> Handler storeOf(u32 registerBits) {
  if (registerBits == 64) return &store<E, u64>;
  if constexpr (sizeof(E) <= 4) return &store<E, u32>;
  return nullptr;
}

}  // namespace

Handler quickLoadHandler(std::uint32_t elementBytes, bool isSigned, std::uint32_t registerBits) {
  switch (elementBytes) {
    case 1: return isSigned ? loadInto<s8>(registerBits) : loadInto<u8>(registerBits);
    case 2: return isSigned ? loadInto<s16>(registerBits) : loadInto<u16>(registerBits);
    case 4: return isSigned ? loadInto<s32>(registerBits) : loadInto<u32>(registerBits);
    case 8: return loadInto<u64>(registerBits);
    default: return nullptr;
  }
}
Handler quickStoreHandler(std::uint32_t elementBytes, std::uint32_t registerBits) {
  switch (elementBytes) {
    case 1: return storeOf<u8>(registerBits);
    case 2: return storeOf<u16>(registerBits);
    case 4: return storeOf<u32>(registerBits);
    case 8: return storeOf<u64>(registerBits);
    default: return nullptr;
  }
}

}  // namespace warpmill::exec::WM_ISA
