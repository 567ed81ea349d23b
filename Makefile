SHELL := /bin/bash
.DEFAULT_GOAL := help
VENV := .venv
BIN := $(VENV)/bin
DBT := $(BIN)/dbt
export DBT_PROFILES_DIR := profiles
export PYTHONDONTWRITEBYTECODE := 1
PYTHON ?= python3

.PHONY: help setup run check quick-tests test all-tests whole durations converge comet bench bench-full bench-landing bench-loop bench-scale stack-install browser-install stack-up stack-down demo-live cluster-up cluster-down test-cluster test-airflow lint docs clean

help: ## Show this help
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 16

setup: $(VENV)/.ready ## Install what the project needs into ./.venv

$(VENV)/.ready: requirements.lock pyproject.toml src/lakemirror/jars.py
	@command -v $(PYTHON) >/dev/null || { echo "Python 3.11 to 3.13 is needed, and there is no $(PYTHON) on the PATH."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' || { echo "Python 3.11 to 3.13 is needed; set PYTHON to one."; exit 1; }
	@java -version >/dev/null 2>&1 || { echo "Java 17 is needed, and there is no java on the PATH."; exit 1; }
	@echo "Setting up ./.venv: the Python packages (about a minute) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements-uv.lock
	@$(BIN)/uv pip install --quiet --compile-bytecode --python $(VENV) --require-hashes -r requirements.lock
	@$(BIN)/uv pip install --quiet --python $(VENV) --no-deps --editable .
	@echo "Setting up ./.venv: Iceberg's jars from Maven Central, and Java's archive of Spark's classes ..."
	@$(BIN)/python -m lakemirror.jars
	@touch $@

run: setup ## Land the recordings, build all models, and show what happened
	@$(DBT) build
	@$(BIN)/lakemirror status

check: setup ## Lint, parse, and run the tests that need no Spark (a minute)
	@$(MAKE) --no-print-directory --jobs 2 lint quick-tests
	@$(BIN)/python lint/figures.py

quick-tests: setup
	@$(BIN)/python -m pytest tests/test_conventions.py tests/macros tests/unit

test: setup ## Prove it: lint, and a test of each kind (in two processes, half an hour)
	@$(MAKE) --no-print-directory --jobs 2 lint all-tests

all-tests: setup
	@$(BIN)/python -m pytest --numprocesses 2 --dist loadgroup --no-loadscope-reorder --durations 40

whole: setup ## Every test, also those that take long (three quarters of an hour)
	@LAKEMIRROR_DEPTH=whole $(BIN)/python -m pytest --numprocesses 2 --dist loadgroup --no-loadscope-reorder --durations 40

durations: setup ## Run every test, and write down what each took, in tests/durations.json
	@LAKEMIRROR_DEPTH=whole $(BIN)/python -m pytest --numprocesses 2 --dist loadgroup --no-loadscope-reorder --record-durations

converge: setup ## Every test in each variant, with a million random histories (hours)
	@LAKEMIRROR_HISTORIES=31250 LAKEMIRROR_DEPTH=deep $(BIN)/python -m pytest --numprocesses 2 \
		--dist loadgroup --no-loadscope-reorder

comet: setup ## The suites of order, types, recordings and days, with Comet (half an hour)
	@LAKEMIRROR_ACCELERATE=comet $(BIN)/python -m pytest --numprocesses 2 --dist loadgroup --no-loadscope-reorder \
		tests/functional/mirror tests/functional/source tests/functional/daily tests/functional/log

bench: setup ## Merge a small batch beside what others do (5 minutes)
	@$(BIN)/python -m bench

bench-full: setup ## Measure every case, for bench/results/ (an hour; keep the machine quiet)
	@$(BIN)/python -m bench full --trend

bench-scale: setup ## A mirror with one core, two, and a small cluster, for bench/results/scale.md (half an hour)
	@$(BIN)/python -m bench.scale full

bench-landing: setup ## Land 2 million records and 200 topics, for bench/results/landing.md (10 minutes)
	@$(BIN)/python -m bench.landing full

bench-loop: setup ## Keep ten mirrors of the live databases fresh, for bench/results/loop.md (15 minutes, after stack-up)
	@$(BIN)/python -m bench.loop full

stack-install: setup ## Fetch MariaDB, PostgreSQL, Kafka, Debezium, S3 and a REST catalog
	@$(BIN)/python -m stack install

browser-install: ## Fetch Chromium from Debian, for the tests of the page
	@command -v chromium >/dev/null || { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null; }

stack-up: setup ## Start them, with two databases whose changes go to Kafka
	@$(BIN)/python -m stack up

stack-down: setup ## Stop them; what they hold stays in ./.cache/stack
	@$(BIN)/python -m stack down

demo-live: setup ## Change both databases for a minute, and show when the mirrors have it
	@$(BIN)/python -m stack demo

cluster-up: setup ## Start a small cluster: Spark, PostgreSQL, S3 and a REST catalog
	@$(BIN)/python -m stack cluster-up

cluster-down: setup ## Stop it, and remove what it holds
	@$(BIN)/python -m stack cluster-down

test-cluster: setup ## The demo and recordings on that cluster, and what goes wrong there (half an hour)
	@LAKEMIRROR_TEST_CLUSTER=1 $(BIN)/python -m pytest tests/functional/live/test_catalog.py

test-airflow: setup ## The example's DAGs, by Airflow in an environment of its own (10 minutes)
	@$(BIN)/uv venv --quiet --allow-existing --python $(BIN)/python .cache/airflow
	@$(BIN)/uv pip install --quiet --python .cache/airflow/bin/python --requirement examples/airflow/requirements.txt
	@LAKEMIRROR_AIRFLOW=$(CURDIR)/.cache/airflow/bin $(BIN)/python -m pytest tests/functional/live/test_airflow.py

lint: setup ## Check the style of SQL and Python
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/sqlfluff lint --processes 1 models

docs: setup ## Build the docs site into target/ and serve it on port 8080
	@$(DBT) docs generate
	@$(DBT) docs serve --port 8080

clean: ## Remove what was built; the lake stays
	@rm -rf target logs .pytest_cache .ruff_cache .mypy_cache
