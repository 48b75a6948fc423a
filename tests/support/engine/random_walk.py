"""A random session: legal actions, one after another, chosen with a seed.

It reads only the list of legal actions, as any client does.
"""

from __future__ import annotations

from itertools import chain, combinations, product
from random import Random
from typing import Any, Union

import msgspec

from engine import commands as c
from engine.session.table_state import TableState
from engine.table_view import LegalAction

AnyCommand = Union[tuple(c.Command.__subclasses__())]  # type: ignore[valid-type]  # noqa: UP007

LIKELY = {"undo": 2, "reseat": 1, "all_pass": 1, "hand": 2, "result": 4, "merge": 8}
"""Weights of actions that would otherwise end every session at once, or keep it from going on."""


def command(kind: str, fields: dict[str, Any]) -> c.Command:
    """Return an action as the API reads it."""
    return msgspec.convert({"type": kind, **fields}, AnyCommand)


def list_commands(actions: tuple[LegalAction, ...], but: tuple[str, ...] = ()) -> set[c.Command]:
    """Return every action that the list allows, with and without each optional field."""
    return set(chain.from_iterable(map(expand_action, (a for a in actions if a.type not in but))))


def expand_action(action: LegalAction) -> set[c.Command]:
    """Return every action that this entry allows."""
    names = list(action.fields)
    allowed = [
        [*action.fields[name]["values"], *([msgspec.UNSET] if name in action.optional else [])]
        for name in names
    ]
    commands = set()
    for values in product(*allowed):
        fields = zip(names, values, strict=True)
        commands.add(command(action.type, {n: v for n, v in fields if v is not msgspec.UNSET}))
    return commands


def choose_command(action: LegalAction, die: Random) -> c.Command:
    """Return one of the actions that this entry allows."""
    fields = {}
    for name, allowed in action.fields.items():
        if name in action.optional and die.random() < 0.5:
            continue
        if "keys" in allowed:
            fields[name] = choose_hand(allowed, die)
        else:
            fields[name] = die.choice(allowed["values"])
    return command(action.type, fields)


def choose_hand(cards: dict[str, Any], die: Random) -> list[str]:
    """Return a random hand with the least number of cards, including those that it must include."""
    optional_cards = [card for card in cards["keys"] if card not in cards["including"]]
    return cards["including"] + die.sample(optional_cards, cards["min"] - len(cards["including"]))


def next_action(
    actions: tuple[LegalAction, ...], die: Random, but: tuple[str, ...] = ()
) -> c.Command:
    open_ways = [action for action in actions if action.type not in but]
    weights = [LIKELY.get(action.type, 8) for action in open_ways]
    return choose_command(die.choices(open_ways, weights)[0], die)


def every_possible_command(table: TableState[Any]) -> set[c.Command]:
    """Return all possible actions of this session, most of them nonsense, without hands."""
    players = (*table.players, "p9")
    cards = [r + s for s in "CSHD" for r in ("A", "K", "Q", "J", "10", "9", "8", "2")]
    trumps = (None, "C", "S", "H", "D")
    pairs = [(), *((p,) for p in players), *combinations(players, 2), players[:3], players[:1] * 2]
    volas = [c.Vola(player=p, won=won) for p in players for won in (True, False)]
    numbers = range(-1, table.next_number + 2)
    return {
        *(
            c.OpenDeal(number=number, late_entry=late_entry)
            for number in (None, *numbers)
            for late_entry in (False, True)
        ),
        *(c.Declare(players=pair, trump=trump) for pair in pairs for trump in trumps),
        *(c.Trick(winner=p) for p in players),
        *(c.LaVola(player=p) for p in players),
        *(c.Result(winner=p) for p in (None, *players)),
        *(c.Result(la_vola=vola) for vola in volas),
        *(c.Merge(together=together) for together in (True, False)),
        *(c.Cut(card=card) for card in cards),
        *(c.TurnUp(card=card) for card in cards),
        *(
            c.Bid(player=p, call=call)
            for p in players
            for call in ("accept", "pass", "wieder", *"CSHD")
        ),
        *(c.Discard(player=p, card=card) for p in players for card in (None, *cards)),
        *(c.Play(player=p, card=card) for p in players for card in cards),
        *(c.Undo(), c.AllPass(), c.Finish(), c.Take(), c.Decline()),
    }
