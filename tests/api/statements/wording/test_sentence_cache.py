"""Lines of the same form are translated once, and read as if each were translated alone."""

from collections.abc import Iterable

import pytest

from api.i18n.catalog import LANGUAGES
from api.i18n.translator import Translator
from api.statements.wording.sentence_cache import PROBE_NUMBERS, SentenceCache
from engine import commands as c
from ledger.events.recorded_event import RecordedEvent, record_events
from ledger.projections.postings import postings_of
from ledger.reporting.posting_reasons import RuleReferences
from tests.support.api.money_events import MONEY_EVENTS, PLAYER_NAMES, RULE_REFERENCES
from tests.support.ledger.memory_store import ID, SECOND, Book
from tests.support.ledger.unpaged_statement import explain_recorded_event
from tests.verification.random_evenings.random_session import take_step
from tests.verification.random_evenings.session_walk import play_one_session

BET_LAID = c.OpenDeal(), c.Declare(players=("p1",)), c.Result(winner="p2")
BET_TAKEN = c.OpenDeal(), c.Declare(players=("p3",)), c.Result(winner="p3")
"""Ada lays a bet, and Cilla takes it."""


def names_of_players(book: Book, **more_names: str) -> dict[str, str]:
    return {player: f"Ada {player}" for player in book.session.table.players} | more_names


class CountingExplainer:
    """A function that explains a posting in full, and counts its calls."""

    def __init__(self, names: dict[str, str], language: str = "sv") -> None:
        self.names, self.translator, self.calls = names, Translator(language, names), 0

    def __call__(self, reason):
        self.calls += 1
        ends = map(self.translator.account_name, (reason.posting.source, reason.posting.target))
        return (*ends, self.translator.explain_posting(reason, "SEK"))


def cached_lines(history: Iterable[RecordedEvent], cache: SentenceCache) -> list[tuple[str, ...]]:
    """Return the text and amount of every line, with the sentence cache."""
    lines = []
    for event in history:
        for number, posting in enumerate(postings_of(event.event), 1):
            data = event.data if number == 1 else None
            text, numbers = cache.line_text(number, event.type, event.schema, data)
            assert text.posting.amount == posting.amount
            lines.append(tuple(cell.format(*numbers) for cell in text.cells))
    return lines


def uncached_lines(
    history: Iterable[RecordedEvent], rules: RuleReferences, explain: CountingExplainer
) -> list[tuple[str, ...]]:
    return [explain(reason) for event in history for reason in explain_recorded_event(rules, event)]


def random_book(seed: str) -> Book:
    evening, _ = play_one_session(seed)
    book = evening.book()
    for step in evening.steps:
        take_step(book, step)
    return book


@pytest.mark.parametrize("seed", range(60))
def test_a_cached_line_equals_an_uncached_one(seed):
    """This holds the first time, and when every form is in the cache."""
    book = random_book(f"alike:{seed}")
    names, language = names_of_players(book), LANGUAGES[seed % len(LANGUAGES)]
    cache = SentenceCache(book.session.rule_references, CountingExplainer(names, language))
    expected = uncached_lines(
        book.history, book.session.rule_references, CountingExplainer(names, language)
    )
    assert cached_lines(book.history, cache) == expected
    assert cached_lines(book.history, cache) == expected


def repeated_deals(rounds: int) -> Book:
    """Return a book that has the same two deals 4 × `rounds` times."""
    book = Book(4)
    for _ in range(4 * rounds):
        book.act(*BET_LAID, *BET_TAKEN)
    return book


def test_a_longer_session_needs_no_more_translations():
    short_book, long_book = repeated_deals(1), repeated_deals(20)
    calls = []
    for book in (short_book, long_book):
        explain = CountingExplainer(names_of_players(book))
        assert cached_lines(
            book.history, SentenceCache(book.session.rule_references, explain)
        ) == uncached_lines(
            book.history, book.session.rule_references, CountingExplainer(explain.names)
        )
        calls.append(explain.calls)
    assert calls[0] == calls[1]


@pytest.mark.parametrize(
    "name", [f"{PROBE_NUMBERS[0]}1", f"Bo {PROBE_NUMBERS[1]}0", "{0}", "{", "%s #0"]
)
def test_a_name_is_never_taken_for_a_number(name):
    book = repeated_deals(2)
    names = names_of_players(book, p1=f"{name}!", p3=name)
    cache = SentenceCache(book.session.rule_references, CountingExplainer(names))
    assert cached_lines(book.history, cache) == uncached_lines(
        book.history, book.session.rule_references, CountingExplainer(names)
    )


@pytest.mark.parametrize("step", [1, -1])
def test_every_money_event_reads_the_same_after_a_similar_one(step):
    """One of them takes a bet of an earlier session, which has no deal."""
    events = (*MONEY_EVENTS, *MONEY_EVENTS)[::step]
    history = record_events(ID, events, version=0, previous_hash=bytes(32), at=SECOND, by="host.0")
    cache = SentenceCache(RULE_REFERENCES, CountingExplainer(PLAYER_NAMES))
    assert cached_lines(history, cache) == uncached_lines(
        history, RULE_REFERENCES, CountingExplainer(PLAYER_NAMES)
    )
