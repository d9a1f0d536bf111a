# The commands for people. Each target creates what it needs: a virtual environment, the build, tools.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# One build folder for everything, including wheels built from the source distribution.
export CARGO_TARGET_DIR ?= $(CURDIR)/target
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help demo docs docs-pages test test-rust test-python test-oldest test-arm miri asan tsan fuzz lint bench peers \
	clean check-release wheels msrv coverage

help:
	@echo "make demo         build, run an example on built-in data, save plots in demo/"
	@echo "make test         run all tests of the Rust core and of the installed wheel"
	@echo "make docs         build the site with all examples run; writes docs/_build/html/index.html"
	@echo "make test-oldest  test the estimators with the oldest supported libraries"
	@echo "make test-arm     test the Rust core for ARM64 under emulation (Linux; needs qemu-user and a compiler)"
	@echo "make miri         test costs, readers and portable vectors under Miri (needs nightly Rust)"
	@echo "make asan         test the Rust core under AddressSanitizer (needs nightly Rust)"
	@echo "make tsan         test what runs in threads under ThreadSanitizer (needs nightly Rust and rust-src)"
	@echo "make fuzz         look for inputs that fail, FUZZ_SECONDS=60 per target (needs nightly Rust and cargo-fuzz)"
	@echo "make lint         check formatting, lints and types"
	@echo "make peers        install the packages that benchmarks and tests compare with"
	@echo "make bench        measure growth, compare with edist, zss, apted; writes benches/record/"
	@echo "make wheels       build and audit the wheels for Linux on x86-64 and ARM; writes dist/wheels/"
	@echo "make msrv         check the build with the oldest supported Rust (needs rustup)"
	@echo "make coverage     measure which lines the tests run (needs cargo-llvm-cov); writes coverage/"
	@echo "make check-release [TAG=vX.Y.Z]  check that tag, CHANGELOG and version agree"
	@echo "make clean        remove everything that the other targets created"

# The option --group needs pip 25.1 or newer.
$(BIN)/activate:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is required")'
	@cargo --version >/dev/null || { echo "Rust is required: cargo was not found"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q -U 'pip>=25.1'

$(VENV)/.tools: $(BIN)/activate pyproject.toml
	$(BIN)/python -m pip install -q --group dev
	@touch $@

# Two processes; the tests of a file stay together.
PYTEST := python -m pytest -q -n 2 --dist loadfile

demo: $(BIN)/activate
	$(BIN)/python -m pip install -q --force-reinstall --no-deps .
	$(BIN)/python -m pip install -q '.[plot,progress]'
	$(BIN)/treemetric demo --output demo --jobs -1

$(VENV)/.docs: $(BIN)/activate pyproject.toml
	$(BIN)/python -m pip install -q --group docs
	@touch $@

docs: $(VENV)/.docs
	$(BIN)/python -m pip install -q .
	$(MAKE) docs-pages

# The site for the package as it is installed. A warning is an error. No page is kept from an earlier build.
docs-pages: $(VENV)/.docs
	rm -rf docs/_build docs/_generated
	$(BIN)/sphinx-build -W --keep-going -q -j 2 -b html docs docs/_build/html
	$(BIN)/python .ci/check_site.py docs/_build/html

test: test-rust test-python

test-rust:
	cargo test --locked --quiet

# The wheel is built from the source distribution, and the tests use only the installed wheel.
test-python: $(VENV)/.tools
	rm -rf dist
	$(BIN)/maturin sdist --out dist
	$(BIN)/python -m pip wheel -q --no-deps --wheel-dir dist dist/*.tar.gz
	$(BIN)/python -m pip install -q --force-reinstall --no-deps dist/*.whl
	$(BIN)/python -m pip install -q "$$(ls dist/*.whl)[plot,progress]"
	$(BIN)/$(PYTEST) tests
	$(BIN)/python -m pytest -q --doctest-modules --pyargs treemetric
	$(BIN)/python -m pytest -q --doctest-glob='*.md' README.md
	$(BIN)/python -m mypy.stubtest treemetric._core --allowlist tests/stubtest.txt

# The same wheel with the oldest supported libraries that have binaries for this Python. The tests are
# those that depend on the libraries most: estimators, optimisation, plots, sparse arrays.
OLDEST_TESTS := tests/classification tests/learning tests/estimators tests/testing tests/plotting \
	tests/alignment/test_edit_counts.py
test-oldest: $(VENV)/.tools
	@ls dist/*.whl >/dev/null 2>&1 || $(MAKE) test-python
	$(PYTHON) -m venv $(VENV)-oldest
	$(VENV)-oldest/bin/python -m pip install -q -U 'pip>=25.1'
	$(VENV)-oldest/bin/python -m pip install -q --only-binary :all: --constraint tests/oldest.txt --group test
	$(VENV)-oldest/bin/python -m pip install -q --force-reinstall --no-deps dist/*.whl
	$(VENV)-oldest/bin/python -m pip install -q --constraint tests/oldest.txt "$$(ls dist/*.whl)[plot,progress]"
	$(VENV)-oldest/bin/$(PYTEST) $(OLDEST_TESTS)

# Emulated tests take long: few cases of each property, and smaller trees. ARM_TESTS selects tests by name.
ARM_TARGET := aarch64-unknown-linux-gnu
ARM_TESTS ?=
test-arm:
	@missing=""; for tool in qemu-aarch64 aarch64-linux-gnu-gcc rustup; do \
		command -v $$tool >/dev/null || missing="$$missing $$tool"; done; \
	if [ -n "$$missing" ]; then echo "missing:$$missing"; \
		echo "Debian and Ubuntu: apt-get install qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross"; \
		echo "rustup: https://rustup.rs"; exit 1; fi
	rustup target add $(ARM_TARGET)
	cargo clippy --locked --all-targets --target $(ARM_TARGET) -- -D warnings
	CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc \
	CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="qemu-aarch64 -L /usr/aarch64-linux-gnu" \
	TREEMETRIC_SLOW_TESTS=1 PROPTEST_CASES=$${PROPTEST_CASES:-8} \
	cargo test --locked --lib --target $(ARM_TARGET) -- $(ARM_TESTS)

# Miri does not support vector instructions: test what has none, and their portable twins. NIGHTLY is a toolchain
# with the components miri and rust-src; MIRI_TESTS selects tests by name. Threads are left out:
# crossbeam-epoch, which rayon uses, breaks the rules that Miri checks by default.
NIGHTLY ?= nightly
MIRI_TESTS ?= simd::tests cost:: tree::adjacency tree::bracket tree::copies tree::ids tree::intern
miri:
	MIRIFLAGS=-Zmiri-disable-isolation PROPTEST_CASES=$${PROPTEST_CASES:-2} \
	cargo +$(NIGHTLY) miri test --locked --lib -- $(MIRI_TESTS)

# Sanitizers; build folders of their own, since everything is compiled with other flags.
HOST := $(shell rustc -vV 2>/dev/null | sed -n 's/^host: //p')
SANITIZED := TREEMETRIC_SLOW_TESTS=1 PROPTEST_CASES=$${PROPTEST_CASES:-16}
asan:
	RUSTFLAGS=-Zsanitizer=address ASAN_OPTIONS=detect_leaks=1 $(SANITIZED) \
	cargo +$(NIGHTLY) test --locked --lib --target $(HOST) --target-dir $(CARGO_TARGET_DIR)/asan -- $(ASAN_TESTS)

# The standard library is compiled too: races between its threads and ours would be missed otherwise.
TSAN_TESTS ?= parallel:: team:: pairwise:: join:: unordered::
tsan:
	RUSTFLAGS=-Zsanitizer=thread $(SANITIZED) \
	cargo +$(NIGHTLY) test --locked --lib -Zbuild-std --target $(HOST) \
		--target-dir $(CARGO_TARGET_DIR)/tsan -- $(TSAN_TESTS)

# Each target for FUZZ_SECONDS, one after the other, then mutated files. Inputs that fail are in fuzz/artifacts/;
# they belong into tests/fuzz/seeds/, which cargo test replays.
FUZZ_SECONDS ?= 60
FUZZ_TARGETS ?= bracket jsonl adjacency kernels
FUZZ_FILES ?= 1000
fuzz: $(VENV)/.tools
	@cargo fuzz --version >/dev/null || { echo "missing: cargo install cargo-fuzz"; exit 1; }
	for target in $(FUZZ_TARGETS); do \
		mkdir -p fuzz/corpus/$$target; \
		CARGO_TARGET_DIR=$(CURDIR)/fuzz/target cargo +$(NIGHTLY) fuzz run $$target \
			fuzz/corpus/$$target tests/fuzz/seeds/$$target -- -max_total_time=$(FUZZ_SECONDS) \
			-timeout=300 -rss_limit_mb=2048 -max_len=512 || exit 1; \
	done
	$(BIN)/python tests/fuzz/files.py $(FUZZ_FILES)

lint: $(VENV)/.tools
	cargo fmt --all -- --check
	cargo clippy --locked --all-targets -- -D warnings
	cargo clippy --locked --all-targets --features python -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --locked --no-deps
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

# Packages for comparison; treemetric does not need them.
peers: $(VENV)/.tools
	$(BIN)/python -m pip install -q --group peers

bench: peers
	$(BIN)/python -m pip install -q '.[plot]'
	$(BIN)/python benches/peers.py
	$(BIN)/python benches/growth.py
	$(BIN)/python benches/alignment.py
	$(BIN)/python benches/learning.py

# zig is the linker for other systems; the Rust targets are installed where rustup can be used.
wheels: $(VENV)/.tools
	$(BIN)/python -m pip install -q --group wheels
	-rustup target add x86_64-unknown-linux-musl aarch64-unknown-linux-gnu aarch64-unknown-linux-musl
	PYTHON=$(CURDIR)/$(BIN)/python .ci/wheels dist/wheels

MSRV := $(shell sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
msrv:
	rustup toolchain install $(MSRV) --profile minimal
	cargo +$(MSRV) check --locked --features python

coverage: $(VENV)/.tools
	mkdir -p coverage
	cargo llvm-cov --locked --lcov --output-path coverage/rust.lcov
	$(BIN)/python -m pip install -q 'coverage[toml]>=7' .
	$(BIN)/python -m coverage run --source treemetric --data-file coverage/python -m pytest -q tests
	$(BIN)/python -m coverage lcov --data-file coverage/python -o coverage/python.lcov
	$(BIN)/python -m coverage report --data-file coverage/python --skip-covered

check-release:
	$(PYTHON) .ci/check_release.py $(TAG)

clean:
	rm -rf $(VENV) $(VENV)-oldest target fuzz/target fuzz/corpus dist coverage demo docs/_build docs/_generated .pytest_cache .mypy_cache .ruff_cache .hypothesis
