#!/bin/sh
# Installs a Chromium on a Debian or Ubuntu machine that has none. Tests install nothing: only CI machines start so empty.
set -eu
if [ -n "${CHROMIUM_PATH:-}" ]; then exit 0; fi
for name in chromium chromium-browser google-chrome; do
  if command -v "$name" >/dev/null 2>&1; then exit 0; fi
done
if ! command -v apt-get >/dev/null 2>&1; then
  echo "no Chromium, and no apt-get to install one: install Chromium or set CHROMIUM_PATH" >&2
  exit 1
fi
if [ "$(id -u)" -eq 0 ]; then as_root=""; else as_root="sudo"; fi
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update
$as_root apt-get install --yes --no-install-recommends chromium
