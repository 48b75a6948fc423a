"""Lines that read alike are put into words once, and say what they would by themselves."""

from collections.abc import Iterable

import pytest

from api.statements.alike import OTHERS, Alike
from api.words import LANGUAGES, Speaker
from engine import commands as c
from ledger.envelope import Recorded, record
from ledger.postings import postings
from ledger.why import Rules, of_event
from tests import at_random
from tests.api.test_words import MOVING, NAMES, RULES
from tests.ledger.book import ID, SECOND, Book
from tests.night import did

LAID = c.OpenDeal(), c.Declare(players=("p1",)), c.Result(winner="p2")
TAKEN = c.OpenDeal(), c.Declare(players=("p3",)), c.Result(winner="p3")
"""Ada lays a bet, and Cilla takes it."""


def names_of(book: Book, **others: str) -> dict[str, str]:
    return {player: f"Ada {player}" for player in book.session.table.players} | others


class Clerk:
    """Says why in full, and counts how often he was asked."""

    def __init__(self, names: dict[str, str], language: str = "sv") -> None:
        self.names, self.speaker, self.asked = names, Speaker(language), 0

    def __call__(self, reason):
        self.asked += 1
        ends = (
            self.speaker.account(x, self.names)
            for x in (reason.posting.source, reason.posting.target)
        )
        return (*ends, self.speaker.why(reason, self.names, "SEK"))


def told(history: Iterable[Recorded], alike: Alike) -> list[tuple[str, ...]]:
    """Every line that was ever booked, as it is put into words, and its amount."""
    lines = []
    for it in history:
        for number, posting in enumerate(postings(it.event), 1):
            row = it.version, number, None, it.type, it.schema, it.at, it.data
            said, numbers = alike(row)
            assert said.posting.amount == posting.amount
            lines.append(tuple(cell.format(*numbers) for cell in said.cells))
    return lines


def by_itself(history: Iterable[Recorded], rules: Rules, clerk: Clerk) -> list[tuple[str, ...]]:
    return [clerk(reason) for it in history for reason in of_event(rules, it)]


def night(seed: str) -> Book:
    drawn, _ = at_random.one_evening(seed)
    book = drawn.book()
    for op in drawn.ops:
        did(book, op)
    return book


@pytest.mark.parametrize("seed", range(60))
def test_a_line_says_what_it_says_by_itself(seed):
    """At any table, the first time, and when everything like it has been said."""
    book = night(f"alike:{seed}")
    names, language = names_of(book), LANGUAGES[seed % len(LANGUAGES)]
    alike = Alike(book.session.rules, Clerk(names, language))
    alone = by_itself(book.history, book.session.rules, Clerk(names, language))
    assert told(book.history, alike) == alone
    assert told(book.history, alike) == alone


def season(rounds: int) -> Book:
    """The same two deals again and again, by each of four dealers."""
    book = Book(4)
    for _ in range(4 * rounds):
        book.act(*LAID, *TAKEN)
    return book


def test_a_season_is_put_into_words_as_often_as_it_says_something_new():
    short, long = season(1), season(20)
    asked = []
    for book in (short, long):
        clerk = Clerk(names_of(book))
        assert told(book.history, Alike(book.session.rules, clerk)) == by_itself(
            book.history, book.session.rules, Clerk(clerk.names)
        )
        asked.append(clerk.asked)
    assert asked[0] == asked[1]


@pytest.mark.parametrize("name", [f"{OTHERS[0]}1", f"Bo {OTHERS[1]}0", "{0}", "{", "%s #0"])
def test_a_name_is_no_number(name):
    book = season(2)
    names = names_of(book, p1=f"{name}!", p3=name)
    alike = Alike(book.session.rules, Clerk(names))
    assert told(book.history, alike) == by_itself(book.history, book.session.rules, Clerk(names))


@pytest.mark.parametrize("step", [1, -1])
def test_whatever_moves_money_says_so_also_after_one_like_it(step):
    """A bet of an earlier evening among them, which has no deal."""
    events = (*MOVING, *MOVING)[::step]
    history = record(ID, events, version=0, before=bytes(32), at=SECOND, by="host.0")
    alike = Alike(RULES, Clerk(NAMES))
    assert told(history, alike) == by_itself(history, RULES, Clerk(NAMES))
