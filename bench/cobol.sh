#!/usr/bin/env bash
# The 1979 study's COBOL programs on libcob's own files and on Cica's, and with no files at all (nothing.c): the tables of
# docs/src/howto/from-cobol.md, which also go to results/cobol.txt. CPU is user and system seconds of the whole process,
# the least of all rounds; wall is what the clock said in the same run. Works in a directory of its own below DATA
# (default /var/tmp).
#
#   bench/cobol.sh                                86,763 and 1,000,000 records, ten rounds
#   RECORDS=86763 ROUNDS=3 bench/cobol.sh
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
target=${CARGO_TARGET_DIR:-$here/target}
results=${RESULTS:-$here/bench/results}
programs=(IIPSW IIPSR IIPRR IIPRU IIPRW)
(cd "$here" && cargo build --release --locked --quiet -p cica-cobol -p cica-cli)

data=$(mktemp -d "${DATA:-/var/tmp}/cica-cobol.XXXXXX")
trap 'rm -rf "$data"' EXIT
mkdir -p "$results"
cd "$data"
for program in "${programs[@]}"; do
    cobc -x -O2 -I "$here/examples/study-1979/cobol" -o "$program" "$here/examples/study-1979/cobol/$program.cob"
done
cc -O2 -shared -fPIC -o nothing.so "$here/bench/nothing.c"
export CICA_CATALOG="$data/catalog"
echo " LISTCAT" >listcat.ams
"$target/release/cica" idcams listcat.ams >listing

# One step: its size, way and program, CPU and wall seconds, as a line of `measured`.
TIMEFORMAT='%U %S %R'
step() {
    local records=$1 way=$2 program=$3 files=() times
    case $way in
    none) files=(LD_PRELOAD="$data/nothing.so" RECORDS="$records") ;;
    libcob) [ "$program" != IIPSW ] || rm -f STUDY ;;
    Cica) files=(LD_PRELOAD="$target/release/libcica_cobol.so" DD_STUDY=//STUDY) ;;
    esac
    run() {
        [ ${#files[@]} -eq 0 ] || export "${files[@]}"
        "./$program" "$records" "$records" >said 2>&1
    }
    times=$({ time run; } 2>&1 | tail -1)
    ! grep -q STATUS said || { cat said >&2; exit 1; }
    echo "$records $way $program $times" | awk '{ print $1, $2, $3, $4 + $5, $6 }' >>measured
}

for records in ${RECORDS:-86763 1000000}; do
    for ((round = 0; round < ${ROUNDS:-10}; round++)); do
        for way in none libcob Cica; do
            for program in "${programs[@]}"; do
                step "$records" "$way" "$program"
            done
        done
    done
done

# The tables. A rate is one over the time that is left when the program's own is taken off.
{
    echo "processor: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), load average: $(cut -d' ' -f1-3 /proc/loadavg)"
    awk '
        !($1 in known) { known[$1]; sizes[++size] = $1 }
        {
            at = $1 " " $2 " " $3
            if (!(at in cpu) || $4 < cpu[at]) { cpu[at] = $4; wall[at] = $5 }
        }
        function row(records, way, what, of,    text, p) {
            text = "| " records " | " what " |"
            for (p = 1; p <= 5; p++)
                text = text sprintf(" %.3f |", of[records " " way " " programs[p]])
            print text
        }
        function rate(theirs, ours) { return ours > 0 ? sprintf(" %.1f |", theirs / ours) : " - |" }
        END {
            split("IIPSW IIPSR IIPRR IIPRU IIPRW", programs, " ")
            head = "| load | sequential read | random read | random update | random insert |\n|---|---|---|---|---|---|---|"
            print "\nCPU seconds\n\n| records | files |" substr(head, 2)
            for (s = 1; s <= size; s++) {
                row(sizes[s], "none", "none", cpu)
                row(sizes[s], "libcob", "libcob", cpu)
                row(sizes[s], "Cica", "Cica", cpu)
            }
            print "\nWall seconds of the same runs\n\n| records | files |" substr(head, 2)
            for (s = 1; s <= size; s++) {
                row(sizes[s], "libcob", "libcob", wall)
                row(sizes[s], "Cica", "Cica", wall)
            }
            print "\nRate of Cica over that of libcob, by CPU\n\n| records | counted |" substr(head, 2)
            for (s = 1; s <= size; s++) {
                whole = own = most = ""
                for (p = 1; p <= 5; p++) {
                    none = cpu[sizes[s] " none " programs[p]]
                    theirs = cpu[sizes[s] " libcob " programs[p]]
                    ours = cpu[sizes[s] " Cica " programs[p]]
                    whole = whole rate(theirs, ours)
                    most = most rate(theirs, none)
                    own = own rate(theirs - none, ours - none)
                }
                print "| " sizes[s] " | file handler |" own
                print "| " sizes[s] " | whole program |" whole
                print "| " sizes[s] " | whole program, with files that cost nothing |" most
            }
        }' measured
} | tee "$results/cobol.txt"
