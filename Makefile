# The seven commands: make demo, make test, make lint, make docs, make dist, make bench, make clean.
# Each sets up what it needs in .venv; nothing has to be activated.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check

KERNELS := CMakeLists.txt $(wildcard src/slkmodes/kernels/*)

.PHONY: demo test lint docs dist bench clean

demo: $(VENV)/.installed
	$(BIN)/python -m slkmodes.demo --output demo-output

test: $(VENV)/.installed-dev
	$(BIN)/python -m pytest

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: $(VENV)/.installed-docs
	$(BIN)/sphinx-build -W --keep-going -b html docs docs/_build

dist: $(VENV)/.installed-dev
	rm -rf dist
	$(BIN)/python -m build
	$(BIN)/python .ci/check_dist.py dist

# Needs SLKMODES_DATA, and an hour.
bench: $(VENV)/.installed-bench
	$(BIN)/python -m benchmarks.speed
	$(BIN)/python -m benchmarks.scaling

clean:
	rm -rf $(VENV) build dist demo-output docs/_build docs/_gallery docs/_generated .hypothesis .mypy_cache .pytest_cache .ruff_cache

$(VENV)/.pip:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "slkmodes needs Python 3.11 or newer: make $(MAKECMDGOALS) PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --quiet --upgrade "pip>=25.1"
	touch $@

# Editable: Python changes are live, and changed kernels are built again.
$(VENV)/.installed: $(VENV)/.pip pyproject.toml $(KERNELS)
	@echo 'Installing what slkmodes needs and compiling its kernels: a minute or two, without a word.'
	$(PIP) install --quiet --editable ".[plots,report,tables]"
	touch $@

# BERTopic with what its test needs; asked for in the usual way it brings torch, gigabytes. Where it cannot be had, what
# needs it is skipped.
$(VENV)/.installed-dev: $(VENV)/.installed
	$(PIP) install --quiet --group dev
	-$(PIP) install --quiet --no-deps "bertopic>=0.17" hdbscan tqdm pyyaml
	touch $@

$(VENV)/.installed-docs: $(VENV)/.installed
	$(PIP) install --quiet --group docs
	touch $@

$(VENV)/.installed-bench: $(VENV)/.installed
	$(PIP) install --quiet --group bench
	touch $@
