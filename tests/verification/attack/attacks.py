"""Attacks by the name that is printed: what a forger does to one session."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from tests.verification.attack.forger import Forger

Attack = Callable[[Forger], None]
"""Changes stored rows. Raises NotApplicable if the session has nothing to change."""


class Attacks(dict[str, Attack]):
    """The attacks that one module defines."""

    def register(self, name: str) -> Callable[[Attack], Attack]:
        return lambda attack: self.setdefault(name, attack)

    def register_statements(
        self,
        statements: dict[str, str],
        condition: str = "",
        pick_parameters: Callable[[Forger], tuple[Any, ...]] = lambda forger: (forger.session_id,),
    ) -> None:
        """Register attacks that each execute one SQL statement, followed by `condition`.

        Its parameters are the session's id, unless `pick_parameters` returns others."""

        def run_statement(statement: str, forger: Forger) -> None:
            forger.execute(statement, *pick_parameters(forger))

        for name, statement in statements.items():
            self[name] = partial(run_statement, statement + condition)
