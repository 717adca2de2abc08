#!/bin/sh
# Gathers the headers that the command line needs into a folder, for building it on a machine with only a compiler and CMake:
#   tools/carry-headers.sh headers
#   cmake -B build -DWARPMILL_STUDIO=OFF -DWARPMILL_TESTS=OFF -DWARPMILL_HEADERS=$PWD/headers && cmake --build build --target warpmill
# They come from the packages installed here (libfmt-dev, nlohmann-json3-dev, libcli11-dev) and keep their own licences.
set -eu
[ $# -eq 1 ] || { echo "usage: $0 FOLDER" >&2; exit 2; }
mkdir -p "$1"
for name in fmt nlohmann CLI; do
  found=
  for root in /usr/include /usr/local/include; do
    if [ -d "$root/$name" ]; then found=$root/$name; break; fi
  done
  [ -n "$found" ] || { echo "$0: no folder '$name' of headers in /usr/include: install its package (tools/packages.txt)" >&2; exit 3; }
  rm -rf "${1:?}/$name"
  cp -R "$found" "$1/$name"
done
echo "headers of fmt, nlohmann-json and CLI11 are in $1"
