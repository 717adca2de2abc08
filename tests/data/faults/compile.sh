#!/bin/sh
# Makes the PTX of the pairs, or of those that are named. nvcc 13.0.
cd "$(dirname "$0")" || exit 1
for k in ${*:-races init overflow numbers}; do
  nvcc -ptx -arch=sm_80 -lineinfo -o "$k.ptx" "$k.cu" || exit 1
  sed -i -e "/^\/\/ .* demoted$/d" -e "s,^\(\t\.file.*\"\)[^\"]*/\([^/\"]*\"\),\1\2," "$k.ptx"  # no folders of the machine that compiled
done
