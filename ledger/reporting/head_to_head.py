"""Who beats whom in a season: pairs, partners, streaks, declarers, and the la volas that were won.

Counted from the sessions as they now are, corrections included, like the standings of the season
(`season_stats.py`). Only members are counted, and only sessions in which a deal counts. Money and
points are never compared with each other: a game for points is won and lost by its score sheet,
with or without a point value, any other game by the money that was won and lost in play.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import combinations
from typing import TypeVar

import msgspec

from engine.values import Player
from ledger.events.event_types import Member
from ledger.projections.deals import Deal, newest_first
from ledger.session.session_state import SessionState

PairOfMembers = tuple[Member, Member]
Item = TypeVar("Item")


class Pair(msgspec.Struct, kw_only=True):
    """Two members who have sat at the same table."""

    members: PairOfMembers  # in the order of the group
    sessions: int = 0
    # in how many of them each ended ahead of the other; a session may end level
    sessions_ahead: dict[Member, int]
    # how many deals each won that the other had declared
    deals_beaten: dict[Member, int]


class Partners(msgspec.Struct, kw_only=True):
    """Two members who have been one side in a game of two sides."""

    members: PairOfMembers
    games: int = 0  # that have been decided
    games_won: int = 0


class Streak(msgspec.Struct, kw_only=True):
    """A member's sessions in a row; a session that ends level ends a streak."""

    member: Member
    longest_winning: int = 0
    longest_losing: int = 0
    current: int = 0  # below zero: lost in a row


class Declarer(msgspec.Struct, kw_only=True):
    """How many deals a member declared, alone or with others, and won."""

    member: Member
    declared: int = 0
    won: int = 0


class WonLaVola(msgspec.Struct, frozen=True, kw_only=True):
    """A la vola, or a vole, that was announced and won."""

    member: Member
    session: str
    game: str
    deal: int
    at: int  # microseconds since 1970


class HeadToHead(msgspec.Struct, frozen=True, kw_only=True):
    pairs: list[Pair]
    partners: list[Partners]
    streaks: list[Streak]  # of members who have played
    declarers: list[Declarer]  # the best first
    la_volas: list[WonLaVola]  # the oldest first


def compute_head_to_head(
    members: Iterable[Member], sessions: Iterable[tuple[SessionState, Mapping[Player, Member]]]
) -> HeadToHead:
    """Return who beats whom in these sessions, which are in order of time."""
    order = {member: place for place, member in enumerate(members)}
    tally = _Tally(order)
    for session, members_by_player in sessions:
        tally.count_session(session, members_by_player)
    return HeadToHead(
        pairs=_in_order(tally.pairs, order),
        partners=_in_order(tally.partners, order),
        streaks=[tally.streaks[member] for member in order if member in tally.streaks],
        declarers=sorted(
            tally.declarers.values(),
            key=lambda d: (-(d.won * 1_000_000 // d.declared), -d.declared, order[d.member]),
        ),
        la_volas=tally.la_volas,
    )


class _Tally:
    def __init__(self, order: Mapping[Member, int]) -> None:
        self.order = order
        self.pairs: dict[PairOfMembers, Pair] = {}
        self.partners: dict[PairOfMembers, Partners] = {}
        self.streaks: dict[Member, Streak] = {}
        self.declarers: dict[Member, Declarer] = {}
        self.la_volas: list[WonLaVola] = []

    def count_session(self, session: SessionState, members: Mapping[Player, Member]) -> None:
        deals = [deal for deal in newest_first(session.deals) if deal.status == "closed"]
        deals.reverse()
        seated = {player for deal in deals for player in deal.seats if player in members}
        for first, second in combinations(sorted(seated, key=lambda p: self.order[members[p]]), 2):
            self._count_pair(session, (first, second), (members[first], members[second]))
        for deal in deals:
            self._count_deal(session, deal, members)
        if session.sheet and session.sheet.winners:
            for side in session.sheet.scores:
                self._count_partners(side, session.sheet.winners, members)
        for player, won in _won_or_lost(session, seated):
            self._count_streak(members[player], won)

    def _pair(self, key: PairOfMembers) -> Pair:
        zeros: dict[Member, int] = dict.fromkeys(key, 0)
        return self.pairs.setdefault(
            key, Pair(members=key, sessions_ahead=zeros, deals_beaten=dict(zeros))
        )

    def _count_pair(
        self, session: SessionState, players: tuple[Player, Player], key: PairOfMembers
    ) -> None:
        pair = self._pair(key)
        pair.sessions += 1
        first, second = (_comparable_result(session, player) for player in players)
        if first is not None and second is not None and first != second:
            pair.sessions_ahead[key[0] if first > second else key[1]] += 1

    def _count_deal(
        self, session: SessionState, deal: Deal, members: Mapping[Player, Member]
    ) -> None:
        closing = deal.closing
        assert closing is not None
        winner = members.get(closing.winner) if closing.winner else None
        for member in (members[player] for player in closing.declarers if player in members):
            declarer = self.declarers.setdefault(member, Declarer(member=member))
            declarer.declared += 1
            if member == winner:
                declarer.won += 1
            elif winner:
                first, second = sorted((winner, member), key=self.order.__getitem__)
                self._pair((first, second)).deals_beaten[winner] += 1
        announcer = members.get(closing.la_vola) if closing.la_vola else None
        if closing.outcome == "la_vola_won" and announcer:
            self.la_volas.append(
                WonLaVola(
                    member=announcer,
                    session=str(session.id),
                    game=session.opening.game,
                    deal=deal.number,
                    at=deal.facts[-1].at,
                )
            )

    def _count_partners(
        self, side: str, winners: Collection[str], members: Mapping[Player, Member]
    ) -> None:
        partners = [members[player] for player in side.split("+") if player in members]
        if len(partners) == 2:
            first, second = sorted(partners, key=self.order.__getitem__)
            key = (first, second)
            pair = self.partners.setdefault(key, Partners(members=key))
            pair.games += 1
            pair.games_won += side in winners

    def _count_streak(self, member: Member, won: bool | None) -> None:
        streak = self.streaks.setdefault(member, Streak(member=member))
        if won is None:
            streak.current = 0
        elif won:
            streak.current = max(streak.current, 0) + 1
            streak.longest_winning = max(streak.longest_winning, streak.current)
        else:
            streak.current = min(streak.current, 0) - 1
            streak.longest_losing = max(streak.longest_losing, -streak.current)


def _comparable_result(session: SessionState, player: Player) -> int | None:
    """Return the result by which players are compared, the higher the better; None for a player
    without one."""
    if session.sheet is None:
        return session.result(player) if player in session.balances else None
    assert session.game.scoring is not None
    sign = -1 if session.game.scoring.lowest_wins else 1
    scores = (
        sign * x
        for contestant, x in session.sheet.scores.items()
        if player in contestant.split("+")
    )
    return next(scores, None)


def _won_or_lost(
    session: SessionState, players: Iterable[Player]
) -> Iterator[tuple[Player, bool | None]]:
    """Yield for each player whether the session was won; None if it ended level. A game for points
    is neither won nor lost before it is decided."""
    if session.sheet is None:
        for player in players:
            result = _comparable_result(session, player)
            yield player, None if not result else result > 0
    elif session.sheet.winners:
        winners = {player for side in session.sheet.winners for player in side.split("+")}
        for player in players:
            yield player, player in winners


def _in_order(items: Mapping[PairOfMembers, Item], order: Mapping[Member, int]) -> list[Item]:
    return [items[key] for key in sorted(items, key=lambda key: (order[key[0]], order[key[1]]))]
