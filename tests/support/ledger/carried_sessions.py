"""Random deals of Polskt pass, and sessions that carry another one forward."""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import strategies as st

from engine import commands as c
from engine.games.polskt_pass.options import Options
from ledger.events.event_types import CarriedForward
from ledger.session import carry_forward as carrying
from tests.support.engine.every_option import positions
from tests.support.engine.random_walk import next_action
from tests.support.ledger.memory_store import ID, Book

GAME_OPTIONS = {name: st.sampled_from(tried) for name, tried in positions(Options).items()} | {
    "stake": st.integers(1, 50),
    "credit_limit": st.none(),  # a deal could not be opened at random
}
game_options = st.fixed_dictionaries(GAME_OPTIONS)
seeds = st.integers(0, 2**32)


def play_random_deals(book: Book, count: int, die: Random) -> list[list[c.Command]]:
    """Play `count` deals of random legal actions and return the actions of each deal."""
    deals = []
    for _ in range(count):
        actions: list[c.Command] = [c.OpenDeal()]
        book.act(actions[0])
        while book.session.table.deal_is_open:
            legal = [a for a in book.legal if a.type not in ("undo", "reseat")]
            actions.append(next_action(legal, die))
            book.act(actions[-1])
        deals.append(actions)
    return deals


def carry_forward(earlier: Book, **options: Any) -> Book:
    """Close `earlier` and return the session that continues it, with the same seats."""
    table = earlier.session.table
    earlier.settle()
    earlier.close("carry")
    carrying.check_carry_forward(earlier.session, earlier.session.game, "SEK")
    earlier.write(CarriedForward(to=str(ID)))
    next_book = Book(
        len(table.players), first_dealer=table.dealer, game=earlier.session.game, **options
    )
    seats = {player: player for player in table.players}
    next_book.write(carrying.bring_forward(earlier.session, seats))
    return next_book


def play_split_and_unsplit(
    agreed: dict[str, Any], seed: int, before: int, after: int
) -> tuple[Book, Book, Book]:
    """Play the same random deals in one session, and in two of which the second carries on.

    The first of the two has `before` deals, the second `after`.
    """
    unsplit, first = Book(4, **agreed), Book(4, **agreed)
    deals = play_random_deals(unsplit, before + after, Random(seed))
    for actions in deals[:before]:
        first.act(*actions)
    second = carry_forward(first, **agreed)
    for actions in deals[before:]:
        second.act(*actions)
    return unsplit, first, second
