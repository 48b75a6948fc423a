"""Requests by every kind of caller: with a token, with the token of another session, with one that
is no longer valid, with none, and with text that is no token; and every way to write an id, most of
them wrong.

A caller is the part of a WSGI environment that its request carries.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from uuid import UUID, uuid4

Carried = dict[str, str]
ROLES = ("host", "scorer", "viewer")


@dataclass(frozen=True)
class Door:
    """A session or a group, and the tokens for it: of its links, of its devices, and of a join
    request."""

    id: str
    tokens: dict[str, str]
    phones: dict[str, str] = field(default_factory=dict)
    join_request: str = ""

    @property
    def rights(self) -> Iterator[tuple[str, str, str]]:
        """Yield each token with its label and the role that it gives: label, role, token."""
        for role in ROLES:
            yield role, role, self.tokens[role]
            if role in self.phones:
                yield f"{role}'s phone", role, self.phones[role]


def bearer(value: str, scheme: str = "Bearer") -> Carried:
    return {"HTTP_AUTHORIZATION": f"{scheme} {value}"}


def cookie(of: str, value: str, prefix: str = "") -> Carried:
    """Return the cookie of one session that older versions set."""
    return {"HTTP_COOKIE": f"{prefix}vola-{of}={value}"}


def jar(of: str, value: str, prefix: str = "") -> Carried:
    """Return the cookie that browsers get now, in which this token follows a foreign one."""
    key, foreign_key = (
        base64.urlsafe_b64encode(UUID(id).bytes).decode()[:22] for id in (of, FOREIGN_ID)
    )
    return {"HTTP_COOKIE": f"{prefix}vola={foreign_key}:host0.{'A' * 43}~{key}:{value}"}


FOREIGN_ID = "00000000-0000-4000-8000-000000000000"


HTTPS = {"wsgi.url_scheme": "https"}


def valid_credentials(door: Door, needed: str) -> Iterator[tuple[str, str, Carried]]:
    """Yield valid credentials for `door`: a label, the role that they give, what the request
    carries."""
    rights = (
        [("join_request", "join_request", door.join_request)]
        if needed == "join_request"
        else door.rights
    )
    for label, role, right in rights:
        yield f"{label}", role, bearer(right)
        yield f"{label}, scheme in capitals", role, bearer(right, "BEARER")
        yield f"{label}, spaces around", role, bearer(f"  {right}  ")
        yield f"{label}'s cookie", role, cookie(door.id, right)
        yield f"{label}'s cookie for all", role, jar(door.id, right)
        yield (
            f"{label}'s cookie for all over https",
            role,
            {**jar(door.id, right, "__Host-"), **HTTPS},
        )
        yield f"{label}'s cookie, quoted", role, cookie(door.id, f'"{right}"')
        yield f"{label}'s cookie over https", role, {**cookie(door.id, right, "__Host-"), **HTTPS}
        host_cookie = cookie(door.id, door.tokens["host"])
        yield f"{label}, with the host's cookie", role, {**bearer(right), **host_cookie}


def invalid_credentials(
    door: Door, other_doors: list[Door], old: dict[str, str], needed: str
) -> Iterator[tuple[str, Carried]]:
    """Yield invalid credentials for `door`: a label, what the request carries. `other_doors` are of
    both kinds; `old` holds tokens of `door` that are no longer valid."""
    yield "nobody", {}
    for place, other_door in enumerate(other_doors):
        for label, _, right in other_door.rights:
            yield f"door {place}'s {label}", bearer(right)
        yield f"door {place}'s cookie", cookie(other_door.id, other_door.tokens["host"])
        header_and_cookie = {
            **bearer(other_door.tokens["host"]),
            **cookie(door.id, door.tokens["host"]),
        }
        yield f"door {place}'s host, with this one's cookie", header_and_cookie
        yield f"door {place}'s cookie for all", jar(other_door.id, other_door.tokens["host"])
        yield f"this one's cookie for all, of door {place}", jar(door.id, other_door.tokens["host"])
        yield f"this one's cookie, of door {place}", cookie(door.id, other_door.tokens["host"])
        yield (
            f"this one's host as cookie of door {place}",
            cookie(other_door.id, door.tokens["host"]),
        )
    for label, right in old.items():
        yield f"{label} until it ended", bearer(right)
        yield f"cookie of {label} until it ended", cookie(door.id, right)
        yield f"cookie for all of {label} until it ended", jar(door.id, right)
    if needed == "join_request":
        for label, _, right in door.rights:
            yield f"{label}, who has not knocked", bearer(right)
    elif door.join_request:
        yield "somebody who has knocked", bearer(door.join_request)
        yield "the cookie of somebody who has knocked", cookie(door.id, door.join_request)
    host = door.join_request if needed == "join_request" else door.tokens["host"]
    yield "cookie, unprefixed over https", {**cookie(door.id, host), **HTTPS}
    yield "cookie, prefixed over http", cookie(door.id, host, "__Host-")
    yield "cookie for all, unprefixed over https", {**jar(door.id, host), **HTTPS}
    yield "cookie for all, prefixed over http", jar(door.id, host, "__Host-")
    yield "cookie of the id in capitals", cookie(door.id.upper(), host)
    yield "nothing as token, with the cookie", {**bearer(""), **cookie(door.id, host)}
    yield "another scheme, with the cookie", {**bearer(host, "Basic"), **cookie(door.id, host)}
    for name, text in forged(door).items():
        yield name, bearer(text)
        if name != "quoted":  # a cookie may be written like this
            yield f"{name}, as cookie", cookie(door.id, text)
    for scheme in ("Basic", "Token", "Digest", "Bearer:", ""):
        yield f"scheme {scheme!r}", bearer(host, scheme)
    yield "no scheme", {"HTTP_AUTHORIZATION": host}
    yield "an empty header", {"HTTP_AUTHORIZATION": ""}
    yield "two headers in one", {"HTTP_AUTHORIZATION": f"Bearer {host}, Bearer {host}"}


def forged(door: Door) -> dict[str, str]:
    """Return texts that look like a token of `door`, or not even that, by their labels."""
    host, viewer = door.tokens["host"], door.tokens["viewer"]
    head, _, mac = host.partition(".")
    number = head.removeprefix("host")
    phone = door.phones.get("host", viewer).partition(".")[2]
    flipped = mac[:-2] + ("A" if mac[-2] != "A" else "B") + mac[-1]
    unsigned = base64.urlsafe_b64encode(json.dumps({"alg": "none"}).encode()).decode()
    return {
        "the viewer's seal for a host": f"host{number}.{viewer.partition('.')[2]}",
        "the host's seal for a viewer": f"viewer{number}.{mac}",
        "another generation": f"host{int(number) + 1}.{mac}",
        "no generation": f"host.{mac}",
        "a generation with a zero before it": f"host0{number}.{mac}",
        "a role in capitals": f"HOST{number}.{mac}",
        "a role that is none": f"admin{number}.{mac}",
        "the host's seal for a phone": f"phone1.{mac}",
        "the host's seal for a knock": f"join1.{mac}",
        "a phone that was never let in": f"phone9999.{mac}",
        "a phone without a number": f"phone0.{mac}",
        "a phone's seal for a host": f"{head}.{phone}",
        "a phone's seal for another phone": f"phone2.{phone}",
        "a knock's seal for a phone": f"phone1.{door.join_request.partition('.')[2]}",
        "the seal alone": mac,
        "the head alone": head,
        "half a seal": host[: -len(mac) // 2],
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
        "the id": door.id,
        "null": "null",
        "a star": "*",
        "SQL": "' OR 1=1 --",
        "an unsigned token of another kind": f"{unsigned}.e30.",
    }


def other_ids(door: Door, other_door: Door) -> dict[str, str]:
    """Return ids under which the tokens of `door` open nothing, by their labels."""
    written, number = door.id, UUID(door.id)
    return {
        "another that exists": other_door.id,
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


def ways_around(ask: str) -> dict[str, str]:
    """Return paths that a careless router would take for the path `ask`, by their labels."""
    return {
        "a slash before": f"/{ask}",
        "itself": f"./{ask}",
        "up and down again": f"{uuid4()}/../{ask}",
        "backslash": f"{uuid4()}\\..\\{ask}",
        "two slashes behind": f"{ask}//",
        "two dots behind": f"{ask}/..",
    }
