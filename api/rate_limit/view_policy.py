"""The policy of a view: its worker pool, its largest body and its quotas.

`@policy(...)` stands at the view; api.rate_limit.policy and api.server.rsgi_adapter apply it.
"""

import re
from collections.abc import Callable
from typing import Literal, NamedTuple, TypeVar

from flask import Flask

from api.http.json_body import MAX_BODY_BYTES
from api.rate_limit.gcra import Quota

V = TypeVar("V", bound=Callable[..., object])
WorkerPool = Literal["work", "audits", "statements", "imports"]


class Policy(NamedTuple):
    """`address_quota` limits all requests of an address to the view, `write_quota` replaces WRITES;
    `short_code`: the request carries a guessable code or a link, which UNKNOWN_TOKENS limits."""

    pool: WorkerPool = "work"
    most_bytes: int = MAX_BODY_BYTES
    address_quota: Quota | None = None
    write_quota: Quota | None = None
    short_code: bool = False


DEFAULT = Policy()
WHOLE_PATHS = ("<path:", "<remainder:")


def policy(
    *,
    pool: WorkerPool = "work",
    most_bytes: int = MAX_BODY_BYTES,
    address_quota: Quota | None = None,
    write_quota: Quota | None = None,
    short_code: bool = False,
) -> Callable[[V], V]:
    """Mark a view with its policy."""

    def decorate(view: V) -> V:
        marked = Policy(pool, most_bytes, address_quota, write_quota, short_code)
        view.policy = marked  # type: ignore[attr-defined]  # read by `of_endpoint`
        return view

    return decorate


def policy_of(app: Flask, endpoint: str | None) -> Policy:
    """The policy of the view at this endpoint."""
    found: Policy = getattr(app.view_functions.get(endpoint or ""), "policy", DEFAULT)
    return found


class PolicyMap:
    """The policies of an app's views by address, for a server that has not routed a request yet."""

    def __init__(self, app: Flask) -> None:
        marked: dict[str, list[tuple[set[str], Policy]]] = {}
        for rule in app.url_map.iter_rules():
            found = policy_of(app, rule.endpoint)
            if found != DEFAULT:
                marked.setdefault(_pattern(rule.rule), []).append((rule.methods or set(), found))
        self._marked = list(marked.values())
        self._any = re.compile("|".join(f"({pattern})" for pattern in marked) or "(?!)")

    def at(self, method: str, path: str) -> Policy:
        """The policy of the view that this leads to."""
        match = self._any.fullmatch(path)
        views = self._marked[match.lastindex - 1] if match and match.lastindex else ()
        return next((found for methods, found in views if method in methods), DEFAULT)


def _pattern(rule: str) -> str:
    """A rule of the app's map as a regular expression, with or without a slash at its end. What
    takes a whole path may hold slashes."""
    steps = re.split(r"(<[^>]+>)", rule)
    for place in range(1, len(steps), 2):
        steps[place] = ".*" if steps[place].startswith(WHOLE_PATHS) else "[^/]+"
    for place in range(0, len(steps), 2):
        steps[place] = re.escape(steps[place])
    return "".join(steps) + "/?"
