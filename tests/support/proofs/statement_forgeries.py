"""Every kind of forged statement, made from a genuine one.

Each forgery keeps the sums consistent where a reader would check them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from random import Random
from typing import Any

Doc = dict[str, Any]
Change = Callable[[Doc], Any]


def recompute_balances(doc: Doc) -> None:
    """Recompute the balances and the closing from the lines."""
    balance = doc["opening"]
    for line in doc["lines"]:
        balance += line["change"]
        line["balance"] = balance
    doc["closing"] = balance


def raise_opening(doc: Doc) -> None:
    doc["opening"] += 100_000
    recompute_balances(doc)


def invent_line(doc: Doc) -> None:
    posting = {"kind": "transfer_recorded", "from": "player:p2", "to": "player:p1"}
    amounts = {"amount": 777_000, "change": 777_000, "why": "Bo pays 7 770 kr to Ada"}
    doc["lines"].insert(1, {**doc["lines"][0], **posting, **amounts})
    doc["balances"]["p1"] += 777_000
    doc["balances"]["p2"] -= 777_000
    recompute_balances(doc)


def swap_balances(doc: Doc) -> None:
    balances = doc["balances"]
    balances["p1"], balances["p2"] = balances["p2"], balances["p1"]


def drop_lines(doc: Doc) -> None:
    del doc["lines"][1:-1]
    recompute_balances(doc)


def drop_last_line(doc: Doc) -> None:
    doc["lines"].pop()
    recompute_balances(doc)


def reverse_lines(doc: Doc) -> None:
    doc["lines"].reverse()
    recompute_balances(doc)


def raise_pot(doc: Doc) -> None:
    doc["pot"] += 500
    doc["balances"]["p3"] -= 500


def line(**fields: Any) -> Change:
    return lambda doc: doc["lines"][0].update(fields)


def top(**fields: Any) -> Change:
    return lambda doc: doc.update(fields)


FORGERIES: dict[str, Change] = {
    "the opening balance": raise_opening,
    "an invented line of 7,770 kr": invent_line,
    "balances of two, swapped": swap_balances,
    "some of the lines for all of them": drop_lines,
    "the last line gone": drop_last_line,
    "lines in another order": reverse_lines,
    "more in the pot": raise_pot,
    "another player": top(player="p4"),
    "another currency": top(currency="EUR"),
    "another unit": top(unit="points"),
    "another title": top(title="Lördag"),
    "another game": top(game="polskpas"),
    "another period": lambda doc: doc["period"].update({"from": "2020-01-01T00:00:00.000000Z"}),
    "another selection": lambda doc: doc["filters"].update({"from": "2020-01-01"}),
    "another clock": lambda doc: doc["filters"].update(tz="Asia/Kolkata"),
    "another reason": line(why="Ada owes me"),
    "another name in a reason": lambda doc: doc["lines"][0].update(
        why=doc["lines"][0]["why"].replace("Ada", "Bo")
    ),
    "another deal": line(deal=77),
    "another kind": line(kind="transfer_recorded"),
    "another moment": line(at="2020-01-01T00:00:00.000000Z"),
    "another version of a line": line(version=1),
    "to somebody else": line(to="player:p3"),
    "another amount than the change": line(amount=5),
    "a payment that is not due": lambda doc: doc["payments_due"].append(
        {"id": "9-1", "deal": 1, "from": "p2", "to": "p1", "amount": 77_000, "status": "due"}
    ),
    "a bet of somebody else": lambda doc: doc["bets"][0].update(by=["p3"]),
    "the address of the receipt": lambda doc: doc["receipt"].update(url="https://evil.example"),
    "another result": lambda doc: doc["results"].update(p1=77_000),
    "something more": top(note="Bo owes Ada 7 770 kr"),
    "something less": lambda doc: doc.pop("pot") and doc["balances"].pop("p2"),
}


def change_random_value(random: Random, doc: Doc) -> tuple[str, Doc]:
    """Return the path of a random value, and the statement with that value changed."""
    changed = deepcopy(doc)
    holder, name, path = random.choice([*_list_places(changed, "")])
    old_value = holder[name]
    match old_value:
        case bool() | None:
            holder[name] = 1
        case int():
            holder[name] = old_value + random.choice((-1, 1, 100, 777_000))
        case str():
            holder[name] = replace_character(random, old_value)
    return path, changed


def _list_places(value: Any, path: str) -> Iterator[tuple[Any, Any, str]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    for name, item in inner:
        if isinstance(item, dict | list):
            yield from _list_places(item, f"{path}/{name}")
        else:
            yield value, name, f"{path}/{name}"


def replace_character(random: Random, text: str) -> str:
    place = random.randrange(len(text) + 1)
    return random.choice((f"{text[:place]}ß{text[place:]}", text[:place] + text[place + 1 :] + "7"))
