# Every target creates and reuses .venv from the pinned versions in constraints.txt.

PYTHON ?= python3
BIN := .venv/bin
INSTALLED := .venv/installed
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
COMPILED := $(wildcard segmenter/*.so segmenter/*.pyd)

.PHONY: report bench compile test browser integrations fuzz mutants locks dist lint format clean

report: $(INSTALLED) $(COMPILED) ## compare the splitters on the embedded default, write a report
	$(BIN)/segbench run

bench: $(INSTALLED) $(COMPILED) ## how fast it is, and how time and memory grow; MIRROR=DIR for the six corpora
	$(BIN)/segbench bench $(if $(MIRROR),--mirror '$(MIRROR)')

compile: $(INSTALLED) ## compile the segmenter in place; `make clean` takes it away
	rm -f segmenter/*.so segmenter/*.pyd
	SEGBENCH_COMPILE=1 $(BIN)/python -m pip install --quiet --disable-pip-version-check \
		--no-build-isolation --no-deps --editable .
	@$(BIN)/python -c 'from harness.measure.forms import describe_form; print("segmenter:", describe_form())'

test: $(INSTALLED) $(COMPILED) lint browser ## every test
	$(BIN)/python -m pytest

browser: ## for the tests of the page: install it where that needs no question
	@sh tests/install-browser.sh

# The heavy libraries, each in an environment of its own; what `make locks` wrote, if it has a lock.
INTEGRATIONS := llama_index haystack memmachine spark
LOCKS := harness/splitters/locks
NEEDS_llama_index := --requirements $(LOCKS)/llama-index-core-0.14.25.txt
NEEDS_haystack := --requirements $(LOCKS)/haystack-ai-3.4.1.txt
NEEDS_memmachine := --requirements $(LOCKS)/memmachine-server-0.4.0.txt llama-index-core==0.14.25
NEEDS_spark := pyspark==4.3.0
# MemMachine needs a newer one than the others.
FIND_PYTHON := from packaging.specifiers import SpecifierSet; \
	from harness.splitters.venvs import find_interpreter; \
	print(find_interpreter(SpecifierSet(">=3.12")).path)
PYTHON_memmachine = "$$($(BIN)/python -c '$(FIND_PYTHON)')"
integrations: $(INTEGRATIONS:%=integration-%) ## the tests of each of INTEGRATIONS, with its library

integration-%: $(INSTALLED)
	@$(BIN)/uv venv --quiet --allow-existing --python $(or $(PYTHON_$*),$(BIN)/python) build/integrations/$*
	@$(BIN)/uv pip install --quiet --python build/integrations/$* \
		$$(grep -E '^(hypothesis|pytest)==' constraints.txt) $(NEEDS_$*)
	build/integrations/$*/bin/python -m pytest -o addopts=--import-mode=importlib -ra \
		tests/segmenter/integrations/test_$*.py

FUZZ_SECONDS := 60
FUZZ := random mutations coverage
fuzz: $(INSTALLED) ## the segmenter against the oracle, FUZZ_SECONDS=60 of each of FUZZ='random mutations coverage'
	-$(INSTALL) --editable '.[fuzz]'
	@for kind in $(FUZZ); do \
		$(BIN)/python -m tests.segmenter.fuzz $$kind --seconds $(FUZZ_SECONDS) \
			|| { status=$$?; test $$status = 3 || exit $$status; }; \
	done

# In a copy: mutmut writes beside what it mutates, and a compiled form must not hide the source.
MUTANTS := build/mutation
mutants: $(INSTALLED) ## which changes of the segmenter and the rules no test notices; half an hour or more
	$(INSTALL) --editable '.[mutants]'
	rm -rf $(MUTANTS) && mkdir -p $(MUTANTS)
	cp -R segmenter corpora harness tests pyproject.toml README.md $(MUTANTS)
	rm -f $(MUTANTS)/segmenter/*.so $(MUTANTS)/segmenter/*.pyd
	cd $(MUTANTS) && ../../$(BIN)/mutmut run && ../../$(BIN)/mutmut results

locks: $(INSTALLED) ## pin again, to what is newest today, all that is installed for other splitters
	$(BIN)/python -m tests.harness.splitters.make_locks

dist: $(INSTALLED) ## what would be published, in dist: built in isolation, and checked
	$(INSTALL) --editable '.[distribution]'
	rm -rf dist build
	$(BIN)/python -m build
	$(BIN)/twine check --strict dist/*
	$(BIN)/check-wheel-contents dist

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
	$(INSTALL) --editable '.[harness,retrieval,development]'
	@touch $@

# What was compiled from an older source is never run.
$(COMPILED): segmenter/text_segmenter.py setup.py | $(INSTALLED)
	$(MAKE) compile

clean: ## remove what the targets made; reports stay
	rm -rf .venv build dist *.egg-info segmenter/*.so segmenter/*.pyd
