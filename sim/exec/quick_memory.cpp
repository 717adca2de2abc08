// Loads and stores the quick way: when all lanes find their bytes in one page (or in shared, local or parameter memory), with one check
// for the whole warp, and as one copy where the addresses of neighbouring lanes follow one another. What is left over (an address that
// is bad, several buffers, a run that wants addresses recorded) goes to the general handler, which decides it all anew; so faults are
// told in one place.
#include "exec/reach.h"

#include <cstring>

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

// The plane of eight lanes, beginning with lane `first`.
template <class W> inline u32* part(u32* plane, unsigned first) { return plane + (sizeof(W) == 8 ? 2 : 1) * std::size_t{first}; }
template <class W> inline const u32* part(const u32* plane, unsigned first) { return plane + (sizeof(W) == 8 ? 2 : 1) * std::size_t{first}; }

#ifdef __SSE2__
// Four vectors of four words each and back: rows become columns.
inline void transpose(const u8* const* from, u8* const* to) {
  __m128i r[4];
  for (unsigned i = 0; i < 4; ++i) r[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from[i]));
  const __m128i a = _mm_unpacklo_epi32(r[0], r[1]), b = _mm_unpacklo_epi32(r[2], r[3]);
  const __m128i c = _mm_unpackhi_epi32(r[0], r[1]), d = _mm_unpackhi_epi32(r[2], r[3]);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to[0]), _mm_unpacklo_epi64(a, b));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to[1]), _mm_unpackhi_epi64(a, b));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to[2]), _mm_unpacklo_epi64(c, d));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to[3]), _mm_unpackhi_epi64(c, d));
}
#endif

// Eight lanes' elements that follow one another, `stride` bytes apart.
template <class E, class W> inline void fetchRow(u32* d, const u8* from, u32 stride) {
  if (stride == sizeof(E)) {
    if constexpr (sizeof(E) == sizeof(W) && sizeof(E) >= 4) std::memcpy(d, from, groupLanes * sizeof(E));
    else
      for (unsigned i = 0; i < groupLanes; ++i) put<W>(d, i, widen<E, W>(fetch<E>(from + i * sizeof(E))));
  } else {
    for (unsigned i = 0; i < groupLanes; ++i) put<W>(d, i, widen<E, W>(fetch<E>(from + std::size_t{i} * stride)));
  }
}

template <class E, class W> inline void fetchEach(u32* d, LaneMask mask, const u8* from, const u32* offset) {
#ifdef __AVX2__
  if constexpr (sizeof(E) == 4 && sizeof(W) == 4) {
    const __m256i at = _mm256_load_si256(reinterpret_cast<const __m256i*>(offset));
    __m256i v = _mm256_i32gather_epi32(reinterpret_cast<const int*>(from), at, 1);
    if (mask != wholeGroup) {
      const __m256i bits = _mm256_load_si256(reinterpret_cast<const __m256i*>(laneBit));
      const __m256i on = _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(static_cast<int>(mask)), bits), bits);
      v = _mm256_blendv_epi8(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(d)), v, on);
    }
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(d), v);
    return;
  }
#endif
  if (mask == wholeGroup)
    for (unsigned i = 0; i < groupLanes; ++i) put<W>(d, i, widen<E, W>(fetch<E>(from + offset[i])));
  else eachLane(mask, [&](unsigned i) { put<W>(d, i, widen<E, W>(fetch<E>(from + offset[i]))); });
}

// Several pages.
template <class E, class W> void loadSpread(Exec& x, const Op& op, LaneMask mask, u32 bytes) {
  u8* at[32];
  if (!reachPages<false>(x, op, mask, bytes, at)) return op.general(x, op, mask);
  for (u32 k = 0; k < op.elementCount; ++k) {
    u32* d = x.at(op.elements[k]);
    eachLane(mask, [&](unsigned i) { put<W>(d, i, widen<E, W>(fetch<E>(at[i] + k * sizeof(E)))); });
  }
}

template <class E, class W> void load(Exec& x, const Op& op, LaneMask mask) {
  if (x.last == nullptr) return op.general(x, op, mask);
  const u32 count = op.elementCount, bytes = static_cast<u32>(sizeof(E)) * count;
  if (!op.a.present) {
    const u8* from = oneAddress(x, op, bytes);
    if (from == nullptr) return op.general(x, op, mask);
    for (u32 k = 0; k < count; ++k) broadcast<E, W>(x.at(op.elements[k]), mask, from + k * sizeof(E));
    return;
  }
  Reach r;
  if (!reach<false>(x, op, mask, bytes, r)) return loadSpread<E, W>(x, op, mask, bytes);
  Patterns patterns;
  findPatterns(r.offset, bytes, patterns);
  if (patterns.all == Pattern::Same) {
    for (u32 k = 0; k < count; ++k) broadcast<E, W>(x.at(op.elements[k]), mask, r.bytes + r.offset[0] + k * sizeof(E));
    return;
  }
  if constexpr (sizeof(E) == sizeof(W) && sizeof(E) >= 4)
    if (patterns.all == Pattern::Row && mask == allLanes && count == 1) {
      std::memcpy(x.at(op.elements[0]), r.bytes + r.offset[0], 32 * sizeof(E));
      return;
    }
  for (unsigned g = 0; g < 32; g += groupLanes) {
    const LaneMask on = mask >> g & wholeGroup;
    if (on == 0) continue;
    const u32* offset = r.offset + g;
    const Pattern pattern = on == wholeGroup ? patterns.group[g / groupLanes] : Pattern::Other;
    const u8* from = r.bytes + (pattern == Pattern::Other ? 0 : offset[0]);
#ifdef __SSE2__
    if constexpr (sizeof(E) == 4 && sizeof(W) == 4)
      if (count == 4 && pattern == Pattern::Row) {
        for (unsigned i = 0; i < groupLanes; i += 4) {
          const u8* rows[4];
          u8* columns[4];
          for (unsigned k = 0; k < 4; ++k) {
            rows[k] = from + (i + k) * 16;
            columns[k] = reinterpret_cast<u8*>(x.at(op.elements[k]) + g + i);
          }
          transpose(rows, columns);
        }
        continue;
      }
#endif
    for (u32 k = 0; k < count; ++k, from += sizeof(E)) {
      u32* d = part<W>(x.at(op.elements[k]), g);
      if (pattern == Pattern::Row) {
        fetchRow<E, W>(d, from, bytes);
      } else if (pattern == Pattern::Same) {
        const W w = widen<E, W>(fetch<E>(from));
        for (unsigned i = 0; i < groupLanes; ++i) put<W>(d, i, w);
      } else {
        fetchEach<E, W>(d, on, from, offset);
      }
    }
  }
}

template <class E, class W> void storeSpread(Exec& x, const Op& op, LaneMask mask, u32 bytes) {
  u8* at[32];
  if (!reachPages<true>(x, op, mask, bytes, at)) return op.general(x, op, mask);
  eachLane(mask, [&](unsigned i) {
    for (u32 k = 0; k < op.elementCount; ++k) {
      const E e = static_cast<E>(get<W>(x.at(op.elements[k]), i));
      std::memcpy(at[i] + k * sizeof(E), &e, sizeof(E));
    }
  });
}

template <class E, class W> void store(Exec& x, const Op& op, LaneMask mask) {
  if (x.last == nullptr || !op.a.present || op.elementCount > 4) return op.general(x, op, mask);
  const u32 count = op.elementCount, bytes = static_cast<u32>(sizeof(E)) * count;
  Reach r;
  if (!reach<true>(x, op, mask, bytes, r)) return storeSpread<E, W>(x, op, mask, bytes);
  const u32* plane[4] = {};
  for (u32 k = 0; k < count; ++k) plane[k] = x.at(op.elements[k]);
  Patterns patterns;
  findPatterns(r.offset, bytes, patterns);
  if constexpr (sizeof(E) == sizeof(W))
    if (patterns.all == Pattern::Row && mask == allLanes && count == 1) {
      std::memcpy(r.bytes + r.offset[0], plane[0], 32 * sizeof(E));
      return;
    }
  // Group by group and lane by lane: of two that write one place the later lane's value stays.
  for (unsigned g = 0; g < 32; g += groupLanes) {
    const LaneMask on = mask >> g & wholeGroup;
    if (on == 0) continue;
    const u32* offset = r.offset + g;
    if (on == wholeGroup && patterns.group[g / groupLanes] == Pattern::Row) {
      u8* to = r.bytes + offset[0];
      if (count == 1) {
        const u32* s = part<W>(plane[0], g);
        if constexpr (sizeof(E) == sizeof(W)) std::memcpy(to, s, groupLanes * sizeof(E));
        else
          for (unsigned i = 0; i < groupLanes; ++i) {
            const E e = static_cast<E>(get<W>(s, i));
            std::memcpy(to + i * sizeof(E), &e, sizeof(E));
          }
        continue;
      }
#ifdef __SSE2__
      if constexpr (sizeof(E) == 4 && sizeof(W) == 4)
        if (count == 4) {
          for (unsigned i = 0; i < groupLanes; i += 4) {
            const u8* columns[4];
            u8* rows[4];
            for (unsigned k = 0; k < 4; ++k) {
              columns[k] = reinterpret_cast<const u8*>(plane[k] + g + i);
              rows[k] = to + (i + k) * 16;
            }
            transpose(columns, rows);
          }
          continue;
        }
#endif
    }
    eachLane(on, [&](unsigned i) {
      u8* to = r.bytes + offset[i];
      for (u32 k = 0; k < count; ++k) {
        const E e = static_cast<E>(get<W>(plane[k], g + i));
        std::memcpy(to + k * sizeof(E), &e, sizeof(E));
      }
    });
  }
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
