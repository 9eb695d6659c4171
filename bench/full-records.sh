#!/usr/bin/env bash
# One COBOL program over records that are full to their last byte (bench/cobol/FULLREC.cob): with no files at all
# (nothing.c), on libcob's own files, on a data set as DEFINE makes it, and on one that is COMPRESSED. The tables go to
# results/full-records.txt as well; docs/design/0032 explains them. CPU is user and system seconds of the whole process,
# wall what the clock said; of each the least of all rounds. Works in a directory of its own below DATA (/var/tmp).
#
#   bench/full-records.sh                         1,000,000 records, five rounds
#   RECORDS=100000 ROUNDS=3 bench/full-records.sh
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
target=${CARGO_TARGET_DIR:-$here/target}
results=${RESULTS:-$here/bench/results}
(cd "$here" && cargo build --release --locked --quiet -p cica-cobol -p cica-cli)

data=$(mktemp -d "${DATA:-/var/tmp}/cica-cobol.XXXXXX")
trap 'rm -rf "$data"' EXIT
mkdir -p "$results"
cd "$data"
cobc -x -O2 -I "$here/examples/study-1979/cobol" -o FULLREC "$here/bench/cobol/FULLREC.cob"
cc -O2 -shared -fPIC -o nothing.so "$here/bench/nothing.c"
export CICA_CATALOG="$data/catalog"

# Defines data set $1 anew, with further parameters $2.
define() {
    cat >define.ams <<END
 DELETE $1
 SET MAXCC=0
 DEFINE CLUSTER(NAME($1) INDEXED KEYS(8 0) -
   RECORDSIZE(200 200) RECORDS($records $records) $2)
END
    "$target/release/cica" idcams define.ams >listing || { cat listing >&2; exit 1; }
}

# One step: its way and name, CPU and wall seconds, as a line of `measured`.
TIMEFORMAT='%U %S %R'
step() {
    local way=$1 name=$2 files=() times
    case $way in
    none) files=(LD_PRELOAD="$data/nothing.so" RECORDS="$records") ;;
    libcob) [ "$name" != LOAD ] || rm -f STUDY ;;
    plain) files=(LD_PRELOAD="$target/release/libcica_cobol.so" DD_STUDY=//PLAIN) ;;
    compressed) files=(LD_PRELOAD="$target/release/libcica_cobol.so" DD_STUDY=//SMALL) ;;
    esac
    run() {
        [ ${#files[@]} -eq 0 ] || export "${files[@]}"
        ./FULLREC "$name" "$records" "$records" >said 2>&1
    }
    times=$({ time run; } 2>&1 | tail -1) || { cat said >&2; exit 1; }
    ! grep -q STATUS said || { cat said >&2; exit 1; }
    echo "$way $name $times" | awk '{ print $1, $2, $3 + $4, $5 }' >>measured
}

records=${RECORDS:-1000000}
for ((round = 0; round < ${ROUNDS:-5}; round++)); do
    define PLAIN ""
    define SMALL COMPRESSED
    for name in LOAD SCAN READ UPDATE INSERT; do
        for way in none libcob plain compressed; do
            step "$way" "$name"
        done
    done
done

# What data set $1 takes on the device; its index is in the same file.
stored() {
    "$target/release/cica" show "$1" --json |
        python3 -c 'import json, sys; print(json.load(sys.stdin)["data"]["bytes"]["stored"])'
}
sizes="$(stat -c %s STUDY) $(stored PLAIN) $(stored SMALL)"

# The tables. A rate is one over the time that is left when the program's own is taken off.
{
    echo "processor: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), load average: $(cut -d' ' -f1-3 /proc/loadavg)"
    awk -v records="$records" -v sizes="$sizes" '
        {
            at = $1 " " $2
            if (!(at in cpu) || $3 < cpu[at]) cpu[at] = $3
            if (!(at in wall) || $4 < wall[at]) wall[at] = $4
        }
        function seconds(way, of,    text, s) {
            text = "| " way " |"
            for (s = 1; s <= 5; s++) text = text sprintf(" %.2f |", of[way " " step[s]])
            return text
        }
        function rates(what, ours, theirs, own,    text, s, less) {
            text = "| " what " |"
            for (s = 1; s <= 5; s++) {
                less = own ? cpu["none " step[s]] : 0
                text = text sprintf(" %.2f |", (cpu[theirs " " step[s]] - less) / (cpu[ours " " step[s]] - less))
            }
            return text
        }
        END {
            split("LOAD SCAN READ UPDATE INSERT", step, " ")
            split("none libcob plain compressed", way, " ")
            split(sizes, size, " ")
            head = " | load | sequential read | random read | random update | random insert |\n|---|---|---|---|---|---|"
            print "\n" records " records of 200 bytes; CPU seconds\n\n| files" head
            for (w = 1; w <= 4; w++) print seconds(way[w], cpu)
            print "\nWall seconds\n\n| files" head
            for (w = 2; w <= 4; w++) print seconds(way[w], wall)
            print "\nRates by CPU\n\n| counted" head
            print rates("compressed over plain, whole program", "compressed", "plain", 0)
            print rates("compressed over plain, file handler", "compressed", "plain", 1)
            print rates("plain over libcob, file handler", "plain", "libcob", 1)
            print rates("compressed over libcob, file handler", "compressed", "libcob", 1)
            printf "\nMB after the inserts: libcob %.0f, plain %.0f, compressed %.0f\n", size[1] / 1e6, size[2] / 1e6, size[3] / 1e6
        }' measured
} | tee "$results/full-records.txt"
