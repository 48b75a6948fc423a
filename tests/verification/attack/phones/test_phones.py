"""A phone's first look finds every dishonest host and accuses no honest one.

A smoke test; `make attack` is the full size.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from api.app import create_app
from ledger.store import connection_pool as database
from tests.support.browser.javascript_engine import JavaScriptEngine, run_engine
from tests.support.databases import DatabaseUrls, copy_database
from tests.support.postgresql.cluster import Postgres
from tests.verification.attack.phones.dishonest_host import RecordedEvening, answer_from
from tests.verification.attack.phones.honest_evening import Host
from tests.verification.attack.phones.phone import TASKS, Doc
from tests.verification.attack.phones.phones_run import KINDS, PhoneTally, run_phones

EVENINGS, TRIES = 10, 60
NOT_FORGED = {"witnessed", "type", "title", "detail", "instance", "request_id"}
"""Fields that only the API's answers have, and that phones do not judge."""


@pytest.fixture(scope="module")
def tally(cluster: Postgres) -> PhoneTally:
    return run_phones(copy_database(cluster, "vola_phones"), "dusk", EVENINGS, TRIES)


def test_every_dishonest_host_is_found_and_no_honest_one_accused(tally: PhoneTally) -> None:
    assert tally.good, tally.table()
    assert tally.looks.evenings == EVENINGS
    assert tally.looks.looks > 5 * EVENINGS
    assert tally.tried.total() == TRIES
    assert {"rewritten", "tail_missing", "other_key", "names_swapped"} <= {*tally.reasons}


def test_there_are_six_kinds_of_dishonest_host() -> None:
    assert len(KINDS) == 6
    assert all(len(variants) >= 5 for variants in KINDS.values())


@pytest.fixture(scope="module")
def engine() -> Iterator[JavaScriptEngine]:
    with run_engine(TASKS) as running:
        yield running


def test_a_dishonest_host_answers_as_the_api_does(
    urls: DatabaseUrls, engine: JavaScriptEngine
) -> None:
    """A host that changes nothing gives the API's answers, so forgeries have the API's form too."""
    pool = database.open_pool(urls.app, size=2)
    app = create_app(pool)
    host, die, count = Host(app, urls.owner, engine, "alike", 2), Random(4), 0
    for evening in host.play():
        recorded_evening = RecordedEvening(evening, app.extensions["receipts"].signing_key())
        last = len(recorded_evening.book.events)
        view = host.view(evening.client)
        for _ in range(20):
            version = die.randint(1, last + 2)
            path = f"/receipts/{version}"
            if version < last:
                path += die.choice(("", f"?to={die.randint(version, last)}"))
            forged, answer = answer_from(recorded_evening.book)(path), view.answer(path)
            assert answer is not None
            assert forged == {name: answer[name] for name in forged}
            assert answer.keys() - forged.keys() <= NOT_FORGED
            count += 1
    pool.close()
    assert count >= 40


@pytest.mark.parametrize(
    ("before", "now", "result"),
    [
        ({"p1": ["Ada"], "p2": ["Bo"]}, {"p1": "Adda", "p2": "Bo"}, {"p1": ["Ada", "Adda"]}),
        ({"p1": ["Ada"], "p2": ["Bo"]}, {"p1": "Bo", "p2": "Spelare 2"}, {"p1": ["Ada", "Bo"]}),
        ({"p1": ["Ada"]}, {"p1": "Spelare 2", "p2": "Spelare 2"}, {"p1": ["Ada", "Spelare 2"]}),
        ({"p1": ["Ada"], "p2": ["Bo"]}, {"p1": "Bo", "p2": "Ada"}, "names_swapped"),
        ({"p1": ["Ada", "Adda"], "p2": ["Bo"]}, {"p1": "Bo", "p2": "ADA"}, "names_swapped"),
    ],
    ids=["corrected", "erased", "called like an erased one", "swapped", "swapped in capitals"],
)
def test_a_name_may_be_corrected_or_erased_but_not_moved(
    engine: JavaScriptEngine, before: Doc, now: dict[str, str], result: Doc | str
) -> None:
    """Another player may get a name only after it was erased."""
    players = [{"id": player, "name": name} for player, name in now.items()]
    outcome = engine.run("compareNames", {"names": before, "players": players})
    if isinstance(result, str):
        assert outcome == {"reason": result}
    else:
        assert outcome["names"].items() >= result.items()
        assert outcome["names"].get("p2") != ["Spelare 2"], "an erased name is kept no longer"
