"""The way back: the last action and the evening before it, and so on to the first.

What undo walks, and what a correction tells again. Does not know any rule.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from engine import events as e
from engine.errors import NoSuchDeal

if TYPE_CHECKING:  # an evening has a trail, which leads to earlier evenings
    from engine.evening import Evening


class Trail:
    """One action. Compared by identity on purpose: an evening of thousands is a long chain."""

    __slots__ = ("_before", "deal", "facts")

    def __init__(
        self,
        before: Evening[Any] | Callable[[], Evening[Any]],
        deal: int | None,
        facts: tuple[e.Deed, ...],
    ) -> None:
        self._before = before  # or how to find it, should anybody go back so far
        self.deal = deal  # none: a reseating between deals
        self.facts = facts

    @property
    def before(self) -> Evening[Any]:
        """The evening as it stood."""
        before = self._before  # read once: threads share an evening, and may find it together
        if callable(before):
            before = self._before = before()
        return before

    def and_then(self, *facts: e.Deed) -> Trail:
        """The same action, from which these followed, too."""
        return Trail(self._before, self.deal, (*self.facts, *facts))


def since(evening: Evening[Any], deal: int) -> list[Trail]:
    """The actions from the opening of this deal on, the first one first. NoSuchDeal."""
    found, at = list[Trail](), evening
    while at.trail is not None:
        found.append(at.trail)
        opened = at.trail.facts[0]
        at = at.trail.before
        if isinstance(opened, e.DealOpened) and opened.number == deal:
            return found[::-1]
    raise NoSuchDeal(deal=deal)


def by_deal(trails: list[Trail]) -> dict[int, tuple[e.Deed, ...]]:
    """All facts of each deal; a merge that came after a reseating is among them."""
    facts = dict[int, tuple[e.Deed, ...]]()
    for trail in trails:
        if trail.deal is not None:
            facts[trail.deal] = facts.get(trail.deal, ()) + trail.facts
    return facts
