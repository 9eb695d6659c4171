#!/usr/bin/env bash
# The main job: demo/run.sh DIRECTORY_OF_THE_PROGRAMS. Works in demo-out below the working directory, which it empties.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
programs=$(cd "$1" && pwd)
export PATH="$programs:$programs/examples:$PATH"

rm -rf demo-out
mkdir demo-out
cd demo-out
ln -s "$here" cards # so that the commands below are short
export CICA_CATALOG="$PWD/catalog"

step=0
title() { step=$((step + 1)); printf '\n\n== %d. %s ==\n' "$step" "$1"; }
say() { printf '%s\n' "$*"; }
# Shows a command, then runs it.
run() { printf '\n$ %s\n' "$*"; "$@"; }

cat <<'TEXT'
Cica keeps records in data sets as IBM's VSAM does: a key-sequenced data set (KSDS) is a file of control intervals (CIs:
records from the left, their lengths from the right), many of them in a control area (CA), and an index above them. This
walk makes two of them, reads and changes the first as a study of 1979 did, and then tries to break it.
TEXT

title "Two volumes"
say "A volume is a directory; its device type gives tracks and cylinders their size. Cica is told by control cards, those of"
say "IBM's IDCAMS (they are in demo/*.ams); the listing repeats each card and says what came of it."
run cica idcams cards/1-volumes.ams

title "The data set of 1979"
say "In 1979 IBM measured VSAM with 86,763 records of 200 bytes on 3330-1 disks. Here is such a file, in EBCDIC, and the"
say "cards that define the study's data set and load it. What JCL's DD statement said is said by --dd."
run cards/study_file.py study.fb
run cica idcams cards/2-study.ams --dd STUDYIN=study.fb,RECFM=FB,LRECL=200,CODEPAGE=1047
say
say "What became of the space:"
say
say "$ cica show STUDY.VSAM1 | grep -E 'ci per ca|high used|levels'"
cica show STUDY.VSAM1 | grep -E 'ci per ca|high used|levels'
cat <<'TEXT'

By IBM's arithmetic (docs/design/0004 has it line by line):
  a CI of 2,048 bytes takes 10 such records; FREESPACE(20 6) keeps 20% of its bytes free, so 8 are loaded
  a CA is a cylinder: 6 CIs on each of 18 tracks = 108 CIs; FREESPACE(20 6) keeps 6% of them free, so 102 are loaded
  86,763 records fill 10,846 CIs in 107 CAs: the used space ends at RBA 107 x 108 x 2,048 = 23,666,688
  the index has a record for each CA and one above them: 2 levels
The study counted 10,954 reads for the whole file: 10,846 CIs + 107 + 1 index records. It is the same file.
TEXT

title "The steps of 1979"
say "Each line is a process of its own that opens the data set, makes its requests, and closes it; changes are durable then."
say "EXCPs are reads and writes of the data set, neighbouring CIs together; calls are all calls for files. On the right what"
say "the study measured on a System/370-158 with two data buffers. Inserts go to places of their own, as then: no splits."
say
say "$ study_steps catalog STUDY.VSAM1 ...     (source: crates/cli/examples/study_steps.rs)"
study_steps heading
study_steps catalog STUDY.VSAM1 scan
study_steps catalog STUDY.VSAM1 read 4520
study_steps catalog STUDY.VSAM1 update 3180
study_steps catalog STUDY.VSAM1 insert 2710
study_steps catalog STUDY.VSAM1 scan

title "Text of today"
say "A second data set, with records of different lengths: Debian's list of Unicode characters, keyed by code point."
run cards/code_points.py /usr/share/unicode/UnicodeData.txt names.txt
run cica idcams cards/3-unicode.ams --dd NAMES=names.txt
run cica get UNICODE.NAMES 01F600
run cica cat UNICODE.NAMES --from 0003B1 --count 3

title "A few records"
say "PRINT shows records as text or as bytes. The study's are EBCDIC on the volume and text on the screen, because the data"
say "set says CCSID(1047). The record 00003350 is one of those inserted above, between two loaded ones."
run cica idcams cards/4-print.ams

title "Pulling the plug"
say "A process inserts record after record between two loaded ones, where there is soon no room: CIs and CAs split. After"
say "each 100 it commits, and prints the keys that are safe now. In the middle of it, it is killed (SIGKILL: no goodbye)."
records_before=$(cica cat STUDY.VSAM1 | wc -l)
say
say "$ new_records | cica put STUDY.VSAM1 --durability commit --commit-every 100 --ack > acknowledged"
new_records() { # keys between 04000000 and 04999999 that are not there yet
    awk 'BEGIN { for (key = 4000001; key < 5000000; key++)
                     if (key % 100 != 0 && key % 100 != 50) printf "N%08d INSERTED WHILE WAITING FOR THE END\n", key }'
}
new_records | cica put STUDY.VSAM1 --durability commit --commit-every 100 --ack > acknowledged 2> put-errors &
job=$!
# The pipe's last process is the one that inserts.
deadline=$((SECONDS + 120))
until [ "$(wc -l < acknowledged)" -ge 20000 ]; do
    if [ "$SECONDS" -gt "$deadline" ] || ! kill -0 "$job" 2> /dev/null; then
        say "the inserts ended early, or do not come to 20,000:"
        cat put-errors
        exit 1
    fi
    sleep 0.01
done
say "$ kill -9 $job"
kill -9 "$job"
wait "$job" 2> /dev/null || true

say
say "Whoever opens the data set next finds that its owner died, and does again what the owner's log has. VERIFY is such an"
say "open; EXAMINE then reads every CI against its checksum, the data against the index, and the arithmetic of both."
run cica idcams cards/6-examine.ams
cica cat STUDY.VSAM1 | cut -c 2-9 > keys-after
sort acknowledged > keys-acknowledged
lost=$(comm -23 keys-acknowledged keys-after | wc -l)
cat <<TEXT

  records before                        $records_before
  acknowledged before the kill          $(wc -l < acknowledged)
  records now                           $(wc -l < keys-after)
  acknowledged and lost                 $lost

A record that was acknowledged must be there; of those that were not, some may be. \`make crash\` cuts the power of a
simulated disk instead, at every write and sync.
TEXT
[ "$lost" -eq 0 ] || { say "A promise was broken."; exit 1; }

title "COBOL"
say "The study's five programs, with the random generator its foil shows. They are compiled by GnuCOBOL and know nothing of"
say "Cica; cica run has their file, STUDY, on a data set. Each is run twice: on GnuCOBOL's own files (Berkeley DB), and on Cica's."
mkdir cobol
for program in IIPSW IIPSR IIPRR IIPRU IIPRW; do
    cobc -x -O2 -I "$here/../examples/study-1979/cobol" -o "cobol/$program" "$here/../examples/study-1979/cobol/$program.cob"
done
cat > dds.toml <<'TEXT'
STUDY = "DSN=STUDY.COBOL"
TEXT
run cat dds.toml
TIMEFORMAT='    %U + %S seconds of CPU'
for job in "IIPSW 86763" IIPSR "IIPRR 86763 86763" "IIPRU 86763 86763" "IIPRW 86763 86763"; do
    # shellcheck disable=SC2086 # a program and its arguments
    {
        printf '\n$ cobol/%s\n' "$job"
        (cd cobol && time ./$job)
        printf '$ cica run --dd dds.toml cobol/%s\n' "$job"
        time cica run --dd dds.toml cobol/$job
    } 2>&1
done
say
say "Most of a random step's time is the program's own: COBOL multiplies random numbers in decimal."
say
say "Programs of everyday work: a mainframe file is converted (EBCDIC, packed decimals), movements are booked, a report is"
say "printed, and a browse by branch, an alternate key, charges overdrawn accounts and moves those of a branch that closes."
"$here/../examples/cobol/mainframe.py" accounts.ebcdic MOVEMENTS
export MAINFRAME=accounts.ebcdic
run cica idcams cards/7-accounts.ams
for program in CONVERT BATCHUPD BRANCHES REPORT1; do
    cobc -x -O2 -I "$here/../examples/cobol" -o "cobol/$program" "$here/../examples/cobol/$program.cob"
done
run cica run cobol/CONVERT
run cica run cobol/BATCHUPD
run cica run cobol/BRANCHES
say
say '$ cica run cobol/REPORT1 | tail -4'
cica run cobol/REPORT1 | tail -4

title "Two programs on one file"
say "With CICA_SHARE=on the first program starts a server, which has the file for all and ends by itself. CLERK does what it is"
say "told and knows nothing of it: READ WITH WAIT, REWRITE, COMMIT and ROLLBACK do between programs what they do in one."
run cica idcams cards/8-stock.ams
cobc -x -O2 -o cobol/CLERK "$here/../examples/cobol/CLERK.cob"
say
say '$ clerks.py cobol/CLERK'
"$here/clerks.py" cobol/CLERK
run cica server clients
run cica server stop
say
say "The copy of noon and the archive of what was changed since make the file as it was before the mistake: with the lamps that"
say "were sold behind the copy."
run cica cat STOCK
run cica recover STOCK --from noon.cica --to "$(cat moment)"
run cica cat STOCK

title "The catalog"
say "LISTCAT ALL, as a mainframe prints it. SPLITS-CI and SPLITS-CA count what the inserts did, HI-U-RBA is the end of the"
say "used space, REC-TOTAL the records."
run cica idcams cards/5-listcat.ams

title "Where to go from here"
cat <<'TEXT'
Everything is in demo-out: export CICA_CATALOG=$PWD/demo-out/catalog, then
  target/release/cica ls                       what there is
  target/release/cica show STUDY.VSAM1         everything about one data set; --json for programs
  target/release/cica --help                   the rest
The book begins at docs/SUMMARY.md.
TEXT
