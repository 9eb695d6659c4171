#!/usr/bin/env bash
# Every target under coverage for a while, one line each: `fuzz/run.sh [SECONDS]`. Needs cargo-fuzz and a nightly compiler.
# What it grows goes into fuzz/corpus, what breaks a target into fuzz/artifacts; both stay out of the repository.
set -uo pipefail
cd "$(dirname "$0")"

seconds=${1:-90}
failed=0
mkdir -p artifacts
cargo +nightly fuzz build || exit 1

# run NAME TARGET [SAMPLES]: the target's own corpus first, then the samples it may begin with.
run() {
    mkdir -p "corpus/$1"
    cargo +nightly fuzz run "$2" "corpus/$1" ${3:+"$3"} -- -max_total_time="$seconds" -timeout=20 -max_len=4096 \
        -artifact_prefix="artifacts/$1-" >"artifacts/$1.log" 2>&1
    local code=$?
    echo "$1: $(grep -aE 'cov: [0-9]+' "artifacts/$1.log" | tail -n 1 | tr -s ' \t' ' ' | cut -d' ' -f1,3-6)"
    if [ $code -ne 0 ]; then
        echo "$1: FOUND SOMETHING, see fuzz/artifacts/$1.log"
        failed=1
    fi
}

for samples in ../crates/inputs/corpus/*/; do
    name=$(basename "$samples")
    CICA_TARGET=$name run "$name" inputs "$samples"
done
run compress compress
run idcams_text idcams_text
run idcams_jobs idcams_jobs
exit $failed
