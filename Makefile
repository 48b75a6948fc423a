# `make help` lists the targets. Everything lands in .venv, .venv-mutants and var; nothing else on the
# machine changes.
PYTHON ?= python3
BIN := .venv/bin
PYTEST := $(BIN)/python -m pytest
CHROMIUM := $(BIN)/python -m tests.support.browser.chromium
# Python compiles what it imports; of all that is installed that is less than half.
INSTALL := pip install --quiet --disable-pip-version-check --no-compile

# The tests start Python hundreds of times; without bytecode each start compiles every module anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: accidents attack audit-deps bench bench-overload bench-page bench-scale bench-smoke \
    bench-transfer chaos chaos-boundaries chaos-ha chaos-ha-careless chaos-ha-smoke chaos-planted \
    chaos-smoke chaos-trials check clean dist evenings fuzz help licences lock looks matrix mutants \
    run sbom screens test test-debian test-fast upgrades web-bench

# --- every day --------------------------------------------------------------------------------------

run: .venv/run  ## Start the server on this network; HOST and PORT
	@HOST=$${HOST:-0.0.0.0} $(BIN)/vola serve

test: .venv/dev  ## Every test, the browser's too; says how long the last run took
	@cat .venv/last-test-run 2>/dev/null || echo "The first full run: about 20 minutes on two cores."
	@$(CHROMIUM)
	@begun=$$(date +%s) && \
	    $(if $(TEST_ON_DEBIAN),$(BIN)/python -m tests.support.debian_servers $(DEBIAN) &&) \
	    $(PYTEST) --numprocesses=auto --no-loadscope-reorder $(if $(TEST_ON_DEBIAN),$(BUNDLED)) && \
	    echo "The last full run took $$(( ($$(date +%s) - begun + 59) / 60 )) minutes here." > .venv/last-test-run

# With TEST_ON_DEBIAN=1 two runs together are every test: DEBIAN on Debian's servers, the others on
# the bundled ones, and of DEBIAN again the files that touch the servers most.
DEBIAN := tests/ledger tests/api tests/workers
BUNDLED := $(filter-out $(DEBIAN) $(addprefix tests/,__init__.py __pycache__ conftest.py golden support), \
    $(wildcard tests/*)) tests/ledger/rebuild/test_rebuild.py \
    tests/ledger/transfer/test_backup_file.py tests/workers/test_queue.py

FAST := tests/engine tests/ledger/events tests/ledger/projections tests/ledger/proofs \
    tests/ledger/session tests/api/i18n tests/test_layers.py tests/test_forbidden_calls.py \
    $(addprefix tests/api/,test_openapi_document.py test_openapi_schemas.py test_openapi_problems.py \
        test_every_event.py statements/formats/test_every_format.py)

LONG := tests/engine/games/test_perft.py tests/engine/games/test_recording_depths.py \
    $(addprefix tests/ledger/session/,test_conservation.py test_corrections.py test_second_scoring_other_games.py)

test-fast: .venv/dev  ## Engine, pure ledger and contract, under a minute: for every save
	$(PYTEST) --numprocesses=auto $(FAST) $(addprefix --ignore=,$(LONG))

test-debian: .venv/dev  ## Ledger, API and workers on Debian's PostgreSQL 15 and Redis 7
	$(BIN)/python -m tests.support.debian_servers $(DEBIAN)

check: .venv/dev  ## Lint, formatting and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/oxlint --deny-warnings
	$(BIN)/mypy

help:  ## List these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "%-18s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST)) | sort

clean:  ## Remove .venv and .venv-mutants; the data in var stays
	rm -rf .venv .venv-mutants

# --- looking for faults -----------------------------------------------------------------------------

attack: .venv/dev  ## Corrupt rows, deceive phones, forge files, and count what is found; N, EVENINGS, SEED
	$(BIN)/python -m tests.verification.attack --attacks $(or $(N),10000) \
	    --evenings $(or $(EVENINGS),1000) --seed $(or $(SEED),1) --workers $(or $(WORKERS),2)
	$(BIN)/python -m tests.verification.attack.phones --tries $(or $(N),10000) \
	    --evenings $(or $(EVENINGS),1000) --seed $(or $(SEED),1) --workers $(or $(WORKERS),2)
	@$(CHROMIUM)
	$(BIN)/python -m tests.verification.attack.agreement --vectors $(or $(VECTORS),2000) \
	    --seed $(or $(SEED),1)

evenings: .venv/dev  ## Random sessions of every game, with a table of what was reached; N, SEED
	$(BIN)/python -m tests.verification.random_evenings --evenings $(or $(N),100000) \
	    --seed $(or $(SEED),1) --workers $(or $(WORKERS),2)

fuzz: .venv/dev  ## Fuzz every decoder and the whole contract; N requests, EXAMPLES a decoder, SEED
	VOLA_EXAMPLES=$(or $(EXAMPLES),20000) $(PYTEST) tests/verification/fuzz/test_decoders.py \
	    tests/verification/fuzz/test_request_parsing.py
	$(BIN)/python -m tests.verification.fuzz --requests $(or $(N),100000) --seed $(or $(SEED),1) \
	    --workers $(or $(WORKERS),2)

matrix: .venv/dev  ## Every operation by every role with every kind of id: no answer tells what exists
	EVERY_CELL=1 $(PYTEST) -s tests/api/test_every_operation.py

mutants: .venv-mutants/made  ## Change one thing at a time in MODULES: which change fails no test? Hours
	.venv-mutants/bin/python -m tests.verification.mutation $(MODULES)

upgrades: .venv/dev  ## Stop upgrades of tables and of PostgreSQL at every statement and step; EVERY, SEED
	$(BIN)/python -m tests.verification.upgrades --every $(or $(EVERY),1) --seed $(or $(SEED),upgrades)

accidents: .venv/dev  ## Full disk, wrong clock, pulled disk, power cuts while a phone records; root; ONLY
	$(BIN)/python -m tests.verification.accidents $(if $(ONLY),--only "$(ONLY)")

chaos: .venv/dev  ## Kill, cut and stop everything while phones record, then check the book; N, SEED
	$(BIN)/python -m tests.verification.chaos --faults $(or $(N),10000) $(if $(SEED),--seed $(SEED))

chaos-smoke: .venv/dev  ## Two minutes of chaos
	$(BIN)/python -m tests.verification.chaos --faults 600 --seconds 120 $(if $(SEED),--seed $(SEED))

chaos-planted: .venv/dev  ## Chaos with bugs put in on purpose: each must be found
	$(BIN)/python -m tests.verification.chaos --planted $(if $(SEED),--seed $(SEED))

chaos-boundaries: .venv/dev  ## Six ways of failing at each boundary of every command and job
	$(BIN)/python -m tests.verification.chaos.boundaries

chaos-trials: .venv/dev  ## One payment queued twenty times, one key sent a hundred times, over and over
	$(BIN)/python -m tests.verification.chaos.duplicates --payments 5000 --rounds 1000 $(if $(SEED),--seed $(SEED))

# Linux on x86-64 only, and not part of `make test`: each fault takes half a minute.
chaos-ha: .venv/failover  ## Three PostgreSQL under Patroni whose leaders fall; N faults, PHONES, SEED
	$(BIN)/python -m tests.verification.chaos.ha --faults $(or $(N),20) --phones $(or $(PHONES),8) --seed "$(SEED)"

chaos-ha-smoke: .venv/failover  ## The same with one fault: the leader's machine is killed
	$(BIN)/python -m tests.verification.chaos.ha --faults 1 --seed "$(SEED)"

chaos-ha-careless: .venv/failover  ## Without synchronous standbys: the loss must be found
	$(BIN)/python -m tests.verification.chaos.ha --faults 2 --careless --only cut_off_and_lost --seed "$(SEED)"

# --- measuring --------------------------------------------------------------------------------------

bench: .venv/bench  ## Figures of speed beside a reference of the same run, eight minutes; ROWS="P1 P3"
	$(BIN)/python -m tests.verification.bench $(ROWS)

bench-smoke: .venv/dev  ## That every figure can be measured, not how fast anything is
	$(BIN)/python -m tests.verification.bench --smoke --json bench-results/smoke.json

bench-page: .venv/dev  ## Write docs/performance.md from the results of `make bench`
	$(BIN)/python -m tests.verification.bench --write docs/performance.md

bench-scale: .venv/dev  ## What a session costs, and what grows up to ten million events
	$(BIN)/python -m tests.verification.bench.sessions.scale

bench-transfer: .venv/dev  ## A book exported, imported, killed and imported again; SESSIONS
	$(BIN)/python -m tests.verification.bench.history.book_transfer --sessions $(or $(SESSIONS),1000)

bench-overload: .venv/dev  ## Slow clients, listeners, audits, imports, and rolling restarts
	$(BIN)/python -m tests.verification.bench.http.overload
	$(BIN)/python -m tests.verification.bench.http.rolling_restart

web-bench: .venv/dev  ## The form on an emulated phone: size, start, time of a tap, taps a deal; ROWS="load tap"
	@$(CHROMIUM)
	$(BIN)/python -m tests.verification.bench.web.web_page $(ROWS)

# --- what it looks like -----------------------------------------------------------------------------

screens: .venv/dev  ## Take the pictures of docs/screens.md again
	@$(CHROMIUM)
	$(BIN)/python -m tests.support.browser.screenshots

looks: .venv/dev  ## Every screen, both colour schemes, four languages: axe-core, and small phones
	EVERY_LOOK=1 $(PYTEST) -k "axe or fit" tests/browser
	EVERY_LOOK=1 $(PYTEST) -m languages tests/browser

# --- dependencies -----------------------------------------------------------------------------------

sbom: .venv/dev  ## Write sbom.json (CycloneDX) from the lock
	$(BIN)/python -m tests.verification.supply.bill sbom.json

licences: .venv/dev  ## Write THIRD-PARTY-LICENCES.txt from the lock, after `make lock`
	$(BIN)/python -m tests.verification.supply.licences

dist: .venv/dev  ## Build the sdist and the wheel into dist; the same source gives the same bytes
	$(BIN)/python -m hatchling build

audit-deps: .venv/dev  ## Fail if a dependency is known to be vulnerable
	$(BIN)/python -m tests.verification.supply.audit

lock: .venv/dev  ## Pin new versions of everything; commit what it changes
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

# --- environments ----------------------------------------------------------------------------------

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	    { echo "Vola needs Python 3.11 or newer; name one with: make PYTHON=python3.12 run" >&2; exit 2; }
	@$(PYTHON) -m venv .venv || \
	    { echo "This Python lacks the venv module; on Debian: apt-get install python3-venv" >&2; rm -rf .venv; exit 2; }

.venv/run: requirements.lock pyproject.toml | .venv/bin/python
	@echo "Installing what Vola needs (once) …"
	@$(BIN)/$(INSTALL) --require-hashes -r requirements.lock || \
	    { echo "Check the network. If a package has no version for this Python, use an older one:" \
	        "make clean, then make PYTHON=python3.13 run" >&2; exit 2; }
	@$(BIN)/$(INSTALL) --no-deps --no-build-isolation -e .
	@touch $@

.venv/dev: requirements-dev.lock .venv/run
	@echo "Installing what the tests need (once) …"
	@$(BIN)/$(INSTALL) --require-hashes -r requirements-dev.lock
	@touch $@

.venv/bench: requirements-bench.lock .venv/dev
	@echo "Installing what it is measured beside (once) …"
	@$(BIN)/$(INSTALL) --require-hashes -r requirements-bench.lock
	@touch $@

.venv/failover: requirements-failover.lock .venv/dev
	@echo "Installing a cluster to break (once) …"
	@$(BIN)/$(INSTALL) --require-hashes -r requirements-failover.lock
	@touch $@

# Of its own: mutmut brings setproctitle, with which granian and rq have names that chaos does not know.
.venv-mutants/made: requirements-dev.lock requirements-mutants.lock | .venv/bin/python
	@echo "Installing what makes mutants (once) …"
	@$(BIN)/python -m venv .venv-mutants
	@.venv-mutants/bin/$(INSTALL) --require-hashes \
	    -r requirements-dev.lock -r requirements-mutants.lock
	@.venv-mutants/bin/$(INSTALL) --no-deps --no-build-isolation -e .
	@touch $@
