"""Every deal as it now is: who dealt, what was recorded, and how it ended.

What was undone is not here, only in the journal and the events.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Literal

import msgspec
from msgspec.structs import replace

from engine import events as e
from engine.events import DEAL_EVENTS, DealClosed, DealOpened
from engine.values import Player, Seats
from ledger.events.codec import event_type
from ledger.events.recorded_event import RecordedEvent

Status = Literal["open", "closed", "voided"]


class SupersededFacts(msgspec.Struct, frozen=True, kw_only=True):
    """The facts of a deal before a correction replaced them."""

    version: int  # of the correction
    at: int
    corrected_deal: int  # the deal that was corrected: this one, or an earlier one
    facts: tuple[RecordedEvent, ...]


class Deal(msgspec.Struct, frozen=True, kw_only=True):
    """The facts of one deal that still count."""

    facts: tuple[RecordedEvent, ...]  # begins with the opening
    voided: bool = False
    superseded: tuple[SupersededFacts, ...] = ()  # the oldest first

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
        """How the deal ended; None while it is open or when it was voided."""
        for recorded in reversed(self.facts):
            if isinstance(recorded.event, e.DealClosed):
                return recorded.event
        return None

    @property
    def status(self) -> Status:
        return "voided" if self.voided else "closed" if self.closing else "open"


class Deals(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """The deals as a linked list, newest first: appending costs the same at deal 5,000."""

    last: Deal
    earlier: Deals | None


def newest_first(deals: Deals | None) -> Iterator[Deal]:
    while deals is not None:
        yield deals.last
        deals = deals.earlier


def find_deal(deals: Deals | None, number: object) -> Deal | None:
    return next((deal for deal in newest_first(deals) if deal.number == number), None)


def group_by_deal(history: Iterable[RecordedEvent]) -> Iterator[Sequence[RecordedEvent]]:
    """Yield runs of events: consecutive facts of one deal together, any other event alone."""
    run: list[RecordedEvent] = []
    for recorded in history:
        event_class = type(recorded.event)
        is_alone = event_class not in DEAL_EVENTS
        if run and (is_alone or event_class is DealOpened):
            yield run
            run = []
        run.append(recorded)
        if is_alone or event_class is DealClosed:
            yield run
            run = []
    if run:
        yield run


def add_facts(deals: Deals | None, facts: Sequence[RecordedEvent]) -> Deals | None:
    """Return the deals after facts of the current deal, or of a new one."""
    if isinstance(facts[0].event, e.DealOpened):
        return Deals(last=Deal(facts=tuple(facts)), earlier=deals)
    return _change_current(deals, lambda deal: replace(deal, facts=(*deal.facts, *facts)))


def apply(deals: Deals | None, recorded: RecordedEvent) -> Deals | None:
    """Return the deals after an event that is not a fact of a deal."""
    match recorded.event:
        case e.ActionUndone(deal=int(), took_back=facts):
            return _change_current(deals, lambda deal: _drop_facts(deal, facts))
        case e.DealVoided():
            return _change_current(deals, lambda d: replace(d, facts=d.facts[:1], voided=True))
        case e.DealCorrected(rescored=rescored) as correction:
            facts_by_deal = {r.deal: r.facts for r in rescored}
            return _change_deals(
                deals,
                facts_by_deal.keys(),
                lambda deal: _supersede(deal, facts_by_deal[deal.number], correction, recorded),
            )
        case e.CorrectionUndone(rescored=rescored):
            return _change_deals(deals, {r.deal for r in rescored}, _restore_superseded)
    return deals


def _change_current(deals: Deals | None, change: Callable[[Deal], Deal | None]) -> Deals | None:
    """Return the deals with the current one, the newest not voided, changed or removed. Voided
    deals may lie above it after an undo that went back past them."""
    assert deals is not None, "there is a current deal"
    voided_deals: list[Deal] = []
    while deals.last.voided:
        voided_deals.append(deals.last)
        deals = deals.earlier
        assert deals is not None, "there is a current deal"
    changed = change(deals.last)
    deals = Deals(last=changed, earlier=deals.earlier) if changed else deals.earlier
    for deal in reversed(voided_deals):
        deals = Deals(last=deal, earlier=deals)
    return deals


def _drop_facts(deal: Deal, took_back: e.UndoableEvents) -> Deal | None:
    """Return the deal without these last facts, some of which a rebuild has not read; None if not
    even the opening is left."""
    facts = list(deal.facts)
    for fact in reversed(took_back):
        if facts and facts[-1].event == fact:
            facts.pop()
    return replace(deal, facts=tuple(facts)) if facts else None


def _change_deals(
    deals: Deals | None, numbers: Collection[int], change: Callable[[Deal], Deal | None]
) -> Deals | None:
    """Return the deals with these changed or removed; those before the first of them are shared."""
    later_deals: list[Deal] = []
    while deals is not None and numbers and deals.last.number >= min(numbers):
        later_deals.append(deals.last)
        deals = deals.earlier
    for deal in reversed(later_deals):
        changed = change(deal) if deal.number in numbers else deal
        deals = Deals(last=changed, earlier=deals) if changed else deals
    return deals


def _supersede(
    deal: Deal, facts: e.UndoableEvents, correction: e.DealCorrected, recorded: RecordedEvent
) -> Deal:
    """Return the deal with these facts, or voided without any."""
    superseded = SupersededFacts(
        version=recorded.version, at=recorded.at, corrected_deal=correction.deal, facts=deal.facts
    )
    return Deal(
        facts=_merge_facts(deal.facts, facts, recorded) or deal.facts[:1],
        voided=not facts,
        superseded=(*deal.superseded, superseded),
    )


def _restore_superseded(deal: Deal) -> Deal:
    """Return the deal as it was before its last correction."""
    *earlier, last = deal.superseded
    return replace(deal, facts=last.facts, voided=False, superseded=tuple(earlier))


def _merge_facts(
    recorded_facts: tuple[RecordedEvent, ...], facts: e.UndoableEvents, recorded: RecordedEvent
) -> tuple[RecordedEvent, ...]:
    """Return the new facts; those that did not change keep their version and time."""
    return tuple(
        before
        if before is not None and before.event == fact
        else replace(recorded, type=event_type(fact), event=fact)
        for before, fact in zip_longest(recorded_facts[: len(facts)], facts)
    )
