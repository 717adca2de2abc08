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

// from(lane, by, maxLane, minLane, segment) and ok(lane, from, by, maxLane): which lane's value, and whether it is in reach.
template <class From, class Ok> inline LaneMask exchange(const u32* a, const u32* b, const u32* c, u32* result, From from, Ok ok) {
  alignas(64) u32 source[32], good[32];
  for (unsigned i = 0; i < 32; ++i) {
    const u32 by = b[i] & 31, clamp = c[i] & 31, segment = c[i] >> 8 & 31;
    const u32 maxLane = (i & segment) | (clamp & ~segment), minLane = i & segment;
    const u32 f = from(i, by, minLane, segment);
    const bool in = ok(i, f, by, maxLane);
    source[i] = in ? f : i;
    good[i] = in ? laneBit[i] : 0;
  }
  LaneMask valid = 0;
  for (unsigned i = 0; i < 32; ++i) valid |= good[i];
  for (unsigned i = 0; i < 32; ++i) result[i] = a[source[i] & 31];
  return valid;
}

void executeShfl(Exec& x, const Op& op, LaneMask mask) {
  const u32 *a = x.at(op.a), *b = x.at(op.b), *c = x.at(op.c);
  alignas(64) u32 result[32];
  LaneMask valid = 0;
  const auto upTo = [](u32, u32 f, u32, u32 maxLane) { return f <= maxLane; };
  switch (op.instruction->mods.shfl) {
    case ShflMode::Up:
      valid = exchange(a, b, c, result, [](u32 i, u32 by, u32, u32) { return i - by; },
                       [](u32 i, u32, u32 by, u32 maxLane) { return static_cast<s32>(i - by) >= static_cast<s32>(maxLane); });
      break;
    case ShflMode::Down: valid = exchange(a, b, c, result, [](u32 i, u32 by, u32, u32) { return i + by; }, upTo); break;
    case ShflMode::Bfly: valid = exchange(a, b, c, result, [](u32 i, u32 by, u32, u32) { return i ^ by; }, upTo); break;
    default:
      valid = exchange(a, b, c, result, [](u32, u32 by, u32 minLane, u32 segment) { return minLane | (by & ~segment & 31); }, upTo);
      break;
  }
  writeLanes<u32>(x.at(op.dst), mask, [&](unsigned i) { return result[i]; });
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
