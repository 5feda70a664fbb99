#!/bin/sh
# Installs a Python 3 on a Debian or Ubuntu machine that has none: a test runs the Python recipe of src/client. Tests install nothing.
set -eu
if command -v python3 >/dev/null 2>&1; then exit 0; fi
if ! command -v apt-get >/dev/null 2>&1; then
  echo "no python3, and no apt-get to install one" >&2
  exit 1
fi
if [ "$(id -u)" -eq 0 ]; then as_root=""; else as_root="sudo"; fi
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update
$as_root apt-get install --yes --no-install-recommends python3
