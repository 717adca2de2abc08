// A checked PTX module: kernels, functions, variables and instructions, with registers by number, control-flow facts and
// source positions. Made by `parse`; constant afterwards.
// Source: PTX ISA 9.0 (names of instructions, types, state spaces and modifiers are its own).
#pragma once

#include "base/diagnostic.h"
#include "base/result.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpmill::ptx {

inline constexpr std::uint32_t none = 0xFFFFFFFFu;

enum class Opcode : std::uint16_t {
  Unknown,  // parsed, kept with its text, fails as `unsupported` only when it is executed
#define WM_OPCODE(id, text) id,
#include "ptx/opcodes.def"
#undef WM_OPCODE
  Count
};
std::string_view opcodeName(Opcode opcode);

enum class Type : std::uint8_t {
  None, Pred, B8, B16, B32, B64, B128, U8, U16, U32, U64, S8, S16, S32, S64,
  F16, F16x2, BF16, BF16x2, TF32, F32, F64, E4M3, E5M2, E4M3x2, E5M2x2, U16x2, S16x2, U4, S4, B1,
  U2, S2, U8x4, S8x4, F32x2, E2M3, E3M2, E2M1, UE8M0, UE4M3, E2M3x2, E3M2x2, E2M1x2, UE8M0x2, E4M3x4, E5M2x4, E2M3x4, E3M2x4, E2M1x4,
  B8x16, B4x16, B4x16P64, B6x16P32, B6P2x16,
  Texref, Samplerref, Surfref  // opaque: a handle of 64 bits
};
std::string_view typeName(Type type);      // "f32"
std::uint32_t sizeBytes(Type type);        // of a value in memory; Pred is 1, None is 0; sub-byte types are 1
bool isFloat(Type type);
bool isSigned(Type type);

enum class Space : std::uint8_t { None, Generic, Reg, SpecialReg, Const, Global, Local, Param, Shared };
std::string_view spaceName(Space space);

enum class Rounding : std::uint8_t { None, Rn, Rz, Rm, Rp, Rna, Rni, Rzi, Rmi, Rpi, Rs };
enum class Compare : std::uint8_t { None, Eq, Ne, Lt, Le, Gt, Ge, Lo, Ls, Hi, Hs, Equ, Neu, Ltu, Leu, Gtu, Geu, Num, Nan };
enum class BoolOp : std::uint8_t { None, And, Or, Xor };
enum class MulPart : std::uint8_t { None, Lo, Hi, Wide };
enum class AtomOp : std::uint8_t { None, And, Or, Xor, Cas, Exch, Add, Inc, Dec, Min, Max };
enum class ShflMode : std::uint8_t { None, Up, Down, Bfly, Idx };
enum class VoteMode : std::uint8_t { None, All, Any, Uni, Ballot };
enum class MemoryOrder : std::uint8_t { None, Weak, Relaxed, Acquire, Release, AcqRel, SeqCst, Volatile, Mmio };
enum class Scope : std::uint8_t { None, Cta, Cluster, Gpu, Sys };
enum class Geometry : std::uint8_t { None, D1, D2, D3, A1d, A2d, Cube, Acube, D2ms, A2dms };  // of tex, tld4, suld ...
enum class MipMode : std::uint8_t { None, Base, Level, Grad };
enum class CacheOp : std::uint8_t { None, Ca, Cg, Cs, Lu, Cv, Wb, Wt };

enum class SpecialRegister : std::uint8_t {
  None, TidX, TidY, TidZ, NtidX, NtidY, NtidZ, CtaidX, CtaidY, CtaidZ, NctaidX, NctaidY, NctaidZ, LaneId, WarpId, NwarpId, SmId, NsmId,
  GridId, Clock, ClockHi, Clock64, GlobalTimer, GlobalTimerLo, GlobalTimerHi, LanemaskEq, LanemaskLe, LanemaskLt, LanemaskGe, LanemaskGt,
  DynamicSmemSize, TotalSmemSize, ClusterCtaidX, ClusterCtaidY, ClusterCtaidZ, ClusterNctaidX, ClusterNctaidY, ClusterNctaidZ,
  ClusterCtaRank, ClusterNctaRank, ClusteridX, ClusteridY, ClusteridZ, NclusteridX, NclusteridY, NclusteridZ, IsExplicitCluster,
  AggrSmemSize, ReservedSmemOffsetBegin, ReservedSmemOffsetEnd, ReservedSmemOffsetCap, ReservedSmemOffset0, ReservedSmemOffset1,
  CurrentGraphExec,
  Envreg0,               // %envreg0 ... %envreg31 follow each other
  EnvregLast = Envreg0 + 31,
  Pm0,                   // %pm0 ... %pm7
  PmLast = Pm0 + 7,
  Pm0_64,                // %pm0_64 ... %pm7_64
  Pm64Last = Pm0_64 + 7
};

struct Operand {
  enum class Kind : std::uint8_t {
    None,
    Register,    // `index`: into Function::registers (a predicate register too)
    Immediate,   // `bits`: integers sign-extended to 64 bits; f32 in the low 32 bits when `isFloat32`; f64 bits when `isFloat64`
    Special,     // `special`
    Variable,    // address of a variable: `index` into Module::variables, Function::variables, ::params or ::returns, see `scope`; plus
                 // `offset`
    Address,     // [base + offset]: base is a register (`index`, scope None), a variable (`scope` says which list) or nothing
    Label,       // `index`: instruction number (always one that exists)
    Vector,      // `count` elements, in Function::vectorElements from `index`; {x} with one element is a Vector too
    FunctionRef, // `index`: into Module::functions
    Sink,        // "_"
    Text         // kept as written (names of tables, .branchtargets, ...): `index` into Module::strings
  };
  enum class In : std::uint8_t { None, Module, Function, Parameter, Return };
  Kind kind = Kind::None;
  In scope = In::None;
  bool negated = false;     // "!p" of a predicate operand
  bool minus = false;       // "-%r1" of vmad (of an immediate it is folded into the value)
  bool isFloat32 = false;   // written as 0f3F800000 or as a decimal where an f32 is wanted
  bool isFloat64 = false;
  bool hasPredicate = false;       // shfl/setp "d|p": the second destination is `predicate`
  SpecialRegister special = SpecialRegister::None;
  std::uint8_t count = 0;
  // Bytes or halves of a register that a video instruction takes (%r1.b3, %r1.h0) or writes (%r1.b3210): 0: none named; else bit 15:
  // halves, bits 14..12: how many digits, then the digits, three bits each, the last one written lowest.
  std::uint16_t selector = 0;
  std::uint32_t index = none;
  std::uint32_t predicate = none;
  std::int64_t offset = 0;  // of Address
  std::uint64_t bits = 0;   // of Immediate
};

// What stands between the opcode's dots, each in a field of its own (the second operation of a video instruction in `atom`). `type` is the operation's (the destination's, where there are
// two), `sourceType` the second one (cvt.D.S, setp's only type is `type`, set.cmp.D.S, mma's A; `thirdType`, `fourthType` as written).
struct Modifiers {
  Type type = Type::None, sourceType = Type::None, thirdType = Type::None, fourthType = Type::None;
  Space space = Space::None;          // None means generic for memory instructions
  Space toSpace = Space::None;        // cvta.to.X: `space`; cp.async: destination in `space`, source in `toSpace`; Local: a .param access
                                      // that is one of a function's frame
  Rounding rounding = Rounding::None;
  Compare compare = Compare::None;
  BoolOp boolOp = BoolOp::None;
  MulPart part = MulPart::None;
  AtomOp atom = AtomOp::None;
  ShflMode shfl = ShflMode::None;
  VoteMode vote = VoteMode::None;
  MemoryOrder order = MemoryOrder::None;
  Scope scope = Scope::None;
  CacheOp cache = CacheOp::None;
  Geometry geometry = Geometry::None;
  MipMode mip = MipMode::None;
  char component = 0;                 // tld4: 'r', 'g', 'b', 'a'
  std::uint8_t shiftRight = 0;        // vmad: .shr7, .shr15
  std::uint8_t vectorWidth = 1;       // 1, 2, 4, 8
  bool ftz = false, sat = false, approx = false, full = false, uniform = false, sync = false, aligned = false, carryOut = false,
       nonCoherent = false, to = false, relu = false, nan = false, xorsign = false, wrap = false, clamp = false, left = false,
       right = false, trans = false, noftz = false, pack = false, satfinite = false, abs = false, plusOne = false, oob = false;
  std::uint32_t text = none;          // all modifiers as written (".shared.global.L2::128B"): index into Module::strings
};

// A place in the kernel's source, from `.loc`. `file` indexes Module::files; line 0 means "no line".
struct SourceLocation {
  std::uint32_t file = none;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  bool operator==(const SourceLocation&) const = default;
};

// How the operands of some instructions stand in `operands`:
//   call      returned values (destinationCount of them), the callee (FunctionRef, or Register for an indirect call), the arguments, and
//             for an indirect call a Text with the name of the prototype or target list
//   brx.idx   the index, then one Label for each entry of its .branchtargets
//   [a, {x,y}] of tex, cp.async.bulk.tensor: the Address, then the Vector
// A function that could run past its last instruction gets a `ret` without text (textLength 0) at the end.
struct Instruction {
  Opcode opcode = Opcode::Unknown;
  Modifiers mods;
  std::uint32_t guard = none;      // predicate register (into Function::registers), "@p" / "@!p"
  bool guardNegated = false;
  std::uint8_t destinationCount = 0;  // the first so many operands are written
  std::vector<Operand> operands;   // in the order they stand in the text
  std::uint32_t target = none;     // bra: the instruction number it goes to
  // bra or brx.idx that may diverge: first instruction of the immediate post-dominator, paths that exit early left out of account.
  // none: no place of its own, the lanes meet where an enclosing branch's lanes do, or at exit.
  std::uint32_t reconvergence = none;
  // A branch that repeats or leaves a loop whose end depends on memory that others write (atom, ld.volatile, ld.acquire, ...): the lanes
  // that stay in may be waiting for those that left.
  bool spinLoop = false;
  // An add or sub that takes its operand `productOperand` (1 or 2) from the mul `product` without rounding it first (see ptx/products.h);
  // negated on the way when `productNegated`. `takenIn`: of the mul, nobody reads the rounded product.
  bool takenIn = false, productNegated = false;
  std::uint8_t productOperand = 0;
  std::uint32_t product = none;
  SourceLocation location;         // of the kernel's source
  SourcePosition position;         // in the PTX text
  std::uint32_t textBegin = 0, textLength = 0;  // of the statement in Module::text, without its semicolon
};

struct Register {
  std::string name;    // "%r1"
  Type type = Type::None;
  // Where it lives in a warp: predicates: bit-mask number `slot`; others: first of the 32-lane planes of 32 bits (two for 64-bit
  // types: 32 consecutive 64-bit values; four for B128).
  std::uint32_t slot = 0;
};

struct Variable {
  std::string name;
  Space space = Space::None;
  Type type = Type::None;
  std::uint32_t alignment = 0;
  std::uint64_t sizeBytes = 0;      // 0: .extern with unknown size (dynamic shared memory)
  std::uint64_t elementCount = 1;
  bool isExtern = false;
  bool isPointer = false;           // .param .u64 .ptr
  bool isWeak = false;              // .weak or .common: another module's definition may take its place
  bool isManaged = false;           // .attribute(.managed)
  // Within its space: parameters in the parameter block (those of a .func: followed by its returns), shared in the block's static
  // part (0 and no size: an .extern array, which begins at Function::dynamicSharedOffset), local in the frame, .param variables of a
  // body in the frame too, const and module-level global in their segment.
  std::uint64_t offset = 0;
  std::vector<std::uint8_t> initial;  // initial bytes, sizeBytes of them; empty: zeros
  // Address of a variable or function in the initial value, from bit `shift` on (a multiple of 8: "0xFF00(name)" is one byte of it).
  struct Relocation {
    std::uint64_t offset;
    std::uint32_t variable;
    std::uint32_t function;
    std::int64_t addend;
    std::uint8_t shift = 0;
  };
  std::vector<Relocation> relocations;
  struct Field { std::string name, value; };
  std::vector<Field> fields;        // initial state of a .texref or .samplerref: {"filter_mode", "linear"}
  SourcePosition position;
};

// What an indirect call names: the shape of the functions it may reach (.callprototype), or a list of them (.calltargets).
struct Prototype {
  std::string name;
  std::vector<Variable> returns, params;
  std::vector<std::uint32_t> targets;  // into Module::functions; empty for a .callprototype
  bool isNoReturn = false;
};

// A function's body as it stands among a kernel's instructions, behind the kernel's own: what real calls jump to.
struct Routine {
  struct Place { std::uint64_t offset = 0, bytes = 0; };
  std::uint32_t function = none;       // into Module::functions
  std::uint32_t begin = 0, end = 0;    // its instructions
  std::uint64_t frameBytes = 0;        // local memory of an activation: parameters, returned values, .local and .param variables
  std::uint32_t frameAlignment = 16;
  std::vector<Place> params, returns;  // in the frame
};

// A call that was not expanded in place. Arguments and returned values are variables in the caller's frame.
struct CallSite {
  std::uint32_t instruction = none;
  std::uint32_t function = none;       // callee, into Module::functions; none: through a pointer
  std::uint32_t routine = none;        // its body, into Function::routines; none: it has none, or through a pointer
  bool isComplete = true;              // false: an argument of a kind that cannot be passed on
  std::vector<Routine::Place> arguments, results;
  // Registers whose values the caller wants afterwards, where the callee may come back to the same function: kept for each activation.
  std::vector<std::uint32_t> saved;
};

struct Function {
  std::string name;
  bool isEntry = false;
  bool isDeclaration = false;
  std::vector<Variable> params;        // in order; `offset` follows the ABI's alignment
  std::vector<Variable> returns;
  std::uint64_t paramBytes = 0;
  std::vector<Register> registers;
  std::uint32_t planeCount = 0;        // 32-bit planes of 32 lanes that a warp needs
  std::uint32_t predicateCount = 0;
  std::vector<Variable> variables;     // .local, .shared, .const, .param declared inside
  std::uint64_t localBytes = 0;        // per thread
  std::uint64_t staticSharedBytes = 0; // per block, module-level .shared that it or its callees use included
  std::uint64_t dynamicSharedOffset = 0;  // where .extern .shared arrays begin: staticSharedBytes, aligned as they ask
  std::vector<Operand> vectorElements;
  std::vector<Instruction> instructions;
  std::array<std::uint32_t, 3> maxThreads{0, 0, 0};       // .maxntid; 0: not given
  std::array<std::uint32_t, 3> requiredThreads{0, 0, 0};  // .reqntid
  std::uint32_t minBlocksPerSm = 0;    // .minnctapersm
  std::uint32_t maxRegisters = 0;      // .maxnreg
  std::array<std::uint32_t, 3> requiredCluster{0, 0, 0};  // .reqnctapercluster, in blocks; 0: not given
  bool isClustered = false;            // .reqnctapercluster or .explicitcluster stands in the head
  bool blocksAreClusters = false;      // .blocksareclusters: the launch counts clusters
  std::uint32_t maxClusterBlocks = 0;  // .maxclusterrank
  bool isNoReturn = false;
  std::vector<Prototype> prototypes;   // .callprototype and .calltargets of the body
  // Basic blocks: first instruction of each, in order; block b ends before blockBegin[b + 1].
  std::vector<std::uint32_t> blockBegin;
  // Of a kernel with real calls (see ptx/link_calls.h): the bodies behind its own, by rising `begin`, and the calls, by instruction.
  std::vector<Routine> routines;
  std::vector<CallSite> callSites;
  std::uint32_t frameSlot = none;      // first plane of the register that holds where the running routine's frame is in local memory
  SourcePosition position;

  [[nodiscard]] std::uint32_t ownEnd() const {  // behind the kernel's own instructions
    return routines.empty() ? static_cast<std::uint32_t>(instructions.size()) : routines.front().begin;
  }
};

struct Module {
  std::string fileName;                // as the user named it
  std::string text;                    // the PTX itself
  std::string version, target;         // "9.0", "sm_80"
  bool isForDebugging = false;         // .target ..., debug
  std::uint32_t addressSize = 64;
  bool independentTextures = false;    // .target ..., texmode_independent
  std::vector<std::string> files;      // of `.file`, by index (the table is dense: `.file 7` may be files[0])
  std::vector<std::string> strings;    // texts that operands and modifiers refer to
  std::vector<Variable> variables;     // module scope
  std::vector<Function> functions;
  std::uint64_t constBytes = 0, globalBytes = 0;  // segments of module-level .const and .global

  [[nodiscard]] const Function* entry(std::string_view name) const;  // nullptr: no such kernel
  [[nodiscard]] std::vector<const Function*> entries() const;
  [[nodiscard]] std::string_view textOf(const Instruction& instruction) const;
};

// Parses PTX text. Errors carry line and column of `text`; up to 20 are collected. Unknown opcodes are no error (see Opcode::Unknown).
// Kernels are linked with the functions that they call (see ptx/link_calls.h) unless calls are to be kept as written.
enum class Calls : std::uint8_t { Linked, AsWritten };
Result<Module> parse(std::string text, std::string fileName, Calls calls = Calls::Linked);
Result<Module> parseFile(const std::string& path);

}  // namespace warpmill::ptx
