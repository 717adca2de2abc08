// Which handler executes an instruction, family by family; nullptr: not of this family, or a form that is not implemented.
// The register-to-register families are compiled once per instruction set of the host (WM_ISA names the variant's namespace) and
// chosen at run time; all variants give the same bits. In these files nothing inline may be shared with the rest of the program but what
// is always inlined: the linker keeps one copy of a shared function, and it might be the one that the host cannot run.
#pragma once

#include "exec/op.h"

#ifndef WM_ISA
#define WM_ISA portable
#endif

namespace warpmill::exec {

#define WM_DECLARE_HANDLERS(isa)                                  \
  namespace isa {                                                 \
  Handler integerHandler(const ptx::Instruction& instruction);    \
  Handler carryHandler(const ptx::Instruction& instruction);      \
  Handler bitHandler(const ptx::Instruction& instruction);        \
  Handler float32Handler(const ptx::Instruction& instruction);    \
  Handler float64Handler(const ptx::Instruction& instruction);    \
  Handler halfHandler(const ptx::Instruction& instruction);       \
  Handler fusedHandler(const ptx::Instruction& instruction);      \
  Handler fusedHalfHandler(const ptx::Instruction& instruction);  \
  Handler approximateHandler(const ptx::Instruction& instruction);\
  Handler compareHandler(const ptx::Instruction& instruction);    \
  Handler convertHandler(const ptx::Instruction& instruction);    \
  Handler fastConvertHandler(const ptx::Modifiers& modifiers);     \
  Handler moveHandler(const ptx::Instruction& instruction);       \
  Handler productHandler(const ptx::Instruction& instruction, std::uint32_t shape); \
  Handler wgmmaHandler();                                         \
  Handler movmatrixHandler();                                     \
  Handler quickLoadHandler(std::uint32_t elementBytes, bool isSigned, std::uint32_t registerBits);  \
  Handler quickStoreHandler(std::uint32_t elementBytes, std::uint32_t registerBits);                \
  }
WM_DECLARE_HANDLERS(portable)
WM_DECLARE_HANDLERS(x86_64_v3)  // AVX2 and FMA; built for hosts of that kind only

struct HandlerSet {
  const char* name = "";
  std::array<Handler (*)(const ptx::Instruction&), 10> families{};  // register to register: the first that knows the instruction
  Handler (*fused)(const ptx::Instruction&) = nullptr;  // an addition that takes in a product
  Handler (*fastConvert)(const ptx::Modifiers&) = nullptr;
  Handler (*product)(const ptx::Instruction&, std::uint32_t shape) = nullptr;  // mma, wmma; shape: m | n << 8 | k << 16
  Handler (*wgmma)() = nullptr;
  Handler (*movmatrix)() = nullptr;
  Handler (*load)(std::uint32_t elementBytes, bool isSigned, std::uint32_t registerBits) = nullptr;  // they need Op::general beside them
  Handler (*store)(std::uint32_t elementBytes, std::uint32_t registerBits) = nullptr;
};
// The best for this host; the environment variable WARPMILL_ISA=portable chooses the portable one.
const HandlerSet& handlerSet();
const HandlerSet& portableHandlerSet();

// Independent of the variant.
Handler directedRoundingHandler(const ptx::Instruction& instruction);  // add/sub/mul/fma/div/rcp/sqrt with .rz .rm .rp
Handler packedConvertHandler(const ptx::Instruction& instruction);     // cvt of fp8 pairs, cvt.pack
Handler videoHandler(const ptx::Instruction& instruction);             // vadd, vset4 ...
Handler loadHandler(std::uint32_t elementBytes, bool isSigned, std::uint32_t registerBits);  // nullptr: no such form
Handler storeHandler(std::uint32_t elementBytes, std::uint32_t registerBits);
Handler asyncCopyHandler();
Handler atomicHandler(const ptx::Instruction& instruction);            // atom, red
// What an atomic without result does to its bytes in global memory; for those whose Op::resultUnused is set.
void applyReduction(const Op& op, std::uint8_t* bytes, std::uint64_t value);
std::uint32_t reductionBytes(const Op& op);
Handler collectiveHandler(const ptx::Instruction& instruction);        // shfl, vote, match, redux, activemask, elect

Handler ldmatrixHandler();
Handler stmatrixHandler();
Handler wmmaMemoryHandler(ptx::Type type, bool store);

void executeNothing(Exec&, const Op&, LaneMask);       // fences, hints: no effect on values
void executeUnsupported(Exec&, const Op&, LaneMask);   // fault naming the instruction
void reportOutsideShared(Exec&, const Op&, LaneMask);   // a matrix descriptor leaves the block's shared memory
void executeTrap(Exec&, const Op&, LaneMask);
void executeSleep(Exec&, const Op&, LaneMask);
void executeStack(Exec&, const Op&, LaneMask);         // alloca, stacksave, stackrestore

}  // namespace warpmill::exec
