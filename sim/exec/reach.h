// Where all lanes of an access find their bytes, checked for the warp at once: the quick way of loads, stores and atomics.
// Compiled once per instruction set, hence namespace WM_ISA.
#pragma once

#include "exec/lanes.h"

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace warpmill::exec::WM_ISA {

// Lane i's bytes are at bytes + offset[i]. Lanes that are off have the offset of one that is on.
struct Reach {
  u8* bytes = nullptr;
  alignas(64) u32 offset[32];  // left uninitialised: written before it is read
};

// A stretch of host memory and the addresses that it stands for.
struct Stretch {
  u8* bytes = nullptr;
  u64 low = 0;    // address of bytes[0]
  u64 size = 0;   // less than 4 GiB
  const machine::PageTable::Region* region = nullptr;  // of global memory
  u64 page = 0;
};

inline u64 addressOf(const Exec& x, const Op& op, unsigned lane) {
  const auto add = static_cast<u64>(op.offset);
  if (!op.a.present) return add;
  if (op.a.bits == 64) return reinterpret_cast<const PlaneWord64*>(x.at(op.a))[lane] + add;
  return static_cast<u32>(x.at(op.a)[lane] + add);
}

// The stretch around an address in the operation's space; bytes is nullptr where there is none, or where it may not be written.
template <bool forWrite> inline Stretch stretchAt(const Exec& x, const Op& op, u64 address) {
  if (op.space == ptx::Space::Shared) return {x.shared, 0, x.sharedBytes};
  if (op.space == ptx::Space::Local || op.space == ptx::Space::Param) return {};
  LastAccess& last = x.last[op.pc];
  machine::PageTable::Region* r = last.region;
  if (r == nullptr || address - r->base >= r->sizeBytes) {
    if (op.space == ptx::Space::Generic && address - machine::sharedWindow < x.sharedBytes) return {x.shared, machine::sharedWindow, x.sharedBytes};
    r = x.memory->region(address);
    if (r == nullptr) return {};
    last.region = r;
  }
  const u64 offset = address - r->base, page = offset / machine::pageBytes, start = page * machine::pageBytes;
  if constexpr (!forWrite) {
    // A loop that strides through memory: bring what it reads next. Short strides the processor sees itself.
    const u64 stride = offset - last.offset, ahead = offset + stride;
    if (stride == last.stride && stride - 256 < 0x1000'0000 && ahead < r->sizeBytes) {
      const u8* next = r->read[ahead / machine::pageBytes] + ahead % machine::pageBytes;
      __builtin_prefetch(next);
      __builtin_prefetch(next + 64);
    }
    last.stride = stride;
    last.offset = offset;
  }
  const u64 size = r->sizeBytes - start < machine::pageBytes ? r->sizeBytes - start : machine::pageBytes;
  if constexpr (!forWrite) return {const_cast<u8*>(r->read[page]), r->base + start, size, r, page};
  if (r->readOnly) return {};
  u8* own = r->write[page];
  return {own != nullptr ? own : x.memory->writablePage(*r, page), r->base + start, size, r, page};
}

// Offsets of all lanes into `offset`; false when one is beyond `last` or not a multiple of `bytes`, which is a power of two.
inline bool offsetsFrom(const Exec& x, const Op& op, LaneMask mask, u64 low, u64 last, u32 bytes, u32* offset) {
  const u64 add = static_cast<u64>(op.offset) - low;
  u32 bits = 0, most = 0;
  if (op.a.bits == 64) {
    const auto* a = reinterpret_cast<const PlaneWord64*>(x.at(op.a));
    u64 all = 0;
    if (mask == allLanes) {
      for (unsigned i = 0; i < 32; ++i) {
        const u64 o = a[i] + add;
        all |= o;
        offset[i] = static_cast<u32>(o);
      }
    } else {
      const u64 first = a[std::countr_zero(mask)];
      for (unsigned i = 0; i < 32; ++i) {
        const u64 o = ((mask & laneBit[i]) != 0 ? static_cast<u64>(a[i]) : first) + add;
        all |= o;
        offset[i] = static_cast<u32>(o);
      }
    }
    if (all >> 32 != 0) return false;
    bits = static_cast<u32>(all);
  } else {
    const u32* a = x.at(op.a);
    const u32 first = a[std::countr_zero(mask)], add32 = static_cast<u32>(add);
    if (mask == allLanes) {
      for (unsigned i = 0; i < 32; ++i) {
        const u32 o = a[i] + add32;
        bits |= o;
        offset[i] = o;
      }
    } else {
      for (unsigned i = 0; i < 32; ++i) {
        const u32 o = ((mask & laneBit[i]) != 0 ? a[i] : first) + add32;
        bits |= o;
        offset[i] = o;
      }
    }
  }
  if (bits <= last && (bits & (bytes - 1)) == 0) return true;  // the bits of all together are an upper bound
  if ((bits & (bytes - 1)) != 0) return false;
  for (unsigned i = 0; i < 32; ++i) most = offset[i] > most ? offset[i] : most;
  return most <= last;
}

template <bool forWrite> inline bool reach(const Exec& x, const Op& op, LaneMask mask, u32 bytes, Reach& r) {
  if (op.space == ptx::Space::Local) {
    if (x.frameBytes < bytes || x.frameBytes > 0x0200'0000 || !offsetsFrom(x, op, mask, 0, x.frameBytes - bytes, bytes, r.offset)) return false;
    r.bytes = x.local;
    const u32 frame = static_cast<u32>(x.frameBytes);
    for (unsigned i = 0; i < 32; ++i) r.offset[i] += i * frame;
    return true;
  }
  const Stretch s = stretchAt<forWrite>(x, op, addressOf(x, op, static_cast<unsigned>(std::countr_zero(mask))));
  if (s.bytes == nullptr || s.size < bytes) return false;
  r.bytes = s.bytes;
  if (!offsetsFrom(x, op, mask, s.low, s.size - bytes, bytes, r.offset)) return false;
  if (machine::AccessLog* log = x.memory->log(); log != nullptr && s.region != nullptr) {
    if constexpr (forWrite) log->wroteLanes(s.region->allocation, s.page, r.offset, bytes);
    else log->readLanes(s.region->allocation, s.page, r.offset, bytes);
  }
  return true;
}

// The bytes of an access whose address is the same for all lanes and known to the decoder, or nullptr.
inline const u8* oneAddress(const Exec& x, const Op& op, u32 bytes) {
  const auto address = static_cast<u64>(op.offset);
  if ((address & (bytes - 1)) != 0) return nullptr;
  if (op.space == ptx::Space::Param) {
    return address < x.parameterBytes && bytes <= x.parameterBytes - address ? x.parameters + address : nullptr;
  }
  const Stretch s = stretchAt<false>(x, op, address);
  const u64 offset = address - s.low;
  if (s.bytes == nullptr || offset >= s.size || bytes > s.size - offset) return nullptr;
  if (machine::AccessLog* log = x.memory->log(); log != nullptr && s.region != nullptr)
    log->read(s.region->allocation, s.page * machine::pageBytes + offset, bytes);
  return s.bytes + offset;
}

// Lanes that lie in several pages of one allocation: a pointer each. False when one is outside or not a multiple of `bytes`.
template <bool forWrite> inline bool reachPages(const Exec& x, const Op& op, LaneMask mask, u32 bytes, u8** at) {
  if (op.space != ptx::Space::Global && op.space != ptx::Space::Const && op.space != ptx::Space::Generic) return false;
  machine::PageTable::Region* r = x.last[op.pc].region;  // `reach` has found it, where there is one
  if (r == nullptr || r->sizeBytes < bytes || (forWrite && r->readOnly)) return false;
  const u64 last = r->sizeBytes - bytes;
  machine::AccessLog* log = x.memory->log();
  bool good = true;
  eachLane(mask, [&](unsigned i) {
    const u64 offset = addressOf(x, op, i) - r->base;
    good &= offset <= last && (offset & (bytes - 1)) == 0;
    if (!good) return;
    const u64 page = offset / machine::pageBytes;
    u8* p = forWrite ? r->write[page] : const_cast<u8*>(r->read[page]);
    if constexpr (forWrite)
      if (p == nullptr) p = x.memory->writablePage(*r, page);
    at[i] = p + offset % machine::pageBytes;
    if (log == nullptr) return;
    if constexpr (forWrite) log->wrote(r->allocation, offset, bytes);
    else log->read(r->allocation, offset, bytes);
  });
  return good;
}

// How the places of neighbouring lanes lie: each right behind the one before, all at one, or otherwise.
enum class Pattern : std::uint8_t { Row, Same, Other };
inline constexpr unsigned groupLanes = 8, groupCount = 4;
inline constexpr u32 wholeGroup = (1u << groupLanes) - 1;
struct Patterns {
  Pattern group[groupCount];
  Pattern all;  // of the whole warp
};

#if defined(__AVX2__)
inline Pattern patternOf(const u32* offset, u32 bytes) {
  const __m256i o = _mm256_load_si256(reinterpret_cast<const __m256i*>(offset));
  const __m256i rest = _mm256_sub_epi32(o, _mm256_set1_epi32(static_cast<int>(offset[0])));
  const __m256i row = _mm256_mullo_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32(static_cast<int>(bytes)));
  const __m256i differ = _mm256_xor_si256(rest, row);
  return _mm256_testz_si256(differ, differ) != 0 ? Pattern::Row : _mm256_testz_si256(rest, rest) != 0 ? Pattern::Same : Pattern::Other;
}
#elif defined(__SSE2__)
inline Pattern patternOf(const u32* offset, u32 bytes) {
  const __m128i first = _mm_set1_epi32(static_cast<int>(offset[0])), b = _mm_set1_epi32(static_cast<int>(bytes));
  const __m128i two = _mm_add_epi32(b, b), zero = _mm_setzero_si128();
  const __m128i row = _mm_add_epi32(_mm_and_si128(b, _mm_setr_epi32(0, -1, 0, -1)), _mm_and_si128(two, _mm_setr_epi32(0, 0, -1, -1)));
  const __m128i low = _mm_sub_epi32(_mm_load_si128(reinterpret_cast<const __m128i*>(offset)), first);
  const __m128i high = _mm_sub_epi32(_mm_load_si128(reinterpret_cast<const __m128i*>(offset + 4)), first);
  const __m128i differ = _mm_or_si128(_mm_xor_si128(low, row), _mm_xor_si128(high, _mm_add_epi32(row, _mm_add_epi32(two, two))));
  if (_mm_movemask_epi8(_mm_cmpeq_epi32(differ, zero)) == 0xFFFF) return Pattern::Row;
  return _mm_movemask_epi8(_mm_cmpeq_epi32(_mm_or_si128(low, high), zero)) == 0xFFFF ? Pattern::Same : Pattern::Other;
}
#else
inline Pattern patternOf(const u32* offset, u32 bytes) {
  const u32 first = offset[0];
  u32 same = 0, row = 0;
  for (unsigned i = 0; i < groupLanes; ++i) {
    same |= offset[i] ^ first;
    row |= offset[i] ^ (first + i * bytes);
  }
  return row == 0 ? Pattern::Row : same == 0 ? Pattern::Same : Pattern::Other;
}
#endif

inline void findPatterns(const u32* offset, u32 bytes, Patterns& p) {
  for (unsigned g = 0; g < groupCount; ++g) p.group[g] = patternOf(offset + g * groupLanes, bytes);
  p.all = Pattern::Other;
  if (p.group[0] == Pattern::Other || p.group[1] != p.group[0] || p.group[2] != p.group[0] || p.group[3] != p.group[0]) return;
  const u32 step = p.group[0] == Pattern::Row ? bytes * groupLanes : 0;
  if (offset[8] == offset[0] + step && offset[16] == offset[8] + step && offset[24] == offset[16] + step) p.all = p.group[0];
}

}  // namespace warpmill::exec::WM_ISA
