#!/usr/bin/env bash
# kernels.sh: compiles kernels.cu to the PTX files beside it (clang++-14 and clang++-19; no CUDA toolkit).
set -euo pipefail
cd "$(dirname "$0")"
compile() {  # compiler, level, target options
  "$1" -x cuda --cuda-path=/nonexistent --cuda-device-only -nocudainc -nocudalib -nostdinc -std=c++20 -fdeclspec \
    --cuda-gpu-arch=sm_80 "${@:3}" -include ../../../lessons/common/warp_cuda.h "-$2" -gline-directives-only \
    -fdebug-compilation-dir=. -S kernels.cu -o - | sed 's|^\(\t\.file\t[0-9]* "\)\./|\1|'
}
compile clang++-14 O1 -Xclang -target-feature -Xclang +ptx75 > kernels_clang14_O1.ptx
compile clang++-19 O0 --cuda-feature=+ptx80 > kernels_clang19_O0.ptx
compile clang++-19 O2 --cuda-feature=+ptx80 > kernels_clang19_O2.ptx
