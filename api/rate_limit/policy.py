"""Which limits a request has: the quotas, and the policy of each view.

`@Policy(...)` stands at the view; api.rate_limit.enforcement and api.server.rsgi_adapter apply it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeVar

from flask import Flask
from werkzeug.exceptions import HTTPException

from api.http.json_body import MAX_BODY_BYTES
from api.rate_limit.gcra import Quota

V = TypeVar("V", bound=Callable[..., object])
PoolName = Literal["work", "audits", "statements", "imports"]

REQUESTS = Quota("requests", 1000, 10)
"""All requests of an address. A table of six phones makes 7 a second, 20 while a la vola is being
settled, and some 700 when all six open the page at once: enough for five tables at their busiest,
fifteen in quiet play. VOLA_RATE_LIMITS multiplies every quota for a larger place."""
CREATIONS = Quota("openings", 60, 600)
"""Sessions and groups that an address creates."""
WRITES = Quota("writes", 600, 60)
"""Writes with one token: a phone sends an evening that it recorded offline all at once."""
HEARTBEATS = Quota("heartbeats", 120, 60)
"""Presence with one token, instead of WRITES: twenty phones may share a link, and each says every
ten seconds that it is entering a deal."""
IMPORTS = Quota("imports", 10, 600)
"""Imports of a session by an address: each takes seconds to check, a forged one as long as it is
allowed."""
PREVIEWS = Quota("previews", 120, 600)
"""Files that an address sends into groups: a preview for every choice that a person makes in the
form, and then the import."""
UNKNOWN_TOKENS = Quota("strangers", 60, 300)
"""Failed attempts of an address: one in five seconds gets nowhere against 256 bits."""
QUOTAS = (REQUESTS, CREATIONS, IMPORTS, PREVIEWS, WRITES, HEARTBEATS, UNKNOWN_TOKENS)


@dataclass(frozen=True)
class Policy:
    """The worker pool of a view, its largest body and its quotas; a decorator for the view.

    `address_quota` limits all requests of an address to the view, `write_quota` the writes with a
    token; `limits_attempts`: UNKNOWN_TOKENS limits those that fail, since the request has no token
    but a code or a link that someone may guess.
    """

    pool: PoolName = "work"
    max_bytes: int = MAX_BODY_BYTES
    address_quota: Quota | None = None
    write_quota: Quota = WRITES
    limits_attempts: bool = False

    def __call__(self, view: V) -> V:
        view.policy = self  # type: ignore[attr-defined]  # read by `policy_of`
        return view


DEFAULT = Policy()


def policy_of(app: Flask, endpoint: str | None) -> Policy:
    policy: Policy = getattr(app.view_functions.get(endpoint or ""), "policy", DEFAULT)
    return policy


def find_policy(app: Flask, method: str, path: str) -> Policy:
    """Return the policy of the view that a request leads to, before Flask has routed it."""
    try:
        endpoint, _ = app.url_map.bind("").match(path, method)
    except HTTPException:
        return DEFAULT  # Flask refuses it
    return policy_of(app, endpoint)
