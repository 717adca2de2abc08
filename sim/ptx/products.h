// Products that an addition takes in: PTX lets mul and add without a rounding modifier become one fma, and ptxas does so wherever it can,
// which changes results. Finds these pairs as ptxas does: within straight-line code, a mul without .rn and .sat whose every reader is an
// add or sub of its type without .rn and with its .ftz; copies and negations in between are seen through. Where both operands of an
// addition are such products, the one with fewer readers is taken in, the first of equal ones.
// A product with a constant is taken in from other blocks, too, when all its readers are such additions.
// Straight-line code ends at branches and where ptxas makes some: division, roots, fences, guarded memory accesses.
// Simplified: a product whose factors are overwritten before the addition stays rounded; ptxas moves code between blocks, repeats cheap
// products elsewhere and unrolls loops before it looks, so in a few per cent of large kernels a sum is rounded otherwise there. Modules for debugging (.target ..., debug) are
// left alone, as ptxas does.
// Source: PTX ISA 9.0, 9.7.3 (add, mul); the machine code of ptxas 13.0 for small kernels.
#pragma once

#include "ptx/module.h"

namespace warpmill::ptx {

// Fills `product`, `productOperand`, `productNegated` and `takenIn` of the function's instructions. Needs Function::blockBegin.
void takeInProducts(const Module& module, Function& function);

}  // namespace warpmill::ptx
