"""The worked evenings of docs/rules.md as tables of text, and their parser.

A line is a deal: declarers, tricks by winner in order, then the state after it: balances in seat
order, the pot, and the bets in playing order with their owners.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from engine import commands as c
from tests.support.engine.random_walk import command

E1 = """
B    CCDCB         | -10 -10   10    0 | pot  0 | B10
D    AABDD         |  10 -20   10  -20 | pot  0 | D20
-    -             |  10 -20    0  -20 | pot 10 | D20
DC   BBABD         |  10  20  -40  -70 | pot  0 | C40 D40
A    CCCCC vola C  | -50 -30  160 -120 | pot  0 | D40
B    BBBA  vola B  | -50 -40  160 -120 | pot 10 | D40
D    DADBC         | -50 -40  150  -60 | pot  0 |
"""

E3 = """
C    BBACD         | -10  10  -10    0    0 | pot  0 | C10
D    ABCDE         | -10   0  -10  -20    0 | pot 10 | C10 D20
-    -             | -10   0  -20  -20    0 | pot 20 | C10 D20
DC   EACDB         | -10   0  -60  -70    0 | pot 30 | C10 D20 C40 D40
A    AABBB         | -60  50  -60  -70  -10 | pot  0 | D20 C40 D40 A50
E    EEABC         | -70  50  -60  -70   20 | pot  0 | C40 D40 A50
"""

CLOSED_E3 = {
    "carry": [-70, 50, -60, -70, 20],
    "refund_bets": [-20, 50, -20, -30, 20],
    "split_equal": [-44, 76, -34, -44, 46],
}


@dataclass(frozen=True)
class Line:
    number: int
    declarers: list[str]
    tricks: list[str]
    la_vola: str | None
    balances: list[int]
    pot: int
    bets: list[tuple[str, int]]

    def commands(self) -> list[c.Command]:
        """Return the deal as commands, trick by trick."""
        return [command(action.pop("type"), action) for action in self.actions()]

    def actions(self) -> list[dict[str, Any]]:
        """Return the deal as actions of the API, trick by trick."""
        actions: list[dict[str, Any]] = [{"type": "open_deal", "number": self.number}]
        if not self.tricks:
            return [*actions, {"type": "all_pass"}]
        actions.append({"type": "declare", "players": self.declarers})
        for place, winner in enumerate(self.tricks):
            if place == 2 and self.la_vola:
                actions.append({"type": "la_vola", "player": self.la_vola})
            actions.append({"type": "trick", "winner": winner})
        return actions


def player(letter: str) -> str:
    return f"p{'ABCDE'.index(letter) + 1}"


def lines(table: str) -> Iterator[Line]:
    for number, text in enumerate(table.strip().splitlines(), start=1):
        deal, balances, pot, bets = (part.split() for part in text.split("|"))
        declarers, tricks, *vola = deal
        yield Line(
            number=number,
            declarers=[player(x) for x in declarers if x != "-"],
            tricks=[player(x) for x in tricks if x != "-"],
            la_vola=player(vola[1]) if vola else None,
            balances=[int(x) for x in balances],
            pot=int(pot[1]),
            bets=[(player(bet[0]), int(bet[1:])) for bet in bets],
        )


# --- Danish Polskpas -----------------------------------------------------------------------------

E5 = """
B    CBCAC         |  -5  -5    0    0 | pot 10
-    -             |  -5 -10    0    0 | pot 15
D    DDABD vole    |  -5 -10   -5    0 | pot 20
A    AABBB vole    | -30 -10   -5   -5 | pot 50
C    CCCCC vole    | -90 -65  215  -60 | pot  0
D    DADBC         | -90 -70  215  -55 | pot  0
"""
"""Soloist, tricks, and whether a vole was announced; balances; the pot (docs/rules.md §8)."""


@dataclass(frozen=True)
class Solo:
    number: int
    soloist: str | None
    tricks: list[str]
    vole: bool
    balances: list[int]
    pot: int

    def _opening_actions(self) -> list[dict[str, Any]]:
        actions: list[dict[str, Any]] = [{"type": "open_deal", "number": self.number}]
        if self.soloist is None:
            return [*actions, {"type": "all_pass"}]
        return [*actions, {"type": "declare", "players": [self.soloist]}]

    def actions(self) -> list[dict[str, Any]]:
        """Return the deal as actions, trick by trick."""
        actions = self._opening_actions()
        for place, winner in enumerate(self.tricks):
            if place == 2 and self.vole:
                actions.append({"type": "vole", "player": self.soloist})
            actions.append({"type": "trick", "winner": winner})
        return actions

    def result(self) -> list[dict[str, Any]]:
        """Return the deal as actions with its result: three tricks win, else the first two."""
        if self.soloist is None:
            return self._opening_actions()
        three_trick_winners = [p for p in self.tricks if self.tricks.count(p) >= 3]
        two_trick_winners = [p for place, p in enumerate(self.tricks) if p in self.tricks[:place]]
        result: dict[str, Any] = {
            "type": "result",
            "winner": (three_trick_winners or two_trick_winners)[0],
        }
        if self.vole:
            won = self.tricks == [self.soloist] * 5
            result["vole"] = {"player": self.soloist, "won": won}
        return [*self._opening_actions(), result]


def polskpas_lines(table: str) -> Iterator[Solo]:
    for number, text in enumerate(table.strip().splitlines(), start=1):
        deal, balances, pot = (part.split() for part in text.split("|"))
        soloist, tricks, *vole = deal
        yield Solo(
            number=number,
            soloist=None if soloist == "-" else player(soloist),
            tricks=[player(x) for x in tricks if x != "-"],
            vole=bool(vole),
            balances=[int(x) for x in balances],
            pot=int(pot[1]),
        )
