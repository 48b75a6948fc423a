"""A command with a fault at any of its effects is executed once, and always answered the same."""

from __future__ import annotations

import pytest

from ledger.store import event_store as store
from tests.support.databases import copy_database, valkey_url
from tests.verification.chaos.boundaries.boundary_cases import (
    JOBS_WITHOUT_RIVAL,
    MODES,
    NAMES,
    cases,
    check_boundaries,
)
from tests.verification.chaos.boundaries.interrupted_run import InterruptibleRunner
from tests.verification.chaos.planted_bugs.transactions import commit_early, store_key

# a dead process leaves cursors and sockets open, about which Python warns when it collects them
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

EVERY = 31
"""One case of this many is run; `python -m tests.verification.chaos.boundaries` runs all."""


@pytest.fixture(scope="module")
def runner(cluster, valkey):
    with InterruptibleRunner(
        copy_database(cluster, "vola_boundaries"), valkey_url(valkey, 7)
    ) as place:
        yield place


@pytest.mark.parametrize("name", NAMES)
def test_a_fault_at_any_boundary_leaves_one_effect(runner, name):
    tally = check_boundaries(runner, name, EVERY)
    assert tally.findings == []
    assert tally.cases > 0


def test_every_effect_and_every_mode_has_its_turn_in_the_share():
    share = [case for name in NAMES for case in cases(name, 26, EVERY)]
    assert {mode for _, mode in share} == set(MODES)
    assert {at for at, _ in share} == set(range(1, 27))


@pytest.mark.parametrize("name", JOBS_WITHOUT_RIVAL)
def test_a_job_without_a_rival_never_waits_for_one(runner, name):
    assert {mode for _, mode in cases(name, 26, 1)} == set(MODES) - {"waits for a rival"}
    [finding] = runner.do(name, 1, "waits for a rival").findings
    assert "this job has no rival" in finding


def test_a_cached_session_has_fewer_boundaries(runner):
    """The append is one statement, which is a transaction by itself."""
    long, short = (runner.do(name).effects for name in ("one action", "one action, remembered"))
    assert long.count("commit") == 1
    assert short.count("commit") == 0
    assert len(short) < len(long)


def test_a_key_stored_after_the_commit_is_found(runner, monkeypatch):
    """A process that dies in between has written the events, but not their key."""

    def append(db, before, now, request, work):
        change = store.build_changes(before, work, now, request)
        store.write_changes(db, change._replace(request=None))
        commit_early(db)
        store_key(db, change)
        return change

    monkeypatch.setattr(store, "_write", append)
    good = runner.do("transfer")
    assert good.findings == []
    waits = [at for at, kind in enumerate(good.effects, start=1) if kind == "fetch"]
    dead = [runner.do("transfer", at, "dies after") for at in waits]
    assert [outcome for outcome in dead if outcome.summary != good.summary]
