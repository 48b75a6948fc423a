"""Check of what is stored beside the events: metadata, names, remarks, stored replies, writers.

None of it is part of the hash chain, because names must be erasable; but all of it refers to
events that are.
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple
from uuid import UUID

import msgspec

from ledger.audit.check_hash_chain import StoredStream
from ledger.audit.findings import Finding
from ledger.events import hash_chain as chain
from ledger.store.connection_pool import Connection
from ledger.store.name_matching import matching_key

ROLE_GENERATIONS = "SELECT token_generations FROM vola.sessions WHERE session_id = %(session_id)s"
JOINING_EVENTS = """
SELECT type, data FROM vola.events
 WHERE session_id = %(session_id)s AND type IN ('session_opened', 'player_joined') ORDER BY version
"""
NAMES = """
SELECT player_id, name, matching_key, salt FROM vola.players
 WHERE session_id = %(session_id)s ORDER BY player_id
"""
SPELLINGS = """
SELECT player_id, number, name, matching_key, replaced_at FROM vola.spellings
 WHERE session_id = %(session_id)s ORDER BY player_id, number
"""
STRAY_REMARKS = """
SELECT r.version FROM vola.remarks r
  LEFT JOIN vola.events e ON e.session_id = r.session_id AND e.version = r.version
 WHERE r.session_id = %(session_id)s
   AND (e.type IS NULL OR e.type NOT IN ('deal_voided', 'deal_corrected', 'cost_recorded'))
 ORDER BY 1
"""
STORED_REPLIES = """
SELECT version, status, event_count FROM vola.stored_replies
 WHERE session_id = %(session_id)s ORDER BY version, event_count
"""
CREATIONS = """
SELECT r.version = (SELECT min(f.version) FROM vola.stored_replies f
                     WHERE f.session_id = c.session_id)
  FROM vola.creation_keys c
  LEFT JOIN vola.stored_replies r ON r.session_id = c.session_id AND r.key = c.key
 WHERE c.session_id = %(session_id)s
"""
UNREQUESTED_EVENTS = """
WITH answered AS (
  SELECT version, max(event_count) AS event_count FROM vola.stored_replies
   WHERE session_id = %(session_id)s AND event_count > 0 GROUP BY version),
ends AS (                     -- every event, and where the append ends that it was in
  SELECT e.version, e.at, e."by",
         min(a.version) OVER (ORDER BY e.version DESC) AS upto
    FROM vola.events e LEFT JOIN answered a ON a.version = e.version
   WHERE e.session_id = %(session_id)s)
SELECT e.version FROM ends e
  LEFT JOIN ends last ON last.version = e.upto
  LEFT JOIN answered a ON a.version = e.upto
 WHERE e.version > %(since)s
   AND CASE WHEN e.version > a.version - a.event_count
            THEN (last.at, last."by") <> (e.at, e."by")
            ELSE e."by" <> 'worker' END
 ORDER BY 1
"""
"""Events that no reply was stored for. An event of a reply has the time and writer of the last one;
an event of none is a worker's."""
WRITERS = """
SELECT version, "by", true AS wrong_type FROM vola.events
 WHERE session_id = %(session_id)s
   AND (("by" = 'worker') <> (type = 'payment_settled')
        OR ("by" = 'circle') <> (type = 'carried_forward'))
 UNION ALL
SELECT min(version), "by", NULL FROM vola.events
 WHERE session_id = %(session_id)s AND version > %(since)s AND "by" NOT IN ('worker', 'circle')
 GROUP BY "by"
 ORDER BY 1
"""
"""Events of a type that their writer does not write, and the first event of every other writer."""
WRITING_DEVICES = """
SELECT 'phone' || device_number FROM vola.devices
 WHERE session_id = %(session_id)s AND role <> 'viewer'
"""
ROLES = ("host", "scorer", "viewer")


class Spelling(NamedTuple):
    """An earlier spelling of a name, as stored."""

    number: int
    name: str
    matching_key: str
    replaced_at: int


def check_metadata(db: Connection, session_id: UUID, stream: StoredStream) -> Iterator[Finding]:
    """Yield findings about the metadata, names, remarks, replies and writers of this session."""
    # authors of imported events had their tokens, and their replies, in the other book
    parameters = {"session_id": session_id, "since": stream.imported_version}
    metadata = db.execute(ROLE_GENERATIONS, parameters).fetchone()
    if metadata is None:
        yield Finding("card_missing", "The session has no metadata.")
    else:
        yield from _check_writers(db, parameters, metadata[0])
    for fault in _name_faults(db, parameters):
        yield Finding("name_wrong", fault)
    for (version,) in db.execute(STRAY_REMARKS, parameters):
        yield Finding("remark_wrong", "A remark on an event that takes none.", version)
    yield from _check_replies(db, parameters, stream)
    creations = db.execute(CREATIONS, parameters).fetchall()
    if creations != [(True,)]:
        detail = f"It has {len(creations)} creation keys, not one with the first stored reply."
        yield Finding("creation_wrong", detail)


def _check_writers(db: Connection, parameters: Any, tokens: Any) -> Iterator[Finding]:
    if len(tokens) != len(ROLES) or not all(isinstance(n, int) and n >= 0 for n in tokens):
        yield Finding("card_wrong", f"{tokens} is not a list of token generations.")
        return
    generations = dict(zip(ROLES, tokens, strict=True))
    devices = {phone for (phone,) in db.execute(WRITING_DEVICES, parameters)}
    for version, by, wrong_type in db.execute(WRITERS, parameters):
        role, _, number = by.partition(".")
        if wrong_type is not None:
            yield Finding("writer_wrong", f"{by} does not write events of this type.", version)
        elif by in devices:
            continue
        elif not number.isdecimal() or int(number) > generations.get(role, -1):
            yield Finding("writer_wrong", f"{by} has never had a token.", version)


def _name_faults(db: Connection, parameters: Any) -> Iterator[str]:
    """Check that every player has a name that matches its commitment, or an erased one.

    After a respelling the first spelling must match, and every later one must be there."""
    committed: dict[str, str] = {}
    for kind, data in db.execute(JOINING_EVENTS, parameters):
        event = msgspec.json.decode(data)
        if kind == "session_opened":
            committed |= dict.fromkeys(event["players"], "")  # forged events may have fewer names
            committed |= zip(event["players"], event["names"], strict=False)
        else:
            committed[event["player"]] = event["name"]
    spellings: defaultdict[str, list[Spelling]] = defaultdict(list)
    for player, *spelling in db.execute(SPELLINGS, parameters):
        spellings[player].append(Spelling(*spelling))
    players = set()
    for player, name, stored_key, salt in db.execute(NAMES, parameters):
        players.add(player)
        if player not in committed:
            yield f"{player} has a name and never joined."
            continue
        if name is None and stored_key is None and salt is None:
            if player in spellings:
                yield f"The name of {player} is erased, but not its earlier spellings."
            continue
        first = spellings[player][0].name if player in spellings else name
        if name is None or salt is None or committed[player] != chain.commit_to_name(salt, first):
            yield f"The name of {player} does not match its commitment."
        elif stored_key != matching_key(name):
            yield f"The matching key of {player} does not match the name."
        elif player in spellings and not _is_spelling_history(spellings[player], name):
            yield f"The spellings of {player} do not follow each other."
    for player in sorted(spellings.keys() - players):
        yield f"{player} has earlier spellings of a name and no name."
    for player in sorted(committed.keys() - players):
        yield f"{player} joined and has neither a name nor an erased one."


def _is_spelling_history(spellings: list[Spelling], name: str) -> bool:
    """Whether no spelling is missing, each one differs from the next, and times increase."""
    following = (*(spelling.name for spelling in spellings[1:]), name)
    times = [0, *(spelling.replaced_at for spelling in spellings)]
    return times == sorted(times) and all(
        spelling.number == place
        and spelling.matching_key == matching_key(spelling.name)
        and spelling.name != after
        for place, (spelling, after) in enumerate(zip(spellings, following, strict=True), start=1)
    )


def _check_replies(db: Connection, parameters: Any, stream: StoredStream) -> Iterator[Finding]:
    """Check that every stored reply refers to events that exist, and that every event belongs to a
    reply."""
    earlier = 0
    for version, status, event_count in db.execute(STORED_REPLIES, parameters):
        if version not in stream.hashes:
            yield Finding("reply_wrong", "A reply about a version that does not exist.", version)
        elif not 200 <= status < 300:
            yield Finding("reply_wrong", f"A stored reply of status {status}.", version)
        elif not 0 <= event_count <= version - (earlier if event_count else 0):
            yield Finding("reply_wrong", f"A reply of {event_count} events that overlap.", version)
        earlier = version if event_count else earlier
    for (version,) in db.execute(UNREQUESTED_EVENTS, parameters):
        yield Finding("reply_missing", "An event that is in no stored reply.", version)
