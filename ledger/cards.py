"""What is kept beside an evening's events: its title, names, and token generations.

Names live here and nowhere else, so that they can be erased.
"""

from uuid import UUID

import msgspec

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


class Card(msgspec.Struct, frozen=True, kw_only=True):
    title: str | None
    generations: tuple[int, int, int]  # of the tokens of host, scorer, viewer
    names: dict[Player, str | None]
    version: int = 0  # that the evening had come to
    phone_may: str | None = None  # the role of the phone that was asked about, if it is let in


class Cards:
    """Reads the cards of evenings; the secret is read once and never changes."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self._secret: bytes | None = None

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
        return Card(
            title=title,
            generations=(host, scorer, viewer),
            names=names or {},
            version=version,
            phone_may=role,
        )
