"""How it has gone for everybody over many evenings: what they won, declared, laid, and announced.

Counted from the evenings as they stand, corrections and all. A result is what the cards brought:
neither what was brought forward from an earlier evening nor what people have paid each other since.
Money of one currency is never added to another's.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

import msgspec

from engine import events as e
from engine.values import Amount, Player
from ledger.circles import Member
from ledger.projections.deals import Deal, newest_first
from ledger.session import Session

Purse = dict[str, Amount]
"""Amounts by currency."""


class Tally(msgspec.Struct, kw_only=True):
    """One member's season."""

    evenings: int = 0
    deals: int = 0  # that he sat in, and that count
    declared: int = 0
    won_declaring: int = 0
    bets_laid: int = 0  # his part of a bet of two counts as one
    la_volas: int = 0  # announced and won; a vole likewise
    la_volas_lost: int = 0
    games_won: int = 0  # of games for points
    laid: Purse = msgspec.field(default_factory=dict)
    result: Purse = msgspec.field(default_factory=dict)
    open: Purse = msgspec.field(default_factory=dict)  # not settled, and not carried forward


class Night(msgspec.Struct, frozen=True, kw_only=True):
    """One evening: what it brought everybody, and what they have come to by then."""

    session: Session
    results: Mapping[Member, Amount] | None  # none in a game for points alone
    totals: Mapping[Member, Amount] | None  # of all evenings in this currency so far
    on_table: Amount  # what was left in the pot and on bets, less what had been brought there


class Season(msgspec.Struct, frozen=True, kw_only=True):
    tallies: Mapping[Member, Tally]
    nights: tuple[Night, ...]


def season(
    members: Iterable[Member], evenings: Iterable[tuple[Session, Mapping[Player, Member]]]
) -> Season:
    """Everything counted, the evenings in order. Who is not a member is passed over."""
    tallies = {member: Tally() for member in members}
    nights = []
    for session, who in evenings:
        for deal in newest_first(session.deals):
            if deal.status == "closed":
                _count(deal, session.opening.currency, who, tallies)
        for player in _present(session):
            if player in who:
                tallies[who[player]].evenings += 1
        for keeper in session.sheet.winners if session.sheet else ():
            for player in keeper.split("+"):
                if player in who:
                    tallies[who[player]].games_won += 1
        nights.append(_night(session, who, tallies))
    return Season(tallies=tallies, nights=tuple(nights))


def result(session: Session, player: Player) -> Amount:
    """What the cards brought him, everything owed counted as paid."""
    brought = session.brought.balances.get(player, 0) if session.brought else 0
    return session.funds(player) - brought - session.paid.get(player, 0)


def _present(session: Session) -> set[Player]:
    """Who sat in a deal that counts; who was only owed money was not there."""
    closed = (deal for deal in newest_first(session.deals) if deal.status == "closed")
    return {player for deal in closed for player in deal.seats}


def _count(
    deal: Deal, currency: str, who: Mapping[Player, Member], tallies: Mapping[Member, Tally]
) -> None:
    def tallied(*players: Player | None) -> Iterator[Tally]:
        return (tallies[who[player]] for player in players if player is not None and player in who)

    end = deal.closing
    assert end is not None
    for tally in tallied(*deal.seats):
        tally.deals += 1
    for tally in tallied(*end.declarers):
        tally.declared += 1
    for tally in tallied(end.winner if end.winner in end.declarers else None):
        tally.won_declaring += 1
    won = end.outcome == "la_vola_won"
    for tally in tallied(end.la_vola):
        tally.la_volas += won
        tally.la_volas_lost += not won
    for recorded in deal.facts:
        match recorded.event:
            case e.BetLaid(by=by, each=each):
                for tally in tallied(*by):
                    tally.bets_laid += 1
                    _add(tally.laid, currency, each)


def _night(
    session: Session, who: Mapping[Player, Member], tallies: Mapping[Member, Tally]
) -> Night:
    if not session.for_money:
        return Night(session=session, results=None, totals=None, on_table=0)
    currency = session.opening.currency
    results = Counter[Member]()
    for player, member in who.items():
        if player in session.balances:
            results[member] += result(session, player)
            if not session.carried_to and session.balances[player]:
                _add(tallies[member].open, currency, session.balances[player])
    for member, amount in results.items():
        _add(tallies[member].result, currency, amount)
    return Night(
        session=session,
        results=dict(results),
        totals={m: t.result[currency] for m, t in tallies.items() if currency in t.result},
        on_table=_on_table(session),
    )


def _on_table(session: Session) -> Amount:
    now = session.pot + sum(bet.amount for bet in session.bets if bet.paid)
    if session.brought is None:
        return now
    paid = (bet for bet in session.brought.bets if bet.paid)
    return now - session.brought.pot - sum(bet.each * len(bet.by) for bet in paid)


def _add(purse: Purse, currency: str, amount: Amount) -> None:
    purse[currency] = purse.get(currency, 0) + amount
