# Two commands are enough: `make demo` shows what Cica does, `make test` shows that it does it.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
export PATH := $(PATH):$(HOME)/.cargo/bin
export CARGO_TERM_PROGRESS_WHEN := never
TARGET := $(or $(CARGO_TARGET_DIR),target)

# How long `make crash` explores: power cuts, failing calls, damaged bytes (see crates/sim).
IMAGES ?= 1000000
RUNS ?= 2000
SEED ?= 1

# How many signals `make signals` sends.
SIGNALS ?= 10000

# How long `make fuzz` stays with each kind of input.
SECONDS ?= 90

.PHONY: help demo test bench fmt lint deny docs crash reliability signals mutants cargo-mutants miri inputs fuzz browser
.PHONY: install dist clean

help:
	@echo "make demo     build, and walk through everything with data of 1979 and of today"
	@echo "make test     all tests: house rules, model, crashes, faults, damage, documentation"
	@echo "make crash    the explorers for as long as you like: IMAGES=$(IMAGES) RUNS=$(RUNS) SEED=$(SEED)"
	@echo "make reliability  the published run: millions of crashes, errors, kills; resumable, writes a card; MINUTES=40 ends it"
	@echo "make signals  ends programs in COBOL and C, and the command, by SIGNALS=$(SIGNALS) signals at any moment (an hour)"
	@echo "make mutants  takes away each sync and each checksum comparison: some test must fail (hours)"
	@echo "make cargo-mutants  any change of the format, the log, recovery and the disk; writes a page (an hour; installs cargo-mutants)"
	@echo "make miri     a writer and a reader on one page, in the language's memory model (a nightly compiler with Miri)"
	@echo "make inputs   bad inputs to all that is read, ten minutes for each kind; writes a page"
	@echo "make fuzz     the same and jobs of control cards by coverage, SECONDS=$(SECONDS) for each kind (cargo-fuzz, a nightly compiler)"
	@echo "make browser  the pages of the monitor and of a study in a real browser, with pictures of them (needs Chromium)"
	@echo "make bench    against LMDB, Berkeley DB, RocksDB, WiredTiger, SQLite, fjall and redb"
	@echo "make docs     the book, into $(TARGET)/book"
	@echo "make fmt lint format the sources; compile with all warnings as errors"
	@echo "make deny     licences, sources and known weaknesses of what is built in (installs cargo-deny)"
	@echo "make dist     a tarball and a Debian package, tried where nothing else is"
	@echo "make install  the command, and what runs COBOL programs, into ~/.cargo/bin"

demo:
	@checks/prepare demo
	@echo "Building (a few minutes the first time) ..."
	@cargo build --release --locked --quiet -p cica-cli -p cica-cobol --bins --lib --examples
	@demo/run.sh "$(TARGET)/release"

test:
	@checks/prepare test
	@checks/all.py

crash:
	@checks/prepare test
	cargo build --release --locked -p cica-sim
	$(TARGET)/release/cica-sim model --seed $(SEED) --runs $(RUNS)
	$(TARGET)/release/cica-sim crash --seed $(SEED) --images $(IMAGES)
	$(TARGET)/release/cica-sim fault --seed $(SEED) --runs $$(( ($(RUNS) + 99) / 100 ))
	$(TARGET)/release/cica-sim damage --seed $(SEED) --runs $$(( ($(RUNS) + 99) / 100 ))

reliability:
	@checks/prepare test
	checks/reliability.py $(if $(MINUTES),--minutes $(MINUTES))

signals:
	@checks/prepare test
	cargo build --locked -p cica-cli -p cica-cobol -p cica-c
	checks/signals.py --signals $(SIGNALS)

mutants:
	@checks/prepare test
	checks/mutants.py

cargo-mutants:
	@checks/prepare test
	command -v cargo-mutants >/dev/null || cargo install --locked cargo-mutants
	checks/cargo_mutants.py

# Miri knows no system calls but those of the C library.
miri:
	RUSTFLAGS="--cfg rustix_use_libc" MIRIFLAGS=-Zmiri-disable-isolation cargo +nightly miri test --locked \
	  --target-dir $(TARGET)/miri -p cica-engine --lib -- cells who_reads_beside a_page_is_what heads_are

inputs:
	@checks/prepare test
	checks/bad_inputs.py

fuzz:
	@command -v cargo-fuzz >/dev/null || cargo install --locked cargo-fuzz
	fuzz/run.sh $(SECONDS)

browser:
	@checks/prepare test
	cargo build --locked -p cica-cli
	checks/browser.py --bin $(TARGET)/debug

bench:
	@checks/prepare bench
	bench/run.sh

fmt:
	cargo fmt --all

lint:
	@checks/tidy.py
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings

deny:
	@command -v cargo-deny >/dev/null || cargo install --locked cargo-deny
	cargo deny --all-features check

docs:
	@checks/prepare docs
	mdbook build docs --dest-dir "$(abspath $(TARGET))/book"

install:
	@checks/prepare test
	cargo install --locked --path crates/cli
	cargo build --release --locked -p cica-cobol
	install -m 755 $(TARGET)/release/libcica_cobol.so $(HOME)/.cargo/bin/

dist:
	@checks/prepare test
	cargo build --release --locked -p cica-cli -p cica-cobol -p cica-isam
	cargo rustc --release --locked -p cica-c --lib --crate-type staticlib
	checks/packages.py --bin $(TARGET)/release --out $(TARGET)/packages
	@ls -l $(TARGET)/packages

clean:
	rm -rf target demo-out
