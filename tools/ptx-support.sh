#!/usr/bin/env bash
# Makes docs/ptx-support.md: every opcode that the parser knows, with the types whose results are compared with an H200's, from the lists of recorded
# forms, and what those lists cannot express from tools/ptx-support.txt. --check: only says whether the page is up to date and whether
# each line of that file names a test that exists.
set -euo pipefail
cd "$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")"
page=docs/ptx-support.md
recorded=(tests/exec/semantics/scalar.txt tests/exec/semantics/forms.txt tests/exec/matrices/forms.txt)
notes=tools/ptx-support.txt

gather() {
  cat <<'EOF'
# PTX instructions: what runs, and how exactly

Every opcode of PTX ISA 9.0 that the parser knows. *Exact*: the results have an H200's bits; "forms" counts the instruction forms that were
recorded there over edge values and random ones, that the tests compare, and in which the instruction occurs. *Bounded*: within the bound that is given. *Not there*: parsed; a
kernel that reaches it ends with the fault `unsupported`, which names the instruction and its line. Forms that no sm_90 has are left out. How far
the approximate functions (`rcp.approx`, `sin`, `tanh` ...) are from the true values is at the top of `sim/exec/approximate.cpp`.

This page is made by `tools/ptx-support.sh` from the recorded lists in `tests/exec` and from `tools/ptx-support.txt`; change it there.

| Instruction | Types | Modifiers | State | Behind it |
| --- | --- | --- | --- | --- |
EOF
  awk -F'|' '
    function trim(s) { gsub(/^[ \t]+|[ \t]+$/, "", s); return s }
    function add(list, key, word) { if (word != "" && !((list, key, word) in seen)) { seen[list, key, word] = 1; lists[list, key] = lists[list, key] (lists[list, key] == "" ? "" : " ") word } }
    # "u8.s8 u8.u16 s8.u16" as "u8 from s8 u16; s8 from u16", destinations with the same sources together.
    function bySource(text,    list, n, i, pair, at, sources, dests, order, count, groups, d, out) {
      n = split(text, list, " "); count = 0
      for (i = 1; i <= n; ++i) {
        at = index(list[i], "."); d = substr(list[i], 1, at - 1)
        if (!(d in sources)) order[++count] = d
        sources[d] = sources[d] " " substr(list[i], at + 1)
      }
      for (i = 1; i <= count; ++i) groups[sources[order[i]]] = groups[sources[order[i]]] (groups[sources[order[i]]] == "" ? "" : " ") order[i]
      for (i = 1; i <= count; ++i) {
        d = sources[order[i]]
        if (d in groups) { out = out (out == "" ? "" : "; ") groups[d] " from" d; delete groups[d] }
      }
      return out
    }
    BEGIN {
      split("pred b1 b8 b16 b32 b64 b128 u8 u16 u32 u64 s8 s16 s32 s64 f16 f16x2 bf16 bf16x2 tf32 f32 f64 e4m3 e5m2 e4m3x2 e5m2x2 u16x2 s16x2 u2 s2 u4 s4", t, " ")
      for (i in t) isType[t[i]] = 1
    }
    FILENAME ~ /opcodes.def$/ {
      if ($0 ~ /^WM_OPCODE/) { split($0, q, "\""); order[++count] = q[2]; known[q[2]] = 1 }
      next
    }
    FILENAME ~ /ptx-support.txt$/ {
      if ($0 ~ /^#/ || $0 ~ /^ *$/) next
      op = trim($1)
      if (op ~ /^%/) { name = op; gsub(/ /, "` `", name); special = special "| `" name "` | " trim($4) " |\n"; next }
      hand[op] = hand[op] "| `" op "` | " trim($2) " | " trim($3) " | " trim($4) " | " trim($5) " |\n"
      next
    }
    {
      if ($0 ~ /^#/ || $0 ~ /^ *$/) next
      line = $0; code = substr(line, index(line, " : ") + 3)
      gsub(/[{}]/, ";", code); n = split(code, parts, ";"); delete once
      for (i = 1; i <= n; ++i) {
        s = trim(parts[i]); sub(/^@!?%[a-z0-9]+ +/, "", s); sub(/^[A-Za-z_0-9]+: */, "", s); split(s, w, /[ \t,]/); word = w[1]
        if (word == "" || word ~ /^[.%]/) continue
        sub(/::ordered_metadata/, "", word); op = word; while (op != "" && !(op in known)) { if (op !~ /\./) { op = ""; break } sub(/\.[^.]*$/, "", op) }
        if (op == "") continue
        rest = substr(word, length(op) + 2); m = split(rest, mods, "."); types = ""; shape = ""; width = ""
        for (k = 1; k <= m; ++k) {
          if (mods[k] in isType) types = types (types == "" ? "" : ".") mods[k]
          else if (mods[k] ~ /^m[0-9]+n[0-9]+/) shape = mods[k]
          else if (mods[k] ~ /^v[248]$/ && (op == "atom" || op == "red")) width = mods[k] "."
          else add("mods", op, "." mods[k])
        }
        if (types != "") add("types", op, width types)
        if (shape != "") add("mods", op, "." shape)
        if (!(op in once)) { once[op] = 1; ++forms[op] }
      }
    }
    END {
      for (i = 1; i <= count; ++i) {
        op = order[i]; gsub(/\|/, "\\|", lists["mods", op])
        if (op in forms) printf "| `%s` | %s | %s | exact | %d forms |\n", op, op == "cvt" || op == "set" ? bySource(lists["types", op]) : lists["types", op], lists["mods", op], forms[op]
        if (op in hand) printf "%s", hand[op]
        if (!(op in forms) && !(op in hand)) printf "| `%s` | | | not there | |\n", op
      }
      printf "\n| Special registers | State |\n| --- | --- |\n%s", special
    }' sim/ptx/opcodes.def "$notes" "${recorded[@]}"
}

# The last field of a line names tests, separated by " + ".
checkTests() {
  local missing=0
  while IFS='|' read -r op _ _ state tests; do
    [[ $op =~ ^#|^[[:space:]]*$ ]] && continue
    state=$(xargs <<<"$state")
    [[ $state == "not there"* ]] && continue
    while IFS= read -r title; do
      title="${title#"${title%%[![:space:]]*}"}"; title="${title%"${title##*[![:space:]]}"}"
      grep -rqF "TEST_CASE(\"$title\"" tests || { echo "$notes: $op: there is no test \"$title\"" >&2; missing=1; }
    done < <(sed 's/ + /\n/g' <<<"$tests")
  done <"$notes"
  return $missing
}

if [[ ${1:-} == --check ]]; then
  checkTests
  gather | diff -u "$page" - || { echo "$page is out of date: run tools/ptx-support.sh" >&2; exit 1; }
else
  gather >"$page.new"
  mv "$page.new" "$page"
fi
