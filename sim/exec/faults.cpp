#include "exec/faults.h"

#include <fmt/format.h>

#include <bit>

namespace warpmill::exec {

using machine::Fault;
using machine::FaultKind;
using ptx::Space;

std::array<std::uint32_t, 3> threadIndex(const Code& code, const machine::Warp& warp, unsigned lane) {
  const Dim3& block = code.context().block;
  const std::uint32_t t = warp.indexInBlock * machine::warpSize + lane;
  return {t % block.x, t / block.x % block.y, t / block.x / block.y};
}

Fault faultAt(const Code& code, const machine::Block& block, const machine::Warp& warp, std::uint32_t pc, unsigned lane) {
  Fault f;
  f.pc = pc;
  const auto& instructions = code.function().instructions;
  if (pc < instructions.size()) {
    f.location = instructions[pc].location;
    f.ptxLine = instructions[pc].position.line;
    if (f.location.file < code.module().files.size()) f.file = code.module().files[f.location.file];
  }
  f.block = block.index;
  f.thread = threadIndex(code, warp, lane);
  f.warp = warp.indexInBlock;
  f.lane = lane;
  return f;
}

namespace {

std::string place(const Fault& f) {
  return fmt::format("block ({},{},{}) thread ({},{},{})", f.block[0], f.block[1], f.block[2], f.thread[0], f.thread[1], f.thread[2]);
}
std::string nameOf(const machine::Allocation& a) {
  if (a.argument == 0xFFFFFFFFu) return fmt::format("{} '{}' ({} bytes)", a.isBuffer ? "buffer" : "variable", a.name, a.sizeBytes);
  const std::string plain = fmt::format("argument {}", a.argument);
  if (a.name.empty() || a.name == plain) return fmt::format("{} ({} bytes)", plain, a.sizeBytes);
  return fmt::format("{} ('{}', {} bytes)", plain, a.name, a.sizeBytes);
}

// What the address lies in or near; sets buffer and offset of the fault.
std::string whereIs(const Exec& x, Space space, std::uint64_t address, Fault& f) {
  switch (space) {
    case Space::Shared:
      f.offset = static_cast<std::int64_t>(address);
      return fmt::format("at offset {} of shared memory ({} bytes)", static_cast<std::int64_t>(address), x.block->shared.size());
    case Space::Local:
      f.offset = static_cast<std::int64_t>(address);
      return fmt::format("at offset {} of local memory ({} bytes a thread)", static_cast<std::int64_t>(address), x.warp->local.size() / machine::warpSize);
    case Space::Param:
      f.offset = static_cast<std::int64_t>(address);
      return fmt::format("at offset {} of the parameters ({} bytes)", static_cast<std::int64_t>(address), x.code->context().parameters.size());
    default: break;
  }
  const machine::Allocation* a = x.memory->nearest(address);
  const bool near = a != nullptr && address - a->base + (1u << 24) < a->sizeBytes + (2u << 24);
  if (!near) return fmt::format("at address {:#x}, which is in no buffer", address);
  if (a->argument != 0xFFFFFFFFu) f.buffer = static_cast<std::int32_t>(a->argument);
  if (const machine::HeapBlock* block = x.memory->heapBlock(address); block != nullptr) {
    const std::uint64_t base = x.memory->nearest(address)->base + block->offset;
    f.offset = static_cast<std::int64_t>(address - base);
    return fmt::format("at offset {} of a block of {} bytes from malloc{}", f.offset, block->bytes, block->live ? "" : ", which has been freed");
  }
  f.offset = static_cast<std::int64_t>(address - a->base);
  return fmt::format("at offset {} of {}", f.offset, nameOf(*a));
}

}  // namespace

void reportAccess(Exec& x, const Op& op, FaultKind kind, LaneMask lanes, Space space, std::string_view access, std::uint32_t bytes,
                  const std::array<std::uint64_t, 32>& address) {
  if (lanes == 0) return;
  const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
  Fault f = faultAt(*x.code, *x.block, *x.warp, op.pc, lane);
  f.kind = kind;
  f.access = access;
  f.bytes = bytes;
  f.address = address[lane];
  f.count = static_cast<std::uint64_t>(std::popcount(lanes));
  const std::string where = whereIs(x, space, f.address, f);
  const std::string what = fmt::format("{} of {} byte{}", access, bytes, bytes == 1 ? "" : "s");
  switch (kind) {
    case FaultKind::NullAccess:
      f.message = fmt::format("{} through a null pointer (address {:#x}) by {}", what, f.address, place(f));
      f.remedy = "Check that every pointer argument was allocated and that the index is not used as the pointer";
      break;
    case FaultKind::Misaligned:
      f.message = fmt::format("{} {} by {}: the address must be a multiple of {}", what, where, place(f), bytes);
      f.remedy = "Vector accesses need pointers and indices aligned to the whole vector: check the offset, or load single elements";
      break;
    case FaultKind::WriteToConstant:
      f.message = fmt::format("{} {} by {}: constant memory cannot be written by a kernel", what, where, place(f));
      f.remedy = "Write to a buffer in global memory, or set the constant from the host before the launch";
      break;
    default:
      f.message = fmt::format("{} {} by {}", what, where, place(f));
      f.remedy = "Guard the access with a comparison of the index against the element count, and check grid size times block size";
      break;
  }
  x.outcome->faults.push_back(std::move(f));
  x.outcome->fault = true;
}

void reportPlain(Exec& x, const Op& op, FaultKind kind, LaneMask lanes, std::string message, std::string remedy) {
  if (lanes == 0) return;
  Fault f = faultAt(*x.code, *x.block, *x.warp, op.pc, static_cast<unsigned>(std::countr_zero(lanes)));
  f.kind = kind;
  f.count = static_cast<std::uint64_t>(std::popcount(lanes));
  f.message = message + " by " + place(f);
  f.remedy = std::move(remedy);
  x.outcome->faults.push_back(std::move(f));
  x.outcome->fault = true;
}

void mergeFault(std::vector<Fault>& faults, const Fault& fault, std::size_t maxKept) {
  for (Fault& have : faults) {
    if (have.kind == fault.kind && have.pc == fault.pc) {
      have.count += fault.count;
      return;
    }
  }
  if (faults.size() < maxKept) faults.push_back(fault);
}

void executeNothing(Exec&, const Op&, LaneMask) {}

void executeUnsupported(Exec& x, const Op& op, LaneMask mask) {
  const std::string text(x.code->module().textOf(*op.instruction));
  reportPlain(x, op, FaultKind::Unsupported, mask, fmt::format("the instruction \"{}\" (PTX line {}) is not implemented, and was skipped", text, op.instruction->position.line),
              "Results after this instruction are not to be trusted; write the kernel without it, or compile for an older architecture");
}

void reportOutsideShared(Exec& x, const Op& op, LaneMask mask) {
  reportPlain(x, op, FaultKind::OutOfBounds, mask, fmt::format("a matrix descriptor leads outside shared memory ({} bytes)", x.block->shared.size()),
              "Check the start address and the two byte offsets of the descriptors, and the size of the shared tiles");
}

void executeTrap(Exec& x, const Op& op, LaneMask mask) {
  reportPlain(x, op, FaultKind::Trap, mask, "trap was executed", "Look for the failed assertion or the unreachable case that leads to this line");
}

void executeSleep(Exec& x, const Op& op, LaneMask mask) {
  const std::uint32_t* t = x.at(op.a);
  for (LaneMask m = mask; m != 0; m &= m - 1) {
    const std::uint32_t ns = t[std::countr_zero(m)];
    if (ns > x.outcome->sleepNanoseconds) x.outcome->sleepNanoseconds = ns < 1000000 ? ns : 1000000;
  }
}

}  // namespace warpmill::exec
