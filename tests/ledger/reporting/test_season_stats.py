"""A season adds up: what somebody has won others have lost, or it lies on the table."""

from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import RuleViolation
from engine.games import GAMES
from ledger.projections.deals import newest_first
from ledger.season import season
from tests.attack.retelling import retold
from tests.engine.agreed import drawn
from tests.engine.anyone import Anyone
from tests.ledger.book import Book
from tests.ledger.test_carrying import gone_on, options, some_deals

evenings = settings(max_examples=60, deadline=None, derandomize=True, database=None)
FOUR = {f"p{n}": f"m{n}" for n in range(1, 5)}


def some_evening(die, game):
    """Anything that can happen, corrections and undo and voided deals and transfers among it."""
    kind = GAMES[game]
    agreed = msgspec.structs.asdict(msgspec.convert(drawn(kind.options, die), kind.options))
    book = Book(die.choice(kind.seats), game=kind, **agreed)
    anyone = Anyone(die)
    for _ in range(die.randint(20, 90)):
        try:
            match die.choices(("act", "settle", "pay", "misdeal", "correct"), (30, 3, 2, 1, 3))[0]:
                case "act":
                    said = anyone.next(book.legal)
                    if said is None:
                        break
                    book.act(said)
                case "settle":
                    book.settle()
                case "pay":
                    book.transfer(*die.sample(book.session.table.players, 2), die.randint(1, 99))
                case "misdeal":
                    book.misdeal()
                case "correct":
                    closed = [d for d in newest_first(book.session.deals) if d.status == "closed"]
                    number = die.choice(closed).number
                    actions = retold(book.session, number, die) if die.random() < 0.8 else None
                    given = () if actions is None else actions
                    if actions is None:
                        book.never(number, later="void")
                    else:
                        book.correct(number, *given, later="void")
        except (RuleViolation, ZeroDivisionError, IndexError):
            continue  # it was not to be
    return book


@evenings
@given(seed=st.integers(0, 2**32), games=st.lists(st.sampled_from(sorted(GAMES)), max_size=4))
def test_a_season_adds_up_when_everybody_is_of_the_circle(seed, games):
    die = Random(seed)
    played = [some_evening(die, game).session for game in games]
    members = [f"m{n}" for n in range(1, 17)]
    who = [
        dict(zip(s.table.players, die.sample(members, len(s.table.players)), strict=True))
        for s in played
    ]
    told = season(members, zip(played, who, strict=True))
    on_table = 0
    for night in told.nights:
        on_table += night.on_table
        assert sum((night.results or {}).values()) + night.on_table == 0
        if night.totals is not None:
            assert sum(night.totals.values()) + on_table == 0
    assert sum(t.result.get("SEK", 0) for t in told.tallies.values()) + on_table == 0
    for member, tally in told.tallies.items():
        sat = [
            deal
            for s, players in zip(played, who, strict=True)
            for deal in newest_first(s.deals)
            if deal.status == "closed" and member in {players[p] for p in deal.seats}
        ]
        assert tally.deals == len(sat)
        assert tally.won_declaring <= tally.declared <= tally.deals


@evenings
@given(
    agreed=options, seed=st.integers(0, 2**32), before=st.integers(1, 5), after=st.integers(1, 5)
)
def test_an_evening_cut_in_two_is_the_same_season(agreed, seed, before, after):
    die, whole = Random(seed), Book(4, **agreed)
    deals = some_deals(whole, before + after, die)
    earlier = Book(4, **agreed)
    for said in deals[:before]:
        earlier.act(*said)
    later = gone_on(earlier, **agreed)
    for first, *said in deals[before:]:
        later.act(msgspec.structs.replace(first, number=None), *said)
    cut = season(FOUR.values(), [(earlier.session, FOUR), (later.session, FOUR)])
    uncut = season(FOUR.values(), [(whole.session, FOUR)])
    for member, tally in cut.tallies.items():
        one = msgspec.structs.replace(tally, evenings=0, open={})
        assert one == msgspec.structs.replace(uncut.tallies[member], evenings=0, open={})
    assert sum(night.on_table for night in cut.nights) == uncut.nights[0].on_table


@pytest.mark.parametrize("left_out", ["p2", "p4"])
def test_who_is_nobody_in_the_circle_is_passed_over(left_out):
    book = Book(4)
    some_deals(book, 6, Random(6))
    some = {player: member for player, member in FOUR.items() if player != left_out}
    everybody = season(FOUR.values(), [(book.session, FOUR)])
    told = season(FOUR.values(), [(book.session, some)])
    for player, member in some.items():
        assert told.tallies[member] == everybody.tallies[member], player
    assert told.tallies[FOUR[left_out]].evenings == 0
    assert FOUR[left_out] not in told.nights[0].results
