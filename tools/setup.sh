# Shared parts of ./run and ./test (sourced, not run): find and install packages, configure, build, say what happens.
# Exit codes: 0 fine, 1 the build or a test failed, 2 wrong option, 3 something is missing that may not be installed here.

set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
cd "$root"
buildDir=build/release
withStudio=1 mayInstall=1 jobs= installSeconds=0 buildSeconds=0 note=
[[ -t 1 ]] && onTerminal=1 || onTerminal=

say() { printf '%s\n' "$*"; }
fail() { printf '%s\n' "$2" >&2; exit "$1"; }

# One line that is written over on a terminal; elsewhere a line every tenth of the way.
lastShown=-1
progress() {  # progress DONE TOTAL TEXT
  local done=$1 total=$2 tenth
  if [[ $onTerminal ]]; then printf '\r\033[K  %s' "${3:0:100}"; return; fi
  tenth=$(( total > 0 ? done * 10 / total : 0 ))
  if (( tenth != lastShown )); then lastShown=$tenth; say "  $3"; fi
}
endProgress() { if [[ $onTerminal ]]; then printf '\r\033[K'; fi; lastShown=-1; }

showTail() {  # showTail LOG [LINES]
  say "The end of $1:" >&2
  tail -n "${2:-30}" "$1" | sed 's/^/  | /' >&2
}

packagesOf() { awk -v group="$1" '$1 == group {print $2}' tools/packages.txt; }

missingPackages() {  # missingPackages PACKAGE...: those that are not installed
  local installed
  installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "$@" 2>/dev/null | awk '$1 == "installed" {print $2}' || true)
  comm -23 <(printf '%s\n' "$@" | sort -u) <(sort -u <<<"$installed")
}

havePackageTools() { command -v dpkg-query >/dev/null && command -v apt-get >/dev/null; }

# Runs a command as root: directly, or by sudo. Fails where neither may be.
asRoot() {
  if (( EUID == 0 )); then "$@"
  else sudo env ${http_proxy:+"http_proxy=$http_proxy"} ${https_proxy:+"https_proxy=$https_proxy"} "$@"; fi
}
mayBecomeRoot() {
  (( EUID == 0 )) && return 0
  command -v sudo >/dev/null || return 1
  sudo -n true 2>/dev/null && return 0
  [[ -t 0 && -t 1 ]] && sudo -v -p 'sudo needs the password of %u to install the packages: '
}

aptGet() { asRoot env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "$@" </dev/null; }

allHaveCandidates() {
  local known
  known=$(LC_ALL=C apt-cache policy "$@" 2>/dev/null | awk '/^  Candidate:/ && $2 != "(none)"' | wc -l)
  (( known == $# ))
}

updateLists() {
  say "Reading the package lists (apt-get update)."
  aptGet update >build/apt-update.log 2>&1 || { showTail build/apt-update.log; return 1; }
}

# "Need to get 175 MB of archives.", "After this operation, 738 MB ...": what apt itself expects.
sizeEstimate() {
  LC_ALL=C apt-get -o Debug::NoLocking=1 --no-install-recommends --assume-no install "$@" 2>/dev/null </dev/null |
    awk '/newly installed/ {count = $3} /^Need to get/ {sub(/^Need to get /, ""); sub(/ of archives.*/, ""); get = $0}
         /^After this operation/ {sub(/^After this operation, /, ""); sub(/ of additional.*/, ""); disk = $0}
         END {if (get != "") printf "%s packages with all they need, %s to download, %s on disk", count, get, disk}' || true
}

aptInstall() {  # with progress from apt's own output
  local total=0 unpacked=0 ready=0 line status
  : >build/install.log
  aptGet --no-install-recommends -y install "$@" >build/install.log 2>&1 &
  local job=$!
  while IFS= read -r line; do
    case $line in
      *" newly installed, "*) total=$(sed -E 's/.* ([0-9]+) newly installed.*/\1/' <<<"$line") ;;
      Get:*) progress 0 1 "downloading ${line#* }" ;;
      Unpacking*) progress $((++unpacked)) $((2 * total)) "unpacked $unpacked of $total packages" ;;
      "Setting up"*) progress $((unpacked + ++ready)) $((2 * total)) "set up $ready of $total packages" ;;
    esac
  done < <(tail -n +1 --pid=$job -F build/install.log 2>/dev/null)
  wait $job && status=0 || status=$?
  endProgress
  return $status
}

explainNeeds() {  # for a machine on which nothing may be installed
  say "Needed, by Debian's package names (tools/packages.txt says what each is for):"
  say "  $*"
}

installPackages() {  # the missing ones of the list; leaves withStudio empty when only the studio's cannot be had
  if ! havePackageTools; then
    (( mayInstall )) || return 0   # the reader says that all is there: CMake will tell
    explainNeeds $(packagesOf base) $(packagesOf studio)
    fail 3 "This is not a Debian or Ubuntu system, so nothing was installed. Install the counterparts of these and start again with --no-install."
  fi
  local wanted missing missingBase
  wanted=$(packagesOf base; [[ -z $withStudio ]] || packagesOf studio)
  missing=$(missingPackages $wanted)
  [[ $missing ]] || return 0
  set -- $missing
  say "Missing packages: $*"
  local why=
  if (( ! mayInstall )); then why="--no-install was given"
  elif ! mayBecomeRoot; then why="installing needs root or sudo, and neither is at hand"; fi
  if [[ $why ]]; then
    missingBase=$(missingPackages $(packagesOf base))
    if [[ $missingBase ]]; then
      say "To install them: apt-get install --no-install-recommends $*   (as root)"
      fail 3 "Nothing was installed: $why."
    fi
    withStudio=
    note="The studio was left out: $why, and it needs: $*. "
    say "Only the studio needs these, and $why: building the command line alone."
    return 0
  fi
  local began=$SECONDS size
  if ! allHaveCandidates "$@"; then updateLists || fail 3 "The package lists could not be read, so nothing was installed."; fi
  allHaveCandidates "$@" || fail 3 "This distribution ($(. /etc/os-release; echo "${PRETTY_NAME:-unknown}")) does not have all of them; Debian 12, Debian 13 and Ubuntu 24.04 do."
  size=$(sizeEstimate "$@")
  say "Installing them by apt-get${size:+: $size}."
  if ! aptInstall "$@"; then
    say "That failed; once more with fresh package lists."
    { updateLists && aptInstall "$@"; } || { showTail build/install.log; fail 3 "The packages could not be installed (build/install.log)."; }
  fi
  installSeconds=$((SECONDS - began))
  say "Installed in $installSeconds s."
}

chooseJobs() {  # one compiler a core, and about 1 GB of memory for each
  [[ $jobs ]] && return
  local cores memory
  cores=$(nproc)
  memory=$(awk '/^MemAvailable/ {print int($2 / 1000000)}' /proc/meminfo 2>/dev/null || echo "$cores")
  jobs=$(( memory < cores ? (memory > 0 ? memory : 1) : cores ))
}

configure() {
  local options=(-DWARPMILL_WERROR=OFF -DWARPMILL_STUDIO=$([[ $withStudio ]] && echo ON || echo OFF) -DWARPMILL_TESTS=ON)
  local stamp="$buildDir/configured-by-setup" key="$root ${options[*]}"
  if [[ -f $buildDir/build.ninja && -f $stamp && $(<"$stamp") == "$key" ]]; then return; fi
  say "Configuring$([[ $withStudio ]] || echo ' (command line only)')."
  rm -f "$stamp"
  if [[ -f $buildDir/CMakeCache.txt ]] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$buildDir/CMakeCache.txt"; then
    rm -rf "$buildDir"   # the checkout was moved or copied: CMake refuses such a folder
    mkdir -p "$buildDir"
  fi
  cmake --preset release "${options[@]}" >build/configure.log 2>&1 || { showTail build/configure.log; fail 1 "Configuring failed (build/configure.log)."; }
  printf '%s' "$key" >"$stamp"
}

build() {  # build TARGET...: ninja's status as one line; warnings and errors go to the log
  local began=$SECONDS line done total status stepped=
  configure
  chooseJobs
  : >build/build.log
  while IFS= read -r line; do
    printf '%s\n' "$line" >>build/build.log
    if [[ $line =~ ^\[([0-9]+)/([0-9]+)\]\ (.*) ]]; then
      done=${BASH_REMATCH[1]} total=${BASH_REMATCH[2]}
      if [[ ! $stepped ]]; then say "Building with $jobs jobs."; stepped=1; fi
      progress "$done" "$total" "[$done/$total] ${BASH_REMATCH[3]##*/}"
    fi
  done < <(NINJA_STATUS='[%f/%t] ' ninja -C "$buildDir" -j "$jobs" "$@" 2>&1; echo "status $?")
  endProgress
  status=$(tail -n 1 build/build.log)
  buildSeconds=$((SECONDS - began))
  if [[ $status != "status 0" ]]; then
    grep -n -A 25 -m 1 '^FAILED:' build/build.log | sed 's/^/  | /' >&2 || showTail build/build.log
    fail 1 "The build failed (build/build.log)."
  fi
  [[ ! $stepped ]] || say "Built in $buildSeconds s."
}

# Programs with a display that is not there: Qt draws offscreen, OpenGL by software.
offscreen() {
  export QT_QPA_PLATFORM=offscreen
  if [[ -z ${XDG_RUNTIME_DIR:-} || ! -d ${XDG_RUNTIME_DIR:-} ]]; then
    mkdir -p build/runtime; chmod 700 build/runtime
    export XDG_RUNTIME_DIR="$root/build/runtime"
  fi
}

lockBuild() {  # two runs at once would write the same files
  mkdir -p build
  exec 9>build/.lock
  flock -n 9 || { say "Waiting for another ./run or ./test in this folder."; flock 9; }
}
unlockBuild() { exec 9>&-; }
