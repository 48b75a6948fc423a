"""A whole evening at a table of one's own: cards are dealt, played, and written into the book.

For a person in a terminal (`vola play`), and for tests and benchmarks that want evenings in plenty.
Does not know the rules of any game.
"""

from typing import Any

from api.play.book import Book
from api.play.choices import Depth
from api.play.opponents import OPPONENTS
from api.play.seat import Mind
from api.play.short import WholeDeals
from api.play.table import Table
from api.play.told import Told
from engine.game import Game
from engine.values import Player
from ledger.session import Session
from ledger.store import Store

NAMES = ("Ada", "Bo", "Cilla", "Disa", "Emil", *(f"Nr {seat}" for seat in range(6, 11)))
DEPTHS: tuple[Depth, ...] = ("cards", "tricks", "result")
STAKE = 1000
"""Ten kronor, where a game has a stake and nobody names one."""


def seated(players: int) -> dict[Player, str]:
    """So many people, clockwise from Ada."""
    return {f"p{place}": name for place, name in enumerate(NAMES[:players], start=1)}


def usual(game: Game[Any, Any]) -> int:
    """Four, if the game is for four."""
    return 4 if 4 in game.seats else game.seats[0]


def table(
    store: Store,
    game: Game[Any, Any],
    agreed: Any = None,
    *,
    players: int | None = None,
    deals: int | None = None,
    seed: str = "1774",
    opponents: str = "simple",
    depth: Depth = "cards",
    title: str | None = None,
    told: Told | None = None,
    hidden: bool = False,
    **more: Any,
) -> Table:
    """A table about to be played at, its evening already in the store.

    `agreed`: the game's options; `deals`: 12, or in a game for points until somebody has won;
    `hidden`: hands are not written down. Whatever else a `Table` takes goes through.
    """
    names = seated(players or usual(game))
    if agreed is None:
        agreed = game.options()
    book = Book.begin(store, game, agreed, names, currency="SEK", title=title or game.name)
    minds: dict[Player, Mind] = {p: OPPONENTS[opponents](f"{seed} {p}") for p in names}
    return Table(
        book,
        {**minds, **more.pop("minds", {})},
        seed=seed,
        deals=deals,
        hidden=hidden,
        told=told,
        whole_deal=None if depth == DEPTHS[0] else WholeDeals(f"{seed} {depth}", depth),
        **more,
    )


def play(store: Store, game: Game[Any, Any], agreed: Any = None, **how: Any) -> Session:
    """Play an evening among machines to its end; the session as it is then (`table` for `how`)."""
    sitting = table(store, game, agreed, **how)
    sitting.play()
    return sitting.session
