"""The result of one run of a command or job."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Outcome:
    """The result of one run; `summary` is what the book says, in a comparable form."""

    effects: list[str]
    summary: list[Any]
    findings: list[str] = field(default_factory=list)
