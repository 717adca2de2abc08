// What the checks want to know of each instruction, found once: the registers that it reads and writes, byte by byte, and how
// undefined bytes go from the ones to the others. And which registers a kernel may read before it has written them.
#pragma once

#include "exec/op.h"

#include <array>
#include <vector>

namespace warpmill::faults {

// Bytes of a register, numbered through all of a warp's registers: four to a plane of 32 bits. count 0: no register.
struct Span {
  std::uint32_t first = 0, count = 0;
};

// How undefined bytes spread from the sources to the destinations.
enum class Rule : std::uint8_t {
  Nothing,     // no register is written
  Clean,       // what is written counts as defined
  Any,         // an undefined byte in any source makes all of each destination undefined
  Bytewise,    // byte by byte: mov, not, or, xor, lop3
  And, Or,     // byte by byte, but a constant zero or one decides by itself
  Vectors,     // source k to destination k
  Pack, Unpack,
  Select,      // selp
  ShiftLeft, ShiftRight,  // by a constant
  Convert,     // between integers
  Compare,     // setp
  PredicateAnd, PredicateOr,
  Shuffle,
  Matrix,      // a product: see poison_matrix.cpp
  Rows,        // ldmatrix
  Load, Store, Atomic, AsyncCopy
};

struct Facts {
  Rule rule = Rule::Nothing;
  std::vector<Span> sources, destinations;      // of `sources` one for each operand; count 0 for an immediate
  std::vector<std::uint32_t> sourcePredicates, destinationPredicates;
  Span address;
  std::array<std::uint16_t, 3> groups{};        // of a product: how many of `sources` are of its first, second and third source operand
};

// By instruction. The carry flags count as one predicate more.
std::vector<Facts> factsOf(const exec::Code& code);

// By instruction: the load whose masked-off lanes it gives a value that is none, or ptx::none. For a load with a mask and without `other`
// Triton writes `mov %r, 0x0;` and `@p ld ... %r`: the zero stands for no value at all. With `other` it moves a register there.
std::vector<std::uint32_t> maskedLoadsOf(const exec::Code& code);

// Numbers of registers (into Function::registers) that may be read before they are written, guarded writes left out of account.
std::vector<std::uint32_t> readBeforeWritten(const exec::Code& code);

// Does the kernel have one of these, which move bytes in ways that are not followed?
bool hasUntrackedShared(const exec::Code& code);         // copies of tensors, clusters, wmma stores, tensor memory
bool hasAlloca(const ptx::Function& function);

Span spanOf(const ptx::Register& r);

}  // namespace warpmill::faults
