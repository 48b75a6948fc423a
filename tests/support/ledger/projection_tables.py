"""The rows of the projection tables, as text by which two states of a database can be compared."""

import psycopg

QUERIES = {
    "heads": "SELECT (session_id, pot, balances, bets, scores)::text FROM vola.heads ORDER BY 1",
    "payments": "SELECT p::text FROM projections.payments p ORDER BY 1",
    "journal": "SELECT j::text FROM projections.journal j ORDER BY 1",
}


def read_projections(urls):
    """Return the sorted rows of each projection table by the name of the table."""
    with psycopg.connect(urls.super) as db:
        return {table: db.execute(query).fetchall() for table, query in QUERIES.items()}
