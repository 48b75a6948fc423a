"""From the list of what may be done to what one player may choose, and whose choice it is.

Follows the list of legal actions and a small table of action types; never asks which game it is.
"""

from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import Any

import msgspec

from api.games import said
from api.shapes import COMMANDS
from engine.commands import Command
from engine.game import Game, Legal, OpenDealView
from engine.values import Player

THE_CROUPIERS = frozenset({"open_deal", "cut", "turn_up", "hand"})
TAKES_BACK = frozenset({"undo", "reseat"})
FOR_MANY = frozenset({"all_pass"})
"""Said once for everybody; at a table with cards each one says it himself."""
MAY_BE_LEFT_OUT = frozenset({"redeal", "exchange"})
"""Nobody waits for these: who does not want to says nothing."""
UNSEEN = "blind_nil"
"""The field of a bid that only somebody can make who has not looked at his cards."""

Depth = str


def at_depth(game: Game[Any, Any], legal: tuple[Legal, ...], depth: Depth) -> list[Legal]:
    """Those that belong to a deal recorded at this depth (contract.md §3)."""
    return [
        entry
        for entry in legal
        if entry.type not in TAKES_BACK and depth in depths(game.key, entry.type)
    ]


@cache
def depths(game: str, kind: str) -> tuple[Depth, ...]:
    """The depths at which this action is recorded."""
    return tuple(said("rules", game, "actions", kind).get("depths", ()))


def decisions(game: Game[Any, Any], legal: tuple[Legal, ...]) -> list[Legal]:
    """What the players themselves decide when it is played card by card."""
    kept = at_depth(game, legal, "cards")
    return [entry for entry in kept if entry.type not in THE_CROUPIERS | FOR_MANY]


def unseen_bidders(legal: tuple[Legal, ...]) -> set[Player]:
    """Who may make a bid that he could not make after looking."""
    named = (entry.fields[UNSEEN]["values"] for entry in legal if UNSEEN in entry.fields)
    found = set[Player]()
    for values in named:
        for value in values:
            found |= {value} if isinstance(value, str) else set(value)
    return found


def whose(entry: Legal, view: OpenDealView, dealer: Player) -> tuple[Player, ...]:
    """Who may choose this: any of them, or the side that they are."""
    if "player" in entry.fields:
        return tuple(entry.fields["player"]["values"])
    if "side" in entry.fields:
        (side,) = entry.fields["side"]["values"]
        return tuple(side.split("+"))
    if view.swapping:
        return _unseen_of(view)
    return (view.turn or dealer,)


def _unseen_of(view: OpenDealView) -> tuple[Player, ...]:
    """The one who bid without looking, of the side that may swap."""
    (bid,) = (bid for bid in view.bids if bid["side"] == view.swapping)
    unseen = bid[UNSEEN]
    return (unseen,) if isinstance(unseen, str) else tuple(unseen)


def written_out(entry: Legal) -> Iterator[Command]:
    """Every action that an entry stands for, its optional fields filled in."""
    names = list(entry.fields)
    for values in product(*(_values(entry.fields[name]) for name in names)):
        yield command(entry.type, dict(zip(names, values, strict=True)))


def _values(allowed: dict[str, Any]) -> list[Any]:
    if "values" in allowed:
        return list(allowed["values"])
    return list(range(allowed["min"], allowed["max"] + 1))


def command(kind: str, fields: dict[str, Any]) -> Command:
    """An action as it comes over the wire."""
    made: Command = msgspec.convert({"type": kind, **fields}, COMMANDS[kind])
    return made
