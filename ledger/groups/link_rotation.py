"""Rotation of a group's links: the role gets its next generation, and the old link ends.

A group has no devices, so a host may rotate the very link that the request came with. If the reply
is lost, the same request with the same key may be repeated with the ended link, and nothing else.
Knows neither tokens, which contain generations (api/auth/tokens.py), nor who may rotate, which
the resource decides (api/resources/links.py).
"""

from uuid import UUID

import msgspec

from ledger.access.session_metadata import Generations, check_generations
from ledger.groups import stored_replies as replies
from ledger.groups.groups import GroupStore, LinkGrant, UnknownGroup, is_current, lock_group
from ledger.groups.stored_replies import GroupReply
from ledger.store.append_request import MIN_SECRET_KEY_LENGTH, AppendRequest, KeyReused
from ledger.store.connection_pool import Connection, fetch_value
from ledger.store.event_store import NOW

ROTATE_LINK = """
UPDATE vola.groups SET token_generations[%(place)s] = token_generations[%(place)s] + 1
 WHERE group_id = %(group_id)s
RETURNING token_generations, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
"""
ROTATE_SESSION_LINKS = """
UPDATE vola.sessions SET token_generations[%(place)s] = token_generations[%(place)s] + 1
 WHERE session_id IN (SELECT session_id FROM vola.group_sessions WHERE group_id = %(group_id)s)
RETURNING token_generations[%(place)s]
"""

REPEAT_WINDOW_MICROS = 24 * 3600 * 1_000_000
"""How long a rotation may be repeated: a phone offline all evening is back online by then."""


class LinkRotation(msgspec.Struct, frozen=True, kw_only=True):
    """The operands of the reply: which link was rotated, and when (microseconds)."""

    place: int
    generation: int
    at: int


def rotate_group_link(
    groups: GroupStore, group_id: UUID, place: int, request: AppendRequest, *, in_sessions: bool
) -> tuple[GroupReply, Generations]:
    """Rotate the link at this place of host, scorer, viewer, once per key; return the reply and the
    generations.

    `in_sessions` also rotates the link of this role to each of the group's sessions. Raise
    UnknownGroup unless their grant is current or was ended by this very request; KeyReused,
    TooManyRotations.
    """
    assert groups.grant is not None, "the request came with a link"
    with groups.pool.connection() as db:
        generations = lock_group(db, group_id)
        if not is_current(groups.grant, generations):
            reply = _reply_after_rotation(db, group_id, request, groups.grant, generations)
            return reply, generations
        if stored_reply := replies.read_reply(db, group_id, request):
            return stored_reply, generations
        parameters = {"group_id": group_id, "place": place + 1}
        ((new_generations, at),) = db.execute(ROTATE_LINK, parameters)
        check_generations([new_generations[place]])
        if in_sessions:
            check_generations(row[0] for row in db.execute(ROTATE_SESSION_LINKS, parameters))
        rotation = LinkRotation(place=place, generation=generations[place], at=at)
        reply = replies.store_reply(db, group_id, request, rotation)
        return reply, Generations(*new_generations)


def _reply_after_rotation(
    db: Connection,
    group_id: UUID,
    request: AppendRequest,
    grant: LinkGrant,
    generations: Generations,
) -> GroupReply:
    """Return the stored reply to the request that ended its own link."""
    place, generation = grant
    if generations[place] != generation + 1 or len(request.key) < MIN_SECRET_KEY_LENGTH:
        raise UnknownGroup
    try:
        reply = replies.read_reply(db, group_id, request)
    except KeyReused:
        raise UnknownGroup from None
    if reply is None:
        raise UnknownGroup
    rotation = msgspec.convert(reply.operands, LinkRotation)
    is_of_grant = (rotation.place, rotation.generation) == grant
    if not is_of_grant or fetch_value(db, NOW) - rotation.at > REPEAT_WINDOW_MICROS:
        raise UnknownGroup
    return reply
