"""The links of a circle, and how one ends: its role moves on by a generation, and whoever is in by
the one before is out.

A circle has no phones of its own, so its host ends the very link that he is in by. If he does not
hear the answer, he can ask for it again with the link that he has ended, by the same request under
the same key, and for nothing else. Knows no tokens, which are made of generations (api/access.py).
"""

from uuid import UUID

import msgspec

from ledger import circle_replies as replies
from ledger.circle_replies import Answered
from ledger.circles import Circles, Generations, Right, UnknownCircle, holds, lock
from ledger.database import Connection
from ledger.writing import KeyReused, Request

END = """
UPDATE vola.circles SET tokens[%(place)s] = tokens[%(place)s] + 1
 WHERE circle_id = %(circle_id)s
RETURNING tokens, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
"""
END_IN_EVENINGS = """
UPDATE vola.sessions SET tokens[%(place)s] = tokens[%(place)s] + 1
 WHERE session_id IN (SELECT session_id FROM vola.evenings WHERE circle_id = %(circle_id)s)
"""
NOW = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint"

HEARD_MICROS = 24 * 3600 * 1_000_000
"""For so long: a phone that was out of reach all evening is home by then."""
UNGUESSED = 22
"""Signs of a key that is as good as a secret: 128 bits. Who has found an old link has no key."""


class Ended(msgspec.Struct, frozen=True, kw_only=True):
    """What is kept of the answer: which link of the circle has ended, and when (microseconds)."""

    id: UUID
    place: int
    generation: int
    at: int

    @property
    def right(self) -> Right:
        return self.place, self.generation


def end(
    book: Circles, circle_id: UUID, place: int, request: Request, *, in_evenings: bool = False
) -> tuple[Answered, Generations]:
    """End the link at this place of host, scorer, viewer, once for a key; and what is so now.

    `in_evenings`: also the link of this role to each of its evenings, whose ways in it has shown.
    UnknownCircle unless the book's right holds, or is what this very request has ended; KeyReused.
    """
    assert book.right is not None, "nobody ends a link without a right"
    with book.pool.connection() as db:
        now = lock(db, circle_id)
        if not holds(book.right, now):
            return _once_more(db, circle_id, request, book.right, now), now
        given = replies.given(db, circle_id, request)
        if given is not None:
            return given, now
        where = {"circle_id": circle_id, "place": place + 1}
        row = db.execute(END, where).fetchone()
        assert row is not None, "it is locked"
        (host, scorer, viewer), at = row
        if in_evenings:
            db.execute(END_IN_EVENINGS, where)
        kept = msgspec.json.encode(Ended(id=circle_id, place=place, generation=now[place], at=at))
        return replies.keep(db, circle_id, request, kept), (host, scorer, viewer)


def _once_more(
    db: Connection, circle_id: UUID, request: Request, right: Right, now: Generations
) -> Answered:
    """For who has ended the link that he asks by: the answer that he may not have heard."""
    place, generation = right
    if now[place] != generation + 1 or len(request.key) < UNGUESSED:
        raise UnknownCircle
    try:
        given = replies.given(db, circle_id, request)
    except KeyReused:
        raise UnknownCircle from None
    if given is None:
        raise UnknownCircle
    ended = msgspec.json.decode(given.body, type=Ended)
    (clock,) = db.execute(NOW).fetchone() or (0,)
    if ended.right != right or clock - ended.at > HEARD_MICROS:
        raise UnknownCircle
    return given
