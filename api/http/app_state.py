"""The objects that the running app shares between requests, and the current request's own.

Flask's proxies look their object up at every access: sixty times in a short write. A function that
needs more than two of `request` or `g` binds the object first.
"""

from typing import Any, cast

from flask import Request, current_app, g, request

from ledger.access.session_metadata import SessionMetadataStore
from ledger.groups.groups import GroupStore
from ledger.operations.automatic_backups import AutomaticBackups
from ledger.proofs.receipts import ReceiptIssuer
from ledger.store.connection_pool import Pool
from ledger.store.event_store import EventStore


def event_store() -> EventStore:
    return cast(EventStore, current_app.extensions["store"])


def session_metadata() -> SessionMetadataStore:
    return cast(SessionMetadataStore, current_app.extensions["session_metadata"])


def token_secret() -> bytes:
    """Return the secret that every access token is derived from."""
    return session_metadata().secret


def group_store() -> GroupStore:
    """Return the groups, to read them."""
    return cast(GroupStore, current_app.extensions["groups"])


def permitted_groups() -> GroupStore:
    """Return the groups, to write to them: refused once the request's link has been replaced."""
    return GroupStore(group_store().pool, g.get("grant"))


def receipts() -> ReceiptIssuer:
    return cast(ReceiptIssuer, current_app.extensions["receipts"])


def auditor_pool() -> Pool:
    """Return the connections of the auditor's role, which may lead to a replica."""
    return cast(Pool, current_app.extensions["auditor"])


def automatic_backups() -> AutomaticBackups | None:
    """Return the backups that the book makes by itself; None where it makes none."""
    return cast(AutomaticBackups | None, current_app.extensions["automatic_backups"])


def current_request() -> Request:
    """Return the object behind `request`."""
    return cast(Request, request._get_current_object())  # type: ignore[attr-defined]


def request_globals() -> Any:
    """Return the object behind `g`, with the attributes that are set during the request."""
    return g._get_current_object()
