// Which words beside types each opcode takes between its dots. Source: PTX ISA 9.0, chapter 9.7; compared with ptxas 13.0.
#include "ptx/opcode_table.h"

#include <array>

namespace warpmill::ptx {
namespace {

struct OpcodeWords {
  Opcode opcode;
  std::string_view words;  // with a space around each
};
using O = Opcode;

#define WM_ROUNDINGS " rn rz rm rp"
#define WM_COMPARES " eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan and or xor ftz "
constexpr std::array table{OpcodeWords{O::Abs, " ftz "},
                           OpcodeWords{O::Activemask, " "},
                           OpcodeWords{O::Add, WM_ROUNDINGS " ftz sat cc "},
                           OpcodeWords{O::Addc, " cc "},
                           OpcodeWords{O::And, " "},
                           OpcodeWords{O::Atom, " global shared relaxed acquire release acq_rel cta cluster gpu sys and or xor cas exch add inc dec min max noftz v2 v4 v8 "},
                           OpcodeWords{O::Bar, " cta warp sync arrive red popc and or aligned "},
                           OpcodeWords{O::Barrier, " cta sync arrive red popc and or aligned "},
                           OpcodeWords{O::Bfe, " "},
                           OpcodeWords{O::Bfi, " "},
                           OpcodeWords{O::Bfind, " shiftamt "},
                           OpcodeWords{O::Bmsk, " clamp wrap "},
                           OpcodeWords{O::Bra, " uni "},
                           OpcodeWords{O::Brev, " "},
                           OpcodeWords{O::Brkpt, " "},
                           OpcodeWords{O::BrxIdx, " uni "},
                           OpcodeWords{O::Clz, " "},
                           OpcodeWords{O::Cnot, " "},
                           OpcodeWords{O::Copysign, " "},
                           OpcodeWords{O::Cos, " approx ftz "},
                           OpcodeWords{O::Cvt, WM_ROUNDINGS " rna rni rzi rmi rpi rs ftz sat relu satfinite pack "},
                           OpcodeWords{O::Cvta, " to const global local shared param "},
                           OpcodeWords{O::Div, WM_ROUNDINGS " approx full ftz "},
                           OpcodeWords{O::Dp2a, " lo hi "},
                           OpcodeWords{O::Dp4a, " "},
                           OpcodeWords{O::Ex2, " approx ftz "},
                           OpcodeWords{O::Exit, " "},
                           OpcodeWords{O::Fma, WM_ROUNDINGS " ftz sat relu oob "},
                           OpcodeWords{O::Fns, " "},
                           OpcodeWords{O::Isspacep, " const global local shared param "},
                           OpcodeWords{O::Ld, " const global local param shared weak volatile relaxed acquire mmio cta cluster gpu sys ca cg cs lu cv nc unified v2 v4 v8 "},
                           OpcodeWords{O::Lg2, " approx ftz "},
                           OpcodeWords{O::Lop3, " and or "},
                           OpcodeWords{O::Mad, WM_ROUNDINGS " ftz sat cc lo hi wide "},
                           OpcodeWords{O::Mad24, " lo hi sat "},
                           OpcodeWords{O::Madc, " lo hi cc "},
                           OpcodeWords{O::Match, " any all sync "},
                           OpcodeWords{O::Max, " ftz NaN xorsign abs relu "},
                           OpcodeWords{O::Min, " ftz NaN xorsign abs relu "},
                           OpcodeWords{O::Mov, " v2 v4 "},
                           OpcodeWords{O::Mul, WM_ROUNDINGS " ftz sat lo hi wide "},
                           OpcodeWords{O::Mul24, " lo hi "},
                           OpcodeWords{O::Nanosleep, " "},
                           OpcodeWords{O::Neg, " ftz "},
                           OpcodeWords{O::Not, " "},
                           OpcodeWords{O::Or, " "},
                           OpcodeWords{O::Popc, " "},
                           OpcodeWords{O::Prmt, " f4e b4e rc8 ecl ecr rc16 "},
                           OpcodeWords{O::Rcp, WM_ROUNDINGS " approx ftz "},
                           OpcodeWords{O::Red, " global shared relaxed release cta cluster gpu sys and or xor add inc dec min max noftz v2 v4 v8 "},
                           OpcodeWords{O::Redux, " sync add min max and or xor abs NaN "},
                           OpcodeWords{O::Rem, " "},
                           OpcodeWords{O::Ret, " uni "},
                           OpcodeWords{O::Rsqrt, " approx ftz "},
                           OpcodeWords{O::Sad, " "},
                           OpcodeWords{O::Selp, " "},
                           OpcodeWords{O::Set, WM_COMPARES},
                           OpcodeWords{O::Setp, WM_COMPARES},
                           OpcodeWords{O::Shf, " l r wrap clamp "},
                           OpcodeWords{O::Shfl, " sync up down bfly idx "},
                           OpcodeWords{O::Shl, " "},
                           OpcodeWords{O::Shr, " "},
                           OpcodeWords{O::Sin, " approx ftz "},
                           OpcodeWords{O::Slct, " ftz "},
                           OpcodeWords{O::Sqrt, WM_ROUNDINGS " approx ftz "},
                           OpcodeWords{O::St, " global local param shared weak volatile relaxed release mmio cta cluster gpu sys wb cg cs wt v2 v4 v8 "},
                           OpcodeWords{O::Sub, WM_ROUNDINGS " ftz sat cc "},
                           OpcodeWords{O::Subc, " cc "},
                           OpcodeWords{O::Szext, " clamp wrap "},
                           OpcodeWords{O::Tanh, " approx "},
                           OpcodeWords{O::Testp, " finite infinite number notanumber normal subnormal "},
                           OpcodeWords{O::Trap, " "},
                           OpcodeWords{O::Vote, " sync all any uni ballot "},
                           OpcodeWords{O::Xor, " "}};
#undef WM_ROUNDINGS
#undef WM_COMPARES

}  // namespace

std::string_view wordsOf(Opcode opcode) {
  for (const OpcodeWords& entry : table)
    if (entry.opcode == opcode) return entry.words;
  return {};
}

}  // namespace warpmill::ptx
