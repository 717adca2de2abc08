#include "exec/calls.h"

#include "base/texts.h"
#include "exec/divergence.h"
#include "exec/faults.h"
#include "exec/lanes.h"
#include "exec/runtime.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace warpmill::exec {

using machine::CallRecord;
using machine::CallStack;
using machine::Warp;
using portable::eachLane;
using portable::PlaneWord64;

namespace {

constexpr std::uint64_t growStep = 1024;  // bytes of a lane

std::uint64_t alignUp(std::uint64_t value, std::uint64_t step) { return (value + step - 1) / step * step; }
unsigned firstOf(LaneMask lanes) { return static_cast<unsigned>(std::countr_zero(lanes)); }

std::uint64_t localBytes(const Warp& warp) { return warp.local.size() / machine::warpSize; }
std::uint8_t* localOf(Warp& warp, unsigned lane) { return warp.local.data() + lane * localBytes(warp); }

// Where the frames of the running routines are.
PlaneWord64* frames(const Exec& x) {
  return reinterpret_cast<PlaneWord64*>(x.base[Slot::Registers] + std::size_t{x.code->function().frameSlot} * planeWords);
}

void growWords(CallStack& stack, std::uint32_t wanted) {
  if (wanted <= stack.wordsPerLane) return;
  const auto wordsPerLane = static_cast<std::uint32_t>(alignUp(wanted, growStep / 4));
  std::vector<std::uint32_t> words(std::size_t{wordsPerLane} * machine::warpSize, 0);
  for (std::size_t lane = 0; lane < stack.lanes.size(); ++lane)
    std::copy_n(stack.words.begin() + static_cast<std::ptrdiff_t>(lane * stack.wordsPerLane), stack.lanes[lane].used,
                words.begin() + static_cast<std::ptrdiff_t>(lane * wordsPerLane));
  stack.words = std::move(words);
  stack.wordsPerLane = wordsPerLane;
}

// What a thread uses of its stack.
std::uint64_t stackUse(const Exec& x, std::uint64_t top, std::uint64_t words) {
  const std::uint64_t own = x.code->function().localBytes;
  return (top > own ? top - own : 0) + 4 * words;
}

// ---- One call ----

class Caller {
 public:
  Caller(Exec& x, const Op& op, std::uint32_t routine)
      : x_(x), op_(op), plan_(x.code->calls()[op.aux]), routine_(x.code->function().routines[routine]), number_(routine), warp_(*x.warp) {}

  // Gives each lane its frame. Lanes whose stack is full get none: they are returned.
  LaneMask enter(LaneMask lanes) {
    LaneMask full = 0;
    std::uint64_t mostLocal = 0;
    std::uint32_t mostWords = 0;
    eachLane(lanes, [&](unsigned i) {
      const CallStack::Lane& lane = warp_.calls.lanes[i];
      const std::uint64_t top = frameFor(lane) + routine_.frameBytes;
      const std::uint32_t words = lane.used + plan_.savedWords + CallRecord::wordCount;
      if (stackUse(x_, top, words) > x_.code->context().stackBytes) {
        full |= 1u << i;
        return;
      }
      mostLocal = top > mostLocal ? top : mostLocal;
      mostWords = words > mostWords ? words : mostWords;
    });
    lanes &= ~full;
    growLocal(x_, mostLocal);
    growWords(warp_.calls, mostWords);
    eachLane(lanes, [&](unsigned i) { push(i); });
    return full;
  }

 private:
  [[nodiscard]] std::uint64_t frameFor(const CallStack::Lane& lane) const { return alignUp(lane.top, routine_.frameAlignment); }

  void push(unsigned i) {
    CallStack::Lane& lane = warp_.calls.lanes[i];
    const auto frame = static_cast<std::uint32_t>(frames(x_)[i]);
    const auto next = static_cast<std::uint32_t>(frameFor(lane));
    std::uint8_t* local = localOf(warp_, i);
    const auto& arguments = plan_.site->arguments;
    for (std::size_t k = 0; k < arguments.size() && k < routine_.params.size(); ++k)
      std::memcpy(local + next + routine_.params[k].offset, local + frame + arguments[k].offset, std::min(arguments[k].bytes, routine_.params[k].bytes));
    std::uint32_t* words = warp_.calls.words.data() + std::size_t{i} * warp_.calls.wordsPerLane + lane.used;
    for (const CallPlan::Saved& s : plan_.saved) {
      if (s.words == 0) *words++ = x_.predicates[s.offset] >> i & 1;
      else std::memcpy(words, x_.base[Slot::Registers] + s.offset + i * s.words, 4u * s.words), words += s.words;
    }
    words[0] = op_.aux, words[1] = number_, words[2] = frame, words[3] = lane.top;  // a CallRecord
    lane.used += plan_.savedWords + CallRecord::wordCount;
    lane.top = static_cast<std::uint32_t>(next + routine_.frameBytes);
    frames(x_)[i] = next;
  }

  Exec& x_;
  const Op& op_;
  const CallPlan& plan_;
  const ptx::Routine& routine_;
  std::uint32_t number_;
  Warp& warp_;
};

CallRecord recordOf(const Warp& warp, unsigned i) {
  const CallStack::Lane& lane = warp.calls.lanes[i];
  WM_ASSERT(lane.used >= CallRecord::wordCount, "a routine was called");
  const std::uint32_t* words = warp.calls.words.data() + std::size_t{i} * warp.calls.wordsPerLane + lane.used - CallRecord::wordCount;
  return {words[0], words[1], words[2], words[3]};
}

// Undoes what `push` did, and hands over the returned values.
void pop(Exec& x, unsigned i) {
  Warp& warp = *x.warp;
  CallStack::Lane& lane = warp.calls.lanes[i];
  const CallRecord record = recordOf(warp, i);
  const CallPlan& plan = x.code->calls()[record.site];
  const ptx::Routine& routine = x.code->function().routines[record.routine];
  std::uint8_t* local = localOf(warp, i);
  const auto frame = static_cast<std::uint32_t>(frames(x)[i]);
  const auto& results = plan.site->results;
  for (std::size_t k = 0; k < results.size() && k < routine.returns.size(); ++k)
    std::memcpy(local + record.frame + results[k].offset, local + frame + routine.returns[k].offset, std::min(results[k].bytes, routine.returns[k].bytes));
  lane.used -= plan.savedWords + CallRecord::wordCount;
  const std::uint32_t* words = warp.calls.words.data() + std::size_t{i} * warp.calls.wordsPerLane + lane.used;
  for (const CallPlan::Saved& s : plan.saved) {
    if (s.words == 0) x.predicates[s.offset] = (x.predicates[s.offset] & ~(1u << i)) | *words++ << i;
    else std::memcpy(x.base[Slot::Registers] + s.offset + i * s.words, words, 4u * s.words), words += s.words;
  }
  lane.top = record.top;
  frames(x)[i] = record.frame;
}

// ---- Where a call goes ----

struct Target {
  enum class Kind : std::uint8_t { Routine, Runtime, NoBody, Null, NoFunction, OtherShape } kind = Kind::NoFunction;
  std::uint32_t function = ptx::none, routine = ptx::none;
  std::uint64_t address = 0;
  bool operator==(const Target&) const = default;
};

Target targetOf(const Exec& x, const CallPlan& plan, std::uint32_t function) {
  Target t;
  t.function = function;
  t.routine = x.code->routineOf(function);
  const ptx::Function& f = x.code->module().functions[function];
  if (f.params.size() != plan.site->arguments.size() || f.returns.size() != plan.site->results.size()) t.kind = Target::Kind::OtherShape;
  else if (t.routine != ptx::none) t.kind = Target::Kind::Routine;
  else t.kind = runtimeFunction(f) != RuntimeFunction::None ? Target::Kind::Runtime : Target::Kind::NoBody;
  return t;
}

Target targetAt(const Exec& x, const CallPlan& plan, std::uint64_t address) {
  const std::uint64_t number = (address - machine::codeWindow) / machine::functionSpacing - 1;
  if (address > machine::codeWindow && number < x.code->module().functions.size() && address == machine::functionAddress(static_cast<std::uint32_t>(number)))
    return targetOf(x, plan, static_cast<std::uint32_t>(number));
  Target t;
  t.kind = address == 0 ? Target::Kind::Null : Target::Kind::NoFunction;
  t.address = address;
  return t;
}

void reportTarget(Exec& x, const Op& op, const Target& t, LaneMask lanes) {
  using machine::FaultKind;
  const auto& functions = x.code->module().functions;
  const CallPlan& plan = x.code->calls()[op.aux];
  switch (t.kind) {
    case Target::Kind::Null:
      return reportPlain(x, op, FaultKind::NullAccess, lanes, Text::CallOfNull);
    case Target::Kind::NoFunction:
      return reportPlain(x, op, FaultKind::OutOfBounds, lanes, {Text::CallOfNothing, {{"pointer", t.address}}});
    case Target::Kind::OtherShape:
      return reportPlain(x, op, FaultKind::OutOfBounds, lanes,
                         {Text::CallOfOtherShape, {{"given", plan.site->arguments.size()}, {"name", functions[t.function].name}, {"wanted", functions[t.function].params.size()}}});
    default:
      return reportPlain(x, op, FaultKind::Unsupported, lanes, {Text::CallWithoutBody, {{"name", functions[t.function].name}}});
  }
}

void endLanes(Exec& x, LaneMask lanes, std::uint32_t end) {
  if (lanes != 0) exitLanes(*x.warp, lanes, x.outcome->pc, end, *x.outcome);
}

// All lanes come back from it, in the same step.
bool returnsAtOnce(const Exec& x, const Target& t) {
  if (t.kind == Target::Kind::NoBody) return true;
  return t.kind == Target::Kind::Runtime && runtimeFunction(x.code->module().functions[t.function]) != RuntimeFunction::AssertFail;
}

// Lanes that share a target go there, in a path of their own unless they stay together anyway (`stay`: the caller moves them on).
void go(Exec& x, const Op& op, const Target& t, LaneMask lanes, std::uint32_t end, bool stay = false) {
  Warp& w = *x.warp;
  const unsigned lane = firstOf(lanes);
  if (t.kind == Target::Kind::Routine) {
    const LaneMask full = Caller(x, op, t.routine).enter(lanes);
    if (full != 0) {
      reportPlain(x, op, machine::FaultKind::OutOfBounds, full,
                  {Text::StackFullByCall, {{"depth", w.paths[pathOfLane(w, lane)].depth}, {"name", x.code->module().functions[t.function].name}, {"size", x.code->context().stackBytes}}});
      endLanes(x, full, end);
    }
    if (full == lanes) return;
    machine::Path& p = w.paths[pathOfLane(w, firstOf(lanes & ~full))];
    p.pc = x.code->function().routines[t.routine].begin;
    ++p.depth;
    return;
  }
  if (t.kind == Target::Kind::Runtime) callRuntime(x, op, runtimeFunction(x.code->module().functions[t.function]), lanes);
  else reportTarget(x, op, t, lanes);
  if (stay) return;
  if (returnsAtOnce(x, t)) moveTo(w, pathOfLane(w, lane), op.pc + 1, end, *x.outcome);
  else endLanes(x, lanes, end);
}

// Splits the path of `lanes` by what `keyOf(lane)` is, and calls go(key, lanes) for each part, the first lane's first.
template <class K, class G> void eachPart(Exec& x, LaneMask lanes, K keyOf, G go) {
  while (lanes != 0) {
    const auto key = keyOf(firstOf(lanes));
    LaneMask same = 0;
    eachLane(lanes, [&](unsigned i) {
      if (keyOf(i) == key) same |= 1u << i;
    });
    Warp& w = *x.warp;
    const std::uint32_t path = pathOfLane(w, firstOf(same));
    if (w.paths[path].lanes != same) {
      split(w, path, same, ptx::none);
      x.outcome->diverged = true;
    }
    lanes &= ~same;
    go(key, same);
  }
}

}  // namespace

void growLocal(Exec& x, std::uint64_t bytes) {
  Warp& warp = *x.warp;
  const std::uint64_t have = localBytes(warp);
  if (bytes <= have) return;
  const std::uint64_t size = alignUp(bytes, growStep);
  std::vector<std::uint8_t> local(size * machine::warpSize, 0);
  for (std::uint64_t lane = 0; lane < machine::warpSize && have != 0; ++lane) std::memcpy(local.data() + lane * size, warp.local.data() + lane * have, have);
  warp.local = std::move(local);
  x.local = warp.local.data();
  x.frameBytes = size;
}

void stepCall(Exec& x, const Op& op, std::uint32_t path, std::uint32_t end, LaneMask executed) {
  Warp& w = *x.warp;
  const unsigned lane = firstOf(x.lanes);
  const CallPlan& plan = x.code->calls()[op.aux];
  x.outcome->branch = true;
  if (plan.site->function != ptx::none) {
    const Target target = targetOf(x, plan, plan.site->function);
    if (returnsAtOnce(x, target)) {
      if (executed != 0) go(x, op, target, executed, end, true);
      moveTo(w, path, op.pc + 1, end, *x.outcome);
      return choosePath(w, lane);
    }
  }
  openGroup(w, path, op.pc + 1);
  if (const LaneMask rest = x.lanes & ~executed; rest != 0) {
    if (executed != 0) {
      split(w, path, rest, ptx::none);
      x.outcome->diverged = true;
    }
    moveTo(w, pathOfLane(w, firstOf(rest)), op.pc + 1, end, *x.outcome);
  }
  if (plan.site->function != ptx::none) {
    const Target target = targetOf(x, plan, plan.site->function);
    if (executed != 0) go(x, op, target, executed, end);
  } else {
    const auto* pointers = reinterpret_cast<const PlaneWord64*>(x.at(op.a));
    eachPart(x, executed, [&](unsigned i) -> std::uint64_t { return pointers[i]; },
             [&](std::uint64_t address, LaneMask lanes) { go(x, op, targetAt(x, plan, address), lanes, end); });
  }
  choosePath(w, executed != 0 ? firstOf(executed) : lane);
}

void stepReturn(Exec& x, const Op& op, std::uint32_t path, std::uint32_t end, LaneMask executed) {
  Warp& w = *x.warp;
  const unsigned lane = firstOf(x.lanes);
  x.outcome->branch = true;
  if (const LaneMask rest = x.lanes & ~executed; rest != 0) {
    if (executed != 0) {
      split(w, path, executed, ptx::none);
      x.outcome->diverged = true;
    }
    moveTo(w, pathOfLane(w, firstOf(rest)), op.pc + 1, end, *x.outcome);
  }
  if (executed != 0) {
    leaveFunction(w, pathOfLane(w, firstOf(executed)), end, *x.outcome);
    std::array<std::uint32_t, 32> returnPc{};
    eachLane(executed, [&](unsigned i) {
      returnPc[i] = x.code->calls()[recordOf(w, i).site].site->instruction + 1;
      pop(x, i);
    });
    eachPart(x, executed, [&](unsigned i) { return returnPc[i]; },
             [&](std::uint32_t pc, LaneMask lanes) { moveTo(w, pathOfLane(w, firstOf(lanes)), pc, end, *x.outcome); });
  }
  choosePath(w, lane);
}

void stepTable(Exec& x, const Op& op, std::uint32_t path, std::uint32_t end, LaneMask executed) {
  Warp& w = *x.warp;
  const unsigned lane = firstOf(x.lanes);
  x.outcome->branch = true;
  const auto& operands = op.instruction->operands;
  const auto count = static_cast<std::uint32_t>(operands.size() - 1);
  const std::uint32_t* index = x.at(op.a);
  const auto targetAt = [&](unsigned i) {
    if ((executed >> i & 1) == 0) return op.pc + 1;
    return index[i] < count ? operands[1 + index[i]].index : ptx::none;
  };
  LaneMask spinning = 0;
  if (op.reconvergence != ptx::none) openGroup(w, path, op.reconvergence);
  eachPart(x, x.lanes, targetAt, [&](std::uint32_t pc, LaneMask lanes) {
    if (pc == ptx::none) {
      reportPlain(x, op, machine::FaultKind::OutOfBounds, lanes, {Text::BranchTable, {{"entry", index[firstOf(lanes)]}, {"size", count}}});
      return endLanes(x, lanes, end);
    }
    if (op.spinLoop && pc <= op.pc) spinning = lanes;
    moveTo(w, pathOfLane(w, firstOf(lanes)), pc, end, *x.outcome);
  });
  choosePath(w, lane);
  if (spinning != 0) afterSpin(w, firstOf(spinning));
}

// alloca takes from the thread's stack: dst = the address in local memory, a = bytes, aux = alignment. stacksave: dst = what is in use;
// stackrestore: a = that again. aux2 says which.
void executeStack(Exec& x, const Op& op, LaneMask mask) {
  Warp& w = *x.warp;
  LaneMask full = 0, bad = 0;
  eachLane(mask, [&](unsigned i) {
    CallStack::Lane& lane = w.calls.lanes[i];
    if (op.aux2 == 1) return portable::putBits(x, op.dst, i, lane.top);
    const std::uint64_t value = portable::getBits(x, op.a, i);
    if (op.aux2 == 2) {
      if (value > lane.top) bad |= 1u << i;
      else lane.top = static_cast<std::uint32_t>(value);
      return;
    }
    const std::uint64_t at = alignUp(lane.top, op.aux);
    if (value > x.code->context().stackBytes || stackUse(x, at + value, lane.used) > x.code->context().stackBytes) {
      full |= 1u << i;
      return portable::putBits(x, op.dst, i, 0);
    }
    growLocal(x, at + value);
    lane.top = static_cast<std::uint32_t>(at + value);
    portable::putBits(x, op.dst, i, at);
  });
  reportPlain(x, op, machine::FaultKind::OutOfBounds, full, {Text::StackFullByAlloca, {{"size", x.code->context().stackBytes}}});
  reportPlain(x, op, machine::FaultKind::OutOfBounds, bad, Text::StackRestore);
}

}  // namespace warpmill::exec
