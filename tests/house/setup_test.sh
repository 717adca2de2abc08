#!/usr/bin/env bash
# Tests how ./run and ./test behave where nothing may be installed. Works on a copy in a folder with a space, with stand-ins for dpkg-query
# and apt-get, so it touches nothing of the machine.
set -euo pipefail
source=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
copy="$scratch/a folder"
mkdir -p "$copy/tools" "$scratch/tools"
cp "$source/run" "$source/test" "$copy/"
cp "$source/tools/setup.sh" "$source/tools/packages.txt" "$copy/tools/"

# A machine with the tools that the scripts need and no package tools: a folder of links.
for tool in bash env awk sed sort comm tail grep cat mkdir rm dirname readlink flock nproc chmod printf cmake ninja; do
  ln -s "$(command -v "$tool")" "$scratch/tools/$tool" 2>/dev/null || true
done

failures=0
expect() {  # expect NAME STATUS TEXT: the last command's status and a text in its output
  if [[ $status != "$2" ]]; then echo "$1: status $status instead of $2"; failures=1; fi
  if ! grep -qF -- "$3" <<<"$output"; then echo "$1: the output lacks: $3"; failures=1; fi
  if (( failures )); then sed 's/^/  | /' <<<"$output"; exit 1; fi
}
call() { output=$(cd / && PATH="$scratch/tools" "$@" 2>&1 </dev/null) && status=0 || status=$?; }

call "$copy/run" --nonsense
expect "an unknown option" 2 "Unknown option: --nonsense"
call "$copy/run" --jobs
expect "an option without its value" 2 "needs a value"
call "$copy/test" --jobs zero
expect "jobs that are no number" 2 "--jobs needs a number"
call "$copy/run" --help
expect "help" 0 "--headless"

call "$copy/test"
expect "another distribution gets the list" 3 "qt6-base-dev"
expect "another distribution is told the way on" 3 "--no-install"

# Debian, by stand-ins: nothing is installed at first, later all but the studio's packages.
cat >"$scratch/tools/apt-get" <<EOF
#!/bin/bash
echo called >>"$scratch/apt-was-called"
EOF
cat >"$scratch/tools/dpkg-query" <<EOF
#!/bin/bash
for package in "\$@"; do
  case \$package in -*) ;; *) grep -q "^base  *\$package " "$scratch/present" 2>/dev/null && echo "installed \$package" ;; esac
done
exit 1
EOF
chmod +x "$scratch/tools/apt-get" "$scratch/tools/dpkg-query"
call "$copy/run" --no-install
expect "missing packages are listed" 3 "Missing packages: "
expect "every package of the list is in it" 3 "ninja-build"
expect "the command to install them is given" 3 "apt-get install --no-install-recommends"
expect "the reason is given" 3 "Nothing was installed: --no-install was given."

cp "$source/tools/packages.txt" "$scratch/present"
call "$copy/run" --no-install
expect "without the studio's packages the command line is built" 1 "building the command line alone"
[[ ! -e $scratch/apt-was-called ]] || { echo "apt-get was called although nothing may be installed"; exit 1; }
echo "all as it should be"
