#!/usr/bin/env bash
# build_ptx.sh [LESSON...]: makes the PTX of the lessons' kernels anew. The PTX stands in the tree, so nobody needs this to run a lesson.
#
# CUDA C++ is compiled by clang without the CUDA toolkit (clang++-19; CLANG=clang++-16 and older work too). -O1 keeps the PTX close
# to the source: no unrolled loops, nothing spilled. Triton is compiled by TRITON_PYTHON (a Python that has triton 3.6; no GPU is needed).
# The line tables name the kernel's file without its folder.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
clang=${CLANG:-clang++-19}
python=${TRITON_PYTHON:-python3}
case $clang in
  *-14* | *-15*) ptx_version=(-Xclang -target-feature -Xclang +ptx75) ;;
  *-16*) ptx_version=(--cuda-feature=+ptx78) ;;
  *) ptx_version=(--cuda-feature=+ptx80) ;;
esac
lessons=("$@")
[ ${#lessons[@]} -gt 0 ] || lessons=(01-vector-add 02-vector-add-triton)
for lesson in "${lessons[@]}"; do
  cd "$here/$lesson"
  for kernel in *.cu; do
    [ -e "$kernel" ] || continue
    "$clang" -x cuda --cuda-path=/nonexistent --cuda-device-only -nocudainc -nocudalib -nostdinc -std=c++20 -fdeclspec \
      --cuda-gpu-arch=sm_80 "${ptx_version[@]}" -include ../common/warp_cuda.h -O1 -gline-directives-only \
      -fdebug-compilation-dir=. -S "$kernel" -o - | sed 's|^\(\t\.file\t[0-9]* "\)\./|\1|' > "${kernel%.cu}.ptx.new"
    mv "${kernel%.cu}.ptx.new" "${kernel%.cu}.ptx"
    echo "$lesson/${kernel%.cu}.ptx"
  done
  if [ -e triton_variants.json ]; then "$python" "$here/build_triton.py" .; fi
done
