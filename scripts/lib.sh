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

need_chromium() {
  if command -v chromium >/dev/null || command -v google-chrome >/dev/null; then return; fi
  say "Installing Chromium"
  as_root apt-get update -qq
  as_root apt-get install -y -qq chromium >/dev/null
}

# need_strace installs what makes system calls fail, where there is such a program.
need_strace() {
  if [ "$(uname)" != Linux ] || command -v strace >/dev/null; then return; fi
  say "Installing strace"
  as_root apt-get install -y -qq strace >/dev/null
}

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
