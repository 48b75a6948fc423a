"""The rate limits of one process: counts requests against their quotas and refuses the excess.

The counts live in memory, so the limits need no other server; with two processes a client may get
up to twice as much. A request over the quota of its address is refused before its body is read; the
other quotas are checked afterwards.
"""

import hashlib
import secrets
import time
from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock
from typing import Any

from flask import Flask, Response, current_app, g

from api.auth.access import request_token
from api.auth.tokens import parse_id
from api.http import client_address
from api.http.app_state import current_request, request_globals
from api.http.client_address import Network
from api.http.problems import Problem
from api.observability.metrics import RequestCounters
from api.rate_limit.gcra import MAX_CLIENTS, Clock, Quota, QuotaState, RateLimiter
from api.rate_limit.policy import QUOTAS, REQUESTS, UNKNOWN_TOKENS, policy_of

WRITE_METHODS = ("POST", "PUT", "DELETE")
NO_ACCESS_STATUS = 404
"""Not 403: a token whose role may not do this is a valid token."""
EXEMPT_PATHS = ("/healthz",)
"""The liveness probe: a refusal would get the process killed."""

CLIENT_KEY = "vola.client"
"""The key in a request's WSGI environ of its address and the state of REQUESTS for it."""


class KnownTokens(OrderedDict[bytes, None]):
    """Digests of the tokens that were accepted last.

    Failed attempts of others from the same address do not slow them down: the phones at a table
    share one address, and so may all tables of a club.
    """

    def __init__(self) -> None:
        super().__init__()
        self._lock = Lock()

    def add(self, digest: bytes) -> None:
        with self._lock:
            self[digest] = None
            self.move_to_end(digest)
            if len(self) > MAX_CLIENTS:
                self.popitem(last=False)

    def forget(self, digest: bytes | None) -> None:
        with self._lock:
            if digest is not None:
                self.pop(digest, None)


class RateLimits:
    """The limiters of one process. `factor` multiplies every quota; `proxies` are trusted to name
    clients' addresses, as this machine is."""

    def __init__(
        self, *, factor: int = 1, proxies: Sequence[Network] = (), clock: Clock = time.monotonic_ns
    ) -> None:
        self.proxies = tuple(proxies)
        quotas = [quota._replace(limit=quota.limit * factor) for quota in QUOTAS]
        self.limiters = {quota.name: RateLimiter(quota, clock=clock) for quota in quotas}
        self.known_tokens = KnownTokens()
        self._key = secrets.token_bytes(32)

    def register(self, app: Flask) -> None:
        """Limit the app's requests, before anything else reads them."""
        app.extensions["rate_limits"] = self
        app.before_request(self._check_request)
        app.after_request(self._finish_request)
        counters: RequestCounters = app.extensions["request_counters"]
        self._count_refusal = counters.count_rate_limited

    def count_request(self, environ: dict[str, Any]) -> None:
        """Count a request against REQUESTS, or raise Problem 429.

        A server may call this before it reads the body; otherwise the app does.
        """
        if environ["PATH_INFO"] not in EXEMPT_PATHS:
            address = client_address.rate_limit_key(environ, self.proxies)
            environ[CLIENT_KEY] = address, self._consume(REQUESTS, address)

    def _check_request(self) -> None:
        """Count the request against all its quotas, or raise Problem 429."""
        request, values = current_request(), request_globals()
        if CLIENT_KEY not in request.environ:
            self.count_request(request.environ)
        if CLIENT_KEY not in request.environ:
            return
        address, values.quota_state = request.environ[CLIENT_KEY]
        policy = policy_of(current_app, request.endpoint)
        if policy.address_quota and request.method != "OPTIONS":
            self._consume_also(policy.address_quota, address)
        digest = self._token_digest()
        if digest is None and not policy.limits_attempts:
            return
        if digest is not None and request.method in WRITE_METHODS:
            self._consume_also(policy.write_quota, digest)
        is_new = digest not in self.known_tokens
        if is_new:
            self._consume(UNKNOWN_TOKENS, address)  # given back if the token turns out valid
        values.attempt = address, digest, is_new

    def _finish_request(self, response: Response) -> Response:
        """Remember whether the token was accepted, and report the quota in the headers."""
        values = request_globals()
        if attempt := values.get("attempt"):
            self._count_attempt(response.status_code, *attempt)
        state: QuotaState | None = values.get("quota_state")
        is_refusal = response.status_code == 429  # it reports the quota that it exceeded
        if state is not None and not is_refusal and current_request().path.startswith("/v1/"):
            response.headers.extend(rate_limit_headers(state))
        return response

    def _count_attempt(self, status: int, address: str, digest: bytes | None, is_new: bool) -> None:
        unknown_tokens = self.limiters[UNKNOWN_TOKENS.name]
        has_access = g.get("role") is not None
        if not has_access and status == NO_ACCESS_STATUS:
            self.known_tokens.forget(digest)
            if not is_new:
                unknown_tokens.consume(address)  # it was valid until its link was replaced
            return
        if is_new:
            unknown_tokens.give_back(address)
        if digest is not None and has_access:
            self.known_tokens.add(digest)

    def _consume(self, quota: Quota, client: str | bytes) -> QuotaState:
        state = self.limiters[quota.name].consume(client)
        if not state.allowed:
            self._count_refusal(quota.name)
            headers = {"Retry-After": str(state.seconds), **rate_limit_headers(state)}
            raise Problem(429, "too_many_requests", headers)
        return state

    def _consume_also(self, quota: Quota, client: str | bytes) -> None:
        """Consume from a further quota; the response reports the one that ends first."""
        g.quota_state = min(g.quota_state, self._consume(quota, client), key=lambda s: s.remaining)

    def _token_digest(self) -> bytes | None:
        """Return a digest of the request's token and its session or group, where it needs one."""
        view_args = current_request().view_args or {}
        session, group = view_args.get("session"), view_args.get("group")
        if session is None and group is None:
            return None
        stream_id = parse_id(group or session)
        token = stream_id and request_token(stream_id)  # however the header spells it
        content = f"{group}\n{session}\n{token}".encode()
        return hashlib.blake2b(content, key=self._key, digest_size=16).digest()


def rate_limit_headers(state: QuotaState) -> dict[str, str]:
    """Return the headers of draft-ietf-httpapi-ratelimit-headers-10."""
    quota = state.quota
    return {
        "RateLimit-Policy": f'"{quota.name}";q={quota.limit};w={quota.seconds}',
        "RateLimit": f'"{quota.name}";r={state.remaining};t={state.seconds}',
    }
