"""What a client knows after a while: ids, their tokens, and versions.

All of it is learned from answers, both to the requests that seed the fuzzing and to the fuzzer's.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from dataclasses import dataclass, field
from random import Random
from typing import Any

from tests.verification.fuzz.contract import EXPORTS, KINDS, ROLES

MAX_REMEMBERED = 60
"""How many of each kind are remembered, besides those that were seeded."""


@dataclass
class KnownResource:
    """A session or a group."""

    kind: str
    id: str
    tokens: dict[str, str]
    seeded: bool = False
    version: int | None = None
    unit: str | None = None
    people: list[str] = field(default_factory=list)
    legal: list[dict[str, Any]] = field(default_factory=list)
    cursors: dict[str, str] = field(default_factory=dict)  # by listing, such as `events`
    currencies: list[str] = field(default_factory=list)


def path_kind(path: str) -> str | None:
    match = re.match(r"/v1/(\w+)", path)
    return KINDS.get(match[1]) if match else None


class ClientKnowledge:
    def __init__(self, die: Random) -> None:
        self.die = die
        self.resources: OrderedDict[str, KnownResource] = OrderedDict()
        self.exports = list(EXPORTS)
        self.seeding = True

    def learn(self, path: str, status: int, headers: dict[str, str], body: Any) -> None:
        """Learn from an answer to `path`; the names of `headers` are in lower case."""
        if not isinstance(body, dict):
            return
        if status == 200 and {"events", "checkpoint"} <= body.keys():
            self.exports = [*self.exports[-3:], body]
        match = re.match(r"/v1/(\w+)/([0-9a-f-]{36})", headers.get("location", path))
        if match is None or match[1] not in KINDS:
            return
        if status == 201 and isinstance(body.get("tokens"), dict) and body.get("id") == match[2]:
            self._add(KnownResource(KINDS[match[1]], match[2], body["tokens"], self.seeding))
        resource = self.resources.get(match[2])
        if resource is not None and status < 300:
            self._learn_tokens(resource, body)
            self._update(resource, path, headers, body)
        if KINDS[match[1]] != path_kind(path):
            for remembered in self.resources.values():
                remembered.version = None  # an evening carried forward has a new one

    def _add(self, resource: KnownResource) -> None:
        self.resources[resource.id] = resource
        of_kind = [t for t in self.resources.values() if t.kind == resource.kind and not t.seeded]
        for old in of_kind[:-MAX_REMEMBERED]:
            del self.resources[old.id]

    def _learn_tokens(self, resource: KnownResource, body: dict[str, Any]) -> None:
        """Learn a single token, or new links that replace old ones."""
        if isinstance(body.get("token"), str):
            role = body.get("role", "join_request" if "number" in body else "viewer")
            resource.tokens[str(role)] = body["token"]
        for link in body.get("links", ()):
            if isinstance(link, dict) and "path" in link:
                resource.tokens[link["role"]] = link["path"].rpartition("/")[2]

    def _update(
        self, resource: KnownResource, path: str, headers: dict[str, str], body: dict[str, Any]
    ) -> None:
        tag = re.fullmatch(r'"([1-9][0-9]*)"', headers.get("etag", ""))
        if tag is not None and "/receipts/" not in path:  # a receipt has a tag of its own
            resource.version = max(resource.version or 0, int(tag[1]))
        state = body.get("session") if isinstance(body.get("session"), dict) else body
        if isinstance(state, dict) and isinstance(state.get("legal_actions"), list):
            resource.legal = state["legal_actions"]
            resource.unit = "money" if state.get("scores") is None else "points"
        if isinstance(body.get("next"), str):
            resource.cursors[path.rpartition("/")[2]] = body["next"]
        if isinstance(body.get("sessions"), list):
            resource.currencies = [
                entry["currency"] for entry in body["sessions"] if "currency" in entry
            ]
        for people in ("players", "members"):
            entries = state.get(people) if isinstance(state, dict) else None
            if (
                isinstance(entries, list)
                and entries
                and isinstance(entries[0], dict)
                and "id" in entries[0]
            ):
                resource.people = [entry["id"] for entry in entries]

    def choose(self, kind: str) -> KnownResource | None:
        matches = [resource for resource in self.resources.values() if resource.kind == kind]
        return self.die.choice(matches) if matches else None

    def token(self, resource: KnownResource, role: str) -> str:
        """Return the token of this role, or sometimes of another one."""
        if role not in resource.tokens or self.die.random() < 0.08:
            role = self.die.choice(ROLES)
        return resource.tokens.get(role, resource.tokens["host"])
