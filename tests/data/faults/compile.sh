#!/bin/sh
# Makes the PTX of the pairs, or of those that are named. nvcc 13.0.
cd "$(dirname "$0")" || exit 1
for k in ${*:-races init init_wide memory overflow numbers order async_wide}; do
  case $k in *_wide) arch=sm_90 ;; *) arch=sm_80 ;; esac
  nvcc -ptx -arch=$arch -lineinfo -diag-suppress 186 -o "$k.ptx" "$k.cu" || exit 1
  sed -i -e "/^\/\/ .* demoted$/d" -e "s,^\(\t\.file.*\"\)[^\"]*/\([^/\"]*\"\),\1\2," "$k.ptx"  # no folders of the machine that compiled
done
