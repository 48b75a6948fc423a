# One word each. Everything lands in .venv, .venv-mutants and var; nothing else on the machine changes.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: run test check matrix evenings attack fuzz chaos chaos-smoke chaos-planted chaos-ha chaos-ha-smoke \
    chaos-ha-careless chaos-boundaries chaos-trials bench bench-smoke bench-page bench-scale bench-overload mutants web-bench screens looks sbom \
    audit-deps lock clean

run: .venv/run
	@HOST=$${HOST:-0.0.0.0} $(BIN)/vola serve

test: .venv/dev
	@$(BIN)/python -m tests.browser.chromium
	$(BIN)/pytest --numprocesses=auto --dist=loadfile --no-loadscope-reorder

check: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Everybody asks for everything with every id: no answer may tell what is there. Prints how many.
matrix: .venv/dev
	EVERY_CELL=1 $(BIN)/pytest -s tests/api/test_rights.py

# A night of cards: every game at random, with a table of what was reached. N evenings, from SEED.
evenings: .venv/dev
	$(BIN)/python -m tests.at_random --evenings $(or $(N),100000) --seed $(or $(SEED),1) --workers $(or $(WORKERS),2)

# A night of attacks as superuser: every kind of corruption, with a table of tried, found, missed.
# N attacks on stored events, EVENINGS clean ones, from SEED.
attack: .venv/dev
	$(BIN)/python -m tests.attack --attacks $(or $(N),10000) --evenings $(or $(EVENINGS),1000) --seed $(or $(SEED),1) --workers $(or $(WORKERS),2)

# The whole contract fuzzed, links and all, with a table of what was asked and answered; and every
# decoder. N requests, EXAMPLES for each decoder, from SEED.
fuzz: .venv/dev
	VOLA_EXAMPLES=$(or $(EXAMPLES),20000) $(BIN)/pytest tests/fuzz/test_decoders.py tests/fuzz/test_asked.py
	$(BIN)/python -m tests.fuzz --requests $(or $(N),100000) --seed $(or $(SEED),1) --workers $(or $(WORKERS),2)

# A night of accidents: phones keep score while everything is killed, cut, stopped and emptied, and
# then the book is held against what they saw. N faults; a SEED plays the same ones again.
chaos: .venv/dev
	$(BIN)/python -m tests.chaos --faults $(or $(N),10000) $(if $(SEED),--seed $(SEED))

chaos-smoke: .venv/dev
	$(BIN)/python -m tests.chaos --faults 600 --seconds 120 $(if $(SEED),--seed $(SEED))

# Bugs put in on purpose: each must be found.
chaos-planted: .venv/dev
	$(BIN)/python -m tests.chaos --planted $(if $(SEED),--seed $(SEED))

# Every boundary of every command and job, six ways of going wrong at each.
chaos-boundaries: .venv/dev
	$(BIN)/python -m tests.chaos.boundaries

# One payment rung for twenty times, and one key a hundred times, again and again.
chaos-trials: .venv/dev
	$(BIN)/python -m tests.chaos.trials --payments 5000 --rounds 1000 $(if $(SEED),--seed $(SEED))

# Figures, each beside its reference of the same run: some eight minutes on a quiet machine.
# ROWS="P1 P3" for some of them; into bench-results, and from there into the page.
bench: .venv/bench
	$(BIN)/python -m tests.bench $(ROWS)

# That every figure can be measured, not how fast anything is.
bench-smoke: .venv/dev
	$(BIN)/python -m tests.bench --smoke --json bench-results/smoke.json

bench-page: .venv/dev
	$(BIN)/python -m tests.bench --write docs/performance.md

# What an evening costs, and what grows among a million and ten million events.
bench-scale: .venv/dev
	$(BIN)/python -m tests.bench.scale

# The page on an emulated phone: its size, how soon it is there, taps a deal, seen on another phone.
web-bench: .venv/dev
	@$(BIN)/python -m tests.browser.chromium
	$(BIN)/python -m tests.browser.bench

# The pictures of docs/screens.md, taken anew by playing what is seen in them.
screens: .venv/dev
	@$(BIN)/python -m tests.browser.chromium
	$(BIN)/python -m tests.browser.screenshots

# Every screen in both colour schemes and all four languages, as axe-core sees it, and on a small
# phone with large text.
looks: .venv/dev
	EVERY_LOOK=1 $(BIN)/pytest -k "axe or fits" tests/browser

# Slow clients, ten times too many, listeners, and servers restarted one after the other.
bench-overload: .venv/dev
	$(BIN)/python -m tests.bench.overload
	$(BIN)/python -m tests.bench.rolling

# The code of money, access and play with one thing wrong at a time: what does no test notice?
# MODULES: money, access, games, or files such as ledger/postings.py; all of them take hours.
mutants: .venv-mutants/made
	.venv-mutants/bin/python -m tests.mutants $(MODULES)

# Three PostgreSQL under Patroni, and leaders that fall while phones keep score. BLOWS, from SEED.
# Linux on x86-64 only, and not part of `make test`: each blow takes half a minute.
chaos-ha: .venv/failover
	$(BIN)/python -m tests.chaos.ha --blows $(or $(BLOWS),20) --phones $(or $(PHONES),8) --seed "$(SEED)"

# The same with one blow: the leader's machine is gone.
chaos-ha-smoke: .venv/failover
	$(BIN)/python -m tests.chaos.ha --blows 1 --seed "$(SEED)"

# Without synchronous standbys something is lost, and this succeeds if the checkers see it.
chaos-ha-careless: .venv/failover
	$(BIN)/python -m tests.chaos.ha --blows 2 --careless --only cut_off_and_gone --seed "$(SEED)"

# What Vola is made of, as CycloneDX, from the lock; and whether any of it is known to be vulnerable.
sbom: .venv/dev
	$(BIN)/python -m tests.supply.bill sbom.json

audit-deps: .venv/dev
	$(BIN)/python -m tests.supply.audit

# New pins for everything; commit what it changes.
lock: .venv/dev
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
	    pyproject.toml --group build -o requirements.lock --upgrade
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
	    pyproject.toml --group build --group dev -o requirements-dev.lock --upgrade
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
	    --group pyproject.toml:failover -c requirements-dev.lock -o requirements-failover.lock --upgrade
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
	    --group pyproject.toml:mutants -c requirements-dev.lock -o requirements-mutants.lock --upgrade
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
	    --group pyproject.toml:bench -c requirements-dev.lock -o requirements-bench.lock --upgrade

clean:
	rm -rf .venv .venv-mutants

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	    { echo "Vola needs Python 3.11 or newer; name one with: make PYTHON=python3.12 run" >&2; exit 2; }
	@$(PYTHON) -m venv .venv || \
	    { echo "This Python lacks the venv module; on Debian: apt-get install python3-venv" >&2; rm -rf .venv; exit 2; }

.venv/run: requirements.lock pyproject.toml | .venv/bin/python
	@echo "Installing what Vola needs (once) …"
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

.venv/dev: requirements-dev.lock .venv/run
	@echo "Installing what the tests need (once) …"
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	@touch $@

.venv/bench: requirements-bench.lock .venv/dev
	@echo "Installing what it is measured beside (once) …"
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-bench.lock
	@touch $@

.venv/failover: requirements-failover.lock .venv/dev
	@echo "Installing a cluster to break (once) …"
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-failover.lock
	@touch $@

# Of its own: mutmut brings setproctitle, with which granian and rq have names that chaos does not know.
.venv-mutants/made: requirements-dev.lock requirements-mutants.lock | .venv/bin/python
	@echo "Installing what makes mutants (once) …"
	@$(BIN)/python -m venv .venv-mutants
	@.venv-mutants/bin/pip install --quiet --disable-pip-version-check --require-hashes \
	    -r requirements-dev.lock -r requirements-mutants.lock
	@touch $@
