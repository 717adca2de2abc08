// Loads and stores: ld, ldu, st, for every state space, width and vector length.
// Simplified: cache hints do nothing here.
// Source: PTX ISA 9.0, 9.7.9.
#include "exec/access.h"

#include <cstring>

namespace warpmill::exec {
namespace {

using namespace portable;
using ptx::Opcode;
using ptx::Space;

// E: the element in memory; W: the word in the register, as wide as the register.
template <class E, class W> W widen(E e) {
  if constexpr (std::is_signed_v<E>) return static_cast<W>(static_cast<std::make_signed_t<W>>(e));
  else return static_cast<W>(e);
}

template <class E, class W>
void loadFrom(Exec& x, const Op& op, LaneMask mask, Space space) {
  const u32 bytes = static_cast<u32>(sizeof(E)) * op.elementCount;
  const auto& address = x.outcome->access.address;
  Locator locate(x, space, bytes, false);
  BadLanes bad;
  if (!op.a.present && space != Space::Local) {  // one address for all lanes
    const std::uint8_t* from = locate.find(address[0], static_cast<unsigned>(std::countr_zero(mask)), bad);
    if (from == nullptr) {
      bad = {bad.null != 0 ? mask : 0, bad.misaligned != 0 ? mask : 0, bad.outside != 0 ? mask : 0, 0};
    }
    for (u32 k = 0; k < op.elementCount; ++k) {
      E e{};
      if (from != nullptr) std::memcpy(&e, from + k * sizeof(E), sizeof(E));
      const W w = widen<E, W>(e);
      writeLanes<W>(x.at(op.elements[k]), mask, [w](unsigned) { return w; });
    }
    bad.report(x, op, space, "load", bytes);
    return;
  }
  if (const Locator::Window window = locate.windowFor(address, mask); window.bytes != nullptr) {
    for (u32 k = 0; k < op.elementCount; ++k) {
      u32* d = x.at(op.elements[k]);
      const std::uint8_t* from = window.bytes + k * sizeof(E);
      const auto one = [&](unsigned i) {
        E e;
        std::memcpy(&e, from + i * window.laneStride + (address[i] - window.low), sizeof(E));
        put<W>(d, i, widen<E, W>(e));
      };
      if (mask == allLanes)
        for (unsigned i = 0; i < 32; ++i) one(i);
      else eachLane(mask, one);
    }
    return;
  }
  eachLane(mask, [&](unsigned i) {
    const std::uint8_t* from = locate.find(address[i], i, bad);
    for (u32 k = 0; k < op.elementCount; ++k) {
      E e{};
      if (from != nullptr) std::memcpy(&e, from + k * sizeof(E), sizeof(E));
      put<W>(x.at(op.elements[k]), i, widen<E, W>(e));
    }
  });
  bad.report(x, op, space, "load", bytes);
}

template <class E, class W>
void storeTo(Exec& x, const Op& op, LaneMask mask, Space space) {
  const u32 bytes = static_cast<u32>(sizeof(E)) * op.elementCount;
  const auto& address = x.outcome->access.address;
  Locator locate(x, space, bytes, true);
  BadLanes bad;
  if (const Locator::Window window = locate.windowFor(address, mask); window.bytes != nullptr) {
    const auto one = [&](unsigned i) {  // lane by lane: of two that write one place the later lane's value stays
      std::uint8_t* to = window.bytes + i * window.laneStride + (address[i] - window.low);
      for (u32 k = 0; k < op.elementCount; ++k) {
        const E e = static_cast<E>(get<W>(x.at(op.elements[k]), i));
        std::memcpy(to + k * sizeof(E), &e, sizeof(E));
      }
    };
    if (mask == allLanes)
      for (unsigned i = 0; i < 32; ++i) one(i);
    else eachLane(mask, one);
    return;
  }
  eachLane(mask, [&](unsigned i) {
    std::uint8_t* to = locate.find(address[i], i, bad);
    if (to == nullptr) return;
    for (u32 k = 0; k < op.elementCount; ++k) {
      const E e = static_cast<E>(get<W>(x.at(op.elements[k]), i));
      std::memcpy(to + k * sizeof(E), &e, sizeof(E));
    }
  });
  bad.report(x, op, space, "store", bytes);
}

// Runs `access(lanes, space)` for the whole mask, splitting generic accesses by the space they hit.
template <class F> void bySpace(Exec& x, const Op& op, LaneMask mask, F access) {
  if (op.space != Space::Generic) return access(mask, op.space);
  while (mask != 0) {
    const LaneMask same = resolveGeneric(x, mask);
    access(same, x.outcome->access.space);
    mask &= ~same;
  }
}

template <class E, class W> void load(Exec& x, const Op& op, LaneMask mask) {
  recordAccess(x, mask, MemoryAccess::Kind::Load, op.space, static_cast<u32>(sizeof(E)) * op.elementCount, op.a, op.offset);
  bySpace(x, op, mask, [&](LaneMask lanes, Space space) { loadFrom<E, W>(x, op, lanes, space); });
}
template <class E, class W> void store(Exec& x, const Op& op, LaneMask mask) {
  recordAccess(x, mask, MemoryAccess::Kind::Store, op.space, static_cast<u32>(sizeof(E)) * op.elementCount, op.a, op.offset);
  bySpace(x, op, mask, [&](LaneMask lanes, Space space) { storeTo<E, W>(x, op, lanes, space); });
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

Handler loadHandler(u32 elementBytes, bool isSigned, u32 registerBits) {
  switch (elementBytes) {
    case 1: return isSigned ? loadInto<s8>(registerBits) : loadInto<u8>(registerBits);
    case 2: return isSigned ? loadInto<s16>(registerBits) : loadInto<u16>(registerBits);
    case 4: return isSigned ? loadInto<s32>(registerBits) : loadInto<u32>(registerBits);
    case 8: return loadInto<u64>(registerBits);
    default: return nullptr;
  }
}
Handler storeHandler(u32 elementBytes, u32 registerBits) {
  switch (elementBytes) {
    case 1: return storeOf<u8>(registerBits);
    case 2: return storeOf<u16>(registerBits);
    case 4: return storeOf<u32>(registerBits);
    case 8: return storeOf<u64>(registerBits);
    default: return nullptr;
  }
}

}  // namespace warpmill::exec
