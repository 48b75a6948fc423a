"""The rows of the projection tables, as text that two states of a database can be compared by."""

import psycopg

from ledger.store.projection_rows import COLUMNS

ROWS = "SELECT t::text FROM projections.{} t ORDER BY 1"


def read_projections(urls):
    """Return the sorted rows of each projection table by the name of the table."""
    with psycopg.connect(urls.super) as db:
        return {table: db.execute(ROWS.format(table)).fetchall() for table in COLUMNS}
