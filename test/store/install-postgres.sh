#!/bin/sh
# Installs a PostgreSQL server for the tests where there is none. It makes no cluster: the tests make their own.
set -eu
if ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; then exit 0; fi
if command -v initdb >/dev/null 2>&1; then exit 0; fi
if [ "$(id -u)" -eq 0 ]; then as_root=""; else as_root="sudo"; fi
export DEBIAN_FRONTEND=noninteractive
$as_root mkdir -p /etc/postgresql-common/createcluster.d
echo "create_main_cluster = false" | $as_root tee /etc/postgresql-common/createcluster.d/curbline-tests.conf >/dev/null
$as_root apt-get update
$as_root apt-get install --yes --no-install-recommends postgresql
