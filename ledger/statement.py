"""A statement: what somebody began with, every movement with its reason, and what he ended with.

Opening and lines always add up to closing. What was taken back is left out, for it never counted;
the events keep it. Knows no language and no file format.
"""

from collections.abc import Iterable, Iterator

import msgspec

from engine.values import Amount, Player
from ledger import postings
from ledger.envelope import Recorded
from ledger.postings import Posting, Unit
from ledger.projections import journal
from ledger.session import Session
from ledger.why import Reason, Rules, of_event


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One movement. `change` and `balance` are of the statement's player, if it has one."""

    version: int
    at: int
    deal: int | None
    kind: str
    reason: Reason
    change: Amount | None = None
    balance: Amount | None = None


class Statement(msgspec.Struct, frozen=True, kw_only=True):
    session: Session
    player: Player | None
    unit: Unit
    opening: Amount
    lines: tuple[Line, ...]
    closing: Amount
    first: int | None  # microseconds; when the period begins and ends, if there is anything in it
    last: int | None


def units(session: Session) -> tuple[Unit, ...]:
    """What a statement of this evening can be in."""
    kept: tuple[tuple[bool, Unit], ...] = (
        (session.sheet is not None, "points"),
        (session.for_money, "money"),
    )
    return tuple(unit for is_kept, unit in kept if is_kept)


def unit_of(session: Session) -> Unit:
    """What the evening is played for."""
    return units(session)[0]


def account(session: Session, player: Player, unit: Unit) -> tuple[str, Amount]:
    """The account that a player's statement is of, and what is on it; partners share a score."""
    if unit == "money":
        return postings.player(player), session.balances[player]
    scores = session.sheet.scores if session.sheet else {}
    for keeper, points in scores.items():
        if player in keeper.split("+"):
            return postings.score(keeper), points
    raise KeyError(player)


def statement(
    session: Session,
    history: Iterable[Recorded],
    player: Player | None,
    unit: Unit | None = None,
) -> Statement:
    """The statement of one player, or of the whole evening, up to the session's version.

    In points or in money: a game for points with a `point_value` moves both.
    """
    unit = unit or unit_of(session)
    mine, closing = account(session, player, unit) if player else (None, 0)
    told = (x for x in standing(session.rules, history) if x.reason.posting.unit == unit)
    made = tuple(lines(told, mine))
    assert closing == sum(line.change or 0 for line in made), "lines add up to closing"
    return Statement(
        session=session,
        player=player,
        unit=unit,
        opening=0,
        lines=made,
        closing=closing,
        first=made[0].at if made else None,
        last=made[-1].at if made else None,
    )


def lines(moved: Iterable[Line], mine: str | None = None, opening: Amount = 0) -> Iterator[Line]:
    """The lines of an account, one by one, with the balance that runs on from `opening`; of the
    whole evening without one. Keeps nothing but that balance."""
    if mine is None:
        yield from moved
        return
    balance = opening
    for line in moved:
        posting = line.reason.posting
        if mine not in (posting.source, posting.target):
            continue
        balance += (change := changed(posting, mine))
        yield Line(
            version=line.version,
            at=line.at,
            deal=line.deal,
            kind=line.kind,
            reason=line.reason,
            change=change,
            balance=balance,
        )


def changed(posting: Posting, mine: str) -> Amount:
    """By how much an account at one of its ends."""
    return posting.amount if posting.target == mine else -posting.amount


def standing(rules: Rules, history: Iterable[Recorded]) -> list[Line]:
    """Every posting that still stands, with its reason, in order."""
    chain, kept = journal.NONE, dict[tuple[int, int], Line]()
    for recorded in history:
        chain, moved = journal.apply(chain, recorded, postings.postings(recorded.event))
        for line in moved:
            if line.undone_by:
                kept.pop((line.version, line.line), None)
        # what takes back a line that a correction booked by the difference stands by itself
        stands = {line.line: line.deal for line in moved if not line.undone_by}
        for number, reason in enumerate(of_event(rules, recorded), start=1):
            if number in stands:
                kept[recorded.version, number] = Line(
                    version=recorded.version,
                    at=recorded.at,
                    deal=stands[number],
                    kind=recorded.type,
                    reason=reason,
                )
    return list(kept.values())
