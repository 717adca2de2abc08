#include "lowering/costs.h"

#include "ptx/matrix_shape.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

namespace warpmill::lowering {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Type;

namespace {

class Table {
 public:
  explicit Table(const device::Profile& p) : p_(p) {}

  [[nodiscard]] Cost fma(int n = 1) const { return chain(Pipe::Fma, n, p_.fp32Interval, p_.aluLatency); }
  [[nodiscard]] Cost alu(int n = 1) const { return chain(Pipe::Alu, n, p_.intInterval, p_.aluLatency); }
  // Independent halves of a 64-bit operation: they follow one another, but do not wait for each other.
  [[nodiscard]] Cost aluPair() const { return {Pipe::Alu, 2, cycles(p_.aluLatency + p_.intInterval), cycles(2 * p_.intInterval)}; }
  // One of the two halves of the FP32 pipe does these, so that they take turns with FP32 instructions.
  [[nodiscard]] Cost imad(int n = 1) const { return chain(Pipe::Fma, n, p_.imadInterval, p_.imadLatency); }
  // Measured on an H200: IMAD.HI one in 4.2 cycles, 9.8 cycles to a dependent one; IMAD and IMAD.WIDE one in 2, 4.6 cycles.
  [[nodiscard]] Cost imadHigh() const { return {Pipe::Fma, 1, cycles(2 * p_.imadLatency + 2), cycles(2 * p_.imadInterval)}; }
  // A sequence of which 11 in 20 go to the FP32 pipe, one in four of these an IMAD.HI, and the others to the pipe for logic.
  [[nodiscard]] Cost wideDivision(int n) const {
    Cost c = imad(n);
    c.interval = cycles(n * 0.55 * 1.25 * p_.imadInterval);
    return c;
  }
  [[nodiscard]] Cost fp64(int n = 1) const { return chain(Pipe::Fp64, n, p_.fp64Interval, p_.fp64Latency); }
  [[nodiscard]] Cost fp16(int n = 1) const { return chain(Pipe::Fp16, n, p_.fp16Interval, p_.fp16Latency); }
  // One special-function instruction with n FP32 instructions round it.
  [[nodiscard]] Cost sfu(int around = 0) const {
    return {Pipe::Sfu, static_cast<std::uint16_t>(1 + around), cycles(p_.sfuLatency + around * p_.aluLatency), cycles(p_.sfuInterval)};
  }
  [[nodiscard]] Cost special() const { return {Pipe::SpecialRegister, 1, cycles(p_.specialRegisterLatency), cycles(p_.uniformInterval)}; }
  [[nodiscard]] Cost constant() const { return {Pipe::Constant, 1, cycles(p_.specialRegisterLatency), 1}; }
  [[nodiscard]] Cost memory(int n = 1) const { return {Pipe::Lsu, static_cast<std::uint16_t>(n), 0, cycles(n * p_.lsuInterval), true}; }
  [[nodiscard]] Cost shuffle() const { return {Pipe::Lsu, 1, cycles(p_.shuffleLatency), cycles(p_.lsuInterval)}; }
  [[nodiscard]] Cost branch() const { return {Pipe::Branch, 1, cycles(p_.branchLatency), cycles(p_.branchInterval)}; }
  [[nodiscard]] Cost barrier() const { return {Pipe::Barrier, 1, cycles(p_.barrierLatency), cycles(p_.branchInterval)}; }
  [[nodiscard]] Cost tensor(int n = 1) const {  // one after another, but not waiting for each other
    return {Pipe::Tensor, static_cast<std::uint16_t>(n), cycles(p_.tensorLatency + (n - 1) * p_.tensorInterval), cycles(n * p_.tensorInterval)};
  }
  // A matrix instruction whose rows of A have so many bytes: 32 is the tensor core's whole depth, 16 the short form.
  [[nodiscard]] Cost product(unsigned depthBytes, int n = 1) const {
    if (depthBytes > 16) return tensor(n);
    return {Pipe::Tensor, static_cast<std::uint16_t>(n), cycles(p_.tensorShortLatency + (n - 1) * p_.tensorShortInterval), cycles(n * p_.tensorShortInterval)};
  }
  // FP64 products take the tensor core as long as the FP64 pipe would be taken by a quarter of them.
  [[nodiscard]] Cost productFp64(unsigned products) const {
    const double interval = products / 32.0 * p_.fp64Interval;
    return {Pipe::Tensor, 1, cycles(std::max(p_.tensorLatency, interval + p_.fp64Latency)), cycles(interval)};
  }
  [[nodiscard]] Cost nothing() const { return {Pipe::None, 0, 0, 0}; }

 private:
  static std::uint16_t cycles(double c) { return static_cast<std::uint16_t>(std::max(1.0, c + 0.5)); }
  static Cost chain(Pipe pipe, int n, double interval, double latency) {
    return {pipe, static_cast<std::uint16_t>(n), cycles(n * latency), cycles(n * interval)};
  }
  const device::Profile& p_;
};

bool isHalf(Type t) { return t == Type::F16 || t == Type::F16x2 || t == Type::BF16 || t == Type::BF16x2; }

// Machine instructions of the sequences that ptxas expands, on the path that ordinary values take; counted in sm_90 disassembly.
Cost divide(const Table& t, const Instruction& i) {
  const bool remainder = i.opcode == Opcode::Rem;
  if (i.mods.type == Type::F32) {
    if (i.mods.approx) return t.sfu(i.mods.ftz ? 1 : 5);
    if (i.mods.full) return t.sfu(6);
    return t.sfu(9);
  }
  if (i.mods.type == Type::F64) return t.fp64(17);
  if (sizeBytes(i.mods.type) == 8) return t.wideDivision(isSigned(i.mods.type) ? (remainder ? 84 : 90) : (remainder ? 70 : 74));  // a call
  return t.imad(isSigned(i.mods.type) ? (remainder ? 21 : 23) : (remainder ? 15 : 17));
}

Cost convert(const Table& t, const Instruction& i) {
  const Type d = i.mods.type, s = i.mods.sourceType;
  if (d == Type::F64 || s == Type::F64) return t.fp64(1);
  if (isFloat(d) && isFloat(s)) return isHalf(d) || isHalf(s) ? t.alu(1) : t.fma(1);
  if (isFloat(d) || isFloat(s)) return sizeBytes(isFloat(d) ? s : d) == 8 ? t.sfu(4) : t.sfu(0);
  return t.alu(1);
}

Cost move(const Table& t, const Instruction& i) {
  if (i.operands.size() < 2) return t.alu();
  const ptx::Operand& source = i.operands[1];
  if (source.kind != ptx::Operand::Kind::Special) {
    if (i.operands[0].kind == ptx::Operand::Kind::Vector || source.kind == ptx::Operand::Kind::Vector)
      return sizeBytes(i.mods.type) == 8 ? t.nothing() : t.alu();  // two halves of a 64-bit register are registers already
    return sizeBytes(i.mods.type) == 8 ? t.aluPair() : t.alu();
  }
  switch (source.special) {
    case ptx::SpecialRegister::NtidX: case ptx::SpecialRegister::NtidY: case ptx::SpecialRegister::NtidZ:
    case ptx::SpecialRegister::NctaidX: case ptx::SpecialRegister::NctaidY: case ptx::SpecialRegister::NctaidZ:
      return t.constant();
    default: return t.special();
  }
}

std::string_view modifiersOf(const ptx::Module& module, const Instruction& i) {
  return i.mods.text != ptx::none ? std::string_view(module.strings[i.mods.text]) : std::string_view();
}

// mma.sync and wmma.mma, which is two of the former. Sparse ones store half of A's row.
Cost product(const Table& t, const ptx::Module& module, const Instruction& i) {
  const std::uint32_t shape = ptx::matrixShape(modifiersOf(module, i)), m = shape & 0xFF, n = shape >> 8 & 0xFF, k = shape >> 16;
  const ptx::Type a = ptx::typeOfA(i);
  if (a == ptx::Type::F64) return t.productFp64(m * n * k);
  return t.product(k * ptx::bitsOfElement(a) / 8 / (i.opcode == Opcode::MmaSp ? 2 : 1), i.opcode == Opcode::Wmma ? 2 : 1);
}

// wmma: fragments come and go in quarters (or, from shared memory, by one ldmatrix), with the address of the second row of quarters and its
// own lane's place; what lies crosswise is turned by MOVM.
Cost fragment(const Table& t, const ptx::Module& module, const Instruction& i) {
  const std::string_view mods = modifiersOf(module, i);
  if (mods.starts_with(".mma")) return product(t, module, i);
  const bool across = sizeBytes(i.mods.type) == 2 && ((mods.starts_with(".load.b") && mods.find(".row") != std::string_view::npos) ||
                                                      (mods.starts_with(".load.a") && mods.find(".col") != std::string_view::npos));
  if (mods.find(".shared") != std::string_view::npos && sizeBytes(i.mods.type) == 2 && !mods.starts_with(".store")) return t.memory(3);
  return t.memory(across ? 11 : 7);
}

}  // namespace

Cost costOfImad(const device::Profile& profile) { return Table(profile).imad(); }

void setCost(TimedOp& op, const Cost& cost) {
  op.pipe = cost.pipe;
  op.issues = cost.issues;
  op.latency = cost.latency;
  op.interval = cost.interval;
  op.isMemory = cost.isMemory;
}

void setAsync(const ptx::Module& module, const Instruction& i, TimedOp& op) {
  const std::string_view mods = modifiersOf(module, i);
  const auto set = [&](AsyncKind kind, AsyncRole role) {
    op.async = kind;
    op.role = role;
    if (role == AsyncRole::Wait) op.keptGroups = i.operands.empty() ? ~0u : static_cast<std::uint32_t>(i.operands[0].bits);
  };
  if (i.opcode == Opcode::Wmma && op.isMemory && op.issues > 3) op.pieces = 4;
  switch (i.opcode) {
    case Opcode::CpAsync: return set(AsyncKind::Copies, AsyncRole::Issue);
    case Opcode::CpAsyncCommitGroup: return set(AsyncKind::Copies, AsyncRole::Commit);
    case Opcode::CpAsyncWaitGroup: case Opcode::CpAsyncWaitAll: return set(AsyncKind::Copies, AsyncRole::Wait);
    case Opcode::CpAsyncBulk: case Opcode::CpReduceAsyncBulk:
      if (mods.starts_with(".global")) set(AsyncKind::Stores, AsyncRole::Issue);
      return;
    case Opcode::CpAsyncBulkCommitGroup: return set(AsyncKind::Stores, AsyncRole::Commit);
    case Opcode::CpAsyncBulkWaitGroup: return set(AsyncKind::Stores, AsyncRole::Wait);
    case Opcode::Wgmma:
      if (mods.starts_with(".mma_async")) {
        // A tensor core of this generation makes 512 products of 16 bits a cycle: 16 rows by N by 32 bytes take N / 2 cycles.
        const auto at = mods.find(".m64n");
        const unsigned n = at == std::string_view::npos ? 8 : static_cast<unsigned>(std::strtoul(std::string(mods.substr(at + 5, 3)).c_str(), nullptr, 10));
        op.interval = static_cast<std::uint16_t>(std::max(1u, n / 2));
        op.latency = static_cast<std::uint16_t>(op.latency + op.interval);
        return set(AsyncKind::Products, AsyncRole::Issue);
      }
      op.pipe = Pipe::Alu;
      op.latency = op.interval = 1;
      if (mods.starts_with(".commit_group")) return set(AsyncKind::Products, AsyncRole::Commit);
      if (mods.starts_with(".wait_group")) return set(AsyncKind::Products, AsyncRole::Wait);
      return;
    default: return;
  }
}

Cost costOf(const ptx::Module& module, const Instruction& i, const device::Profile& profile) {
  const Table t(profile);
  const Type type = i.mods.type;
  const bool wide = sizeBytes(type) == 8;
  switch (i.opcode) {
    case Opcode::Ld:
      if (i.mods.space == ptx::Space::Param) return t.constant();
      return t.memory();
    case Opcode::Ldu: case Opcode::St: case Opcode::Atom: case Opcode::Red: case Opcode::CpAsync: case Opcode::Ldmatrix: case Opcode::Stmatrix:
    case Opcode::Tex: case Opcode::Tld4:  // through L1, as a load; see exec/texture.h
      return t.memory();
    case Opcode::Mov: return move(t, i);
    case Opcode::Cvta: return t.nothing();
    case Opcode::Add: case Opcode::Sub: case Opcode::Addc: case Opcode::Subc:
      if (type == Type::F64) return t.fp64();
      if (isHalf(type)) return t.fp16();
      if (isFloat(type)) return t.fma();
      return wide ? t.aluPair() : t.alu();
    case Opcode::Mul: case Opcode::Mad: case Opcode::Madc: case Opcode::Fma:
      if (type == Type::F64) return t.fp64();
      if (isHalf(type)) return t.fp16();
      if (isFloat(type)) return t.fma();
      if (wide) return t.imad(i.mods.part == ptx::MulPart::Hi ? 8 : 4);
      return i.mods.part == ptx::MulPart::Hi ? t.imadHigh() : t.imad();
    case Opcode::Mul24: case Opcode::Mad24: case Opcode::Dp4a: case Opcode::Dp2a: return t.imad();
    case Opcode::Div: case Opcode::Rem: return divide(t, i);
    case Opcode::Sqrt: return type == Type::F64 ? t.fp64(18) : i.mods.approx ? t.sfu(i.mods.ftz ? 0 : 3) : t.sfu(9);
    case Opcode::Rcp: return type == Type::F64 ? t.fp64(11) : i.mods.approx ? t.sfu(i.mods.ftz ? 0 : 6) : t.sfu(9);
    case Opcode::Rsqrt: case Opcode::Lg2: case Opcode::Ex2: return t.sfu(i.mods.ftz || isHalf(type) ? 0 : 3);
    case Opcode::Sin: case Opcode::Cos: return t.sfu(1);
    case Opcode::Tanh: return t.sfu(0);
    case Opcode::Cvt: return convert(t, i);
    case Opcode::Clz: return wide ? t.sfu(4) : t.sfu(1);
    case Opcode::Popc: case Opcode::Brev: case Opcode::Bfind: return wide ? t.sfu(2) : t.sfu(0);
    case Opcode::Setp: case Opcode::Set: return type == Type::F64 ? t.fp64() : wide ? t.aluPair() : t.alu();
    case Opcode::Selp: case Opcode::Slct: case Opcode::And: case Opcode::Or: case Opcode::Xor: case Opcode::Not:
    case Opcode::Shl: case Opcode::Shr:
      return wide ? t.aluPair() : t.alu();
    case Opcode::Bfe: case Opcode::Bfi: return t.alu(2);
    case Opcode::Min: case Opcode::Max:
      return type == Type::F64 ? t.fp64(6) : t.alu(wide ? 4 : 1);
    case Opcode::Abs: case Opcode::Neg: case Opcode::Copysign:
      return type == Type::F64 ? t.fp64() : wide ? t.aluPair() : t.alu();
    case Opcode::Shfl: case Opcode::Match: case Opcode::Redux: return t.shuffle();
    case Opcode::Vote: case Opcode::Activemask: case Opcode::Elect: return t.alu();
    case Opcode::Bar: case Opcode::Barrier: return t.barrier();
    case Opcode::Bra: case Opcode::BrxIdx: case Opcode::Call: case Opcode::Ret: case Opcode::Exit: case Opcode::Trap: return t.branch();
    case Opcode::Membar: case Opcode::Fence: return t.shuffle();
    case Opcode::CpAsyncBulk: case Opcode::CpReduceAsyncBulk: return t.memory();
    case Opcode::StAsync: case Opcode::RedAsync: case Opcode::CpAsyncMbarrier: case Opcode::Mbarrier: return t.shuffle();
    case Opcode::Wmma: return fragment(t, module, i);
    case Opcode::Mma: case Opcode::MmaSp: return product(t, module, i);
    case Opcode::Wgmma: return t.tensor();
    case Opcode::CpAsyncCommitGroup: case Opcode::CpAsyncWaitGroup: case Opcode::CpAsyncWaitAll: case Opcode::CpAsyncBulkCommitGroup:
    case Opcode::CpAsyncBulkWaitGroup: case Opcode::Mapa: case Opcode::Getctarank: case Opcode::Setmaxnreg:
      return t.alu();
    default: return wide ? t.aluPair() : t.alu();
  }
}

}  // namespace warpmill::lowering
