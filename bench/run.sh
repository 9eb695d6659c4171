#!/usr/bin/env bash
# Measures the engines and writes the tables (stdout) and JSON (results/). See README.md.
#
#   RECORDS=5000000 OPS=1000000 ROUNDS=3 RUNS=15 bench/run.sh
#   GROW_ENGINES=lmdb,redb,cica GROW_OPS=200000 RECORDS=1000000 bench/run.sh
#   ENGINES=lmdb,rocksdb DATA=/somewhere/on/the/right/disk bench/run.sh
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

missing=()
for pair in lmdb.h:liblmdb-dev db.h:libdb5.3-dev rocksdb/c.h:librocksdb-dev wiredtiger.h:libwiredtiger-dev \
    sqlite3.h:libsqlite3-dev; do
    [ -e "/usr/include/${pair%%:*}" ] || missing+=("${pair##*:}")
done
command -v strace >/dev/null || missing+=(strace)
if [ ${#missing[@]} -gt 0 ]; then
    echo "installing ${missing[*]}" >&2
    as_root=()
    [ "$(id -u)" -eq 0 ] || as_root=(sudo)
    "${as_root[@]}" apt-get update -qq
    "${as_root[@]}" apt-get install -y -qq "${missing[@]}"
fi

cd "$here"
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$here/target}"
cargo build --release --locked --quiet
bench="$CARGO_TARGET_DIR/release/cica-bench"

# Not /tmp: where that is memory, a durable commit would cost nothing.
data=$(mktemp -d "${DATA:-/var/tmp}/cica-bench.XXXXXX")
trap 'rm -rf "$data"' EXIT
results="${RESULTS:-$here/results}"
mkdir -p "$results"

records="${RECORDS:-5000000}"
engines=()
[ -z "${ENGINES:-}" ] || engines=(--engines "$ENGINES")
"$bench" ops --dir "$data/ops" --records "$records" --ops "${OPS:-1000000}" --rounds "${ROUNDS:-3}" \
    --json "$results/ops-$records.json" "${engines[@]}" | tee "$results/ops-$records.txt"
rm -rf "$data/ops"
echo
"$bench" grow --dir "$data/grow" --records "$records" --ops "${GROW_OPS:-200000}" \
    --json "$results/grow-$records.json" ${GROW_ENGINES:+--engines "$GROW_ENGINES"} | tee "$results/grow-$records.txt"
rm -rf "$data/grow"
echo
"$bench" step --dir "$data/step" --runs "${RUNS:-15}" \
    --json "$results/step.json" "${engines[@]}" | tee "$results/step.txt"
