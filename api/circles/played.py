"""What a statement needs to know of each of a circle's evenings, and no more of it: an evening in
memory with all its deals is large, and a circle may have hundreds.
"""

from collections.abc import Iterator, Mapping

import msgspec

from engine.values import Amount, Player
from ledger import circles
from ledger.circles import Circle
from ledger.session import Session
from ledger.store import Store
from ledger.why import Rules


class Played(msgspec.Struct, frozen=True, kw_only=True):
    """An evening for money, at the version that it has now."""

    evening: circles.Evening
    key: str
    game: str
    currency: str
    begun: int
    at: int
    status: str
    version: int
    seal: str
    rules: Rules
    brought_from: str | None
    carried_to: str | None
    balances: Mapping[Player, Amount]  # what the evening has moved, without what was brought to it


def for_money(circle: Circle, store: Store, end: int) -> list[Played]:
    """Those that began before the end of the period, the oldest first, in every currency."""
    return sorted(_before(circle, store, end), key=lambda one: (one.begun, one.evening.number))


def _before(circle: Circle, store: Store, end: int) -> Iterator[Played]:
    for evening in circle.evenings:
        session = store.read(evening.session_id)
        if session.for_money and session.begun < end:
            yield _played(evening, session)


def _played(evening: circles.Evening, session: Session) -> Played:
    brought = session.brought.balances if session.brought else {}
    return Played(
        evening=evening,
        key=session.opening.game,
        game=session.game.name,
        currency=session.opening.currency,
        begun=session.begun,
        at=session.at,
        status=session.status,
        version=session.version,
        seal=session.hash.hex(),
        rules=session.rules,
        brought_from=session.brought.session if session.brought else None,
        carried_to=session.carried_to,
        balances={p: held - brought.get(p, 0) for p, held in session.balances.items()},
    )
