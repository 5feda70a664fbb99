#!/bin/sh
# Installs a Chromium on a Debian or Ubuntu machine that has none. Tests install nothing: only CI machines start so empty.
# The one without any window takes half of the processor time, so it is tried first; not every release has it as a package.
set -eu
if [ -n "${CHROMIUM_PATH:-}" ]; then exit 0; fi

is_there() {
  command -v "$1" >/dev/null 2>&1
}

has_other() {
  is_there chromium || is_there chromium-browser || is_there google-chrome
}

install() {
  $as_root apt-get install --yes --no-install-recommends "$1"
}

if is_there chromium-headless-shell; then exit 0; fi
if ! is_there apt-get; then
  if has_other; then exit 0; fi
  echo "no Chromium, and no apt-get to install one: install Chromium or set CHROMIUM_PATH" >&2
  exit 1
fi
if [ "$(id -u)" -eq 0 ]; then as_root=""; else as_root="sudo"; fi
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update || has_other
install chromium-headless-shell || has_other || install chromium
