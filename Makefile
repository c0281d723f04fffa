# Two commands get you started: `make play` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

# commands that the tests start by the hundred load modules that are compiled already
unexport PYTHONDONTWRITEBYTECODE

.PHONY: play test test-long compiled package docs pictures bench speed fuzz load kills hostile test-mail examples lint check clean
.DEFAULT_GOAL := play

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $(STAMP)

play: $(STAMP)  ## a whole 1914 game by built-in policies; reports and a map under out/
	$(BIN)/wteaw play scenarios/1914.yaml --out out --force

test: $(STAMP)  ## the engine's tests, and every rule test of every ruleset
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder
	$(BIN)/wteaw test ruleset -j 2

test-long: $(STAMP)  ## what asks of further games what `make test` asks of one
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder -m long

COMPILED := build/compiled
ON_COMPILED := test_compiled test_goldens test_evaluators test_state_journal test_world test_orders_parse test_orders_check \
	test_battle_land test_battle_sea test_battle_systems test_diplomacy test_policy

compiled: $(STAMP)  ## hot modules compiled (needs a C compiler) under build/compiled, and tests on them: games, orders, battles
	$(BIN)/python tools/compiled_build.py $(COMPILED)
	PYTHONPATH=$(COMPILED) $(BIN)/python -m pytest $(ON_COMPILED:%=tests/%.py)
	PYTHONPATH=$(COMPILED) $(BIN)/wteaw test ruleset/tests

package: $(STAMP)  ## sdist and wheel, tried in a bare environment of every supported Python on the PATH
	$(BIN)/python tools/try_package.py

docs: $(STAMP)  ## the documentation as a site: docs/_build/html/index.html
	$(BIN)/python -m sphinx -W --keep-going -q -d docs/_build/doctrees docs docs/_build/html

bench: $(STAMP)  ## benchmarks: ratios within one run
	$(BIN)/python -m pytest tests/benchmarks --benchmark-only --benchmark-disable-gc

AGAINST ?= HEAD
speed: $(STAMP)  ## what things cost beside what they are to; a 1914 game against an earlier commit (AGAINST=...), turn by turn
	$(BIN)/python tools/speed_table.py
	$(BIN)/python tools/speed.py $(AGAINST)
	$(BIN)/python tools/speed.py $(AGAINST) --workers 2

fuzz: $(STAMP)  ## 20,000 spoiled rulesets: what validates, plays; goes on where it was stopped, findings under out/fuzz
	$(BIN)/python -m wteaw_lab.fuzz --count 20000 --jobs 2 --out out/fuzz

load: $(STAMP)  ## 200 players on a server who check orders while 20 games resolve: no fault, 95 of 100 checks under 300 ms
	$(BIN)/python tools/load_server.py

kills: $(STAMP)  ## a server's pages and worker killed 300 times while people play: nothing lost, nothing done or sent twice
	$(BIN)/python -m tests.web.kills

hostile: $(STAMP)  ## 10,000 hostile requests and mails to a server, 1,200 lines never finished: none meets a fault of ours
	$(BIN)/python -m tests.web.hostile

test-mail: $(STAMP)  ## mail end to end against OpenSMTPD and Dovecot on loopback; installs them from Debian where it may
	$(BIN)/python -m tests.web.mail_servers

examples: $(STAMP)  ## docs/examples: reports of real turns, so that a change of wording is seen in review
	$(BIN)/python tools/examples.py

pictures: $(STAMP)  ## docs/pictures: the README's pictures, taken with chromium from a game on fixed dice
	$(BIN)/python tools/pictures.py

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check engine web lab editor importers tests tools
	$(BIN)/mypy
	$(BIN)/mypy tools
	$(BIN)/lint-imports --no-cache

check: lint  ## what the gate runs besides the tests
	$(BIN)/wteaw format --check ruleset scenarios templates docs/cookbook
	$(BIN)/wteaw validate --strict ruleset scenarios

clean:
	rm -rf $(VENV) out build dist .pytest_cache .mypy_cache .ruff_cache
