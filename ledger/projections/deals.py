"""Every deal as it stands now: who dealt, what was said, what came of it.

What was taken back is not here; the journal and the events keep it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal

import msgspec
from msgspec.structs import replace

from engine import events as e
from engine.values import Player, Seats
from ledger.envelope import Recorded

Status = Literal["open", "closed", "voided"]


class Before(msgspec.Struct, frozen=True, kw_only=True):
    """What a deal had come to, until a correction."""

    version: int  # of the correction
    at: int
    deal: int  # the deal that was corrected: this one, or an earlier one
    facts: tuple[Recorded, ...]


class Deal(msgspec.Struct, frozen=True, kw_only=True):
    """The facts of one deal that still stand."""

    facts: tuple[Recorded, ...]  # begins with the opening
    voided: bool = False
    before: tuple[Before, ...] = ()  # the oldest first

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


def further(deals: Deals | None, told: Sequence[Recorded]) -> Deals | None:
    """After some facts of one deal, be it the current one or a new one."""
    if isinstance(told[0].event, e.DealOpened):
        return Deals(last=Deal(facts=tuple(told)), earlier=deals)
    return _changed(deals, lambda deal: replace(deal, facts=(*deal.facts, *told)))


def apply(deals: Deals | None, recorded: Recorded) -> Deals | None:
    """After what is no fact of a deal."""
    match recorded.event:
        case e.ActionUndone(deal=int(), took_back=facts):
            return _changed(deals, lambda deal: _shorter(deal, len(facts)))
        case e.DealVoided():
            return _changed(deals, lambda d: replace(d, facts=d.facts[:1], voided=True))
        case e.DealCorrected(deal=deal, rescored=rescored):
            again = {r.deal: r for r in rescored}
            first = min((deal, *again))
            return _corrected(deals, again, first, recorded, deal)
    return deals


def _changed(deals: Deals | None, change: Callable[[Deal], Deal | None]) -> Deals | None:
    """The current deal changed, or gone: the newest that still counts. Voided ones may lie above
    it, when an undo has gone back past them."""
    voided = []
    while deals is not None and deals.last.voided:
        voided.append(deals.last)
        deals = deals.earlier
    assert deals is not None
    changed = change(deals.last)
    kept = deals.earlier if changed is None else Deals(last=changed, earlier=deals.earlier)
    for deal in reversed(voided):
        kept = Deals(last=deal, earlier=kept)
    return kept


def _shorter(deal: Deal, by: int) -> Deal | None:
    """Without its last facts; without any it was never opened."""
    facts = deal.facts[:-by]
    return replace(deal, facts=facts) if facts else None


def _corrected(
    deals: Deals | None,
    again: Mapping[int, e.Rescored],
    first: int,
    recorded: Recorded,
    corrected: int,
) -> Deals | None:
    """The chain with these deals told again; what lies before the first of them is shared."""
    later = list[Deal]()
    while deals is not None and deals.last.number >= first:
        later.append(deals.last)
        deals = deals.earlier
    for deal in reversed(later):
        told = deal
        if deal.number in again:
            before = Before(
                version=recorded.version, at=recorded.at, deal=corrected, facts=deal.facts
            )
            facts = _told(deal.facts, again[deal.number].facts, recorded)
            told = Deal(
                facts=facts or deal.facts[:1],
                voided=not facts,
                before=(*deal.before, before),
            )
        deals = Deals(last=told, earlier=deals)
    return deals


def _told(
    was: tuple[Recorded, ...], facts: tuple[e.Deed, ...], recorded: Recorded
) -> tuple[Recorded, ...]:
    """What has not changed keeps the version and the time at which it was recorded."""
    told = list[Recorded]()
    for place, fact in enumerate(facts):
        if len(told) == place and place < len(was) and was[place].event == fact:
            told.append(was[place])
        else:
            told.append(replace(recorded, type=tag(fact), event=fact))
    return tuple(told)


def tag(fact: e.Event) -> str:
    return str(type(fact).__struct_config__.tag)
