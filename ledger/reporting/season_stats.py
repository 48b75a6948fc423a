"""Statistics of a season for each member: sessions, deals, declarations, bets and results.

Counted from the sessions as they now are, corrections included. A result is without what was
brought forward from an earlier session, payments outside the game and shared costs. Currencies are
never mixed.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

import msgspec

from engine import events as e
from engine.values import Amount, Player
from ledger.events.event_types import Member
from ledger.projections.deals import Deal, newest_first
from ledger.session.session_state import SessionState


class MemberStats(msgspec.Struct, kw_only=True):
    """One member's season."""

    sessions: int = 0
    deals: int = 0  # those that count and in which the member sat
    declared: int = 0
    won_declaring: int = 0
    bets_laid: int = 0  # a share in a bet of two counts as one
    la_volas: int = 0  # announced and won; a vole likewise
    la_volas_lost: int = 0
    games_won: int = 0  # of games for points
    # amounts by currency
    laid: Counter[str] = msgspec.field(default_factory=Counter)
    result: Counter[str] = msgspec.field(default_factory=Counter)
    # not settled, and not carried forward
    open: Counter[str] = msgspec.field(default_factory=Counter)


class SessionStats(msgspec.Struct, frozen=True, kw_only=True):
    """One session: its results, and the totals of the season by then."""

    session: SessionState
    results: Mapping[Member, Amount] | None  # none in a game for points alone
    totals: Mapping[Member, Amount] | None  # of all sessions in this currency so far
    left_on_table: Amount  # what was left in the pot and on bets, less what had been brought there


class SeasonStats(msgspec.Struct, frozen=True, kw_only=True):
    members: Mapping[Member, MemberStats]
    sessions: tuple[SessionStats, ...]


def compute_season_stats(
    members: Iterable[Member], sessions: Iterable[tuple[SessionState, Mapping[Player, Member]]]
) -> SeasonStats:
    """Return the statistics of these sessions, in order; only members are counted."""
    tallies = {member: MemberStats() for member in members}
    session_stats = []
    for session, members_by_player in sessions:
        player_tallies = {player: tallies[m] for player, m in members_by_player.items()}
        seated: set[Player] = set()  # in a deal that counts, not those who were only owed money
        for deal in newest_first(session.deals):
            if deal.status == "closed":
                _count_deal(deal, session.opening.currency, player_tallies)
                seated.update(deal.seats)
        for player in seated & player_tallies.keys():
            player_tallies[player].sessions += 1
        if session.sheet:
            winners = {
                player for contestant in session.sheet.winners for player in contestant.split("+")
            }
            for player in player_tallies.keys() & winners:
                player_tallies[player].games_won += 1
        session_stats.append(_session_stats(session, members_by_player, tallies))
    return SeasonStats(members=tallies, sessions=tuple(session_stats))


def _count_deal(deal: Deal, currency: str, tallies: Mapping[Player, MemberStats]) -> None:
    def tallied(*players: Player | None) -> Iterator[MemberStats]:
        return (tallies[player] for player in players if player and player in tallies)

    closing = deal.closing
    assert closing is not None
    for tally in tallied(*deal.seats):
        tally.deals += 1
    for tally in tallied(*closing.declarers):
        tally.declared += 1
    for tally in tallied(closing.winner if closing.winner in closing.declarers else None):
        tally.won_declaring += 1
    won = closing.outcome == "la_vola_won"
    for tally in tallied(closing.la_vola):
        tally.la_volas += won
        tally.la_volas_lost += not won
    for recorded in deal.facts:
        match recorded.event:
            case e.BetLaid(by=by, each=each):
                for tally in tallied(*by):
                    tally.bets_laid += 1
                    tally.laid[currency] += each


def _session_stats(
    session: SessionState,
    members_by_player: Mapping[Player, Member],
    tallies: Mapping[Member, MemberStats],
) -> SessionStats:
    if not session.is_for_money:
        return SessionStats(session=session, results=None, totals=None, left_on_table=0)
    currency = session.opening.currency
    results: Counter[Member] = Counter()
    for player, member in members_by_player.items():
        if player in session.balances:
            results[member] += session.result(player)
            if not session.carried_to and session.balances[player]:
                tallies[member].open[currency] += session.balances[player]
    for member, amount in results.items():
        tallies[member].result[currency] += amount
    return SessionStats(
        session=session,
        results=dict(results),
        totals={m: t.result[currency] for m, t in tallies.items() if currency in t.result},
        left_on_table=_left_on_table(session),
    )


def _left_on_table(session: SessionState) -> Amount:
    on_table = session.pot + sum(bet.amount for bet in session.bets if bet.paid)
    if session.brought_forward is None:
        return on_table
    paid = (bet for bet in session.brought_forward.bets if bet.paid)
    return on_table - session.brought_forward.pot - sum(bet.each * len(bet.by) for bet in paid)
