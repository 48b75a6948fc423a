"""The job: settle one leg of a won la vola, if it is still due.

Shallow on purpose. The ledger decides under the evening's lock, so that a second run, also one that
overlaps, finds nothing to do.
"""

from uuid import UUID

from ledger.store import Store

_book: Store | None = None


def work_on(store: Store) -> None:
    """The book that jobs of this process settle in."""
    global _book  # RQ names a function, so the process has one book
    _book = store


def settle(session_id: str, payment_id: str) -> bool:
    """Settle this payment; whether it was this call that did."""
    assert _book is not None, "a worker names its book before it works"
    return _book.settle(UUID(session_id), payment_id)
