// Where all lanes of an access find their bytes, checked for the warp at once: the quick way of loads, stores and atomics.
// Compiled once per instruction set, hence namespace WM_ISA.
#pragma once

#include "exec/lanes.h"

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
  machine::PageTable::Region* r = x.regions[op.pc];
  if (r == nullptr || address - r->base >= r->sizeBytes) {
    if (op.space == ptx::Space::Generic && address - machine::sharedWindow < x.sharedBytes) return {x.shared, machine::sharedWindow, x.sharedBytes};
    r = x.memory->region(address);
    if (r == nullptr) return {};
    x.regions[op.pc] = r;
  }
  const u64 page = (address - r->base) / machine::pageBytes, start = page * machine::pageBytes;
  const u64 size = r->sizeBytes - start < machine::pageBytes ? r->sizeBytes - start : machine::pageBytes;
  if constexpr (!forWrite) return {const_cast<u8*>(r->read[page]), r->base + start, size};
  if (r->readOnly) return {};
  u8* own = r->write[page];
  return {own != nullptr ? own : x.memory->writablePage(*r, page), r->base + start, size};
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
    for (unsigned i = 0; i < 32; ++i) {
      const u32 o = ((mask & laneBit[i]) != 0 ? a[i] : first) + add32;
      bits |= o;
      offset[i] = o;
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
  return offsetsFrom(x, op, mask, s.low, s.size - bytes, bytes, r.offset);
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
  return s.bytes != nullptr && offset < s.size && bytes <= s.size - offset ? s.bytes + offset : nullptr;
}

// How the lanes' places lie: all at one, each right behind the one before, or otherwise.
enum class Pattern : std::uint8_t { Same, Row, Other };
inline Pattern patternOf(const Reach& r, u32 bytes) {
  const u32 first = r.offset[0];
  if (r.offset[1] == first) {
    u32 differ = 0;
    for (unsigned i = 0; i < 32; ++i) differ |= r.offset[i] ^ first;
    return differ == 0 ? Pattern::Same : Pattern::Other;
  }
  if (r.offset[1] != first + bytes) return Pattern::Other;
  u32 differ = 0;
  for (unsigned i = 0; i < 32; ++i) differ |= r.offset[i] ^ (first + i * bytes);
  return differ == 0 ? Pattern::Row : Pattern::Other;
}

}  // namespace warpmill::exec::WM_ISA
