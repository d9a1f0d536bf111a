# The doors a person uses. Each makes what it needs: a virtual environment, the build, the tools.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# One build folder for all, also for wheels that are built from the source distribution.
export CARGO_TARGET_DIR ?= $(CURDIR)/target
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help demo test test-rust test-python test-oldest miri lint bench peers clean

help:
	@echo "make demo         build, run a real job on built-in data, save a picture in demo/"
	@echo "make test         all tests, of the Rust core and of the installed wheel"
	@echo "make test-oldest  estimators with the oldest supported libraries"
	@echo "make miri         kernels without vector instructions under Miri (needs nightly Rust)"
	@echo "make lint         formatters, linters, types"
	@echo "make bench        measure growth, and against edist, zss, apted; writes benches/record/"
	@echo "make clean        remove everything that the others made"

# pip 25.1 or newer is needed for --group.
$(BIN)/activate:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed")'
	@cargo --version >/dev/null || { echo "Rust is needed: cargo was not found"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q -U 'pip>=25.1'

$(VENV)/.tools: $(BIN)/activate pyproject.toml
	$(BIN)/python -m pip install -q --group dev
	@touch $@

demo: $(BIN)/activate
	$(BIN)/python -m pip install -q --force-reinstall --no-deps .
	$(BIN)/python -m pip install -q '.[plot,progress]'
	$(BIN)/treemetric demo --output demo --jobs -1

test: test-rust test-python

test-rust:
	cargo test --locked --quiet

# The wheel comes from the source distribution, and the tests see only the installed wheel.
test-python: $(VENV)/.tools
	rm -rf dist
	$(BIN)/maturin sdist --out dist
	$(BIN)/python -m pip wheel -q --no-deps --wheel-dir dist dist/*.tar.gz
	$(BIN)/python -m pip install -q --force-reinstall --no-deps dist/*.whl
	$(BIN)/python -m pip install -q "$$(ls dist/*.whl)[plot,progress]"
	$(BIN)/python -m pytest -q tests
	$(BIN)/python -m pytest -q --doctest-modules --pyargs treemetric
	$(BIN)/python -m pytest -q --doctest-glob='*.md' README.md
	$(BIN)/python -m mypy.stubtest treemetric._core --allowlist tests/stubtest.txt

# The same wheel with the oldest libraries it says it works with, as far as there are binaries of
# them for this Python. What depends on them most: estimators, optimisation, plots, sparse arrays.
OLDEST_TESTS := tests/classification tests/learning tests/estimators tests/testing tests/plotting \
	tests/alignment/test_edit_counts.py
test-oldest: $(VENV)/.tools
	@ls dist/*.whl >/dev/null 2>&1 || $(MAKE) test-python
	$(PYTHON) -m venv $(VENV)-oldest
	$(VENV)-oldest/bin/python -m pip install -q -U 'pip>=25.1'
	$(VENV)-oldest/bin/python -m pip install -q --only-binary :all: --constraint tests/oldest.txt --group test
	$(VENV)-oldest/bin/python -m pip install -q --force-reinstall --no-deps dist/*.whl
	$(VENV)-oldest/bin/python -m pip install -q --constraint tests/oldest.txt "$$(ls dist/*.whl)[plot,progress]"
	$(VENV)-oldest/bin/python -m pytest -q $(OLDEST_TESTS)

# Miri does not know vector instructions: the scalar kernel and the portable twin of the others.
miri:
	MIRIFLAGS=-Zmiri-disable-isolation cargo +nightly miri test --locked --lib distance::

lint: $(VENV)/.tools
	cargo fmt --all -- --check
	cargo clippy --locked --all-targets -- -D warnings
	cargo clippy --locked --all-targets --features python -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --locked --no-deps
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

# The packages that we are measured against; none is needed otherwise.
peers: $(VENV)/.tools
	$(BIN)/python -m pip install -q --group peers

bench: peers
	$(BIN)/python -m pip install -q '.[plot]'
	$(BIN)/python benches/peers.py
	$(BIN)/python benches/growth.py
	$(BIN)/python benches/alignment.py
	$(BIN)/python benches/learning.py

clean:
	rm -rf $(VENV) $(VENV)-oldest target dist demo .pytest_cache .mypy_cache .ruff_cache .hypothesis
