"""Access control: which role a request's token gives, and the decorator that requires one.

A wrong token and an unknown session or group get the same 404.
"""

from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from typing import Any, ParamSpec, TypeVar
from uuid import UUID

from flask import g

from api.auth import tokens
from api.auth.cookies import cookie_token
from api.auth.roles import ROLES, Role, check_role
from api.http.app_state import (
    current_request,
    group_store,
    request_globals,
    session_metadata,
    token_secret,
)
from api.http.idempotency import read_write_request
from api.http.json_body import read_json_body
from ledger.access.session_metadata import Generations, SessionMetadata
from ledger.events.recorded_event import UnknownSession
from ledger.groups.groups import LinkGrant, UnknownGroup

P = ParamSpec("P")
R = TypeVar("R")


def requires(
    role: Role, *, writes: bool = False, has_body: bool = False, trusts_cache: bool = False
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Restrict a view of a session or a group to tokens with `role` or a higher one.

    Raise Problem 403 for a lower role; 404 for a token of something else. The body, the idempotency
    key and the version of a view that `writes` are read first, so that a malformed request is
    refused as such whatever its token; of one that only `has_body`, the body.

    A view that `trusts_cache` starts with the metadata in the cache: it does nothing but append,
    and the append finds out whether any token has ended since (`access_version`). If it fails, the
    token is checked before the error is reported.

    Sets in `g`: names, role and by (the link or device that writes); for a session session_id,
    metadata and token; for a group the group and grant (the link that was used).
    """

    def decorate(view: Callable[P, R]) -> Callable[P, R]:
        @wraps(view)
        def restricted(*args: P.args, **kwargs: P.kwargs) -> R:
            if writes:
                read_write_request()
            elif has_body:
                g.body = read_json_body()
            if "group" in kwargs:
                group_role = authenticate_in_group(kwargs.pop("group"))
                check_role(group_role, role)
                g.role, g.by = group_role, f"{group_role}.{g.grant.generation}"
                return view(*args, **kwargs)
            session = kwargs.pop("session")
            is_from_cache = trusts_cache and _authenticate_from_cache(session)
            try:
                if not is_from_cache:
                    authenticate(session)
                check_role(g.role, role)
                return view(*args, **kwargs)
            except Exception:
                if is_from_cache:
                    g.role = None
                    authenticate(session)
                raise

        restricted.needs_role = role  # type: ignore[attr-defined]  # read by tests of openapi.yaml
        return restricted

    return decorate


def authenticate(session: Any) -> None:
    """Set in `g` what `requires` sets, from the request's token. Raise UnknownSession."""
    session_id, token = _id_and_token(session, UnknownSession)
    with suppress(UnknownSession):
        metadata = session_metadata().load(session_id, tokens.token_number("phone", token))
        if _accept_token(session_id, token, metadata):
            return
    _mark_cookie_token_ended(session_id)
    raise UnknownSession


def authenticate_in_group(group: Any) -> Role:
    """Return the role of the request's token in this group. Raise UnknownGroup."""
    group_id, token = _id_and_token(group, UnknownGroup)
    groups = group_store()
    generations = groups.generations(group_id)
    secret = token_secret()
    tokens_by_role = tokens.group_tokens(secret, group_id, generations or tokens.FIRST_GENERATIONS)
    for role, expected in tokens_by_role.items():
        if tokens.is_same_token(expected, token):
            if generations is None:
                break
            g.group = groups.load(group_id)
            g.names = g.group.members
            place = ROLES.index(role)
            g.grant = LinkGrant(place, generations[place])
            return role
    _mark_cookie_token_ended(group_id)
    raise UnknownGroup


def authenticate_replaced_host(group: Any) -> tuple[UUID, LinkGrant]:
    """Return the group whose host's link was replaced last, when the request has the old link.

    The old link gives no access; ledger/groups/link_rotation.py explains what it may still do.
    Raise UnknownGroup.
    """
    group_id, token = _id_and_token(group, UnknownGroup)
    host, scorer, viewer = group_store().generations(group_id) or tokens.FIRST_GENERATIONS
    secret = token_secret()
    replaced = tokens.group_tokens(secret, group_id, Generations(host - 1, scorer, viewer))["host"]
    if host == 0 or not tokens.is_same_token(replaced, token):
        raise UnknownGroup
    return group_id, LinkGrant(ROLES.index("host"), host - 1)


def authenticate_join_request(session: Any) -> tuple[UUID, int]:
    """Return the session and the number of the join request whose token the request has. Raise
    UnknownSession."""
    session_id, token = _id_and_token(session, UnknownSession)
    number = tokens.token_number("join", token)
    expected = tokens.derive_numbered_token(token_secret(), "join", session_id, number)
    if not number or not tokens.is_same_token(expected, token):
        raise UnknownSession
    return session_id, number


def request_token(target_id: UUID) -> str | None:
    """Return the bearer token; without one, the token for this session or group in the cookie."""
    header = current_request().headers.get("Authorization")
    if header is not None:
        scheme, _, value = header.partition(" ")
        return value.strip() if scheme.lower() == "bearer" else None
    return cookie_token(target_id)


def _authenticate_from_cache(session: Any) -> bool:
    """Return whether the cached metadata has the link of the request's token. Set what `requires`
    sets. Raise UnknownSession."""
    session_id, token = _id_and_token(session, UnknownSession)
    metadata = session_metadata().get_cached(session_id)
    return metadata is not None and _accept_token(session_id, token, metadata)


def _accept_token(session_id: UUID, token: str, metadata: SessionMetadata) -> bool:
    """Return whether the token is a link's or the device's, and set what `requires` sets."""
    match = _match_link(session_id, token, metadata) or _match_device(session_id, token, metadata)
    if match is not None:
        values = request_globals()
        values.session_id, values.token = session_id, token
        values.metadata, values.names = metadata, metadata.names
        values.role, values.by = match
    return match is not None


def _match_link(session_id: UUID, token: str, metadata: SessionMetadata) -> tuple[Role, str] | None:
    """Return the role of the link that the token belongs to, and its name (`scorer.0`)."""
    for role, generation in zip(ROLES, metadata.generations, strict=True):
        if token.startswith(f"{role}{generation}."):  # in clear, so only one token is derived
            expected = tokens.derive_token(token_secret(), session_id, role, generation)
            return (role, f"{role}.{generation}") if tokens.is_same_token(expected, token) else None
    return None


def _match_device(
    session_id: UUID, token: str, metadata: SessionMetadata
) -> tuple[Role, str] | None:
    """Return the role of the device that the token belongs to, and its name (`phone3`)."""
    role, number = metadata.device_role, tokens.token_number("phone", token)
    if role not in ROLES:
        return None
    expected = tokens.derive_numbered_token(token_secret(), "phone", session_id, number)
    return (role, f"phone{number}") if tokens.is_same_token(expected, token) else None


def _id_and_token(text: Any, unknown: type[Exception]) -> tuple[UUID, str]:
    """Return the id of a session or group and the request's token; raise `unknown` without."""
    target_id = tokens.parse_id(text)
    token = request_token(target_id) if target_id else None
    if target_id is None or token is None:
        raise unknown
    return target_id, token


def _mark_cookie_token_ended(target_id: UUID) -> None:
    """Let the response remove the request's token from the cookie: it no longer gives access."""
    if "Authorization" not in current_request().headers:
        g.ended_target_id = target_id
