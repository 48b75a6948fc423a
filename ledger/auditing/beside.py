"""What lies beside an evening's events: its card, names, remarks, answers, and who wrote what.

None of it is sealed, for names must be erasable; but all of it points to what is.
"""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import msgspec

from ledger import chain, origins
from ledger.auditing.findings import Finding, finding
from ledger.auditing.seals import Stream
from ledger.database import Connection
from ledger.names import sounds
from ledger.times import iso

CARD = "SELECT tokens FROM vola.sessions WHERE session_id = %(session_id)s"
COMERS = """
SELECT type, data FROM vola.events
 WHERE session_id = %(session_id)s AND type IN ('session_opened', 'player_joined') ORDER BY version
"""
NAMES = """
SELECT player_id, name, sounds, salt FROM vola.players
 WHERE session_id = %(session_id)s ORDER BY player_id
"""
STRAY_REMARKS = """
SELECT r.version FROM vola.remarks r
  LEFT JOIN vola.events e ON e.session_id = r.session_id AND e.version = r.version
 WHERE r.session_id = %(session_id)s
   AND e.type IS DISTINCT FROM 'deal_voided' AND e.type IS DISTINCT FROM 'deal_corrected'
 ORDER BY 1
"""
REPLIES = """
SELECT version, status, body FROM vola.replies WHERE session_id = %(session_id)s ORDER BY version
"""
CREATED = """
SELECT r.version = (SELECT min(f.version) FROM vola.replies f WHERE f.session_id = c.session_id)
  FROM vola.creations c
  LEFT JOIN vola.replies r ON r.session_id = c.session_id AND r.key = c.key
 WHERE c.session_id = %(session_id)s
"""
UNASKED = """
WITH answered AS (
  SELECT DISTINCT version FROM vola.replies WHERE session_id = %(session_id)s),
ends AS (                     -- every event, and where the answer ends that it was in
  SELECT e.version, e.at, e."by",
         min(a.version) OVER (ORDER BY e.version DESC) AS upto
    FROM vola.events e LEFT JOIN answered a ON a.version = e.version
   WHERE e.session_id = %(session_id)s)
SELECT e.version FROM ends e LEFT JOIN ends last ON last.version = e.upto
 WHERE e."by" <> 'worker' AND e.version > %(since)s
   AND (last.at IS DISTINCT FROM e.at OR last."by" IS DISTINCT FROM e."by")
 ORDER BY 1
"""
WRITERS = """
SELECT version, "by", true AS unasked FROM vola.events
 WHERE session_id = %(session_id)s
   AND (("by" = 'worker') <> (type = 'payment_settled')
        OR ("by" = 'circle') <> (type = 'carried_forward'))
 UNION ALL
SELECT min(version), "by", NULL FROM vola.events
 WHERE session_id = %(session_id)s AND version > %(since)s AND "by" NOT IN ('worker', 'circle')
 GROUP BY "by"
 ORDER BY 1
"""
LET_IN = """
SELECT 'phone' || phone FROM vola.phones WHERE session_id = %(session_id)s AND role <> 'viewer'
"""
ROLES = ("host", "scorer", "viewer")


class Stood(msgspec.Struct):
    version: int
    hash: str
    at: str


class State(msgspec.Struct):
    version: int


class Answer(msgspec.Struct):
    """What an answer says about the book; all the rest of it is passed over."""

    version: int | None = None
    session: State | None = None
    receipt: Stood | None = None
    events: list[Stood] = []


def check(db: Connection, session_id: UUID, stream: Stream) -> Iterator[Finding]:
    # who has written in another book was let in there, and was answered there
    ask = {"session_id": session_id, "since": origins.upto(db, session_id)}
    card = db.execute(CARD, ask).fetchone()
    if card is None:
        yield Finding(code="card_missing", detail="The session has no card.")
    else:
        yield from _writers(db, ask, card[0])
    yield from _names(db, ask)
    for (version,) in db.execute(STRAY_REMARKS, ask):
        yield finding("remark_stray", version, "A remark on something that was not voided.")
    yield from _replies(db, ask, stream)
    made = db.execute(CREATED, ask).fetchall()
    if made != [(True,)]:
        detail = f"Opened under {len(made)} keys, not under the one that was answered first."
        yield Finding(code="creation_wrong", detail=detail)


def _writers(db: Connection, ask: Any, tokens: Any) -> Iterator[Finding]:
    if len(tokens) != len(ROLES) or not all(isinstance(n, int) and n >= 0 for n in tokens):
        yield Finding(code="card_wrong", detail=f"{tokens} are no generations of tokens.")
        return
    generations = dict(zip(ROLES, tokens, strict=True))
    phones = {phone for (phone,) in db.execute(LET_IN, ask)}
    for version, by, unasked in db.execute(WRITERS, ask):
        role, _, number = by.partition(".")
        if unasked is not None:
            yield finding("writer_wrong", version, f"{by} does not write this.")
        elif by in phones:
            continue
        elif not number.isdecimal() or int(number) > generations.get(role, -1):
            yield finding("writer_wrong", version, f"{by} has never had a token.")


def _names(db: Connection, ask: Any) -> Iterator[Finding]:
    """Every player has a card, and its name is the one that was committed to, or is erased."""
    committed = dict[str, str]()
    for kind, data in db.execute(COMERS, ask):
        said = msgspec.json.decode(data)
        if kind == "session_opened":
            committed |= dict.fromkeys(said["players"], "")  # a forger may have left some out
            committed |= zip(said["players"], said["names"], strict=False)
        else:
            committed[said["player"]] = said["name"]
    seen = set()
    for player, name, heard, salt in db.execute(NAMES, ask):
        seen.add(player)
        if player not in committed:
            yield Finding(code="name_wrong", detail=f"{player} has a name and never came.")
        elif name is None and heard is None and salt is None:
            continue  # erased
        elif name is None or salt is None or committed[player] != chain.commitment(salt, name):
            yield Finding(code="name_wrong", detail=f"{player} was called something else.")
        elif heard != sounds(name):
            yield Finding(code="name_wrong", detail=f"{player} sounds like somebody else.")
    for player in sorted(committed.keys() - seen):
        yield Finding(code="name_wrong", detail=f"{player} has no card.")


def _replies(db: Connection, ask: Any, stream: Stream) -> Iterator[Finding]:
    """Every answer that was given is about versions that are there, and says what they are."""
    for version, status, body in db.execute(REPLIES, ask):
        if version not in stream.seals:
            yield finding("reply_wrong", version, "An answer about a version that is not there.")
        elif not 200 <= status < 300:
            yield finding("reply_wrong", version, f"An answer of status {status} is never kept.")
        else:
            wrong = _answer(body, version, stream)
            if wrong:
                yield finding("reply_wrong", version, wrong)
    for (version,) in db.execute(UNASKED, ask):
        yield finding("unasked", version, "An event that no answer was given to.")


def _answer(body: bytes, version: int, stream: Stream) -> str | None:
    try:
        if not body.lstrip().startswith(b"{"):
            msgspec.json.decode(body)
            return None
        said = msgspec.json.decode(body, type=Answer)
    except msgspec.DecodeError:
        return "An answer that cannot be read."
    for told in (said.version, said.session and said.session.version):
        if told is not None and told != version:
            return f"An answer that says version {told}."
    if said.receipt and said.receipt.version != version:
        return f"An answer with a receipt of version {said.receipt.version}."
    for stood in (*([said.receipt] if said.receipt else []), *said.events):
        seal, at = stream.seals.get(stood.version, (b"", 0))
        if (stood.hash, stood.at) != (seal.hex(), iso(at)):
            return f"An answer tells version {stood.version} otherwise."
    return None
