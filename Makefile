# `make demo` and `make test` need nothing set up beforehand: Python 3.11 and a Debian-like system are enough.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Names that tests and servers of the user's own session would otherwise leak into ours.
CLEAN := env -u PYTHONDONTWRITEBYTECODE -u PYTHONPATH

.PHONY: help demo test check bench torture format clean hooks

help:  ## what there is
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*##/\t/' | expand -t 12

$(VENV)/base: pyproject.toml src/quire/__init__.py scripts/setup
	@scripts/setup base "$(PYTHON)" "$(VENV)"

$(VENV)/dev: pyproject.toml constraints.txt src/quire/__init__.py scripts/setup scripts/weights packages/quire-e5-small/src/quire_e5_small/__init__.py
	@scripts/setup dev "$(PYTHON)" "$(VENV)"

demo: $(VENV)/base  ## the main job, offline, without a key or a server
	@$(CLEAN) PATH="$(CURDIR)/$(BIN):$$PATH" sh scripts/demo.sh

test: check  ## everything that must hold, on the real servers
	$(CLEAN) $(BIN)/pytest -n 2 --dist loadgroup

check: $(VENV)/dev  ## lint, format, types, arrows, drift of the docs
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(CLEAN) $(BIN)/pytest -q tests/test_docs.py -k "not runs"

torture: $(VENV)/dev  ## the long campaigns in full: kills, faults, races, hostile keys
	$(CLEAN) QUIRE_TORTURE=full $(BIN)/pytest -n 2 --dist loadgroup -rP -m torture

bench: $(VENV)/dev  ## what it costs, as ratios
	$(CLEAN) $(BIN)/python bench/seam.py
	$(CLEAN) $(BIN)/python bench/embedding.py
	$(CLEAN) $(BIN)/python bench/engine.py
	$(CLEAN) $(BIN)/python bench/markdown.py
	$(CLEAN) $(BIN)/python bench/index.py

format: $(VENV)/dev  ## put the code in order
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

hooks: $(VENV)/dev  ## install the pre-commit and commit-msg hooks
	$(BIN)/pre-commit install --hook-type pre-commit --hook-type commit-msg

clean:  ## throw away what can be made again
	rm -rf $(VENV) .mypy_cache .ruff_cache .hypothesis dist build
