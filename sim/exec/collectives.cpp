// Exchange among the lanes of a warp: shfl, vote, match, redux, activemask, elect.
// Simplified: shfl from a lane that does not take part gives that lane's present value; hardware promises nothing.
// Source: PTX ISA 9.0, 9.7.9 (shfl) and 9.7.13 (vote, match, redux, activemask, elect).
#include "exec/lanes.h"

#include <bit>

namespace warpmill::exec {
namespace {

using namespace portable;
using ptx::AtomOp;
using ptx::Opcode;
using ptx::ShflMode;
using ptx::Type;
using ptx::VoteMode;

void executeShfl(Exec& x, const Op& op, LaneMask mask) {
  const ShflMode mode = op.instruction->mods.shfl;
  const u32 *a = x.at(op.a), *b = x.at(op.b), *c = x.at(op.c);
  std::array<u32, 32> result{};
  LaneMask valid = 0;
  eachLane(mask, [&](unsigned i) {
    const u32 lane = i, by = b[i] & 31, clamp = c[i] & 31, segment = c[i] >> 8 & 31;
    const u32 maxLane = (lane & segment) | (clamp & ~segment), minLane = lane & segment;
    u32 from = lane;
    bool ok = false;
    switch (mode) {
      case ShflMode::Up: from = lane - by; ok = static_cast<s32>(lane - by) >= static_cast<s32>(maxLane); break;
      case ShflMode::Down: from = lane + by; ok = from <= maxLane; break;
      case ShflMode::Bfly: from = lane ^ by; ok = from <= maxLane; break;
      default: from = minLane | (by & ~segment & 31); ok = from <= maxLane; break;
    }
    if (!ok) from = lane;
    if (ok) valid |= laneBit[i];
    result[i] = a[from];
  });
  u32* d = x.at(op.dst);
  eachLane(mask, [&](unsigned i) { d[i] = result[i]; });
  x.setPredicate(op.dstPredicate, valid, mask);
}

void executeVote(Exec& x, const Op& op, LaneMask mask) {
  const LaneMask yes = x.value(op.predicate) & mask;
  switch (op.instruction->mods.vote) {
    case VoteMode::All: x.setPredicate(op.dstPredicate, yes == mask ? allLanes : 0, mask); break;
    case VoteMode::Any: x.setPredicate(op.dstPredicate, yes != 0 ? allLanes : 0, mask); break;
    case VoteMode::Uni: x.setPredicate(op.dstPredicate, yes == mask || yes == 0 ? allLanes : 0, mask); break;
    default: {
      u32* d = x.at(op.dst);
      eachLane(mask, [&](unsigned i) { d[i] = yes; });
      break;
    }
  }
}

void executeMatch(Exec& x, const Op& op, LaneMask mask) {
  const bool all = op.instruction->mods.vote == VoteMode::All;
  u32* d = x.at(op.dst);
  std::array<u32, 32> result{};
  eachLane(mask, [&](unsigned i) {
    const u64 mine = getBits(x, op.a, i);
    eachLane(mask, [&](unsigned k) { result[i] |= getBits(x, op.a, k) == mine ? laneBit[k] : 0; });
  });
  LaneMask agree = 0;
  eachLane(mask, [&](unsigned i) {
    const bool same = result[i] == mask;
    if (same) agree |= laneBit[i];
    d[i] = all ? (same ? mask : 0) : result[i];
  });
  if (all) x.setPredicate(op.dstPredicate, agree, mask);
}

template <class T> void executeRedux(Exec& x, const Op& op, LaneMask mask) {
  const u32* a = x.at(op.a);
  const AtomOp how = op.instruction->mods.atom;
  bool first = true;
  T r{};
  eachLane(mask, [&](unsigned i) {
    const T v = get<T>(a, i);
    if (first) r = v;
    else switch (how) {
      case AtomOp::Add: r = static_cast<T>(static_cast<u32>(r) + static_cast<u32>(v)); break;
      case AtomOp::Min: r = v < r ? v : r; break;
      case AtomOp::Max: r = r < v ? v : r; break;
      case AtomOp::And: r = r & v; break;
      case AtomOp::Or: r = r | v; break;
      default: r = r ^ v; break;
    }
    first = false;
  });
  u32* d = x.at(op.dst);
  eachLane(mask, [&](unsigned i) { put<T>(d, i, r); });
}

void executeActivemask(Exec& x, const Op& op, LaneMask mask) {
  u32* d = x.at(op.dst);
  eachLane(mask, [&](unsigned i) { d[i] = mask; });
}

void executeElect(Exec& x, const Op& op, LaneMask mask) {
  const auto leader = static_cast<u32>(std::countr_zero(mask));
  if (op.dst.present) {
    u32* d = x.at(op.dst);
    eachLane(mask, [&](unsigned i) { d[i] = leader; });
  }
  x.setPredicate(op.dstPredicate, laneBit[leader], mask);
}

}  // namespace

Handler collectiveHandler(const ptx::Instruction& in) {
  switch (in.opcode) {
    case Opcode::Shfl: return in.mods.shfl == ShflMode::None ? nullptr : &executeShfl;
    case Opcode::Vote: return in.mods.vote == VoteMode::None ? nullptr : &executeVote;
    case Opcode::Match: return &executeMatch;
    case Opcode::Redux:
      if (in.mods.atom == AtomOp::None) return nullptr;
      return in.mods.type == Type::S32 ? &executeRedux<s32> : in.mods.type == Type::F32 ? nullptr : &executeRedux<u32>;
    case Opcode::Activemask: return &executeActivemask;
    case Opcode::Elect: return &executeElect;
    default: return nullptr;
  }
}

}  // namespace warpmill::exec
