#include "ptx/opcode_table.h"

#include <array>

namespace warpmill::ptx {
namespace {

constexpr bool strict = true, loose = false, typed = true, untyped = false;
using O = Opcode;

constexpr std::array table{OpcodeInfo{O::Unknown, "!X*", "", loose, untyped},
                           OpcodeInfo{O::Abs, "T=T", "sf", strict, typed},
                           OpcodeInfo{O::Activemask, "U=", "b", strict, typed},
                           OpcodeInfo{O::Add, "T=TT", "usf", strict, typed},
                           OpcodeInfo{O::Addc, "T=TT", "us", strict, typed},
                           OpcodeInfo{O::Alloca, "X=XX?", "", loose, untyped},
                           OpcodeInfo{O::And, "T=TT", "bp", strict, typed},
                           OpcodeInfo{O::Applypriority, "=AX", "", loose, untyped},
                           OpcodeInfo{O::Atom, "V=AVV?X?", "", strict, typed},
                           OpcodeInfo{O::Bar, "=X*", "", strict, untyped},
                           OpcodeInfo{O::Barrier, "=X*", "", strict, untyped},
                           OpcodeInfo{O::BarrierCluster, "=X?", "", loose, untyped},
                           OpcodeInfo{O::Bfe, "T=TII", "us", strict, typed},
                           OpcodeInfo{O::Bfi, "T=TTII", "b", strict, typed},
                           OpcodeInfo{O::Bfind, "I=T", "us", strict, typed},
                           OpcodeInfo{O::Bmsk, "U=II", "b", strict, typed},
                           OpcodeInfo{O::Bra, "=X", "", strict, untyped},
                           OpcodeInfo{O::Brev, "T=T", "b", strict, typed},
                           OpcodeInfo{O::Brkpt, "=", "", strict, untyped},
                           OpcodeInfo{O::BrxIdx, "=IX*", "", strict, untyped},
                           OpcodeInfo{O::Call, "=X*", "", strict, untyped},
                           OpcodeInfo{O::ClusterlaunchcontrolQueryCancel, "X=X", "", loose, untyped},
                           OpcodeInfo{O::ClusterlaunchcontrolTryCancel, "=AA", "", loose, untyped},
                           OpcodeInfo{O::Clz, "I=T", "b", strict, typed},
                           OpcodeInfo{O::Cnot, "T=T", "b", strict, typed},
                           OpcodeInfo{O::Copysign, "T=TT", "f", strict, typed},
                           OpcodeInfo{O::Cos, "T=T", "f", strict, typed},
                           OpcodeInfo{O::CpAsync, "=AAXX?X?", "", strict, untyped},
                           OpcodeInfo{O::CpAsyncBulk, "=X*", "", loose, untyped},
                           OpcodeInfo{O::CpAsyncBulkCommitGroup, "=", "", strict, untyped},
                           OpcodeInfo{O::CpAsyncBulkPrefetch, "=AXX?", "", loose, untyped},
                           OpcodeInfo{O::CpAsyncBulkPrefetchTensor, "=AXX?X?", "", loose, untyped},
                           OpcodeInfo{O::CpAsyncBulkTensor, "=X*", "", loose, untyped},
                           OpcodeInfo{O::CpAsyncBulkWaitGroup, "=X", "", strict, untyped},
                           OpcodeInfo{O::CpAsyncCommitGroup, "=", "", strict, untyped},
                           OpcodeInfo{O::CpAsyncMbarrier, "=A", "", loose, untyped},
                           OpcodeInfo{O::CpAsyncWaitAll, "=", "", strict, untyped},
                           OpcodeInfo{O::CpAsyncWaitGroup, "=X", "", strict, untyped},
                           OpcodeInfo{O::CpReduceAsyncBulk, "=X*", "", loose, untyped},
                           OpcodeInfo{O::CpReduceAsyncBulkTensor, "=X*", "", loose, untyped},
                           OpcodeInfo{O::Createpolicy, "X=X*", "", loose, untyped},
                           OpcodeInfo{O::Cvt, "V=YX?X?", "", strict, typed},
                           OpcodeInfo{O::Cvta, "T=X", "u", strict, typed},
                           OpcodeInfo{O::Discard, "=AX", "", loose, untyped},
                           OpcodeInfo{O::Div, "T=TT", "usf", strict, typed},
                           OpcodeInfo{O::Dp2a, "I=UUI", "us", strict, typed},
                           OpcodeInfo{O::Dp4a, "I=UUI", "us", strict, typed},
                           OpcodeInfo{O::Elect, "X=I", "", loose, untyped},
                           OpcodeInfo{O::Ex2, "T=T", "f", strict, typed},
                           OpcodeInfo{O::Exit, "=", "", strict, untyped},
                           OpcodeInfo{O::Fence, "=X*", "", loose, untyped},
                           OpcodeInfo{O::Fma, "T=TTT", "f", strict, typed},
                           OpcodeInfo{O::Fns, "U=UUU", "b", strict, typed},
                           OpcodeInfo{O::Getctarank, "X=X", "", loose, typed},
                           OpcodeInfo{O::Griddepcontrol, "=", "", loose, untyped},
                           OpcodeInfo{O::Isspacep, "P=X", "", strict, untyped},
                           OpcodeInfo{O::Istypep, "P=X", "", loose, untyped},
                           OpcodeInfo{O::Ld, "V=AX?", "", strict, typed},
                           OpcodeInfo{O::Ldmatrix, "X=A", "", loose, typed},
                           OpcodeInfo{O::Ldu, "V=A", "", strict, typed},
                           OpcodeInfo{O::Lg2, "T=T", "f", strict, typed},
                           OpcodeInfo{O::Lop3, "U=UUUXP?", "b", strict, typed},
                           OpcodeInfo{O::Mad, "W=TTW", "usf", strict, typed},
                           OpcodeInfo{O::Mad24, "T=TTT", "us", strict, typed},
                           OpcodeInfo{O::Madc, "T=TTT", "us", strict, typed},
                           OpcodeInfo{O::Mapa, "X=XX", "", loose, typed},
                           OpcodeInfo{O::Match, "U=TI", "b", strict, typed},
                           OpcodeInfo{O::Max, "T=TTT?", "usf", strict, typed},
                           OpcodeInfo{O::Mbarrier, "!X*", "", loose, untyped},
                           OpcodeInfo{O::Membar, "=", "", loose, untyped},
                           OpcodeInfo{O::Min, "T=TTT?", "usf", strict, typed},
                           OpcodeInfo{O::Mma, "X=XXXX*", "", loose, typed},
                           OpcodeInfo{O::MmaSp, "X=XXXXXX*", "", loose, typed},
                           OpcodeInfo{O::Mov, "T=T", "", strict, typed},
                           OpcodeInfo{O::Movmatrix, "U=U", "", loose, typed},
                           OpcodeInfo{O::Mul, "W=TT", "usf", strict, typed},
                           OpcodeInfo{O::Mul24, "T=TT", "us", strict, typed},
                           OpcodeInfo{O::MultimemCpAsyncBulk, "=X*", "", loose, untyped},
                           OpcodeInfo{O::MultimemCpReduceAsyncBulk, "=X*", "", loose, untyped},
                           OpcodeInfo{O::MultimemLdReduce, "X=AX?", "", loose, typed},
                           OpcodeInfo{O::MultimemRed, "=AX", "", loose, typed},
                           OpcodeInfo{O::MultimemSt, "=AX", "", loose, typed},
                           OpcodeInfo{O::Nanosleep, "=I", "u", strict, typed},
                           OpcodeInfo{O::Neg, "T=T", "sf", strict, typed},
                           OpcodeInfo{O::Not, "T=T", "bp", strict, typed},
                           OpcodeInfo{O::Or, "T=TT", "bp", strict, typed},
                           OpcodeInfo{O::Pmevent, "=X", "", loose, untyped},
                           OpcodeInfo{O::Popc, "I=T", "b", strict, typed},
                           OpcodeInfo{O::Prefetch, "=A", "", loose, untyped},
                           OpcodeInfo{O::Prefetchu, "=A", "", loose, untyped},
                           OpcodeInfo{O::Prmt, "U=UUU", "b", strict, typed},
                           OpcodeInfo{O::Rcp, "T=T", "f", strict, typed},
                           OpcodeInfo{O::Red, "=AVX?", "", strict, typed},
                           OpcodeInfo{O::RedAsync, "=AXA?", "", loose, typed},
                           OpcodeInfo{O::Redux, "U=UI", "busf", strict, typed},
                           OpcodeInfo{O::Rem, "T=TT", "us", strict, typed},
                           OpcodeInfo{O::Ret, "=", "", strict, untyped},
                           OpcodeInfo{O::Rsqrt, "T=T", "f", strict, typed},
                           OpcodeInfo{O::Sad, "T=TTT", "us", strict, typed},
                           OpcodeInfo{O::Selp, "T=TTP", "busf", strict, typed},
                           OpcodeInfo{O::Set, "T=SSP?", "", strict, typed},
                           OpcodeInfo{O::Setmaxnreg, "=X", "", loose, untyped},
                           OpcodeInfo{O::Setp, "P=TTP?", "busf", strict, typed},
                           OpcodeInfo{O::Shf, "U=UUI", "b", strict, typed},
                           OpcodeInfo{O::Shfl, "U=UIII?", "b", strict, typed},
                           OpcodeInfo{O::Shl, "T=TI", "b", strict, typed},
                           OpcodeInfo{O::Shr, "T=TI", "bus", strict, typed},
                           OpcodeInfo{O::Sin, "T=T", "f", strict, typed},
                           OpcodeInfo{O::Slct, "T=TTS", "busf", strict, typed},
                           OpcodeInfo{O::Sqrt, "T=T", "f", strict, typed},
                           OpcodeInfo{O::St, "=AVX?", "", strict, typed},
                           OpcodeInfo{O::StAsync, "=AXA?", "", loose, typed},
                           OpcodeInfo{O::StBulk, "=AXX", "", loose, untyped},
                           OpcodeInfo{O::Stackrestore, "=X", "", loose, untyped},
                           OpcodeInfo{O::Stacksave, "X=", "", loose, untyped},
                           OpcodeInfo{O::Stmatrix, "=AX", "", loose, typed},
                           OpcodeInfo{O::Sub, "T=TT", "usf", strict, typed},
                           OpcodeInfo{O::Subc, "T=TT", "us", strict, typed},
                           OpcodeInfo{O::Suld, "X=X*", "", loose, untyped},
                           OpcodeInfo{O::Suq, "X=X*", "", loose, untyped},
                           OpcodeInfo{O::Sured, "=X*", "", loose, untyped},
                           OpcodeInfo{O::Sust, "=X*", "", loose, untyped},
                           OpcodeInfo{O::Szext, "T=TI", "us", strict, typed},
                           OpcodeInfo{O::Tanh, "T=T", "f", strict, typed},
                           OpcodeInfo{O::Tcgen05Alloc, "=AX", "", loose, untyped},
                           OpcodeInfo{O::Tcgen05Commit, "=AX?", "", loose, untyped},
                           OpcodeInfo{O::Tcgen05Cp, "=AX", "", loose, untyped},
                           OpcodeInfo{O::Tcgen05Dealloc, "=XX", "", loose, untyped},
                           OpcodeInfo{O::Tcgen05Fence, "=", "", loose, untyped},
                           OpcodeInfo{O::Tcgen05Ld, "X=AX*", "", loose, untyped},
                           OpcodeInfo{O::Tcgen05Mma, "=X*", "", loose, untyped},
                           OpcodeInfo{O::Tcgen05RelinquishAllocPermit, "=", "", loose, untyped},
                           OpcodeInfo{O::Tcgen05Shift, "=A", "", loose, untyped},
                           OpcodeInfo{O::Tcgen05St, "=AX*", "", loose, untyped},
                           OpcodeInfo{O::Tcgen05Wait, "=", "", loose, untyped},
                           OpcodeInfo{O::TensormapCpFenceproxy, "=AAX", "", loose, untyped},
                           OpcodeInfo{O::TensormapReplace, "=AXX?", "", loose, untyped},
                           OpcodeInfo{O::Testp, "P=T", "f", strict, typed},
                           OpcodeInfo{O::Tex, "X=X*", "", loose, untyped},
                           OpcodeInfo{O::Tld4, "X=X*", "", loose, untyped},
                           OpcodeInfo{O::Trap, "=", "", strict, untyped},
                           OpcodeInfo{O::Txq, "X=X*", "", loose, untyped},
                           OpcodeInfo{O::Vabsdiff, "X=X*", "", loose, untyped},
                           OpcodeInfo{O::Vabsdiff2, "X=X*", "", loose, untyped},
                           OpcodeInfo{O::Vabsdiff4, "X=X*", "", loose, untyped},
                           OpcodeInfo{O::Vadd, "X=X*", "", loose, untyped},
                           OpcodeInfo{O::Vadd2, "X=X*", "", loose, untyped},
                           OpcodeInfo{O::Vadd4, "X=X*", "", loose, untyped},
                           OpcodeInfo{O::Vavrg2, "X=X*", "", loose, untyped},
                           OpcodeInfo{O::Vavrg4, "X=X*", "", loose, untyped},
                           OpcodeInfo{O::Vmad, "X=X*", "", loose, untyped},
                           OpcodeInfo{O::Vmax, "X=X*", "", loose, untyped},
                           OpcodeInfo{O::Vmax2, "X=X*", "", loose, untyped},
                           OpcodeInfo{O::Vmax4, "X=X*", "", loose, untyped},
                           OpcodeInfo{O::Vmin, "X=X*", "", loose, untyped},
                           OpcodeInfo{O::Vmin2, "X=X*", "", loose, untyped},
                           OpcodeInfo{O::Vmin4, "X=X*", "", loose, untyped},
                           OpcodeInfo{O::Vote, "X=PI?", "bp", strict, typed},
                           OpcodeInfo{O::Vset, "X=X*", "", loose, untyped},
                           OpcodeInfo{O::Vset2, "X=X*", "", loose, untyped},
                           OpcodeInfo{O::Vset4, "X=X*", "", loose, untyped},
                           OpcodeInfo{O::Vshl, "X=X*", "", loose, untyped},
                           OpcodeInfo{O::Vshr, "X=X*", "", loose, untyped},
                           OpcodeInfo{O::Vsub, "X=X*", "", loose, untyped},
                           OpcodeInfo{O::Vsub2, "X=X*", "", loose, untyped},
                           OpcodeInfo{O::Vsub4, "X=X*", "", loose, untyped},
                           OpcodeInfo{O::Wgmma, "!X*", "", loose, untyped},
                           OpcodeInfo{O::Wmma, "!X*", "", loose, untyped},
                           OpcodeInfo{O::Xor, "T=TT", "bp", strict, typed}};

constexpr bool inOrder() {
  for (std::size_t i = 0; i < table.size(); ++i)
    if (table[i].opcode != static_cast<Opcode>(i)) return false;
  return table.size() == static_cast<std::size_t>(Opcode::Count);
}
static_assert(inOrder(), "one line for every opcode, in the order of opcodes.def");

}  // namespace

const OpcodeInfo& infoOf(Opcode opcode) {
  return table[static_cast<std::size_t>(opcode)];
}

bool isVideo(Opcode opcode) {
  return (opcode >= Opcode::Vabsdiff && opcode <= Opcode::Vmin4) || (opcode >= Opcode::Vset && opcode <= Opcode::Vsub4);
}

OpcodeMatch matchOpcode(std::string_view text) {
  OpcodeMatch best{Opcode::Unknown, text.substr(0, text.find('.')).size()};
  std::size_t bestLength = 0;
  for (std::size_t i = 1; i < table.size(); ++i) {
    const std::string_view name = opcodeName(static_cast<Opcode>(i));
    const bool whole =
        text.size() == name.size() || (text.size() > name.size() && (text[name.size()] == '.' || text[name.size()] == ':'));
    if (whole && name.size() > bestLength && text.starts_with(name)) {
      bestLength = name.size();
      best = {static_cast<Opcode>(i), name.size()};
    }
  }
  return best;
}

}  // namespace warpmill::ptx
