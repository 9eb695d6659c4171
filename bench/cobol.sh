#!/usr/bin/env bash
# CPU seconds (user and system) of the 1979 study's COBOL programs, on libcob's own files and on Cica's: the table of
# docs/src/howto/from-cobol.md. Takes a few minutes; works in a directory of its own below DATA (default /var/tmp).
#
#   bench/cobol.sh                  86,763 and 1,000,000 records
#   RECORDS=86763 bench/cobol.sh
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
target=${CARGO_TARGET_DIR:-$here/target}
(cd "$here" && cargo build --release --locked --quiet -p cica-cobol -p cica-cli)

data=$(mktemp -d "${DATA:-/var/tmp}/cica-cobol.XXXXXX")
trap 'rm -rf "$data"' EXIT
cd "$data"
for program in IIPSW IIPSR IIPRR IIPRU IIPRW; do
    cobc -x -O2 -I "$here/examples/study-1979/cobol" -o "$program" "$here/examples/study-1979/cobol/$program.cob"
done
export CICA_CATALOG="$data/catalog"
echo " LISTCAT" >listcat.ams
"$target/release/cica" idcams listcat.ams >listing

TIMEFORMAT='%U %S'
# One step: CPU seconds.
cpu() {
    local both
    both=$({ time "$@" >said; } 2>&1 | tail -1)
    awk -v both="$both" 'BEGIN { split(both, t, " "); printf "%.3f", t[1] + t[2] }'
}

printf '| records | files | load | sequential read | random read | random update | random insert |\n|---|---|---|---|---|---|---|\n'
for records in ${RECORDS:-86763 1000000}; do
    for way in libcob Cica; do
        printf '| %s | %s |' "$records" "$way"
        rm -f STUDY
        for program in IIPSW IIPSR IIPRR IIPRU IIPRW; do
            case $way in
            libcob) printf ' %s |' "$(cpu "./$program" "$records" "$records")" ;;
            Cica)
                export DD_STUDY=//STUDY
                printf ' %s |' "$(LD_PRELOAD="$target/release/libcica_cobol.so" cpu "./$program" "$records" "$records")"
                unset DD_STUDY
                ;;
            esac
        done
        echo
    done
done
