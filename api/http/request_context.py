"""The current request, and what Flask's `g` holds of it, as plain objects.

Flask's proxies look their object up at every access: sixty times in a short write. A function that
needs more than two of them binds the object first.
"""

from typing import Any, cast

from flask import Request, g, request


def current_request() -> Request:
    """Return the request itself."""
    return cast(Request, request._get_current_object())  # type: ignore[attr-defined]


def request_globals() -> Any:
    """Return the object behind `g`, with the attributes that are set during the request."""
    return g._get_current_object()
