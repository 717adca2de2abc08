#include "exec/decoder.h"

#include "exec/divergence.h"

#include "exec/lanes.h"

#include <algorithm>
#include <bit>

namespace warpmill::exec {

using ptx::Opcode;
using ptx::Operand;
using ptx::Space;
using ptx::Type;

namespace {

// Generic where none is named; .param of a function's frame is local memory.
Space spaceOf(const ptx::Modifiers& mods) {
  if (mods.space == Space::Param && mods.toSpace == Space::Local) return Space::Local;
  return mods.space == Space::None ? Space::Generic : mods.space;
}

}  // namespace

Code::Code() = default;
Code::Code(Code&&) noexcept = default;
Code& Code::operator=(Code&&) noexcept = default;
Code::~Code() = default;
const std::vector<Op>& Code::ops() const { return *ops_; }
std::uint32_t Code::routineOf(std::uint32_t function) const { return function < routineOf_.size() ? routineOf_[function] : ptx::none; }

Result<Code> Code::decode(const ptx::Module& module, const ptx::Function& function, LaunchContext context, const HandlerSet* handlers) {
  return Decoder(module, function, std::move(context), handlers != nullptr ? *handlers : handlerSet()).decode();
}

machine::Block Code::makeBlock(std::uint64_t linear, std::uint32_t sm) const {
  machine::Block b;
  startBlock(b, linear, sm);
  return b;
}

void Code::startBlock(machine::Block& b, std::uint64_t linear, std::uint32_t sm) const {
  b.linear = linear;
  b.index = {static_cast<std::uint32_t>(linear % context_.grid.x), static_cast<std::uint32_t>(linear / context_.grid.x % context_.grid.y),
             static_cast<std::uint32_t>(linear / context_.grid.x / context_.grid.y)};
  b.sm = sm;
  b.threadCount = context_.block.x * context_.block.y * context_.block.z;
  b.shared.assign(context_.dynamicSharedBytes == 0 ? function_->staticSharedBytes : function_->dynamicSharedOffset + context_.dynamicSharedBytes, 0);
  b.barriers = {};
  b.arrivals.clear();
  b.expiredWaits = 0;
  b.warps.resize((b.threadCount + machine::warpSize - 1) / machine::warpSize);
  for (std::uint32_t w = 0; w < b.warps.size(); ++w) {
    machine::Warp& warp = b.warps[w];
    const std::uint32_t left = b.threadCount - w * machine::warpSize;
    warp.indexInBlock = w;
    warp.threads = left >= machine::warpSize ? allLanes : (1u << left) - 1;
    warp.exited = 0;
    warp.paths.assign(1, machine::Path{});
    warp.paths[0].lanes = warp.threads;
    warp.current = 0;
    warp.groups.clear();
    warp.endings.clear();
    warp.planes.assign(std::size_t{function_->planeCount} * planeWords, 0);
    warp.predicates.assign(function_->predicateCount + 1, 0);  // the last one holds the carry flags
    warp.local.assign(function_->localBytes * machine::warpSize, 0);
    warp.instructionsIssued = 0;
    warp.async = {};
    warp.calls = {};
    if (usesStack_) warp.calls.lanes.assign(machine::warpSize, {static_cast<std::uint32_t>(function_->localBytes), 0});
  }
}

Decoder::Decoder(const ptx::Module& module, const ptx::Function& function, LaunchContext context, const HandlerSet& handlers)
    : module_(module), function_(function), handlers_(handlers) {
  code_.module_ = &module;
  code_.function_ = &function;
  code_.context_ = std::move(context);
  if (code_.context_.staticSharedBytes == 0) code_.context_.staticSharedBytes = static_cast<std::uint32_t>(function.staticSharedBytes);
}

Code Decoder::decode() && {
  code_.ops_ = std::make_unique<std::vector<Op>>();
  code_.ops_->reserve(function_.instructions.size());
  planCalls();
  for (const ptx::Instruction& in : function_.instructions)
    code_.ops_->push_back(instruction(in, static_cast<std::uint32_t>(code_.ops_->size())));
  // What falls off the end needs `issue`.
  for (Op& op : *code_.ops_) {
    if (op.pc + 1 == code_.ops_->size()) continue;
    if (op.flow == Flow::Next && op.handler != nullptr) op.stride = Stride::Step;
    else if (op.flow == Flow::Branch && !op.spinLoop && op.target < code_.ops_->size()) op.stride = Stride::Jump;
  }
  return std::move(code_);
}

void Decoder::unsupported(Op& op) const {
  op.flow = Flow::Next;
  op.handler = &executeUnsupported;
  op.specialCount = 0;
}

std::string_view Decoder::text(const ptx::Instruction& in) const {
  return in.mods.text < module_.strings.size() ? std::string_view(module_.strings[in.mods.text]) : std::string_view();
}

Op Decoder::instruction(const ptx::Instruction& in, std::uint32_t pc) {
  Op op;
  op.instruction = &in;
  op.pc = pc;
  if (in.guard != ptx::none) {
    op.guarded = true;
    op.guard = predicateNumber(in.guard);
    op.guardNegated = in.guardNegated;
  }
  bool known = true;
  switch (in.opcode) {
    case Opcode::Bra: known = branch(op); break;
    case Opcode::BrxIdx: known = branchByTable(op); break;
    case Opcode::Call: known = call(op); break;
    case Opcode::Exit: op.flow = Flow::Exit; break;
    case Opcode::Ret: op.flow = pc < function_.ownEnd() ? Flow::Exit : Flow::Return; break;
    case Opcode::Alloca: case Opcode::Stacksave: case Opcode::Stackrestore: known = stack(op); break;
    case Opcode::Trap: op.flow = Flow::Exit; op.handler = &executeTrap; break;
    case Opcode::Bar: case Opcode::Barrier: known = barrier(op); break;
    case Opcode::BarrierCluster: known = clusterBarrier(op); break;
    case Opcode::Ld: case Opcode::Ldu: known = load(op); break;
    case Opcode::St: known = store(op); break;
    case Opcode::CpAsync: case Opcode::CpAsyncCommitGroup: case Opcode::CpAsyncWaitAll: case Opcode::CpAsyncWaitGroup: case Opcode::CpAsyncBulk:
    case Opcode::CpAsyncBulkCommitGroup: case Opcode::CpAsyncBulkWaitGroup: case Opcode::CpAsyncBulkPrefetch: case Opcode::CpReduceAsyncBulk:
    case Opcode::CpAsyncMbarrier: case Opcode::Mbarrier: case Opcode::StAsync: case Opcode::RedAsync: case Opcode::Mapa: case Opcode::Getctarank:
      known = asynchronous(op);
      break;
    case Opcode::Atom: case Opcode::Red: known = atomic(op); break;
    case Opcode::Shfl: case Opcode::Vote: case Opcode::Match: case Opcode::Redux: case Opcode::Activemask: case Opcode::Elect:
      known = collective(op);
      break;
    case Opcode::Nanosleep:
      op.handler = &executeSleep;
      if (!in.operands.empty()) op.a = source(op, in.operands[0], Type::U32);
      known = op.a.present;
      break;
    case Opcode::Membar: case Opcode::Fence: case Opcode::Prefetch: case Opcode::Prefetchu: case Opcode::Discard: case Opcode::Applypriority:
    case Opcode::Pmevent: case Opcode::Brkpt:
    case Opcode::Setmaxnreg: case Opcode::Griddepcontrol:
      op.handler = &executeNothing;
      break;
    case Opcode::Mma: case Opcode::MmaSp: case Opcode::Wgmma: case Opcode::Movmatrix: case Opcode::Wmma: case Opcode::Ldmatrix: case Opcode::Stmatrix: known = matrix(op); break;
    case Opcode::Tex: case Opcode::Tld4: known = texture(op); break;
    case Opcode::Txq: case Opcode::Istypep: known = textureQuery(op); break;
    case Opcode::Mov: case Opcode::Cvta: case Opcode::Createpolicy: known = move(op); break;
    default: known = registersOnly(op); break;
  }
  if (!known) unsupported(op);
  return op;
}

bool Decoder::branch(Op& op) {
  const ptx::Instruction& in = *op.instruction;
  if (in.target == ptx::none) return false;
  op.flow = Flow::Branch;
  op.target = in.target;
  op.reconvergence = in.reconvergence;
  op.spinLoop = in.spinLoop;
  op.backward = in.target <= op.pc;
  return true;
}

bool Decoder::branchByTable(Op& op) {
  const ptx::Instruction& in = *op.instruction;
  if (in.operands.size() < 2) return false;
  op.flow = Flow::Table;
  op.reconvergence = in.reconvergence;
  op.spinLoop = in.spinLoop;
  op.a = source(op, in.operands[0], Type::U32);
  for (std::size_t k = 1; k < in.operands.size(); ++k)
    if (in.operands[k].kind != Operand::Kind::Label) return false;
  return op.a.present && op.a.bits == 32;
}

void Decoder::planCalls() {
  code_.usesStack_ = !function_.callSites.empty();
  for (std::uint32_t r = 0; r < function_.routines.size(); ++r) {
    const std::uint32_t f = function_.routines[r].function;
    if (f >= code_.routineOf_.size()) code_.routineOf_.resize(f + 1, ptx::none);
    code_.routineOf_[f] = r;
  }
  for (const ptx::CallSite& site : function_.callSites) {
    CallPlan plan;
    plan.site = &site;
    for (const std::uint32_t number : site.saved) {
      const ptx::Register& r = function_.registers[number];
      if (r.type == Type::Pred) {
        plan.saved.push_back({r.slot, 0});
        plan.savedWords += 1;
        continue;
      }
      const std::uint32_t words = std::max(1u, ptx::sizeBytes(r.type) / 4);
      for (std::uint32_t w = 0; w < words; w += 2)
        plan.saved.push_back({(r.slot + w) * planeWords, static_cast<std::uint8_t>(words == 1 ? 1 : 2)});
      plan.savedWords += words;
    }
    code_.calls_.push_back(std::move(plan));
  }
}

bool Decoder::call(Op& op) {
  const auto& sites = function_.callSites;
  const auto site = std::lower_bound(sites.begin(), sites.end(), op.pc, [](const ptx::CallSite& s, std::uint32_t pc) { return s.instruction < pc; });
  if (site == sites.end() || site->instruction != op.pc || !site->isComplete) return false;
  op.flow = Flow::Call;
  op.aux = static_cast<std::uint32_t>(site - sites.begin());
  if (site->function != ptx::none) return true;
  if (op.instruction->operands.empty()) return false;
  op.a = source(op, op.instruction->operands[0], Type::U64);
  return op.a.present && op.a.bits == 64;
}

bool Decoder::stack(Op& op) {
  const ptx::Instruction& in = *op.instruction;
  const auto& o = in.operands;
  if (o.empty()) return false;
  op.handler = &executeStack;
  code_.usesStack_ = true;
  op.aux = 16;
  if (in.opcode == Opcode::Stackrestore) {
    op.aux2 = 2;
    op.a = source(op, o[0], Type::U64);
    return op.a.present;
  }
  op.dst = destination(o[0], Type::U64);
  if (in.opcode == Opcode::Stacksave) {
    op.aux2 = 1;
    return true;
  }
  if (o.size() < 2) return false;
  op.a = source(op, o[1], Type::U64);
  if (o.size() > 2) {
    const std::uint64_t alignment = o[2].bits;
    if (o[2].kind != Operand::Kind::Immediate || alignment == 0 || alignment > 4096 || (alignment & (alignment - 1)) != 0) return false;
    op.aux = static_cast<std::uint32_t>(alignment);
  }
  return op.a.present;
}

bool Decoder::barrier(Op& op) {
  const ptx::Instruction& in = *op.instruction;
  const std::string_view mods = text(in);
  const auto has = [&](std::string_view word) { return mods.find(word) != std::string_view::npos; };
  if (has(".warp")) {
    op.flow = Flow::WarpCollective;
    op.handler = &executeNothing;
    if (in.operands.empty()) return false;
    op.e = source(op, in.operands[0], Type::U32);
    return op.e.present;
  }
  op.flow = Flow::BlockBarrier;
  op.handler = &executeNothing;
  std::size_t next = 0;
  if (has(".red")) {
    if (in.operands.size() < 3) return false;
    op.aux = (has(".popc") ? 1u : has(".and") ? 2u : 3u) << 8;
    if (isPredicate(in.operands[0])) op.dstPredicate = predicateNumber(in.operands[0].index);
    else op.dst = destination(in.operands[0], Type::U32);
    op.predicate = predicateSource(in.operands.back());
    next = 1;
    if (in.operands.size() == 4) op.b = source(op, in.operands[2], Type::U32);
  } else {
    if (has(".arrive")) op.aux = 1;
    if (in.operands.size() > 1) op.b = source(op, in.operands[1], Type::U32);
  }
  if (in.opcode == Opcode::Bar || has(".aligned")) op.aux |= alignedBarrier;
  if (in.operands.empty()) op.a = constant(0, false);
  else op.a = source(op, in.operands[next], Type::U32);
  return op.a.present;
}

bool Decoder::load(Op& op) {
  const ptx::Instruction& in = *op.instruction;
  if (in.operands.size() < 2) return false;
  const Type type = in.mods.type;
  op.space = spaceOf(in.mods);
  if (!elements(op, in.operands[0], type, true) || !address(op, in.operands[1], op.space, op.a, op.offset)) return false;
  std::uint32_t bytes = ptx::sizeBytes(type);
  if (type == Type::B128 && op.elementCount == 1) {  // two 64-bit halves
    op.elementCount = 2;
    op.elements[0].bits = 64;
    op.elements[1] = op.elements[0];
    op.elements[1].offset += 64;
    bytes = 8;
  }
  for (std::uint8_t k = 1; k < op.elementCount; ++k)
    if (op.elements[k].bits != op.elements[0].bits) return false;
  op.elementBytes = static_cast<std::uint8_t>(bytes);
  op.general = loadHandler(bytes, ptx::isSigned(type), op.elements[0].bits);
  op.handler = handlers_.load(bytes, ptx::isSigned(type), op.elements[0].bits);
  return op.general != nullptr;
}

bool Decoder::store(Op& op) {
  const ptx::Instruction& in = *op.instruction;
  if (in.operands.size() < 2) return false;
  const Type type = in.mods.type;
  op.space = spaceOf(in.mods);
  if (!address(op, in.operands[0], op.space, op.a, op.offset) || !elements(op, in.operands[1], type, false)) return false;
  if (op.space == Space::Const || op.space == Space::Param) return false;
  std::uint32_t bytes = ptx::sizeBytes(type);
  if (type == Type::B128 && op.elementCount == 1) {
    op.elementCount = 2;
    op.elements[0].bits = 64;
    op.elements[1] = op.elements[0];
    op.elements[1].offset += 64;
    bytes = 8;
  }
  // Narrow registers share a layout; 64-bit ones have their own, and both in one vector do not occur.
  for (std::uint8_t k = 1; k < op.elementCount; ++k)
    if ((op.elements[k].bits == 64) != (op.elements[0].bits == 64)) return false;
  op.elementBytes = static_cast<std::uint8_t>(bytes);
  op.general = storeHandler(bytes, op.elements[0].bits == 64 ? 64 : 32);
  op.handler = handlers_.store(bytes, op.elements[0].bits == 64 ? 64 : 32);
  return op.general != nullptr;
}

bool Decoder::atomic(Op& op) {
  const ptx::Instruction& in = *op.instruction;
  const bool hasResult = in.opcode == Opcode::Atom;
  const std::size_t first = hasResult ? 1 : 0;
  if (in.operands.size() < first + 2) return false;
  op.space = in.mods.space == Space::None ? Space::Generic : in.mods.space;
  if (in.mods.vectorWidth > 1) {  // results and operands, one behind the other
    op.handler = atomicHandler(in);
    if (op.handler == nullptr || !address(op, in.operands[first], op.space, op.a, op.offset)) return false;
    if (!elements(op, in.operands[first + 1], in.mods.type, false) || op.elementCount != in.mods.vectorWidth) return false;
    if (!hasResult) return true;
    const auto operands = op.elements;
    if (!elements(op, in.operands[0], in.mods.type, true) || op.elementCount != in.mods.vectorWidth) return false;
    std::copy_n(operands.begin(), op.elementCount, op.elements.begin() + op.elementCount);
    return true;
  }
  if (hasResult) op.dst = destination(in.operands[0], in.mods.type);
  if (!address(op, in.operands[first], op.space, op.a, op.offset)) return false;
  op.b = source(op, in.operands[first + 1], in.mods.type);
  if (in.mods.atom == ptx::AtomOp::Cas) {
    if (in.operands.size() < first + 3) return false;
    op.c = source(op, in.operands[first + 2], in.mods.type);
  }
  op.handler = atomicHandler(in);
  op.resultUnused = in.mods.atom != ptx::AtomOp::Cas && in.mods.type != Type::B128 && (!hasResult || !isRead(in.operands[0]));
  return op.handler != nullptr && op.b.present;
}

// May any instruction read a destination's register? (One inside a vector counts, whichever it is.)
bool Decoder::isRead(const ptx::Operand& destination) const {
  if (destination.kind == Operand::Kind::Sink) return false;
  if (destination.kind != Operand::Kind::Register) return true;
  const auto names = [&](const Operand& o) {
    const bool isRegister = o.kind == Operand::Kind::Register || (o.kind == Operand::Kind::Address && o.scope == Operand::In::None);
    return isRegister && o.index == destination.index;
  };
  for (const ptx::Instruction& in : function_.instructions)
    for (std::size_t k = 0; k < in.operands.size(); ++k)
      if (names(in.operands[k]) && (k >= in.destinationCount || in.operands[k].kind == Operand::Kind::Address)) return true;
  return std::any_of(function_.vectorElements.begin(), function_.vectorElements.end(), names);
}

bool Decoder::collective(Op& op) {
  const ptx::Instruction& in = *op.instruction;
  const auto& o = in.operands;
  op.handler = collectiveHandler(in);
  if (op.handler == nullptr || o.empty()) return false;
  if (in.mods.sync && in.opcode != Opcode::Activemask) op.flow = Flow::WarpCollective;
  if (isPredicate(o[0])) op.dstPredicate = predicateNumber(o[0].index);
  else op.dst = destination(o[0], in.mods.type == Type::None ? Type::B32 : in.mods.type);
  if (o[0].hasPredicate) op.dstPredicate = predicateNumber(o[0].predicate);
  if (in.opcode == Opcode::Activemask) return true;
  if (in.mods.sync) op.e = source(op, o.back(), Type::U32);
  switch (in.opcode) {
    case Opcode::Shfl:
      if (o.size() < 4) return false;
      op.a = source(op, o[1], Type::B32);
      op.b = source(op, o[2], Type::B32);
      op.c = source(op, o[3], Type::B32);
      return op.a.present && op.b.present && op.c.present;
    case Opcode::Vote:
      if (o.size() < 2) return false;
      op.predicate = predicateSource(o[1]);
      return true;
    case Opcode::Match: case Opcode::Redux:
      if (o.size() < 3) return false;
      op.a = source(op, o[1], in.mods.type);
      return op.a.present;
    default: return true;
  }
}

}  // namespace warpmill::exec
