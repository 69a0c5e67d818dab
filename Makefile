# Two targets are enough to begin: `make demo` and `make test`. Both set up .venv by themselves.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
AS_ROOT := $(if $(filter 0,$(shell id -u)),,sudo)

.PHONY: demo test test-all tools lint fmt bench growth bytecode catalogue conformance incidents fixes sizing-vectors backtest live servers \
  index docs mutation clean

demo: bytecode
	@$(BIN)/python examples/demo.py

test: bytecode lint
	$(BIN)/lint-imports
	$(BIN)/pytest -n auto -m "not flink and not tools and not live"

# What needs more than Python, Java, git and the package index; installs it and fails if it cannot. Of the long proofs
# it runs a sample; SEED=2 chooses other tests.
test-all: bytecode tools
	$(BIN)/pytest -m "flink or tools"
	$(BIN)/pytest -m live --sample 6 --sample-seed $(or $(SEED),1) --durations=3
	$(MAKE) bench

# Debian packages whose program has the package's name; those that are there are left alone.
debian = @wanted=""; for program in $(1); do command -v $$program > /dev/null || wanted="$$wanted $$program"; done; \
  test -z "$$wanted" || { $(AS_ROOT) apt-get -q update && \
  $(AS_ROOT) env DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends $$wanted; }

# The browser that pages are looked at in, GitHub's published description of its API with what checks requests against
# it, the language server that editors check YAML with, and what Spark Connect and the benchmarks want besides.
tools: $(STAMP) servers
	$(call debian,chromium npm)
	mkdir -p $(VENV)/node && cp tests/pull_request/package.json $(VENV)/node/
	npm install --prefix $(VENV)/node --no-audit --no-fund --loglevel=error
	mkdir -p $(VENV)/node-editor && cp tests/lsp/package.json $(VENV)/node-editor/
	npm install --prefix $(VENV)/node-editor --no-audit --no-fund --loglevel=error
	$(BIN)/python -m pip install --quiet --disable-pip-version-check atheris "playwright>=1.45" "duckdb>=1.0" "pyspark[connect]" \
	  "mkdocs-material>=9.5"

# What metrics are fetched from in the tests.
servers:
	$(call debian,openssl prometheus victoria-metrics)

# Jobs on a real Flink: what flint recommends survives where the naive settings fail. All of them (16 minutes).
live: bytecode servers
	$(BIN)/pytest -m live --durations=5

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

fmt: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: bytecode
	$(BIN)/python -m tests.benchmarks

# What doubling the input costs in calls, for every shape of every format, and what 10 MiB of it cost (an hour);
# SHAPES="sql" for those whose names hold a word. `bench` measures a sample, also in time.
growth: bytecode
	$(BIN)/python -m tests.benchmarks.growth $(SHAPES)
	$(BIN)/python -m tests.benchmarks.growth --largest $(SHAPES)

# Compiled here, so that a run need not compile for itself where Python is told to write no bytecode.
bytecode: $(STAMP)
	@$(BIN)/python -m compileall -q linter rules calculators

# Breaks each condition of the rules and prints what no case notices. RULES="FLK606 checkpoints" for some alone, EVERY=10
# for a tenth of the conditions.
mutation: bytecode
	@$(BIN)/python -m tests.mutation --every $(or $(EVERY),1) $(RULES)

# The option catalogue, reflected anew from the releases on the package index (downloads several GB).
catalogue: $(STAMP)
	$(BIN)/python -m flink_flint.linter.flink.generate

# All measured vectors of a folder laid out like FACTS/parse, FACTS/memory, FACTS/options.
conformance: $(STAMP)
	@test -n "$(FACTS)" || { echo "usage: make conformance FACTS=DIRECTORY" >&2; exit 2; }
	@$(BIN)/python tests/conformance.py $(FACTS)

# Real incidents with the configuration as it stood, in FACTS/corpus/incidents.jsonl: which of them flint names.
incidents: $(STAMP)
	@test -n "$(FACTS)" || { echo "usage: make incidents FACTS=DIRECTORY" >&2; exit 2; }
	@$(BIN)/python -m tests.incidents $(FACTS)

# What fixes do to the rules' cases, and to the files below FACTS/corpus and FACTS/repositories: a table. Where there is
# a JDK, real releases of Flink load what changed (downloads a few GB, of which 3 stay in the cache).
fixes: $(STAMP)
	@test -n "$(FACTS)" || { echo "usage: make fixes FACTS=DIRECTORY" >&2; exit 2; }
	@$(BIN)/python -m tests.proof_of_fixes $(FACTS)

# Sizing questions with known answers, one JSON object a line; prints what differs, and passed/total last.
sizing-vectors: $(STAMP)
	@test -n "$(VECTORS)" || { echo "usage: make sizing-vectors VECTORS=FILE" >&2; exit 2; }
	@$(BIN)/python -m tests.calculators.sizing_vectors $(VECTORS)

# How good recommendations would have been, on a folder of CSV traces with timestamp and value.
backtest: $(STAMP)
	@test -n "$(TRACES)" || { echo "usage: make backtest TRACES=DIRECTORY" >&2; exit 2; }
	@$(BIN)/flint backtest --traces $(TRACES)

index: $(STAMP)
	$(BIN)/python -c "from flink_flint.linter.engine.registry import write_index; write_index()"

# The pages that come from the code, the pictures of the form, and the site in site/.
docs: $(STAMP)
	$(BIN)/python -m docs.generate
	$(BIN)/python -m docs.pictures
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[docs]"
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[dev]"
	@touch $@

clean:
	rm -rf $(VENV) build dist site .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
