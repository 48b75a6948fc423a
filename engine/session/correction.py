"""A deal was really played otherwise, or never counted: it and every later deal are scored again.

Later deals keep what was recorded of them, who dealt and who sat; only what follows from it is
decided anew. Nothing is taken out of history: what comes of it is one more fact, with what each
deal had come to and what it comes to now. Source: contract.md §5. Does not know money or clocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeVar

from msgspec.structs import replace

from engine import commands as c
from engine import evening as evenings
from engine import events as e
from engine.errors import (
    DealIsOpen,
    DealNotClosed,
    LaterDealsBreak,
    NotNow,
    RuleViolation,
    SessionClosed,
)
from engine.evening import Evening
from engine.game import Game, Opening
from engine.recorded import action_of
from engine.trail import Trail, by_deal, since
from engine.values import MAX_AMOUNT, Amount, Player

S = TypeVar("S")
Facts = tuple[e.Deed, ...]
Later = Literal["refuse", "void"]
"""What happens to later deals that the correction makes impossible."""


def correct(
    game: Game[Any, S],
    options: Any,
    evening: Evening[S],
    deal: int,
    actions: Sequence[c.Command] | None,
    later: Later,
) -> e.DealCorrected:
    """The deal was played like this (`actions` without its opening), or never counted (None).

    SessionClosed, NoSuchDeal, DealIsOpen, DealNotClosed, LaterDealsBreak, and whatever the rules
    refuse in the actions.
    """
    if evening.closed:
        raise SessionClosed
    if evening.open and evening.number == deal:
        raise DealIsOpen(deal=deal)
    for place, command in enumerate(actions or ()):
        if isinstance(command, c.OpenDeal | c.Undo | c.Reseat):
            raise NotNow(action=place, phase="correcting")  # its place, as in any batch
    trails = since(evening, deal)
    was, now, broken = by_deal(trails), dict[int, Facts](), list[int]()
    at, voided = trails[0].before, None
    for trail in trails:
        if trail.deal is None:
            at, voided = evenings.evolve(game, at, trail.facts[0]), None
            continue
        number = trail.deal
        if number in now:
            continue
        opened, *said = (action_of(fact) for fact in was[number] if isinstance(fact, e.Spoken))
        del opened
        told = list(actions or ()) if number == deal else said
        opening = trail.facts[0]
        assert isinstance(opening, e.DealOpened)
        try:
            if number == deal and actions is None:
                now[number] = ()
            else:
                at, now[number] = _told(game, options, at, opening, told)
        except RuleViolation:
            if number == deal:
                raise
            broken.append(number)
            now[number] = ()
        if now[number]:
            voided = None
        else:
            at = without(at, number)
            voided = voided or opening.dealer
        if number == deal and now[number] and at.open:
            raise DealNotClosed(deal=deal)
    if broken and later == "refuse":
        raise LaterDealsBreak(deals=broken)
    if voided in at.seats:  # after a last deal that does not count the same one deals (A-PP-16)
        dealer = game.void(options, voided, at.seats)
    elif at.dealer == _named(trails):  # it is still the turn of whoever it was, voided deals or not
        dealer = evening.dealer
    else:
        dealer = at.dealer
    return e.DealCorrected(
        deal=deal,
        rescored=tuple(
            e.Rescored(deal=number, was=was[number], facts=facts)
            for number, facts in now.items()
            if was[number] != facts
        ),
        next_dealer=dealer,
    )


def _named(trails: Sequence[Trail]) -> Player | None:
    """Who was to deal after what these have recorded; deals voided since are not in it."""
    for fact in (fact for trail in reversed(trails) for fact in reversed(trail.facts)):
        match fact:
            case e.DealClosed(next_dealer=dealer) | e.Reseated(dealer=dealer):
                return dealer
    return None


def _told(
    game: Game[Any, S],
    options: Any,
    before: Evening[S],
    opened: e.DealOpened,
    said: Sequence[c.Command],
) -> tuple[Evening[S], Facts]:
    """The deal dealt by the same dealer to the same people, and then these actions."""
    opening = Opening(
        number=opened.number, dealer=opened.dealer, seats=opened.seats, funds=MAX_AMOUNT
    )
    at, facts = before, list[e.Deed]()
    decided: Sequence[e.Event] = game.open(options, at.table, opening)
    for place, command in enumerate((None, *said), start=-1):
        if command is not None:
            try:
                decided = evenings.decide(game, options, at, command, _never_short)
            except RuleViolation as refused:
                refused.operands["action"] = place
                raise
        for fact in decided:
            assert isinstance(fact, e.Deed)
            facts.append(fact)
            at = evenings.evolve(game, at, fact)
    return at, tuple(facts)


def _never_short(player: Player) -> Amount:
    """A credit limit is asked when a deal is opened, not when it is scored again."""
    return MAX_AMOUNT


def without(at: Evening[S], number: int) -> Evening[S]:
    """The table without this deal, whose number is used up."""
    return replace(at, voided=max(at.voided, number))


def corrected(game: Game[Any, S], evening: Evening[S], fact: e.DealCorrected) -> Evening[S]:
    """The evening after a correction: what stands, told from the facts."""
    trails = since(evening, fact.deal)
    facts = {**by_deal(trails), **{again.deal: again.facts for again in fact.rescored}}
    at, done = trails[0].before, set[int]()
    for trail in trails:
        if trail.deal is None:
            at = evenings.evolve(game, at, trail.facts[0])
        elif trail.deal not in done:
            done.add(trail.deal)
            for one in facts[trail.deal]:
                at = evenings.evolve(game, at, one)
            if not facts[trail.deal]:
                at = without(at, trail.deal)
    at = replace(at, players=evening.players, voided=max(at.voided, evening.voided))
    return at if at.open else replace(at, dealer=fact.next_dealer)
