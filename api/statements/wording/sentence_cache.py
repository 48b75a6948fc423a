"""The texts of lines, cached for all lines that are alike but for the numbers of deals and bets.

A season has tens of thousands of lines and a few hundred different sentences. Each event is worded
twice with other numbers in the place of its own. Where these show up in both texts at the same
places, the text becomes a format that every line like it fills with its own numbers. Where the two
differ in anything else, nothing is cached.

`CachedTranslator` caches words; this cache saves decoding the event and explaining its postings.
"""

import re
from collections.abc import Callable, Sequence
from itertools import count

import msgspec

from ledger.events import codec
from ledger.projections.postings import Posting
from ledger.reporting.posting_reasons import Explanation, RuleReferences, explain_event

NUMBERS = re.compile(r'"(?:bet|deal|laid_in|number)":([1-9]\d*)')
"""0 is no number: it says that a bet is of an earlier session."""
FREQUENT_KINDS = frozenset(
    {"deal_opened", "pot_taken", "bet_taken", "bet_laid", "penalty_paid", "scored"}
)
"""The events of deals. None of them repeats another event."""
MAX_CACHED = 2000
PROBE_NUMBERS = ("90170355", "60480215")
"""With a digit appended, numbers that no deal has. Two, because a name may contain one of them."""


class LineText(msgspec.Struct, frozen=True):
    """`cells` are formats with `{0}` for the first number. The posting's bet may be a probe."""

    posting: Posting
    cells: tuple[str, ...]


class SentenceCache:
    """The texts of a session's lines, as `word_reason` words them."""

    def __init__(
        self, rules: RuleReferences, word_reason: Callable[[Explanation], tuple[str, ...]]
    ) -> None:
        self._rules = rules
        self._word_reason = word_reason
        self._cached: dict[str, tuple[LineText, ...]] = {}
        self._event_texts: tuple[LineText, ...] = ()
        self._event_numbers: list[str] = []

    def line_text(
        self, line: int, kind: str, schema: int, data: str | None
    ) -> tuple[LineText, Sequence[str]]:
        """Return the text of a stored line, and the numbers that fill its formats. Without `data`,
        it is of the same event as the line before."""
        if data is not None:
            self._event_texts, self._event_numbers = self._find_texts(kind, schema, data)
        return self._event_texts[line - 1], self._event_numbers

    def _find_texts(
        self, kind: str, schema: int, data: str
    ) -> tuple[tuple[LineText, ...], list[str]]:
        """Return the texts of an event's lines, from the cache if they are in it."""
        if kind not in FREQUENT_KINDS:
            return self._texts(kind, schema, data), []
        parts = NUMBERS.split(data)
        shape = f"{kind} {schema} {'#'.join(parts[::2])}"
        cached = self._cached.get(shape)
        if cached is not None:
            return cached, parts[1::2]
        if len(self._cached) < MAX_CACHED:
            first, second = (
                self._texts(kind, schema, _substitute_numbers(probe, data), probe)
                for probe in PROBE_NUMBERS
            )
            if [text.cells for text in first] == [text.cells for text in second]:
                self._cached[shape] = first
        return self._texts(kind, schema, data), []

    def _texts(self, kind: str, schema: int, data: str, probe: str = "") -> tuple[LineText, ...]:
        return tuple(
            LineText(reason.posting, tuple(_as_format(c, probe) for c in self._word_reason(reason)))
            for reason in explain_event(self._rules, 0, codec.decode(kind, schema, data))
        )


def _substitute_numbers(probe: str, data: str) -> str:
    """Return the event with its numbers replaced by the probe and a digit that tells which."""
    positions = count()
    return NUMBERS.sub(
        lambda match: f"{match[0].removesuffix(match[1])}{probe}{next(positions)}", data
    )


def _as_format(cell: str, probe: str) -> str:
    """Return the cell as a format with fields in the place of the probe."""
    text = cell.replace("{", "{{").replace("}", "}}")
    return re.sub(rf"{probe}(\d)", r"{\1}", text) if probe else text
