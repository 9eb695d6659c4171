#!/usr/bin/env bash
# What a copybook costs: the study's programs on a data set in their own code, and on one in EBCDIC by the copybook of
# their FD (docs/design/0016). CPU nanoseconds a record, user and system, the least of all rounds; the open is that
# of a program
# that reads one record. Works in a directory of its own below DATA (default /var/tmp).
#
#   RECORDS=86763 ROUNDS=10 bench/copybook.sh
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
target=${CARGO_TARGET_DIR:-$here/target}
records=${RECORDS:-86763}
programs=(IIPSW IIPSR IIPRR IIPRU)
(cd "$here" && cargo build --release --locked --quiet -p cica-cobol -p cica-cli)

data=$(mktemp -d "${DATA:-/var/tmp}/cica-copybook.XXXXXX")
trap 'rm -rf "$data"' EXIT
cd "$data"
cp "$here/examples/study-1979/cobol/STUDYREC.cpy" .
for program in "${programs[@]}"; do
    cobc -x -O2 -I "$here/examples/study-1979/cobol" -o "$program" "$here/examples/study-1979/cobol/$program.cob"
done
export CICA_CATALOG="$data/catalog" CICA_MESSAGES=W
echo " LISTCAT" >listcat.ams
"$target/release/cica" idcams listcat.ams >listing

TIMEFORMAT='%U %S'
step() {
    local way=$1 program=$2 operations=$3 text=//PLAIN
    [ "$way" = plain ] || text=DSN=EBCDIC,COPYBOOK=STUDYREC.cpy,CODEPAGE=1047
    run() { LD_PRELOAD="$target/release/libcica_cobol.so" DD_STUDY=$text "./$program" "$records" "$operations" >said 2>&1; }
    local times
    times=$({ time run; } 2>&1 | tail -1)
    ! grep -q STATUS said || { cat said >&2; exit 1; }
    echo "$way $program-$operations $times" | awk '{ print $1, $2, $3 + $4 }' >>measured
}
for ((round = 0; round < ${ROUNDS:-5}; round++)); do
    for way in plain copybook; do
        for program in "${programs[@]}"; do step "$way" "$program" "$records"; done
        step "$way" IIPRR 1
    done
done
awk -v records="$records" '
    { at = $1 " " $2; if (!(at in cpu) || $3 < cpu[at]) cpu[at] = $3 }
    END {
        split("IIPSW IIPSR IIPRR IIPRU", programs, " ")
        print "| | load | sequential read | random read | random update |\n|---|---|---|---|---|"
        for (w = 1; w <= 2; w++) {
            way = w == 1 ? "plain" : "copybook"
            line = "| " (w == 1 ? "without" : "with a copybook") " |"
            for (p = 1; p <= 4; p++) line = line sprintf(" %.0f |", cpu[way " " programs[p] "-" records] / records * 1e9)
            print line
        }
        printf "open and one record, ms: %.1f without, %.1f with\n", cpu["plain IIPRR-1"] * 1e3, cpu["copybook IIPRR-1"] * 1e3
    }' measured
