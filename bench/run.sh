#!/usr/bin/env bash
# Measures the engines and writes the tables (stdout) and JSON (results/). See README.md.
#
#   RECORDS=5000000 OPS=1000000 ROUNDS=3 RUNS=15 bench/run.sh
#   SIZES="10000 100000 1000000 10000000 100000000" bench/run.sh       data that grows, of all sizes
#   LARGER=5000000 bench/run.sh       how many records of four times the cache; 0: none
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
for size in ${SIZES:-$records}; do
    "$bench" grow --dir "$data/grow" --records "$size" --ops "${GROW_OPS:-200000}" \
        --json "$results/grow-$size.json" ${GROW_ENGINES:+--engines "$GROW_ENGINES"} | tee "$results/grow-$size.txt"
    rm -rf "$data/grow"
    echo
done
larger="${LARGER:-1000000}"
if [ "$larger" -gt 0 ]; then
    # Records of 216 bytes, and a cache of a quarter of them for each engine.
    mib=$((larger * 216 / 4 / 1048576))
    "$bench" grow --dir "$data/larger" --records "$larger" --ops "${GROW_OPS:-200000}" --cache-mib "$((mib > 0 ? mib : 1))" \
        --json "$results/grow-larger-than-cache.json" ${GROW_ENGINES:+--engines "$GROW_ENGINES"} \
        | tee "$results/grow-larger-than-cache.txt"
    rm -rf "$data/larger"
    echo
fi
"$bench" step --dir "$data/step" --runs "${RUNS:-15}" \
    --json "$results/step.json" "${engines[@]}" | tee "$results/step.txt"
