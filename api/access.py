"""Who may do what: one token per role, none of them stored.

A token is derived from the book's secret, the session, the role and a generation, so that it can
be made again for an answer that is repeated, and becomes worthless when the generation moves on.
A wrong token and an unknown session look the same from outside.
"""

import hmac
from base64 import urlsafe_b64encode
from collections.abc import Callable
from functools import wraps
from hashlib import sha256
from typing import Any, Literal, ParamSpec, TypeVar
from uuid import UUID

from flask import Response, current_app, g, request

from api.preconditions import read_write
from api.problems import Problem
from ledger.cards import Card, Cards
from ledger.writing import UnknownSession

Role = Literal["host", "scorer", "viewer"]
ROLES: tuple[Role, ...] = ("host", "scorer", "viewer")  # each may do what those after it may

P = ParamSpec("P")
R = TypeVar("R")


def token(secret: bytes, session_id: UUID, role: Role, generation: int = 0) -> str:
    """`host0.…`: the role and generation in clear, then 256 bits that only the book can make."""
    message = b"vola token 1" + session_id.bytes + f"{role}.{generation}".encode()
    mac = hmac.digest(secret, message, sha256)
    return f"{role}{generation}.{urlsafe_b64encode(mac).decode().rstrip('=')}"


def tokens(secret: bytes, session_id: UUID, card: Card | None = None) -> dict[Role, str]:
    generations = card.generations if card else (0, 0, 0)
    return {
        role: token(secret, session_id, role, generation)
        for role, generation in zip(ROLES, generations, strict=True)
    }


def cookie_name(session_id: UUID) -> str:
    """Browsers keep `__Host-` cookies for https only; over plain http the cookie is called else."""
    return f"{'__Host-' if request.is_secure else ''}vola-{session_id}"


def set_cookie(response: Response, session_id: UUID, value: str) -> Response:
    response.set_cookie(
        cookie_name(session_id),
        value,
        max_age=400 * 24 * 3600,
        secure=request.is_secure,
        httponly=True,
        samesite="Strict",
    )
    return response


def requires(role: Role, *, writes: bool = False) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A view of a session for this role and those above it.

    A view that writes has its body, key and version read first: what is malformed is refused
    before anybody is asked who he is (contract.md §1).

    Leaves `g.session_id`, `g.card`, `g.names`, `g.role` and `g.by` (who writes). 404 for whatever
    is not this session's token, 403 for one that may not.
    """

    def decorate(view: Callable[P, R]) -> Callable[P, R]:
        @wraps(view)
        def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
            if writes:
                read_write()
            held, generation = enter(kwargs.pop("session"))
            if ROLES.index(held) > ROLES.index(role):
                raise Problem(403, "role_too_low", role=held, needed=role)
            g.role, g.by = held, f"{held}.{generation}"
            return view(*args, **kwargs)

        guarded.needs_role = role  # type: ignore[attr-defined]  # the contract test reads it
        return guarded

    return decorate


def enter(session: Any) -> tuple[Role, int]:
    """The role that the request's token gives in this session. UnknownSession."""
    try:
        session_id = UUID(str(session))
    except ValueError:
        raise UnknownSession from None
    if str(session_id) != session:  # one evening has one address
        raise UnknownSession
    given = _given(session_id)
    cards: Cards = current_app.extensions["cards"]
    card = cards.card(session_id)
    if card is None or given is None:
        raise UnknownSession
    secret: bytes = cards.secret
    for role, right in tokens(secret, session_id, card).items():
        if hmac.compare_digest(right.encode(), given.encode()):
            g.session_id, g.card, g.names = session_id, card, card.names
            return role, card.generations[ROLES.index(role)]
    raise UnknownSession


def _given(session_id: UUID) -> str | None:
    """The bearer token; without one, the cookie that the form was given for this session."""
    header = request.headers.get("Authorization")
    if header is not None:
        scheme, _, value = header.partition(" ")
        return value.strip() if scheme.lower() == "bearer" else None
    return request.cookies.get(cookie_name(session_id))
