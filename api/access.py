"""Who may do what: one token per role, none of them stored.

A token is derived from the book's secret, the session (or the circle), the role and a generation,
so that it can be made again for an answer that is repeated, and becomes worthless when the
generation moves on. A phone that was let in has one of its own, derived from its number, for as
long as it is let in. A wrong token and an unknown session look the same from outside.
"""

import hmac
import re
from base64 import urlsafe_b64encode
from collections.abc import Callable
from functools import lru_cache, wraps
from hashlib import sha256
from typing import Any, Literal, ParamSpec, TypeVar
from uuid import UUID

from flask import Response, current_app, g, request

from api.preconditions import read_write
from api.problems import Problem
from ledger.cards import Card, Cards
from ledger.circles import Circles, Right, UnknownCircle
from ledger.writing import UnknownSession

Role = Literal["host", "scorer", "viewer"]
ROLES: tuple[Role, ...] = ("host", "scorer", "viewer")  # each may do what those after it may
WRITTEN = 36
"""Signs of an id: nothing longer is looked at, or remembered."""
NUMBERED = re.compile(r"(phone|knock)([1-9][0-9]{0,3})\.", re.ASCII)

P = ParamSpec("P")
R = TypeVar("R")


@lru_cache(maxsize=4096)
def token(
    secret: bytes, session_id: UUID, role: Role, generation: int = 0, to: bytes = b"vola token 1"
) -> str:
    """`host0.…`: the role and generation in clear, then 256 bits that only the book can make.

    `to`: what it lets in to, so that the right to one thing is never one to another.
    """
    return f"{role}{generation}.{_mac(secret, to + session_id.bytes, f'{role}.{generation}')}"


def phone_token(secret: bytes, session_id: UUID, phone: int) -> str:
    """`phone3.…`: the right of one phone; what it may is looked up."""
    return f"phone{phone}.{_mac(secret, b'vola phone 1' + session_id.bytes, str(phone))}"


def knock_token(secret: bytes, session_id: UUID, knock: int) -> str:
    """`knock3.…`: the right to hear what one knock was answered, and to nothing else."""
    return f"knock{knock}.{_mac(secret, b'vola knock 1' + session_id.bytes, str(knock))}"


def _mac(secret: bytes, to: bytes, what: str) -> str:
    mac = hmac.digest(secret, to + what.encode(), sha256)
    return urlsafe_b64encode(mac).decode().rstrip("=")


def same(one: str, other: str) -> bool:
    """Compared in a time that tells nothing."""
    return hmac.compare_digest(one.encode(), other.encode())


def tokens(secret: bytes, session_id: UUID, card: Card | None = None) -> dict[Role, str]:
    generations = card.generations if card else (0, 0, 0)
    return {
        role: token(secret, session_id, role, generation)
        for role, generation in zip(ROLES, generations, strict=True)
    }


def circle_tokens(
    secret: bytes, circle_id: UUID, generations: tuple[int, int, int] = (0, 0, 0)
) -> dict[Role, str]:
    """The rights to a circle; none of them is one to an evening."""
    return {
        role: token(secret, circle_id, role, generation, b"vola circle token 1")
        for role, generation in zip(ROLES, generations, strict=True)
    }


def cookie_name(of: UUID) -> str:
    """Browsers keep `__Host-` cookies for https only; over plain http the cookie is called else."""
    return f"{'__Host-' if request.is_secure else ''}vola-{of}"


def set_cookie(response: Response, of: UUID, value: str) -> Response:
    response.set_cookie(
        cookie_name(of),
        value,
        max_age=400 * 24 * 3600,
        secure=request.is_secure,
        httponly=True,
        samesite="Strict",
    )
    return response


def requires(
    role: Role, *, writes: bool = False, believes: bool = False
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A view of a session for this role and those above it.

    A view that writes has its body, key and version read first: what is malformed is refused
    before anybody is asked who he is (contract.md §1). One that `believes` is begun with who asks
    as he was known a short while ago: all it does is to append, which looks at his right again,
    under the evening's lock (`vola.lets_in`). If it refuses, he is asked before he hears why.

    Leaves `g.session_id`, `g.card`, `g.names`, `g.role`, `g.by` (who writes) and `g.token`. 404 for
    whatever is not this session's token, 403 for one that may not.
    """

    def decorate(view: Callable[P, R]) -> Callable[P, R]:
        @wraps(view)
        def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
            if writes:
                read_write()
            session = kwargs.pop("session")
            if not (believes and _known(session)):
                g.role, g.by = enter(session)
                _least(role)
                return view(*args, **kwargs)
            try:
                _least(role)
                return view(*args, **kwargs)
            except Exception:
                g.role = None
                g.role, g.by = enter(session)
                raise

        guarded.needs_role = role  # type: ignore[attr-defined]  # the contract test reads it
        return guarded

    return decorate


def requires_of_circle(
    role: Role, *, writes: bool = False
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """The same for a view of a circle. Leaves `g.circle`, `g.names`, `g.role`, `g.right` (by which
    of its role's links) and `g.by`."""

    def decorate(view: Callable[P, R]) -> Callable[P, R]:
        @wraps(view)
        def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
            if writes:
                read_write()
            held = enter_circle(kwargs.pop("circle"))
            if ROLES.index(held) > ROLES.index(role):
                raise Problem(403, "role_too_low", role=held, needed=role)
            g.role, g.by = held, "host.0"  # who opens an evening is its host
            return view(*args, **kwargs)

        guarded.needs_role = role  # type: ignore[attr-defined]  # the contract test reads it
        return guarded

    return decorate


def enter_circle(circle: Any) -> Role:
    """The role that the request's token gives in this circle. UnknownCircle."""
    circle_id = address(circle)
    given = token_given(circle_id) if circle_id else None
    if circle_id is None or given is None:
        raise UnknownCircle
    circles: Circles = current_app.extensions["circles"]
    cards: Cards = current_app.extensions["cards"]
    generations = circles.generations(circle_id)
    for role, right in circle_tokens(cards.secret, circle_id, generations or (0, 0, 0)).items():
        if same(right, given):
            found = circles.circle(circle_id)
            if generations is None or found is None:
                break
            g.circle, g.names = found, found.members
            g.right = ROLES.index(role), generations[ROLES.index(role)]
            return role
    raise UnknownCircle


def ended_host(circle: Any) -> tuple[UUID, Right]:
    """The circle whose host's link this was before the one there is now. It lets in to nothing: see
    ledger/circle_links.py for what can be heard with it. UnknownCircle."""
    circle_id = address(circle)
    given = token_given(circle_id) if circle_id else None
    if circle_id is None or given is None:
        raise UnknownCircle
    circles: Circles = current_app.extensions["circles"]
    cards: Cards = current_app.extensions["cards"]
    host, scorer, viewer = circles.generations(circle_id) or (0, 0, 0)
    before = circle_tokens(cards.secret, circle_id, (host - 1, scorer, viewer))["host"]
    if host == 0 or not same(before, given):
        raise UnknownCircle
    return circle_id, (ROLES.index("host"), host - 1)


def address(given: Any) -> UUID | None:
    """The id, if it is written as ids are: one thing has one address."""
    return _address(given) if isinstance(given, str) and len(given) == WRITTEN else None


@lru_cache(maxsize=4096)
def _address(given: str) -> UUID | None:
    try:
        found = UUID(given)
    except ValueError:
        return None
    return found if str(found) == given else None


def _least(role: Role) -> None:
    if ROLES.index(g.role) > ROLES.index(role):
        raise Problem(403, "role_too_low", role=g.role, needed=role)


def _known(session: Any) -> bool:
    """Whether the request's token is a link that let somebody in a short while ago. Leaves what
    `requires` leaves."""
    cards: Cards = current_app.extensions["cards"]
    session_id = address(session)
    card = session_id and cards.remembered(session_id)
    given = session_id and token_given(session_id)
    if not (session_id and card and given):
        return False
    found = _link(cards.secret, card, session_id, given)
    if found is None:
        return False
    g.session_id, g.card, g.names, g.token = session_id, card, card.names, given
    g.role, g.by = found
    return True


def enter(session: Any) -> tuple[Role, str]:
    """The role that the request's token gives in this session, and who it says is writing: a link
    (`scorer.0`) or a phone (`phone3`). UnknownSession."""
    session_id = address(session)
    if session_id is None:
        raise UnknownSession
    given = token_given(session_id)
    number = _numbered("phone", given)
    cards: Cards = current_app.extensions["cards"]
    card = cards.card(session_id, number)
    if card is None or given is None:
        raise UnknownSession
    found = _phone(cards.secret, card, session_id, given, number) if number else None
    found = found or _link(cards.secret, card, session_id, given)
    if found is None:
        raise UnknownSession
    g.session_id, g.card, g.names, g.token = session_id, card, card.names, given
    return found


def _link(secret: bytes, card: Card, session_id: UUID, given: str) -> tuple[Role, str] | None:
    for role, generation in zip(ROLES, card.generations, strict=True):
        if given.startswith(f"{role}{generation}."):  # in clear: it tells which one to make again
            right = token(secret, session_id, role, generation)
            return (role, f"{role}.{generation}") if same(right, given) else None
    return None


def _phone(
    secret: bytes, card: Card, session_id: UUID, given: str, number: int
) -> tuple[Role, str] | None:
    if not same(phone_token(secret, session_id, number), given):
        return None
    return next(((role, f"phone{number}") for role in ROLES if role == card.phone_may), None)


def knocked(session: Any) -> tuple[UUID, int]:
    """The evening and the number of the knock that the request's token is of. UnknownSession."""
    session_id = address(session)
    given = token_given(session_id) if session_id else None
    number = _numbered("knock", given)
    cards: Cards = current_app.extensions["cards"]
    if session_id is None or given is None or not number:
        raise UnknownSession
    if not same(knock_token(cards.secret, session_id, number), given):
        raise UnknownSession
    return session_id, number


def _numbered(kind: str, given: str | None) -> int:
    """The number of this phone's or knock's token; 0 of any other."""
    found = NUMBERED.match(given or "")
    return int(found[2]) if found and found[1] == kind else 0


def phone_number(phone: str) -> int:
    """Of `phone3`; 0, which nobody has, of anything else."""
    return _numbered("phone", f"{phone}.")


def card(session_id: UUID) -> Card | None:
    """The evening's card as it is now."""
    cards: Cards = current_app.extensions["cards"]
    return cards.card(session_id)


def token_given(of: UUID) -> str | None:
    """The bearer token; without one, the cookie that the form was given for it."""
    header = request.headers.get("Authorization")
    if header is not None:
        scheme, _, value = header.partition(" ")
        return value.strip() if scheme.lower() == "bearer" else None
    return request.cookies.get(cookie_name(of))
