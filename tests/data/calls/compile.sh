#!/usr/bin/env bash
# compile.sh: compiles calls.cu, runtime.cu and reduce.cu to the PTX files beside them (nvcc 13 and clang++-19).
set -euo pipefail
cd "$(dirname "$0")"
for name in calls runtime reduce; do
  nvcc -arch=sm_80 -lineinfo -ptx "$name.cu" -o - | sed 's|^\(\t\.file\t[0-9]* "\).*/\([a-z_]*\.[a-z]*"\).*|\1\2|' > "${name}_nvcc.ptx"
  clang++-19 -x cuda --cuda-path=/nonexistent --cuda-device-only -nocudainc -nocudalib -nostdinc -std=c++20 -fdeclspec \
    --cuda-gpu-arch=sm_80 --cuda-feature=+ptx80 -include ../../../lessons/common/warp_cuda.h -O2 -gline-directives-only \
    -fdebug-compilation-dir=. -S "$name.cu" -o - | sed 's|^\(\t\.file\t[0-9]* "\)\./|\1|' > "${name}_clang19.ptx"
done
