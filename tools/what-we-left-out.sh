#!/usr/bin/env bash
# Gathers the `Simplified:` lines of the sources into docs/what-we-left-out.md; with --check only says whether that page is up to date.
set -euo pipefail
cd "$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")"
page=docs/what-we-left-out.md

gather() {
  cat <<'EOF'
# What we left out

What real hardware does and Warpmill does not, said by each part of the simulator itself. This page is made by
`tools/what-we-left-out.sh` from the `Simplified:` lines of the sources; change it there.
EOF
  find sim app cuda -name '*.h' -o -name '*.def' -o -name '*.cpp' | LC_ALL=C sort | xargs awk '
    function flush() {
      if (text == "") return
      sub(/^ +/, "", text); gsub(/  +/, " ", text)
      folder = file; sub(/\/[^\/]*$/, "", folder)
      if (folder != shown) { printf "\n## %s\n\n", folder; shown = folder }
      printf "- `%s`: %s\n", file, text
      text = ""
    }
    FNR == 1 { flush(); inside = 0 }
    /^ *\/\/ *Simplified:/ { flush(); file = FILENAME; line = $0; sub(/^ *\/\/ *Simplified: */, "", line); text = line; inside = 1; next }
    inside && /^ *\/\/ *[A-Z][a-z]+:/ { flush(); inside = 0 }
    inside && /^ *\/\/ *[^ ]/ { line = $0; sub(/^ *\/\/ */, "", line); text = text " " line; next }
    inside { flush(); inside = 0 }
    END { flush() }'
}

if [[ ${1:-} == --check ]]; then
  gather | diff -u "$page" - || { echo "$page is out of date: run tools/what-we-left-out.sh" >&2; exit 1; }
else
  gather >"$page.new"
  mv "$page.new" "$page"
fi
