"""Program, page and server give the same verdict on honest and forged documents.

A smoke test; `make attack` is the full size.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random

import pytest
from playwright.sync_api import Page

from api.app import create_app
from ledger.store import connection_pool as database
from tests.support.browser import chromium
from tests.support.browser.verify_page import judge_vectors, verifier_page
from tests.support.databases import DatabaseUrls
from tests.verification.attack.agreement.agreement_run import Agreement, compare_verdicts
from tests.verification.attack.agreement.forged_cosigners import COSIGNED, WITNESSED
from tests.verification.attack.agreement.malformed_events import make_vectors
from tests.verification.attack.agreement.unsigned_forgeries import WAYS_OF

VECTORS, FORGERIES, MALFORMED = 60, 4, 200


@pytest.fixture
def page() -> Iterator[Page]:
    if chromium.path() is None and not chromium.required():
        pytest.skip(chromium.MISSING)
    with verifier_page() as page:
        yield page


@pytest.fixture
def agreement(urls: DatabaseUrls, page: Page) -> Iterator[Agreement]:
    pool = database.open_pool(urls.app, size=4)
    yield compare_verdicts(create_app(pool), urls, page, "smoke", VECTORS, FORGERIES)
    pool.close()


def test_three_verifiers_say_the_same_of_every_document(agreement: Agreement) -> None:
    assert agreement.good, agreement.table()
    assert agreement.total == VECTORS
    assert {kind for kind, _ in agreement.outcomes} == {*WAYS_OF}
    assert agreement.by_three.total() > VECTORS * 3 // 4, agreement.table()


def test_program_and_page_read_malformed_events_alike(page: Page) -> None:
    malformed = [*make_vectors(Random(7), MALFORMED)]
    codes: Counter[str] = Counter()
    for vector, verdict in zip(malformed, judge_vectors(page, malformed), strict=True):
        assert verdict == vector.judged(), vector.way
        codes[verdict[1]] += 1
    assert min(codes[code] for code in ("export_wrong", "event_unknown", "figures")) > 20, codes


def test_cosignatures_are_forged_in_fifteen_ways() -> None:
    assert len(COSIGNED) >= 15


def test_witnesses_are_forged_in_fifteen_ways() -> None:
    assert len(WITNESSED) >= 15
