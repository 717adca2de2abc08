#!/usr/bin/env bash
# Makes the pictures of the README with the studio itself: tools/pictures.sh [path of warpmill-studio]. Needs no display.
set -euo pipefail
cd "$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")"
studio=${1:-build/release/app/studio/warpmill-studio}
export QT_QPA_PLATFORM=offscreen
mkdir -p docs/pictures
picture() {
  local file=docs/pictures/$1.png
  shift
  "$studio" --defaults --screenshot "$file" "$@"
  echo "$file"
}
picture lesson --lesson 01-vector-add --step 7
picture guard-ru --lesson 01-vector-add --step 9 --theme light --language ru
picture triton --lesson 02-vector-add-triton --step 4 --panel memory
