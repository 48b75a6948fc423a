"""Whether everything that followed from what was said had to follow, by the rules.

Each action is decided once more on the evening as it stood, and what the rules make of it is held
against what was written: a bet that nobody lost is found, although the sums come out. What goes
over from one evening to another is looked at in `carried`.
"""

from collections.abc import Iterator, Sequence
from uuid import UUID

import msgspec
from msgspec.structs import replace

from engine import commands as c
from engine import events as e
from engine.errors import RuleViolation
from engine.game import Last
from engine.games import GAMES
from engine.recorded import action_of
from ledger import handling
from ledger.auditing.findings import Finding, finding
from ledger.auditing.seals import Stream
from ledger.database import Connection
from ledger.entries import (
    CarriedForward,
    Entry,
    PaymentSettled,
    PlayerJoined,
    SessionOpened,
    TransferRecorded,
)
from ledger.history import history
from ledger.projections.payments import outstanding
from ledger.session import Session, apply
from ledger.store import settling


def check(db: Connection, session_id: UUID, stream: Stream) -> Iterator[Finding]:
    """The first thing that was written and did not follow; the rest stands on it. The events have
    been folded before."""
    told = list(history(db, session_id, 0, stream.version))
    session, at = Session(id=session_id), 0
    while at < len(told):
        said = [recorded.event for recorded in told[at : at + MOST]]
        try:
            expected = follows(session, said)
        except (RuleViolation, DoesNotFollow) as refused:
            detail = f"The rules refuse it: {str(refused) or refused.__doc__}"
            yield finding("decided_otherwise", told[at].version, detail)
            return
        for fact, recorded in zip(expected, told[at : at + len(expected)], strict=False):
            if recorded.event != fact:
                detail = f"By the rules it would have been: {msgspec.json.encode(fact).decode()}"
                yield finding("decided_otherwise", recorded.version, detail)
                return
            session, _ = apply(session, recorded)
        at += len(expected)
    if at > len(told):
        detail = f"By the rules {at - len(told)} more would have followed."
        yield finding("decided_otherwise", stream.version, detail)


MOST = 200
"""No action has so many consequences, nor the end of an evening."""


class DoesNotFollow(Exception):
    """Nothing that anybody does is followed by this."""


def follows(session: Session, said: Sequence[Entry]) -> tuple[Entry, ...]:
    """What the rules make of the first of these, itself included. RuleViolation, DoesNotFollow."""
    match said[0]:
        case SessionOpened() as opened:
            game = GAMES[opened.game]
            return (
                handling.opening(
                    game,
                    msgspec.convert(opened.options, game.options),
                    currency=opened.currency,
                    players=opened.players,
                    names=opened.names,
                    first_dealer=opened.first_dealer,
                ),
            )
        case PlayerJoined(name=commitment):
            return handling.joined(handling.next_player(session), commitment)
        case TransferRecorded(payer=payer, payee=payee, amount=amount, method=method):
            return handling.transfer(session, payer, payee, amount, method)
        case PaymentSettled(payment=payment):
            due = [p for p in outstanding(session.payments) if p.id == payment]
            return tuple(settling(p) for p in due) or _nothing()
        case CarriedForward() | e.BroughtForward() as carried:
            return (carried,)
        case e.Spoken() as spoken:
            return handling.actions(session, [action_of(spoken)])
        case e.ActionUndone():
            return handling.actions(session, [c.Undo()])
        case e.DealVoided(deal=deal):
            return handling.misdeal(session, deal)
        case e.DealCorrected() as corrected:
            return _correction(session, corrected)
    policy = next((one.policy for one in said if isinstance(one, e.EveningClosed)), None)
    return _closure(session, policy, said) if policy else _nothing()


def _closure(session: Session, policy: e.Policy, said: Sequence[Entry]) -> tuple[Entry, ...]:
    """The end of the evening. One that went on from another and closed before any deal had its
    leftovers shared otherwise until 2026-11-22 (docs/decisions.md); that is no forgery."""
    follows = handling.closure(session, policy)
    if session.brought is None or session.table.last or tuple(said[: len(follows)]) == follows:
        return follows
    opened = session.opening
    begun = Last(dealer=opened.first_dealer, seats=opened.players)
    then = replace(session, evening=replace(session.table, last=begun))
    followed = handling.closure(then, policy)
    return followed if tuple(said[: len(followed)]) == followed else follows


def _correction(session: Session, corrected: e.DealCorrected) -> tuple[Entry, ...]:
    """Told again as it says that it was told; later deals that could not have been are voided."""
    if not corrected.rescored:  # the same as before
        return (replace(corrected, next_dealer=session.table.dealer),)
    deal, now = corrected.deal, _now(corrected)
    said = [action_of(fact) for fact in now if isinstance(fact, e.Spoken)]
    return handling.correction(session, deal, said[1:] if now else None, "void")


def _now(corrected: e.DealCorrected) -> tuple[e.Deed, ...]:
    """What the corrected deal comes to now."""
    return next((one.facts for one in corrected.rescored if one.deal == corrected.deal), ())


def _nothing() -> tuple[Entry, ...]:
    raise DoesNotFollow
