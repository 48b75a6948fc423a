"""The preparation of every generated request, and the recording of its answer.

A request gets an id that exists, the token for it, a key of its own and the current version: what a
client would know. What is wrong on purpose stays wrong.
"""

from __future__ import annotations

import json
from random import Random
from typing import Any
from urllib.parse import urlsplit

import schemathesis
from schemathesis.core import NotSet
from schemathesis.core.parameters import ParameterLocation

from tests.support.engine.random_player import RandomPlayer
from tests.verification.fuzz import semantic_rules
from tests.verification.fuzz.client_knowledge import ClientKnowledge, KnownResource
from tests.verification.fuzz.contract import is_valid, make_example, path_owner
from tests.verification.fuzz.fuzz_report import FuzzReport
from tests.verification.fuzz.seed_sessions import Send, random_action

UNSET_TOKEN = "Bearer to be filled in"
UNKNOWN_SHARE = 0.04
"""The share of requests with an id that does not exist, or without a token."""


class RequestPreparer:
    def __init__(
        self, send: Send, knowledge: ClientKnowledge, report: FuzzReport, die: Random
    ) -> None:
        self.send, self.knowledge, self.report, self.die = send, knowledge, report, die
        self.player = RandomPlayer(die)
        self.last_case_id = ""  # the case prepared last; probes of a check are not prepared

    def has_sent(self, case: Any) -> bool:
        return bool(case.id == self.last_case_id)

    def prepare(self, case: Any) -> None:
        """Make a request of the right shape one that a player's phone could send."""
        self.last_case_id = case.id
        resource = self._choose_resource(case)
        self._set_headers(case, resource)
        if self._should_be_valid(case, ParameterLocation.BODY) and not isinstance(
            case.body, NotSet
        ):
            self._replace_invalid_body(case)
            case.body = self._choose_content(
                semantic_rules.fit_body(case.body, resource, self.die), resource
            )
        if self._should_be_valid(case, ParameterLocation.QUERY) and isinstance(case.query, dict):
            path = (case.path, case.path_parameters)
            semantic_rules.fit_query(case.query, *path, resource, self.die)

    def _replace_invalid_body(self, case: Any) -> None:
        """Replace a body that was generated as valid and is not: Schemathesis 4.32 does so with an
        action that has the fields of another one."""
        should_be_valid = case.meta is not None and case.meta.generation.mode.is_positive
        if should_be_valid and not is_valid(case.operation.label, case.body):
            self.report.replaced_bodies[case.operation.label] += 1
            case.body = make_example(case.operation.label)

    def _should_be_valid(self, case: Any, location: ParameterLocation) -> bool:
        """Return whether this part is not wrong on purpose. In Schemathesis 4.32, a valid case may
        still carry a header of the invalid one before it."""
        meta = case.meta
        return meta is None or meta.generation.mode.is_positive or not meta.is_negative_at(location)

    def _set_headers(self, case: Any, resource: KnownResource | None) -> None:
        """Set a key and the version, unless a header is wrong on purpose."""
        if not self._should_be_valid(case, ParameterLocation.HEADER):
            return
        declared = {header.name for header in case.operation.headers}
        if "Idempotency-Key" in declared:
            case.headers["Idempotency-Key"] = f"{self.die.getrandbits(128):032x}"
        if resource and case.headers.get("Last-Event-ID") == str(resource.version):
            del case.headers["Last-Event-ID"]  # nothing is new, so the stream would be silent
        if "If-Match" in declared:
            version = resource.version if resource else None
            any_version = version is None or self.die.random() < 0.2
            case.headers["If-Match"] = "*" if any_version else f'"{version}"'

    def _choose_resource(self, case: Any) -> KnownResource | None:
        """Return the resource that is requested; most ids that do not exist are replaced first."""
        kind = path_owner(case.path)
        if kind is None or not isinstance(case.path_parameters, dict):
            return None
        if not self._should_be_valid(case, ParameterLocation.PATH):
            return None
        for name, value in case.path_parameters.items():
            chosen = self.knowledge.resources.get(str(value))
            if chosen is None and self.die.random() > UNKNOWN_SHARE:
                chosen = self.knowledge.choose(name)
                if chosen is not None:
                    case.path_parameters[name] = chosen.id
        resource = self.knowledge.resources.get(str(case.path_parameters.get(kind)))
        if resource is not None and resource.people:
            for name in ("player", "payer", "payee", "member"):
                if name in case.path_parameters and self.die.random() < 0.8:
                    case.path_parameters[name] = self.die.choice(resource.people)
        return resource

    def authorize(self, case: Any) -> None:
        """Set the token of the request, so late that it is no part of what is generated."""
        kind = path_owner(case.path)
        resource = self.knowledge.resources.get(str((case.path_parameters or {}).get(kind)))
        if case.meta is not None and case.meta.generation.mode.is_positive:
            self._set_headers(case, resource)  # only a correction may have made it valid
            if not isinstance(case.body, NotSet):
                self._replace_invalid_body(case)
        if not case.headers or case.headers.get("Authorization") != UNSET_TOKEN:
            return
        if resource is None:
            other_thing = self.knowledge.choose(kind or "session")
            token = other_thing.tokens["host"] if other_thing else "host0.none"
        else:
            role = case.operation.definition.raw.get("x-role", "host")
            token = self.knowledge.token(resource, role)
        case.headers["Authorization"] = f"Bearer {token}"

    def _choose_content(self, body: Any, resource: KnownResource | None) -> Any:
        """Replace the actions by a legal one half of the time, and an export by a signed one."""
        if isinstance(body, dict) and {"events", "checkpoint"} <= body.keys():
            return self.die.choice(self.knowledge.exports)  # signed, so it cannot be generated
        if not isinstance(body, dict) or resource is None:
            return body
        if isinstance(body.get("actions"), list) and resource.legal and self.die.random() < 0.5:
            return {**body, "actions": [random_action(resource.legal, self.player)]}
        return body

    def record_answer(self, case: Any, response: Any) -> None:
        """Count the answer, and learn from it."""
        self.report.count_request(case, response)
        body = None
        if "json" in response.headers.get("content-type", [""])[0]:
            try:
                body = json.loads(response.content)
            except ValueError:
                return  # a check reports this
        headers = {name: values[0] for name, values in response.headers.items()}
        url = urlsplit(str(response.request.url))
        if "at=" in url.query:
            headers.pop("etag", None)  # of an earlier version
        self.knowledge.learn(url.path, response.status_code, headers, body)

    def install(self) -> None:
        """Register the hooks with Schemathesis, which has one set of them per process."""

        @schemathesis.hook
        def before_call(context: Any, case: Any, kwargs: Any) -> None:
            self.prepare(case)

        @schemathesis.hook
        def after_call(context: Any, case: Any, response: Any) -> None:
            self.record_answer(case, response)

        @schemathesis.auth(refresh_interval=None)
        class Token:
            def get(inner, case: Any, context: Any) -> str | None:
                return None if self.die.random() < UNKNOWN_SHARE else UNSET_TOKEN

            def set(inner, case: Any, data: str, context: Any) -> None:
                case.headers = {**(case.headers or {}), "Authorization": data}


def uninstall() -> None:
    schemathesis.hooks.unregister_all()
    schemathesis.auths.unregister()
