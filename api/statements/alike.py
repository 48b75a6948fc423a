"""Lines that read alike, put into words once: the same but for the numbers of their deals and bets.

A season has tens of thousands of lines and says a few hundred things. Each is said with other
numbers than its own, and where these come out again, the numbers of every line like it go. It is
said twice so, with different ones: where anything else differs, nothing is remembered.
"""

import re
from collections.abc import Callable, Sequence
from itertools import count

import msgspec

from ledger import codec
from ledger.movements import Row
from ledger.postings import Posting
from ledger.why import Reason, Rules, reasons

NUMBERS = re.compile(r'"(?:bet|deal|laid_in|number)":([1-9]\d*)')
"""0 is no number, but says that a bet is of an earlier evening."""
OFTEN = frozenset({"deal_opened", "pot_taken", "bet_taken", "bet_laid", "penalty_paid", "scored"})
"""What deals are made of; none of them repeats another event."""
MOST = 2000
"""So many are remembered; whatever comes after them is put into words each time."""
OTHERS = ("90170355", "60480215")
"""With a digit behind it, a number that no deal has. A name that is one reads otherwise the second
time."""


class Said(msgspec.Struct, frozen=True):
    """`cells` are formats with `{0}` where the first number goes; so may be the posting's bet."""

    posting: Posting
    cells: tuple[str, ...]


class Alike:
    """What the lines of an evening say, in the words of `say`."""

    def __init__(self, rules: Rules, say: Callable[[Reason], tuple[str, ...]]) -> None:
        self._rules = rules
        self._say = say
        self._known = dict[str, tuple[Said, ...]]()
        self._last: tuple[int, tuple[Said, ...]] = 0, ()

    def __call__(self, row: Row) -> tuple[Said, Sequence[str]]:
        """How this line reads, and its numbers."""
        version, line, _, kind, schema, _, data = row
        parts = NUMBERS.split(data)
        like = f"{kind} {schema} {'#'.join(parts[::2])}"
        if like in self._known:
            return self._known[like][line - 1], parts[1::2]
        if version != self._last[0]:  # an event's lines come one after the other
            self._last = version, self._said(kind, schema, data)
            if kind in OFTEN and len(self._known) < MOST:
                one, two = (self._said(kind, schema, _with(x, data), x) for x in OTHERS)
                if [x.cells for x in one] == [x.cells for x in two]:
                    self._known[like] = one
        return self._last[1][line - 1], ()

    def _said(self, kind: str, schema: int, data: str, number: str = "") -> tuple[Said, ...]:
        because = reasons(self._rules, 0, codec.decode(kind, schema, data))
        return tuple(
            Said(reason.posting, tuple(_open(cell, number) for cell in self._say(reason)))
            for reason in because
        )


def _with(number: str, data: str) -> str:
    """The event with this in the place of its numbers, and a digit to tell which."""
    places = count()
    return NUMBERS.sub(lambda it: f"{it[0].removesuffix(it[1])}{number}{next(places)}", data)


def _open(cell: str, number: str) -> str:
    """A format of it, open where such numbers are."""
    text = cell.replace("{", "{{").replace("}", "}}")
    return re.sub(rf"{number}(\d)", r"{\1}", text) if number else text
