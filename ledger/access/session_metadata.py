"""What is kept beside an evening's events: its title, names, and token generations.

Names live here and nowhere else, so that they can be erased.
"""

import time
from collections import OrderedDict
from threading import Lock
from uuid import UUID

import msgspec
from msgspec.structs import replace

from engine.values import Player
from ledger.database import Pool, reading

SECRET = "SELECT secret FROM vola.secret"  # noqa: S105  # a query, not a password
CARD = """
SELECT s.title, s.tokens,
       (SELECT jsonb_object_agg(p.player_id, p.name) FROM vola.players p
         WHERE p.session_id = s.session_id),
       (SELECT role FROM vola.phones f
         WHERE f.session_id = s.session_id AND f.phone = %(phone)s AND f.ended_at IS NULL),
       (SELECT version FROM vola.heads h WHERE h.session_id = s.session_id)
  FROM vola.sessions s WHERE s.session_id = %(session_id)s
"""

REMARKS = "SELECT version, remark FROM vola.remarks WHERE session_id = %(session_id)s"


MOST = 512
BELIEVED_NS = 60 * 1_000_000_000
"""How long a card is remembered: what it says is looked at again before anything is written, but
it holds names."""


class Card(msgspec.Struct, frozen=True, kw_only=True):
    title: str | None
    generations: tuple[int, int, int]  # of the tokens of host, scorer, viewer
    names: dict[Player, str | None]
    version: int = 0  # that the evening had come to; of one that is remembered nobody has asked
    phone_may: str | None = None  # the role of the phone that was asked about, if it is let in


class Cards:
    """Reads the cards of evenings, and remembers the latest; the secret is read once and never
    changes. Threads may share one."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self._secret: bytes | None = None
        self._remembered = OrderedDict[UUID, tuple[int, Card]]()
        self._lock = Lock()

    @property
    def secret(self) -> bytes:
        if self._secret is None:
            with reading(self.pool) as db:
                row = db.execute(SECRET).fetchone()
            assert row is not None, "the migration makes it"
            self._secret = bytes(row[0])
        return self._secret

    def remarks(self, session_id: UUID) -> dict[int, str]:
        """Why deals were corrected or voided, by version."""
        with reading(self.pool) as db:
            return dict(db.execute(REMARKS, {"session_id": session_id}).fetchall())

    def card(self, session_id: UUID, phone: int = 0) -> Card | None:
        """The evening's card; with a `phone`, also what that one may."""
        with reading(self.pool) as db:
            row = db.execute(CARD, {"session_id": session_id, "phone": phone}).fetchone()
        if row is None:
            return None
        title, (host, scorer, viewer), names, role, version = row
        found = Card(
            title=title,
            generations=(host, scorer, viewer),
            names=names or {},
            version=version,
            phone_may=role,
        )
        self.remember(session_id, found)
        return found

    def remember(self, session_id: UUID, card: Card) -> None:
        """What was read just now."""
        kept = replace(card, version=0, phone_may=None)
        with self._lock:
            self._remembered[session_id] = time.monotonic_ns() + BELIEVED_NS, kept
            self._remembered.move_to_end(session_id)
            if len(self._remembered) > MOST:
                self._remembered.popitem(last=False)

    def remembered(self, session_id: UUID) -> Card | None:
        """The card as it was a short while ago, for whoever has it looked at again before he
        writes (`Store.write`)."""
        with self._lock:
            until, card = self._remembered.get(session_id, (0, None))
        return card if time.monotonic_ns() < until else None
