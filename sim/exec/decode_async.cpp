// Decoding of asynchronous copies, mbarriers and what belongs to clusters.
#include "exec/async.h"
#include "exec/cluster.h"
#include "exec/decoder.h"

namespace warpmill::exec {

using ptx::Opcode;
using ptx::Operand;
using ptx::Space;
using ptx::Type;

namespace {

Space spaceOf(const ptx::Instruction& in) { return in.mods.space == Space::None ? Space::Generic : in.mods.space; }

}  // namespace

bool Decoder::asynchronous(Op& op) {
  const ptx::Instruction& in = *op.instruction;
  const auto& o = in.operands;
  const auto groups = [&](Handler handler) {
    op.handler = handler;
    op.aux = o.empty() ? ~0u : static_cast<std::uint32_t>(o[0].bits);
    return o.empty() || o[0].kind == Operand::Kind::Immediate;
  };
  switch (in.opcode) {
    case Opcode::CpAsync: return asyncCopy(op);
    case Opcode::CpAsyncCommitGroup: op.handler = asyncCommitHandler(false); return true;
    case Opcode::CpAsyncWaitAll: case Opcode::CpAsyncWaitGroup: return groups(asyncWaitHandler());
    case Opcode::CpAsyncBulkCommitGroup: op.handler = asyncCommitHandler(true); return true;
    case Opcode::CpAsyncBulkWaitGroup: op.aux2 = text(in).find(".read") != std::string_view::npos ? 1 : 0; return groups(bulkWaitHandler());
    case Opcode::CpAsyncBulkPrefetch: op.handler = &executeNothing; return true;
    case Opcode::CpAsyncMbarrier:
      op.space = spaceOf(in);
      op.handler = copyArrivalHandler();
      op.aux = text(in).find(".noinc") != std::string_view::npos ? 1 : 0;
      return !o.empty() && address(op, o[0], op.space, op.a, op.offset);
    case Opcode::CpAsyncBulk: case Opcode::CpReduceAsyncBulk: return bulkCopy(op);
    case Opcode::StAsync: case Opcode::RedAsync: return remoteStore(op);
    case Opcode::Mbarrier: return mbarrier(op);
    case Opcode::Mapa: case Opcode::Getctarank: return clusterAddress(op);
    default: return false;
  }
}

bool Decoder::asyncCopy(Op& op) {
  const ptx::Instruction& in = *op.instruction;
  if (in.operands.size() < 3 || in.operands[2].kind != Operand::Kind::Immediate) return false;
  op.space = Space::Global;
  op.aux = static_cast<std::uint32_t>(in.operands[2].bits);
  if (op.aux != 4 && op.aux != 8 && op.aux != 16) return false;
  if (!address(op, in.operands[0], Space::Shared, op.a, op.offset) || !address(op, in.operands[1], Space::Global, op.b, op.offset2)) return false;
  if (in.operands.size() > 3) {
    if (isPredicate(in.operands[3])) op.predicate = predicateSource(in.operands[3]);
    else if (text(in).find("cache_hint") == std::string_view::npos || in.operands.size() > 4) op.c = source(op, in.operands[3], Type::U32);
  }
  op.handler = asyncCopyHandler();
  return true;
}

// [target], [source], bytes, then [barrier] {, ranks}, or {cache policy,} mask of bytes.
bool Decoder::bulkCopy(Op& op) {
  const ptx::Instruction& in = *op.instruction;
  const std::string_view mods = text(in);
  const auto has = [&](std::string_view word) { return mods.find(word) != std::string_view::npos; };
  const auto& o = in.operands;
  if (in.opcode == Opcode::CpReduceAsyncBulk && in.mods.atom == ptx::AtomOp::None) return false;
  BulkFlags flags;
  if (mods.starts_with(".shared::cluster.global") || mods.starts_with(".shared::cta.global")) flags.direction = BulkFlags::GlobalToShared;
  else if (mods.starts_with(".shared::cluster.shared::cta")) flags.direction = BulkFlags::SharedToShared;
  else if (mods.starts_with(".global.shared::cta")) flags.direction = BulkFlags::SharedToGlobal;
  else return false;
  const bool counted = flags.direction != BulkFlags::SharedToGlobal;
  flags.multicast = has(".multicast::cluster");
  flags.masked = has(".cp_mask");
  if (o.size() < (counted ? 4u : 3u)) return false;
  const Space from = flags.direction == BulkFlags::GlobalToShared ? Space::Global : Space::Shared, to = counted ? Space::Shared : Space::Global;
  op.space = to;
  if (!address(op, o[0], to, op.a, op.offset) || !address(op, o[1], from, op.b, op.offset2)) return false;
  op.elements[0] = source(op, o[2], Type::U32);
  if (!op.elements[0].present) return false;
  if (counted) {
    std::int64_t offset = 0;
    if (!address(op, o[3], Space::Shared, op.c, offset)) return false;
    op.aux2 = static_cast<std::uint32_t>(offset);
  } else if (flags.masked) {
    op.c = source(op, o.back(), Type::B16);
    if (!op.c.present) return false;
  }
  if (flags.multicast) {
    if (o.size() < 5) return false;
    op.elements[1] = source(op, o[4], Type::U16);
    if (!op.elements[1].present) return false;
  }
  op.aux = flags.packed();
  op.handler = bulkCopyHandler();
  return true;
}

// [target], value, [barrier].
bool Decoder::remoteStore(Op& op) {
  const ptx::Instruction& in = *op.instruction;
  const auto& o = in.operands;
  if (o.size() != 3 || (in.opcode == Opcode::RedAsync && in.mods.atom == ptx::AtomOp::None)) return false;
  if (text(in).find("mbarrier::complete_tx::bytes") == std::string_view::npos) return false;
  op.space = spaceOf(in);
  std::int64_t offset = 0;
  if (!address(op, o[0], op.space, op.a, op.offset) || !elements(op, o[1], in.mods.type, false) || !address(op, o[2], op.space, op.c, offset)) return false;
  op.aux2 = static_cast<std::uint32_t>(offset);
  op.handler = remoteStoreHandler();
  return true;
}

bool Decoder::mbarrier(Op& op) {
  const ptx::Instruction& in = *op.instruction;
  const std::string_view mods = text(in);
  const auto has = [&](std::string_view word) { return mods.find(word) != std::string_view::npos; };
  const auto& o = in.operands;
  if (o.empty()) return false;
  const bool expects = has(".expect_tx");
  MbarrierOp what = MbarrierOp::PendingCount;
  if (mods.starts_with(".init")) what = MbarrierOp::Init;
  else if (mods.starts_with(".inval")) what = MbarrierOp::Invalidate;
  else if (mods.starts_with(".expect_tx")) what = MbarrierOp::ExpectTx;
  else if (mods.starts_with(".complete_tx")) what = MbarrierOp::CompleteTx;
  else if (mods.starts_with(".arrive_drop")) what = expects ? MbarrierOp::ArriveDropExpectTx : MbarrierOp::ArriveDrop;
  else if (mods.starts_with(".arrive")) what = expects ? MbarrierOp::ArriveExpectTx : MbarrierOp::Arrive;
  else if (mods.starts_with(".test_wait")) what = MbarrierOp::TestWait;
  else if (mods.starts_with(".try_wait")) what = MbarrierOp::TryWait;
  else if (!mods.starts_with(".pending_count")) return false;

  const bool waits = what == MbarrierOp::TestWait || what == MbarrierOp::TryWait;
  std::size_t next = 0;
  if (o[0].kind != Operand::Kind::Address) {
    if (waits && isPredicate(o[0])) op.dstPredicate = predicateNumber(o[0].index);
    else if (o[0].kind == Operand::Kind::Register) op.dst = destination(o[0], Type::B64);
    next = 1;
  }
  op.handler = mbarrierHandler(what);
  if (what == MbarrierOp::PendingCount) {
    if (o.size() != 2) return false;
    op.b = source(op, o[1], Type::B64);
    return op.b.present && op.dst.present;
  }
  op.space = spaceOf(in);
  if (next >= o.size() || !address(op, o[next++], op.space, op.a, op.offset)) return false;
  if (waits) {
    op.aux = has(".parity") ? 1 : 0;
    if (what == MbarrierOp::TryWait) op.flow = Flow::Await;
  }
  if (next < o.size()) op.b = source(op, o[next], waits && op.aux == 0 ? Type::B64 : Type::U32);
  const bool needsValue = what == MbarrierOp::Init || expects || what == MbarrierOp::CompleteTx || waits;
  return op.b.present || !needsValue;
}

bool Decoder::clusterAddress(Op& op) {
  const ptx::Instruction& in = *op.instruction;
  const auto& o = in.operands;
  const bool maps = in.opcode == Opcode::Mapa;
  if (o.size() != (maps ? 3u : 2u)) return false;
  const Type type = in.mods.type;
  op.aux = in.mods.space == Space::None ? 1 : 0;
  op.dst = destination(o[0], maps ? type : Type::U32);
  op.a = source(op, o[1], type);
  if (op.aux != 0 && o[1].kind == Operand::Kind::Variable) op.offset = static_cast<std::int64_t>(machine::sharedWindow);
  if (maps) op.b = source(op, o[2], Type::U32);
  op.handler = maps ? mapaHandler() : ctaRankHandler();
  return op.a.present && (op.b.present || !maps);
}

bool Decoder::clusterBarrier(Op& op) {
  const std::string_view mods = text(*op.instruction);
  op.flow = Flow::Await;
  op.handler = mods.find(".wait") != std::string_view::npos ? clusterWaitHandler() : clusterArriveHandler();
  return true;
}

}  // namespace warpmill::exec
