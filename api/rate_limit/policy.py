"""So much and no more: requests, evenings opened, writes, words that a deal is being written down,
and tries at a token that is not right.

In memory of each process, so that no other server has to be there for it; with two processes a
caller may get up to twice as much. Nothing is read of a request that is refused here.

A table of six phones behind one address asks 7 times a second, 20 while a la vola is being settled,
and fetches some 700 files when all six open the page at once: see REQUESTS.
"""

import hashlib
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any

from flask import Flask, Response, current_app, g, request

from api.auth.access import request_token
from api.auth.tokens import parse_id
from api.http import client_address as caller
from api.http.client_address import Network
from api.http.problems import Problem
from api.observability.request_counters import RequestCounters
from api.rate_limit.gcra import MAX_CLIENTS, Quota, QuotaState, RateLimiter
from api.rate_limit.view_policy import policy_of

REQUESTS = Quota("requests", 1000, 10)
"""Of an address: five tables at their most eager, fifteen when they are calm. See VOLA_RATE_LIMITS
for a house with more of them."""
CREATIONS = Quota("openings", 60, 600)
"""Evenings and circles, of an address."""
WRITES = Quota("writes", 600, 60)
"""With a token: what a phone has kept for an evening without network goes at once."""
HEARTBEATS = Quota("heartbeats", 120, 60)
"""With a token: of those who say every ten seconds that they are writing a deal down, twenty may
have come by one link. Not writes: an evening that a phone has kept goes at once all the same."""
IMPORTS = Quota("imports", 10, 600)
"""Of an address: each is work for seconds, and an evening that is forged for as long as it may."""
UNKNOWN_TOKENS = Quota("strangers", 60, 300)
"""Tries that let nobody in, of an address: one in five seconds tells nothing of 256 bits."""

WRITE_METHODS = ("POST", "PUT", "PATCH", "DELETE")
NO_ACCESS_STATUSES = (401, 404)
"""A right of too low a role (403) is one, all the same."""
EXEMPT_PATHS = ("/healthz",)
"""Says whether the process lives: whoever asks in vain would end it."""

CLIENT_KEY = "vola.arrived"
"""Where the environment of a request has its house and what that has left."""


class KnownTokens:
    """Rights that have let somebody in before, as digests that tell nothing; the latest of them.

    They are not slowed down by what strangers try from the same address: six phones at a table
    have one address, and so has a house.
    """

    def __init__(self, most: int = MAX_CLIENTS) -> None:
        self._most, self._lock = most, Lock()
        self._known = OrderedDict[bytes, None]()

    def __contains__(self, right: bytes | None) -> bool:
        return right in self._known

    def __len__(self) -> int:
        return len(self._known)

    def add(self, right: bytes) -> None:
        with self._lock:
            self._known[right] = None
            self._known.move_to_end(right)
            if len(self._known) > self._most:
                self._known.popitem(last=False)

    def forget(self, right: bytes | None) -> None:
        with self._lock:
            if right is not None:
                self._known.pop(right, None)


class RateLimits:
    """Everything that one process measures. `times`: so many times as much of everything;
    `proxies`: who is believed about addresses, beside this machine; `clock`: nanoseconds."""

    def __init__(
        self,
        *,
        times: int = 1,
        proxies: Sequence[Network] = (),
        clock: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self.proxies = tuple(proxies)
        self.meters = {
            quota.name: RateLimiter(quota.times(times), clock=clock)
            for quota in (REQUESTS, CREATIONS, IMPORTS, WRITES, HEARTBEATS, UNKNOWN_TOKENS)
        }
        self.regulars = KnownTokens()
        self._refused: Callable[[str], None] = lambda _: None
        self._key = secrets.token_bytes(32)

    def register(self, app: Flask) -> None:
        """Hang them on the app, before whatever reads the request."""
        counters: RequestCounters = app.extensions["request_counters"]
        self._refused = counters.count_rate_limited
        app.extensions["rate_limits"] = self
        app.before_request(self._enter)
        app.after_request(self._leave)

    def arrive(self, environ: dict[str, Any]) -> None:
        """The first of them, for a server that knows of a request before it has read it whole;
        whoever does not call this has it done by the app. Problem 429."""
        if environ["PATH_INFO"] not in EXEMPT_PATHS:
            house = caller.rate_limit_key(environ, self.proxies)
            environ[CLIENT_KEY] = house, self._take(REQUESTS, house)

    def _enter(self) -> None:
        """Before anything is read of the request. Problem 429."""
        if CLIENT_KEY not in request.environ:
            self.arrive(request.environ)
        if CLIENT_KEY not in request.environ:
            return
        house, g.left = request.environ[CLIENT_KEY]
        policy = policy_of(current_app, request.endpoint)
        if policy.address_quota:
            self._take_another(policy.address_quota, house)
        right = self._right()
        if right is None and not policy.short_code:
            return
        if right is not None and request.method in WRITE_METHODS:
            self._take_another(policy.write_quota or WRITES, right)
        new = right not in self.regulars
        if new:
            self._take(UNKNOWN_TOKENS, house)  # given back to whoever turns out to be none
        g.tried = house, right, new

    def _leave(self, response: Response) -> Response:
        """Remember who was let in and who was not; say what is left."""
        if tried := g.get("tried"):
            house, right, new = tried
            self._learn(house, right, new, response.status_code)
        left: QuotaState | None = g.get("left")
        said = "RateLimit" in response.headers  # by a refusal, of what it is for
        if left is not None and not said and request.path.startswith("/v1/"):
            response.headers.extend(rate_limit_headers(left))
        return response

    def _learn(self, house: str, right: bytes | None, new: bool, status: int) -> None:
        strangers = self.meters[UNKNOWN_TOKENS.name]
        let_in = g.get("role") is not None
        if not let_in and status in NO_ACCESS_STATUSES:
            self.regulars.forget(right)
            if not new:
                strangers.take(house)  # it was good once: its generation has moved on
            return
        if new:
            strangers.give_back(house)
        if right is not None and let_in:
            self.regulars.add(right)

    def _take(self, quota: Quota, who: str | bytes) -> QuotaState:
        left = self.meters[quota.name].take(who)
        if not left.allowed:
            self._refused(quota.name)
            wait = {"Retry-After": str(left.seconds)}
            raise Problem(429, "too_many_requests", {**wait, **rate_limit_headers(left)})
        return left

    def _take_another(self, quota: Quota, who: str | bytes) -> None:
        left = self._take(quota, who)
        if left.left < g.left.left:
            g.left = left  # told is what comes to an end first

    def _right(self) -> bytes | None:
        """What this request shows to be let in to one evening or circle; None where it need not."""
        place = request.view_args or {}
        if not ("session" in place or "circle" in place):
            return None
        which = parse_id(place.get("circle") or place.get("session"))
        told = which and request_token(which)  # however it is spelled
        names = f"{place.get('circle')}\n{place.get('session')}\n{told}"
        return hashlib.blake2b(names.encode(), key=self._key, digest_size=16).digest()


def rate_limit_headers(left: QuotaState) -> dict[str, str]:
    """As draft-ietf-httpapi-ratelimit-headers-10 names them."""
    quota = left.quota
    return {
        "RateLimit-Policy": f'"{quota.name}";q={quota.most};w={quota.seconds}',
        "RateLimit": f'"{quota.name}";r={left.left};t={left.seconds}',
    }
