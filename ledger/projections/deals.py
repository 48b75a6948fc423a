"""Every deal as it stands now: who dealt, what was said, what came of it.

What was taken back is not here; the journal and the events keep it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

import msgspec
from msgspec.structs import replace

from engine import events as e
from engine.values import Player, Seats
from ledger.envelope import Recorded

Status = Literal["open", "closed", "voided"]


class Deal(msgspec.Struct, frozen=True, kw_only=True):
    """The facts of one deal that still stand."""

    facts: tuple[Recorded, ...]  # begins with the opening
    voided: bool = False

    @property
    def opening(self) -> e.DealOpened:
        opened = self.facts[0].event
        assert isinstance(opened, e.DealOpened)
        return opened

    @property
    def number(self) -> int:
        return self.opening.number

    @property
    def dealer(self) -> Player:
        return self.opening.dealer

    @property
    def seats(self) -> Seats:
        return self.opening.seats

    @property
    def closing(self) -> e.DealClosed | None:
        """How it ended; none while it is open or when it was voided."""
        for recorded in reversed(self.facts):
            if isinstance(recorded.event, e.DealClosed):
                return recorded.event
        return None

    @property
    def status(self) -> Status:
        return "voided" if self.voided else "closed" if self.closing else "open"


class Deals(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """The deals as a chain, the last one first: adding to it costs the same at deal 5,000."""

    last: Deal
    earlier: Deals | None


NONE: Deals | None = None


def newest_first(deals: Deals | None) -> Iterator[Deal]:
    while deals is not None:
        yield deals.last
        deals = deals.earlier


def apply(deals: Deals | None, recorded: Recorded) -> Deals | None:
    match recorded.event:
        case e.DealOpened():
            return Deals(last=Deal(facts=(recorded,)), earlier=deals)
        case e.ActionUndone(deal=int(number), took_back=facts):
            return _shorter(deals, number, len(facts))
        case e.DealVoided():
            return _changed(deals, lambda deal: Deal(facts=deal.facts[:1], voided=True))
        case e.Reseated():
            return deals
        case fact if isinstance(fact, e.Deed):
            return _changed(deals, lambda deal: replace(deal, facts=(*deal.facts, recorded)))
    return deals


def _changed(deals: Deals | None, change: Callable[[Deal], Deal]) -> Deals:
    """The current deal changed: the newest that still counts. Voided ones may lie above it, when
    an undo has gone back past them."""
    assert deals is not None
    if deals.last.voided:
        return Deals(last=deals.last, earlier=_changed(deals.earlier, change))
    return Deals(last=change(deals.last), earlier=deals.earlier)


def _shorter(deals: Deals | None, number: int, by: int) -> Deals | None:
    """Without the last facts of this deal; voided deals that came after it stay where they are."""
    assert deals is not None
    if deals.last.number != number:
        return Deals(last=deals.last, earlier=_shorter(deals.earlier, number, by))
    facts = deals.last.facts[:-by]
    return Deals(last=Deal(facts=facts), earlier=deals.earlier) if facts else deals.earlier
