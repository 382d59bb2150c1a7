# Everything runs in a virtual environment of its own. Needed beforehand: Python 3.11+, git, make.
#
#   make demo    train an agent for about two minutes, play a league, leave a replay
#   make test    run the tests
#   make help    list the rest

PYTHON ?= python3
VENV ?= .venv
TORCH ?= torch==2.13.0
WORKERS ?= 2
# Notebooks take longest of what goes by itself: not last, when the other worker has nothing left.
TESTS ?= notebooks tests
PYTEST_ARGS ?=
MINUTES ?= 2
INTEGRATIONS ?= sb3 torchrl rllib tianshou openspiel jax
DEMO ?= runs/demo

BIN := $(VENV)/bin
INSTALLED := $(VENV)/.stamp-dev
BENCHED := $(VENV)/.stamp-bench

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help install demo test lint types format docs pages bench integrations release-check clean distclean

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18

# A stamp is made last: an installation that was interrupted is done again.
$(VENV)/.stamp-venv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	    { echo "Python 3.11 or newer is needed; name one: make PYTHON=python3.12 ..."; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

# The version of PyTorch is named, so that pip can be pointed at a CPU build (CONTRIBUTING.md).
$(INSTALLED): pyproject.toml $(VENV)/.stamp-venv
	$(BIN)/python -m pip install "$(TORCH)" -e ".[dev]"
	@touch $@

$(BENCHED): $(INSTALLED)
	$(BIN)/python -m pip install -e ".[bench]"
	@touch $@

install: $(INSTALLED)  ## create the virtual environment and install everything but the peers

demo: $(INSTALLED)  ## train for two minutes, play a league, leave a replay (runs/demo)
	rm -rf $(DEMO)
	$(BIN)/ludotheque train --game sarena --minutes $(MINUTES) --seed 0 --out $(DEMO)
	$(BIN)/ludotheque league --game sarena --agents random,greedy,mcts,td:$(DEMO)/best.zip \
	    --games 100 --seed 0 --out $(DEMO)/league
	$(BIN)/ludotheque watch --game sarena --agents td:$(DEMO)/best.zip,mcts --seed 0 \
	    --save $(DEMO)/replay.gif --save $(DEMO)/replay.jsonl
	@echo
	@echo "The last game: $(DEMO)/replay.gif"
	@echo "Step through it: $(BIN)/ludotheque watch --replay $(DEMO)/replay.jsonl"
	@echo "Play against the agent: $(BIN)/ludotheque play --opponents td:$(DEMO)/best.zip"

# Notebooks that train for minutes do so for seconds here.
test: export NOTEBOOK_MINUTES ?= 0.1
test: export NOTEBOOK_STEPS ?= 8000
test: $(INSTALLED)  ## run the tests
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup --nbmake $(PYTEST_ARGS) $(TESTS)

lint: types  ## check style, formatting and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

# mypy has to see the folders under the names that they are installed by.
types: $(INSTALLED)  ## check types
	@mkdir -p build/types
	@ln -sfn ../.. build/types/ludotheque
	$(BIN)/python -m mypy

format: $(INSTALLED)  ## put style and formatting right
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Everything is on this machine: no network. Warnings are errors, links between pages among them.
docs: $(INSTALLED)  ## build the documentation's site (build/site/index.html)
	$(BIN)/python -m sphinx -W --keep-going -q -c docs -d build/site-trees . build/site

pages: $(INSTALLED)  ## write again the recorded games and the tables of the pages
	$(BIN)/python -m ludotheque.testing.playthrough
	$(BIN)/python -m ludotheque.testing.playthrough --told
	$(BIN)/python -m ludotheque.testing.docs --write

bench: $(BENCHED)  ## measure against the peers (installs them)
	$(BIN)/ludotheque bench throughput
	$(BIN)/ludotheque bench search
	$(BIN)/ludotheque bench learning
	$(BIN)/ludotheque bench training

# They want versions that exclude each other: each has an environment of its own.
build/integrations/%/.stamp: tests/integrations/%.txt pyproject.toml $(VENV)/.stamp-venv
	$(PYTHON) -m venv build/integrations/$*
	build/integrations/$*/bin/python -m pip install "$(TORCH)" -r $< -e ".[train]"
	@touch $@

integrations: $(INTEGRATIONS:%=build/integrations/%/.stamp)  ## train with each library, for minutes (INTEGRATIONS=torchrl for one)
	for name in $(INTEGRATIONS); do \
	    for script in tests/integrations/with_$$name*.py; do \
	        build/integrations/$$name/bin/python $$script || exit 1; \
	    done; \
	done

# Whatever the wheel lacks shows here: a folder and an environment that know nothing of the tree.
release-check: $(INSTALLED)  ## build the wheel, install it alone, play every game from it
	rm -rf build/release
	$(BIN)/python -m build --outdir build/release/dist
	$(PYTHON) -m venv build/release/venv
	cd build/release && venv/bin/python -m pip install "$$(ls dist/*.whl)[cli]"
	cd build/release && venv/bin/ludotheque games
	cd build/release && for game in sarena sagani harmonies saga shamans; do \
	    venv/bin/ludotheque watch --game $$game --seed 0 --save $$game.jsonl --save $$game.svg || exit 1; \
	done

clean:  ## remove what tests and builds leave
	rm -rf build dist *.egg-info .pytest_cache .ruff_cache .hypothesis .coverage .coverage.* htmlcov
	find . -path ./$(VENV) -prune -o -name __pycache__ -type d -exec rm -rf {} +

distclean: clean  ## and the virtual environment; trained agents in runs/ stay
	rm -rf $(VENV)
