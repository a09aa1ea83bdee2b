# Every target creates and reuses .venv from the pinned versions in constraints.txt.

PYTHON ?= python3
BIN := .venv/bin
INSTALLED := .venv/installed

.PHONY: report test lint format clean

report: $(INSTALLED) ## compare the splitters on the embedded default, write a report
	$(BIN)/segbench run

test: $(INSTALLED) lint ## every test
	$(BIN)/python -m pytest

lint: $(INSTALLED) ## style, types, import directions
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(INSTALLED)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

$(INSTALLED): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "segbench needs Python 3.11 or newer; name one with: make PYTHON=python3.12 ..." >&2; exit 2; }
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt \
		--editable '.[harness,development]'
	@touch $@

clean: ## remove what the targets made; reports stay
	rm -rf .venv build dist *.egg-info
