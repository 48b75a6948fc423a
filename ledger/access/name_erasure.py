"""A name taken out of the book for good: what was played stands, who it was is gone.

Name, what it sounds like and the salt of its commitment go together; from then on the commitment
in the first event matches any name as well as any other. Answers that were kept to be given again,
and remarks in people's own words, are told anew with a number in the name's place. No event is
touched: no seal, no sum and no receipt had the name in it (contract.md §5).
"""

import re
from collections.abc import Callable, Iterable
from typing import Any
from uuid import UUID

import msgspec

from engine.errors import UnknownPlayer
from engine.values import Player
from ledger import beside
from ledger.appending import take, taken
from ledger.circle_replies import Answered
from ledger.circles import Circle, Circles, Member
from ledger.database import Connection, Pool
from ledger.writing import Reply, Request

NAMES = "SELECT player_id, name FROM vola.players WHERE session_id = %(session_id)s"
FORGET = """
UPDATE vola.players SET name = NULL, sounds = NULL, salt = NULL
 WHERE session_id = %(session_id)s AND player_id = %(player)s
"""
ANSWERS = """
SELECT key, body FROM vola.replies
 WHERE session_id = %(session_id)s
   AND (position(%(name)s::bytea IN body) > 0 OR position('"label":'::bytea IN body) > 0)
"""
"""A phone may be called by the name in other letters."""
ANSWER_ANEW = """
UPDATE vola.replies SET body = %(body)s WHERE session_id = %(session_id)s AND key = %(key)s
"""
REMARKS = "SELECT version, remark FROM vola.remarks WHERE session_id = %(session_id)s"
LABELS = """
SELECT phone, label FROM vola.phones WHERE session_id = %(session_id)s AND label IS NOT NULL
"""
LABEL_ANEW = """
UPDATE vola.phones SET label = %(label)s WHERE session_id = %(session_id)s AND phone = %(number)s
"""
KNOCKERS = """
SELECT knock, label FROM vola.knocks WHERE session_id = %(session_id)s AND label IS NOT NULL
"""
KNOCKER_ANEW = """
UPDATE vola.knocks SET label = %(label)s WHERE session_id = %(session_id)s AND knock = %(number)s
"""
REMARK_ANEW = """
UPDATE vola.remarks SET remark = %(remark)s
 WHERE session_id = %(session_id)s AND version = %(version)s
"""

FORGET_MEMBER = """
UPDATE vola.members SET name = NULL, sounds = NULL
 WHERE circle_id = %(circle_id)s AND member_id = %(member)s
"""
STILL_NAMED = """
SELECT p.session_id, p.player_id
  FROM vola.members m
  JOIN vola.evenings e ON e.circle_id = m.circle_id
  JOIN vola.attendance was ON was.session_id = e.session_id AND was.member_id = m.member_id
  JOIN vola.players p ON p.session_id = e.session_id AND p.name IS NOT NULL
  LEFT JOIN vola.attendance a ON a.session_id = p.session_id AND a.player_id = p.player_id
 WHERE m.circle_id = %(circle_id)s AND m.member_id = %(member)s
   AND (a.member_id = m.member_id OR a.member_id IS NULL AND p.sounds = m.sounds)
"""
"""Where he has played; also as somebody new of the same name, once his first was erased there."""

CIRCLE_ANSWERS = """
SELECT key, body FROM vola.circle_replies
 WHERE circle_id = %(circle_id)s AND position(%(name)s::bytea IN body) > 0
"""
CIRCLE_ANSWER_ANEW = """
UPDATE vola.circle_replies SET body = %(body)s WHERE circle_id = %(circle_id)s AND key = %(key)s
"""

UNTOUCHED = frozenset({"data", "title"})
"""Events are sealed, and a title is not a player's name."""
IN_OWN_WORDS = frozenset({"reason", "remark", "label"})


def erase(
    pool: Pool,
    session_id: UUID,
    player: Player,
    request: Request,
    instead: str,
    render: Callable[[int], bytes],
) -> Reply:
    """Erase one name, once; a second time nothing is left to do, and the answer is the same.

    `instead` is what answers call him from now on, `render` makes the answer at a version.
    UnknownSession, UnknownPlayer, KeyReused; LockNotAvailable as for any write.
    """

    def work(db: Connection, version: int) -> bytes:
        ask = {"session_id": session_id}
        names: dict[Player, str | None] = dict(db.execute(NAMES, ask).fetchall())
        if player not in names:
            raise UnknownPlayer(player=player)
        if names[player] is not None:
            _erase(db, session_id, player, names, instead)
        return render(version)

    return beside.write(pool, session_id, request, work)  # who writes now would keep the name


def erase_member(
    book: Circles,
    circle: Circle,
    member: Member,
    request: Request,
    instead: tuple[str, Callable[[Player], str]],
    render: Callable[[Circle], bytes],
) -> Answered:
    """Erase a member's name from the circle and from every evening he has been to.

    `instead`: what he is called in the circle from now on, and as a player of an evening. Evening
    by evening, the circle last: when it breaks off in between, the same request goes on with it.
    """
    ask = {"circle_id": circle.id, "member": member}

    def work(db: Connection, now: Circle) -> Circle:
        if db.execute(STILL_NAMED, ask).fetchone() is not None:
            raise _CameMeanwhile
        name = now.members[member]
        if name is not None:
            _erase_member(db, now, member, name, instead[0])
        return msgspec.structs.replace(now, members={**now.members, member: None})

    while True:  # the circle's lock is never held while an evening's is waited for
        with book.pool.connection() as db:
            named = db.execute(STILL_NAMED, ask).fetchall()
        for session_id, player in named:
            _erase_player(book.pool, session_id, player, instead[1](player))
        try:
            return book.write(circle.id, request, work, render)
        except _CameMeanwhile:
            continue


class _CameMeanwhile(Exception):
    """While he was being erased, he came to one more evening."""


def _erase_player(pool: Pool, session_id: UUID, player: Player, instead: str) -> None:
    with pool.connection() as db:
        it = taken(take(db, session_id, with_names=True))
        names = (it.names if it else None) or {}
        if names.get(player) is not None:
            _erase(db, session_id, player, names, instead)


def _erase_member(db: Connection, circle: Circle, member: Member, name: str, instead: str) -> None:
    where = {"circle_id": circle.id}
    db.execute(FORGET_MEMBER, {**where, "member": member})
    said = {"name": msgspec.json.encode(name)[1:-1]}  # as it is spelled within a JSON text
    forget = Forgetting(member, name, instead, [n for n in circle.members.values() if n])
    for key, body in db.execute(CIRCLE_ANSWERS, {**where, **said}).fetchall():
        anew = msgspec.json.encode(forget(msgspec.json.decode(bytes(body))))
        db.execute(CIRCLE_ANSWER_ANEW, {**where, "key": key, "body": anew})


def _erase(
    db: Connection,
    session_id: UUID,
    player: Player,
    names: dict[Player, str | None],
    instead: str,
) -> None:
    name = names[player]
    assert name is not None
    where = {"session_id": session_id}
    db.execute(FORGET, {**where, "player": player})
    said = {"name": msgspec.json.encode(name)[1:-1]}  # as it is spelled within a JSON text
    forget = Forgetting(player, name, instead, [n for n in names.values() if n])
    with db.cursor("answers") as stored:  # an evening can have many: a few at a time
        for key, body in stored.execute(ANSWERS, {**where, **said}):
            anew = msgspec.json.encode(forget(msgspec.json.decode(bytes(body))))
            db.execute(ANSWER_ANEW, {**where, "key": key, "body": anew})
    for version, remark in db.execute(REMARKS, where).fetchall():
        anew_said = forget.sentence(remark)
        if anew_said != remark:
            db.execute(REMARK_ANEW, {**where, "version": version, "remark": anew_said})
    for labels, tell_anew in ((LABELS, LABEL_ANEW), (KNOCKERS, KNOCKER_ANEW)):
        for number, label in db.execute(labels, where).fetchall():
            db.execute(tell_anew, {**where, "number": number, "label": forget.sentence(label)})


class Forgetting:
    """Puts a number where a name stood, in answers and in sentences."""

    def __init__(self, player: Player, name: str, instead: str, names: Iterable[str]) -> None:
        self.player, self.name, self.instead = player, name, instead
        longest_first = sorted({name, *names}, key=len, reverse=True)  # Bo is not Bo Ek
        anybody = "|".join(re.escape(one) for one in longest_first)
        self.spoken = re.compile(rf"(?<!\w)({anybody})(?='?s?(?!\w))", re.IGNORECASE)

    def __call__(self, told: Any, key: str = "") -> Any:
        match told:
            case dict():
                if told.get("id") == self.player and told.get("name") == self.name:
                    return {**told, "name": self.instead}
                return {k: v if k in UNTOUCHED else self(v, k) for k, v in told.items()}
            case list():
                return [self(one, key) for one in told]
            case str() if key in IN_OWN_WORDS or " " in told:  # never a code, an id or a card
                return told if key == "name" else self.sentence(told)
        return told

    def sentence(self, text: str) -> str:
        """The name whole, also in the genitive, however it is capitalised."""

        def put(found: re.Match[str]) -> str:
            mine = found[1].casefold() == self.name.casefold()
            return self.instead if mine else found[1]

        return self.spoken.sub(put, text)
