#include "exec/runtime.h"

#include "base/texts.h"
#include "exec/faults.h"
#include "exec/lanes.h"
#include "exec/print_format.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <optional>

namespace warpmill::exec {

using machine::FaultKind;
using portable::eachLane;

namespace {

constexpr std::size_t longestText = 4096;  // of a format or a "%s"

// Bytes at generic addresses as one lane sees them, and its arguments and returned values.
class LaneView {
 public:
  LaneView(Exec& x, const Op& op, unsigned lane) : x_(x), plan_(x.code->calls()[op.aux]), lane_(lane) {
    const std::uint32_t slot = x.code->function().frameSlot;
    frame_ = reinterpret_cast<const portable::PlaneWord64*>(x.base[Slot::Registers] + std::size_t{slot} * planeWords)[lane];
  }

  [[nodiscard]] std::uint64_t argument(std::size_t k) const {
    const ptx::Routine::Place& at = plan_.site->arguments[k];
    std::uint64_t value = 0;
    std::memcpy(&value, local() + frame_ + at.offset, at.bytes < 8 ? at.bytes : 8);
    return value;
  }
  void result(std::uint64_t value) const {
    if (plan_.site->results.empty()) return;
    const ptx::Routine::Place& at = plan_.site->results[0];
    std::memcpy(local() + frame_ + at.offset, &value, at.bytes < 8 ? at.bytes : 8);
  }
  bool read(std::uint64_t address, void* into, std::uint32_t bytes) const {
    if (address - machine::localWindow < machine::windowBytes) {
      const std::uint64_t at = address - machine::localWindow, size = x_.warp->local.size() / machine::warpSize;
      if (at > size || bytes > size - at) return false;
      std::memcpy(into, local() + at, bytes);
      return true;
    }
    if (address - machine::sharedWindow < machine::windowBytes) {
      const std::uint64_t at = address - machine::sharedWindow, size = x_.block->shared.size();
      if (at > size || bytes > size - at) return false;
      std::memcpy(into, x_.block->shared.data() + at, bytes);
      return true;
    }
    return x_.memory->read(address, into, bytes);
  }
  // A text that ends with a zero byte; nothing when it cannot be read.
  [[nodiscard]] std::optional<std::string> text(std::uint64_t address) const {
    std::string found;
    for (char c = 0; found.size() < longestText; found += c) {
      if (!read(address + found.size(), &c, 1)) return std::nullopt;
      if (c == 0) break;
    }
    return found;
  }

 private:
  [[nodiscard]] std::uint8_t* local() const { return x_.warp->local.data() + lane_ * (x_.warp->local.size() / machine::warpSize); }

  Exec& x_;
  const CallPlan& plan_;
  unsigned lane_;
  std::uint64_t frame_ = 0;
};

void print(Exec& x, const Op& op, LaneMask lanes) {
  LaneMask unreadable = 0;
  eachLane(lanes, [&](unsigned i) {
    const LaneView view(x, op, i);
    const std::uint64_t formatAt = view.argument(0), list = view.argument(1);
    if (formatAt == 0) return view.result(static_cast<std::uint32_t>(-1));
    const auto format = view.text(formatAt);
    bool fine = format.has_value();
    std::uint64_t next = 0;
    PrintArguments arguments;
    arguments.next = [&](unsigned bytes) {
      std::uint64_t value = 0;
      next = (next + bytes - 1) / bytes * bytes;
      fine = fine && view.read(list + next, &value, bytes);
      next += bytes;
      return value;
    };
    arguments.text = [&](std::uint64_t address) {
      const auto found = view.text(address);
      fine = fine && found.has_value();
      return found.value_or("");
    };
    std::string out;
    std::uint32_t count = 0;
    if (fine) out = formatPrint(*format, arguments, count);
    if (!fine) unreadable |= 1u << i;
    else x.memory->output.append(out);
    view.result(fine ? count : static_cast<std::uint32_t>(-2));
  });
  reportPlain(x, op, FaultKind::OutOfBounds, unreadable, Text::PrintUnreadable);
}

void reportFree(Exec& x, const Op& op, unsigned lane, machine::Heap::Freed what, std::uint64_t address) {
  using Freed = machine::Heap::Freed;
  const machine::HeapBlock* block = x.memory->heapBlock(address);
  if (what == Freed::Twice)
    reportPlain(x, op, FaultKind::OutOfBounds, 1u << lane, {Text::FreeTwice, {{"size", block->bytes}}});
  else if (what == Freed::InsideBlock)
    reportPlain(x, op, FaultKind::OutOfBounds, 1u << lane, {Text::FreeInside, {{"size", block->bytes}}});
  else
    reportPlain(x, op, FaultKind::OutOfBounds, 1u << lane, {Text::FreeOfOther, {{"pointer", address}}});
}

void assertFail(Exec& x, const Op& op, LaneMask lanes) {
  const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
  const LaneView view(x, op, lane);
  const auto text = [&](std::size_t k) { return view.text(view.argument(k)).value_or("?"); };
  const std::string file = text(1);
  const auto line = static_cast<std::uint32_t>(view.argument(2));
  machine::Fault f = faultAt(*x.code, *x.block, *x.warp, op.pc, lane);
  f.kind = FaultKind::Assert;
  f.count = static_cast<std::uint64_t>(std::popcount(lanes));
  if (f.file.empty()) {
    f.file = file;
    f.location.line = line;
  }
  f.says = {Text::AssertFailed, {{"condition", text(0)}, {"function", text(3)}, {"file", file}, {"line", line}}};
  f.about = machine::About::Decision;
  x.outcome->faults.push_back(std::move(f));
  x.outcome->fault = true;
}

}  // namespace

RuntimeFunction runtimeFunction(const ptx::Function& f) {
  if (!f.isDeclaration) return RuntimeFunction::None;
  const auto has = [&](std::size_t params, std::size_t returns) { return f.params.size() == params && f.returns.size() == returns; };
  if (f.name == "vprintf" && has(2, 1)) return RuntimeFunction::Printf;
  if (f.name == "malloc" && has(1, 1)) return RuntimeFunction::Malloc;
  if (f.name == "free" && has(1, 0)) return RuntimeFunction::Free;
  if (f.name == "__assertfail" && has(5, 0)) return RuntimeFunction::AssertFail;
  return RuntimeFunction::None;
}

void callRuntime(Exec& x, const Op& op, RuntimeFunction function, LaneMask lanes) {
  const bool usesHeap = function == RuntimeFunction::Malloc || function == RuntimeFunction::Free;
  if (usesHeap && x.memory->log() != nullptr && x.memory->log()->ahead()) return x.memory->log()->needTurn();
  switch (function) {
    case RuntimeFunction::Printf: return print(x, op, lanes);
    case RuntimeFunction::Malloc:
      return eachLane(lanes, [&](unsigned i) {
        const LaneView view(x, op, i);
        view.result(x.memory->heapAllocate(view.argument(0)));
      });
    case RuntimeFunction::Free:
      return eachLane(lanes, [&](unsigned i) {
        const std::uint64_t address = LaneView(x, op, i).argument(0);
        if (address == 0) return;
        const machine::Heap::Freed what = x.memory->heapFree(address);
        if (what != machine::Heap::Freed::Done) reportFree(x, op, i, what, address);
      });
    case RuntimeFunction::AssertFail: return assertFail(x, op, lanes);
    case RuntimeFunction::None: return;
  }
}

bool usesHeap(const ptx::Module& module, const ptx::Function& kernel) {
  for (const ptx::CallSite& site : kernel.callSites) {
    if (site.function == ptx::none) {  // it may be reached through a pointer
      for (const ptx::Function& f : module.functions)
        if (runtimeFunction(f) == RuntimeFunction::Malloc || runtimeFunction(f) == RuntimeFunction::Free) return true;
      continue;
    }
    const RuntimeFunction f = runtimeFunction(module.functions[site.function]);
    if (f == RuntimeFunction::Malloc || f == RuntimeFunction::Free) return true;
  }
  return false;
}

}  // namespace warpmill::exec
