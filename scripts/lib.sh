# Shared by the scripts: where the repository is, and how to get what is missing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# Builds do not depend on the folder of the checkout, so that all of them share one cache. No
# debugger reads what tests and tools are linked to, which takes four times as long with its tables.
export GOFLAGS="-trimpath -ldflags=-s"
# Everything is compiled once: as a release is, without C.
export CGO_ENABLED=0
# The race detector would wait for a second at the end of each program.
export GORACE=atexit_sleep_ms=0

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }

# as_root runs a command as root, by sudo where that is needed.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

# need_apt COMMAND PACKAGE... installs the packages, unless the command is there.
need_apt() {
  if command -v "$1" >/dev/null; then return; fi
  shift
  say "Installing $*"
  [ "${apt_updated:-}" ] || as_root apt-get update -qq
  apt_updated=yes
  as_root apt-get install -y -qq "$@" >/dev/null
}

need_chromium() {
  need_apt chromium chromium
  if [ "$(basename "$(readlink -f "$(command -v chromium)")")" = snap ]; then
    echo "chromium is a snap here, which can start no host: install it as a package, before /snap/bin in PATH" >&2
    exit 1
  fi
}

# need_strace installs what makes system calls fail, where there is such a program.
need_strace() { [ "$(uname)" != Linux ] || need_apt strace strace; }

# need_cc installs the C compiler of the race detector.
need_cc() { need_apt "${CC:-gcc}" gcc libc6-dev; }

# need_npm installs the npm packages of the folders whose lock file changed.
need_npm() {
  local folder mark
  for folder in "$@"; do
    mark=$folder/node_modules/.installed
    if [ -f "$mark" ] && cmp -s "$folder/package-lock.json" "$mark"; then continue; fi
    say "Installing the npm packages of $folder"
    npm ci --prefix "$folder" --no-progress --loglevel=error
    cp "$folder/package-lock.json" "$mark"
  done
}
