"""Which book this is, and a digest of what people have entered, to tell whether anything is new
since the last backup.

Of each table it takes the number of rows and the sum of the transactions that wrote them, so it
reads no content. Every insert, update and delete changes one of the two, an erased name as well as
a deal; the newest transaction would not do, because an earlier one may commit after it. A restored
or rewritten table has other transactions; the next backup is then made without need.
"""

from hashlib import sha256

from ledger.store.connection_pool import Connection, fetch_value

SECRET = "SELECT secret FROM vola.secret"  # noqa: S105  # a query, not a password
STATE = """
          SELECT 'heads', count(*), sum(xmin::text::bigint) FROM vola.heads
UNION ALL SELECT 'sessions', count(*), sum(xmin::text::bigint) FROM vola.sessions
UNION ALL SELECT 'players', count(*), sum(xmin::text::bigint) FROM vola.players
UNION ALL SELECT 'spellings', count(*), sum(xmin::text::bigint) FROM vola.spellings
UNION ALL SELECT 'remarks', count(*), sum(xmin::text::bigint) FROM vola.remarks
UNION ALL SELECT 'groups', count(*), sum(xmin::text::bigint) FROM vola.groups
UNION ALL SELECT 'group_members', count(*), sum(xmin::text::bigint) FROM vola.group_members
UNION ALL SELECT 'group_sessions', count(*), sum(xmin::text::bigint) FROM vola.group_sessions
UNION ALL SELECT 'group_events', count(*), sum(xmin::text::bigint) FROM vola.group_events
UNION ALL SELECT 'attendance', count(*), sum(xmin::text::bigint) FROM vola.attendance
UNION ALL SELECT 'devices', count(*), sum(xmin::text::bigint) FROM vola.devices
UNION ALL SELECT 'join_codes', count(*), sum(xmin::text::bigint) FROM vola.join_codes
UNION ALL SELECT 'join_requests', count(*), sum(xmin::text::bigint) FROM vola.join_requests
UNION ALL SELECT 'cosignatures', count(*), sum(xmin::text::bigint) FROM vola.cosignatures
UNION ALL SELECT 'objections', count(*), sum(xmin::text::bigint) FROM vola.objections
UNION ALL SELECT 'witnesses', count(*), sum(xmin::text::bigint) FROM vola.witnesses
UNION ALL SELECT 'signing_key', count(*), sum(xmin::text::bigint) FROM vola.signing_key
UNION ALL SELECT 'secret', count(*), sum(xmin::text::bigint) FROM vola.secret
UNION ALL SELECT 'migrations', count(*), sum(xmin::text::bigint) FROM public.vola_migrations
"""
IS_CURRENT = "SELECT to_regclass('vola.group_events') IS NOT NULL"
EARLIER_STATE = """
          SELECT 'events', count(*), sum(xmin::text::bigint) FROM vola.events
UNION ALL SELECT 'migrations', count(*), sum(xmin::text::bigint) FROM public.vola_migrations
"""
"""For a book with the tables of an earlier Vola, which is backed up before it is migrated."""


def read_book_id(db: Connection) -> str:
    """Return 32 hexadecimal digits that a book keeps for good, and its backups with it."""
    return book_id(fetch_value(db, SECRET))


def book_id(secret: bytes) -> str:
    """Return the id of the book with this secret, of which it reveals nothing."""
    return sha256(b"vola book\n" + secret).hexdigest()[:32]


def read_book_state(db: Connection) -> str:
    """Return 32 hexadecimal digits that change with every write of what people enter."""
    ((is_current,),) = db.execute(IS_CURRENT)
    query = STATE if is_current else EARLIER_STATE
    return sha256(repr(db.execute(query).fetchall()).encode()).hexdigest()[:32]
