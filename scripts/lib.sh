# Shared by the scripts: where the repository is, and how to get what is missing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

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

# need_npm installs the extension's packages when the lock file changed.
need_npm() {
  local mark=extension/node_modules/.installed
  if [ -f "$mark" ] && cmp -s extension/package-lock.json "$mark"; then return; fi
  say "Installing the extension's npm packages"
  npm ci --prefix extension --no-progress --loglevel=error
  cp extension/package-lock.json "$mark"
}
