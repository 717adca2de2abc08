#!/usr/bin/env bash
# Makes docs/faults.md: which tool finds which of the faulty kernels of tests/data/faults, from tests/data/faults/found.txt (what an H200 and
# compute-sanitizer said, recorded by tools/sanitizer/record.py; what Warpmill says is what tests/faults/found_test.cpp demands of every build).
# --check: only says whether the page is up to date.
set -euo pipefail
cd "$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")"
page=docs/faults.md
recorded=tests/data/faults/found.txt

gather() {
  cat <<'END'
# Which tool finds which mistake

The kernels of `tests/data/faults` come in pairs: one has a mistake, its near miss looks like it and is correct. Each was run in Warpmill, on
an H200 without any tool, and there under the four tools of compute-sanitizer, with the same launch shapes and buffers. *Warpmill*: what
`tests/faults/found_test.cpp` demands of every build. *H200 alone*: how the launch ended: `done` is an end without any error, so that nobody
notices; `hang` had to be killed after some seconds. A word is what the tool reported, `-` is silence, `hang` a tool that was killed as well.

The kernels were written as tests of Warpmill, so its column is full by construction; what says something is what the others make of the same
mistakes. By its documentation initcheck looks at global memory only and racecheck at shared memory only, and each tool is a run of its own; Warpmill's
checks run all at once. A tool may reasonably report a near miss: threads that end instead of coming to a barrier are correct since Volta, and a style that
synccheck warns of.

This page is made by `tools/faults.sh` from `tests/data/faults/found.txt`; that file by `tools/sanitizer/record.py` on a machine with a GPU.

## In sum

Caught, of so many faulty kernels; a tool that reports anything at all counts.

END
  awk '
    /^# Version/ { version = $0; sub(/^# */, "", version); next }
    /^#/ || NF < 11 { next }
    function hit(w) { return w != "-" && w != "hang" }
    { kind = $6 }
    kind == "ok" { ++fine; for (k = 8; k <= 11; ++k) if (hit($k)) ++alarm[k]; if ($7 != "done") ++oddEnd; next }
    {
      if (!(kind in n)) order[++kinds] = kind
      ++n[kind]; ++all
      any = 0
      for (k = 8; k <= 11; ++k) if (hit($k)) { ++got[kind, k]; ++sum[k]; any = 1 }
      if (any) { ++got[kind, "any"]; ++sum["any"] }
      if ($7 != "done") { ++got[kind, 7]; ++sum[7] }
    }
    END {
      print "| Mistake | Kernels | Warpmill | memcheck | racecheck | initcheck | synccheck | any of the four | noticed without a tool |"
      print "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
      for (i = 1; i <= kinds; ++i) {
        kind = order[i]
        printf "| `%s` | %d | %d | %d | %d | %d | %d | %d | %d |\n", kind, n[kind], n[kind], got[kind, 8], got[kind, 9], got[kind, 10], got[kind, 11], got[kind, "any"], got[kind, 7]
      }
      printf "| all | %d | %d | %d | %d | %d | %d | %d | %d |\n", all, all, sum[8], sum[9], sum[10], sum[11], sum["any"], sum[7]
      printf "| reports on near misses | %d | 0 | %d | %d | %d | %d | | |\n", fine, alarm[8], alarm[9], alarm[10], alarm[11]
      print ""
      print "compute-sanitizer: " version "; CUDA 13, H200, kernels compiled for sm_90 from the same PTX."
    }' "$recorded"
  cat <<'END'

## Kernel by kernel

`shared_race` and the like are the kinds of `warpmill run` (and its verdicts); the mistake itself is the line marked HERE in the kernel's source.

| Kernel | Source | Warpmill | H200 alone | memcheck | racecheck | initcheck | synccheck |
| --- | --- | --- | --- | --- | --- | --- | --- |
END
  awk '/^#/ || NF < 11 || $6 == "ok" { next } { printf "| `%s` | %s.cu | %s | %s | %s | %s | %s | %s |\n", $2, $1, $6, $7, $8, $9, $10, $11 }' "$recorded"
  cat <<'END'

## Reports on the near misses

END
  awk '
    /^#/ || NF < 11 || $6 != "ok" { next }
    $8 $9 $10 $11 ~ /[a-z]/ { printf "- `%s`: memcheck %s, racecheck %s, initcheck %s, synccheck %s\n", $2, $8, $9, $10, $11; found = 1 }
    END { if (!found) print "None of the tools." }' "$recorded"
  cat <<'END'

## Other tools, by what their documentation says

Not run here.

- **Oclgrind** runs OpenCL kernels on the CPU and names accesses outside their buffers and, when asked, data races, with both work-items and their
  source lines (its wiki). It takes neither PTX nor CUDA nor Triton.
- **triton-viz** (3.0) has a sanitizer that checks the addresses of Triton's loads and stores symbolically for accesses outside their tensors (its
  release notes); **Triton** itself checks `device_assert` when `TRITON_DEBUG` is set (its guide to debugging).
END
}

if [[ ${1:-} == --check ]]; then
  gather | diff -u "$page" - || { echo "$page is out of date: run tools/faults.sh" >&2; exit 1; }
else
  gather >"$page.new"
  mv "$page.new" "$page"
fi
