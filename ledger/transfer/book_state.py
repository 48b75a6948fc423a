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
TABLES_OF_ENTRIES = (
    "heads sessions players spellings remarks groups group_members group_sessions group_events"
    " attendance devices join_codes join_requests cosignatures objections witnesses signing_key"
    " secret"
)
"""Whatever people enter changes at least one of these tables of the schema `vola`."""
MIGRATIONS = {"migrations": "public.vola_migrations"}
TABLES = {name: f"vola.{name}" for name in TABLES_OF_ENTRIES.split()} | MIGRATIONS
EARLIER_TABLES = {"events": "vola.events"} | MIGRATIONS
"""For a book with the tables of an earlier Vola, which is backed up before it is migrated."""
STATE_OF_TABLE = "SELECT '{name}', count(*), sum(xmin::text::bigint) FROM {table}"
IS_CURRENT = "SELECT bool_and(to_regclass(t) IS NOT NULL) FROM unnest(%(tables)s::text[]) AS t"


def read_book_id(db: Connection) -> str:
    """Return 32 hexadecimal digits that a book keeps for good, and its backups with it."""
    return book_id(fetch_value(db, SECRET))


def book_id(secret: bytes) -> str:
    """Return the id of the book with this secret, of which it reveals nothing."""
    return sha256(b"vola book\n" + secret).hexdigest()[:32]


def read_book_state(db: Connection) -> str:
    """Return 32 hexadecimal digits that change with every write of what people enter."""
    is_current = fetch_value(db, IS_CURRENT, {"tables": list(TABLES.values())})
    tables = TABLES if is_current else EARLIER_TABLES
    states = [STATE_OF_TABLE.format(name=name, table=table) for name, table in tables.items()]
    rows = db.execute(" UNION ALL ".join(states)).fetchall()
    return sha256(repr(rows).encode()).hexdigest()[:32]
