"""Requests by every kind of caller: with a token, with the token of another session, with one that
is no longer valid, with none, and with text that is no token; and every way to write an id, most of
them wrong.

A caller's credentials are the part of a WSGI environment that its request carries.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from uuid import UUID, uuid4

Environ = dict[str, str]
ROLES = ("host", "scorer", "viewer")


@dataclass(frozen=True)
class TokenHolder:
    """A session or a group, and the tokens for it: of its links, of its devices, and of a join
    request."""

    id: str
    tokens: dict[str, str]
    phones: dict[str, str] = field(default_factory=dict)
    join_request: str = ""

    @property
    def labelled_tokens(self) -> Iterator[tuple[str, str, str]]:
        """Yield each token with its label and the role that it gives: label, role, token."""
        for role in ROLES:
            yield role, role, self.tokens[role]
            if role in self.phones:
                yield f"{role}'s phone", role, self.phones[role]


def bearer(value: str, scheme: str = "Bearer") -> Environ:
    return {"HTTP_AUTHORIZATION": f"{scheme} {value}"}


FOREIGN_ID = "00000000-0000-4000-8000-000000000000"


def cookie(id_: str, value: str, prefix: str = "") -> Environ:
    """Return the cookie of one session that older versions set."""
    return {"HTTP_COOKIE": f"{prefix}vola-{id_}={value}"}


def cookie_for_all(id_: str, value: str, prefix: str = "") -> Environ:
    """Return the cookie that browsers get now, in which this token follows a foreign one."""
    key, foreign_key = (
        base64.urlsafe_b64encode(UUID(id).bytes).decode()[:22] for id in (id_, FOREIGN_ID)
    )
    return {"HTTP_COOKIE": f"{prefix}vola={foreign_key}:host0.{'A' * 43}~{key}:{value}"}


HTTPS = {"wsgi.url_scheme": "https"}


def valid_credentials(holder: TokenHolder, needed: str) -> Iterator[tuple[str, str, Environ]]:
    """Yield valid credentials for `holder`: a label, the role that they give, what the request
    carries."""
    labelled_tokens = (
        [("join_request", "join_request", holder.join_request)]
        if needed == "join_request"
        else holder.labelled_tokens
    )
    for label, role, token in labelled_tokens:
        yield label, role, bearer(token)
        yield f"{label}, scheme in capitals", role, bearer(token, "BEARER")
        yield f"{label}, spaces around", role, bearer(f"  {token}  ")
        yield f"{label}'s cookie", role, cookie(holder.id, token)
        yield f"{label}'s cookie for all", role, cookie_for_all(holder.id, token)
        yield (
            f"{label}'s cookie for all over https",
            role,
            {**cookie_for_all(holder.id, token, "__Host-"), **HTTPS},
        )
        yield f"{label}'s cookie, quoted", role, cookie(holder.id, f'"{token}"')
        yield f"{label}'s cookie over https", role, {**cookie(holder.id, token, "__Host-"), **HTTPS}
        host_cookie = cookie(holder.id, holder.tokens["host"])
        yield f"{label}, with the host's cookie", role, {**bearer(token), **host_cookie}


def invalid_credentials(
    holder: TokenHolder,
    other_holders: list[TokenHolder],
    expired_tokens: dict[str, str],
    needed: str,
) -> Iterator[tuple[str, Environ]]:
    """Yield invalid credentials for `holder`: a label, what the request carries.
    `other_holders` are of both kinds; `expired_tokens` are of `holder`, and no longer valid."""
    yield "no credentials", {}
    for place, other_holder in enumerate(other_holders):
        for label, _, token in other_holder.labelled_tokens:
            yield f"other holder {place}'s {label}", bearer(token)
        other_host = other_holder.tokens["host"]
        yield f"other holder {place}'s cookie", cookie(other_holder.id, other_host)
        header_and_cookie = {**bearer(other_host), **cookie(holder.id, holder.tokens["host"])}
        yield f"other holder {place}'s host token, with the right cookie", header_and_cookie
        yield f"other holder {place}'s cookie for all", cookie_for_all(other_holder.id, other_host)
        yield (
            f"cookie for all with host token of other holder {place}",
            cookie_for_all(holder.id, other_host),
        )
        yield f"cookie with host token of other holder {place}", cookie(holder.id, other_host)
        own_host = cookie(other_holder.id, holder.tokens["host"])
        yield f"right host token in the cookie of other holder {place}", own_host
    for label, token in expired_tokens.items():
        yield f"expired token of {label}", bearer(token)
        yield f"expired cookie of {label}", cookie(holder.id, token)
        yield f"expired cookie for all of {label}", cookie_for_all(holder.id, token)
    if needed == "join_request":
        for label, _, token in holder.labelled_tokens:
            yield f"token of {label} instead of a join request", bearer(token)
    elif holder.join_request:
        yield "token of a join request", bearer(holder.join_request)
        yield "cookie of a join request", cookie(holder.id, holder.join_request)
    host = holder.join_request if needed == "join_request" else holder.tokens["host"]
    yield "cookie, unprefixed over https", {**cookie(holder.id, host), **HTTPS}
    yield "cookie, prefixed over http", cookie(holder.id, host, "__Host-")
    yield "cookie for all, unprefixed over https", {**cookie_for_all(holder.id, host), **HTTPS}
    yield "cookie for all, prefixed over http", cookie_for_all(holder.id, host, "__Host-")
    yield "cookie of the id in capitals", cookie(holder.id.upper(), host)
    yield "empty token, with the cookie", {**bearer(""), **cookie(holder.id, host)}
    yield "another scheme, with the cookie", {**bearer(host, "Basic"), **cookie(holder.id, host)}
    for name, text in forged_tokens(holder).items():
        yield name, bearer(text)
        if name != "quoted":  # a cookie may be written like this
            yield f"{name}, as cookie", cookie(holder.id, text)
    for scheme in ("Basic", "Token", "Digest", "Bearer:", ""):
        yield f"scheme {scheme!r}", bearer(host, scheme)
    yield "no scheme", {"HTTP_AUTHORIZATION": host}
    yield "an empty header", {"HTTP_AUTHORIZATION": ""}
    yield "two headers in one", {"HTTP_AUTHORIZATION": f"Bearer {host}, Bearer {host}"}


def forged_tokens(holder: TokenHolder) -> dict[str, str]:
    """Return texts that look like a token of `holder`, or not even that, by their labels."""
    host, viewer = holder.tokens["host"], holder.tokens["viewer"]
    head, _, mac = host.partition(".")
    number = head.removeprefix("host")
    phone = holder.phones.get("host", viewer).partition(".")[2]
    flipped = mac[:-2] + ("A" if mac[-2] != "A" else "B") + mac[-1]
    unsigned = base64.urlsafe_b64encode(json.dumps({"alg": "none"}).encode()).decode()
    return {
        "the viewer's MAC for a host": f"host{number}.{viewer.partition('.')[2]}",
        "the host's MAC for a viewer": f"viewer{number}.{mac}",
        "another generation": f"host{int(number) + 1}.{mac}",
        "no generation": f"host.{mac}",
        "a generation with a zero before it": f"host0{number}.{mac}",
        "a role in capitals": f"HOST{number}.{mac}",
        "a role that is none": f"admin{number}.{mac}",
        "the host's MAC for a phone": f"phone1.{mac}",
        "the host's MAC for a join request": f"join1.{mac}",
        "a phone that was never let in": f"phone9999.{mac}",
        "a phone without a number": f"phone0.{mac}",
        "a phone's MAC for a host": f"{head}.{phone}",
        "a phone's MAC for another phone": f"phone2.{phone}",
        "a join request's MAC for a phone": f"phone1.{holder.join_request.partition('.')[2]}",
        "the MAC alone": mac,
        "the head alone": head,
        "half a MAC": host[: -len(mac) // 2],
        "a sign less": host[:-1],
        "a sign more": f"{host}A",
        "a sign changed": f"{head}.{flipped}",
        "padded": f"{host}=",
        "small letters": f"{head}.{mac.lower()}",
        "the same twice": host + host,
        "quoted": f'"{host}"',
        "10 kB": f"{head}." + "A" * 10_000,
        "not ASCII": f"{head}.\u00e5\u00e4\u00f6",
        "not UTF-8": f"{head}.\xff\xfe",
        "a NUL": f"{host}\x00",
        "the id": holder.id,
        "null": "null",
        "a star": "*",
        "SQL": "' OR 1=1 --",
        "an unsigned token of another kind": f"{unsigned}.e30.",
    }


def other_ids(holder: TokenHolder, other_holder: TokenHolder) -> dict[str, str]:
    """Return ids under which the tokens of `holder` open nothing, by their labels."""
    written, number = holder.id, UUID(holder.id)
    return {
        "another that exists": other_holder.id,
        "one that does not": str(uuid4()),
        "nil": str(UUID(int=0)),
        "all ones": str(UUID(int=2**128 - 1)),
        "capitals": written.upper(),
        "no hyphens": number.hex,
        "braces": f"{{{written}}}",
        "urn": f"urn:uuid:{written}",
        "hyphens elsewhere": f"{number.hex[:4]}-{number.hex[4:]}",
        "a space after it": f"{written} ",
        "a NUL after it": f"{written}\x00",
        "a sign less": written[:-1],
        "a sign more": f"{written}0",
        "wide digits": written.translate({ord("0") + n: 0xFF10 + n for n in range(10)}),
        "a player": "p1",
        "a number": "1",
        "a star": "*",
        "null": "null",
        "SQL": f"{written}' OR '1'='1",
        "a file": "passwd",
        "a dot": ".",
        "two dots": "..",
        "a dot, escaped twice": f"%2e%2e%2f{written}",
        "a parameter": f"{written};role=host",
        "a question mark": f"{written}?role=host",
        "10 kB": written * 280,
    }


def alternative_paths(path: str) -> dict[str, str]:
    """Return paths that a careless router would take for `path`, by their labels."""
    return {
        "a slash before": f"/{path}",
        "itself": f"./{path}",
        "up and down again": f"{uuid4()}/../{path}",
        "backslash": f"{uuid4()}\\..\\{path}",
        "two slashes behind": f"{path}//",
        "two dots behind": f"{path}/..",
    }
