"""The counts of a fuzzing run, by operation and status and by check, and every fault once."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any


@dataclass
class FuzzReport:
    requests: Counter[tuple[str, int]] = field(default_factory=Counter)
    checks: Counter[str] = field(default_factory=Counter)
    phases: Counter[str] = field(default_factory=Counter)
    followed_links: Counter[str] = field(default_factory=Counter)
    replaced_bodies: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    faults: dict[str, str] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)

    @property
    def total(self) -> int:
        return sum(self.requests.values())

    @property
    def has_no_fault(self) -> bool:
        return not self.faults and not self.errors

    def count_request(self, case: Any, response: Any) -> None:
        self.requests[case.operation.label, response.status_code] += 1
        phase = case.meta.phase.name.value if case.meta is not None else "probe"
        self.phases[phase] += 1

    def add_fault(self, operation: str, title: str, details: str) -> None:
        name = f"{operation}: {title}"
        self.failed[name] += 1
        self.faults.setdefault(name, details)

    def __add__(self, other: FuzzReport) -> FuzzReport:
        return FuzzReport(
            self.requests + other.requests,
            self.checks + other.checks,
            self.phases + other.phases,
            self.followed_links + other.followed_links,
            self.replaced_bodies + other.replaced_bodies,
            self.failed + other.failed,
            {**other.faults, **self.faults},
            {**other.errors, **self.errors},
        )

    def format_table(self) -> str:
        """Return a line per operation, then the checks, then every fault with how to repeat it."""
        lines = []
        for operation in sorted({name for name, _ in self.requests}):
            statuses = {
                status: number
                for (name, status), number in self.requests.items()
                if name == operation
            }
            details = "  ".join(f"{status} {statuses[status]}" for status in sorted(statuses))
            lines.append(f"{operation:<58} {sum(statuses.values()):>7}  {details}")
        lines.append("")
        lines += [f"{name:<34} {count:>8}" for name, count in sorted(self.checks.items())]
        lines.append("")
        phases = (f"{phase} {number}" for phase, number in self.phases.most_common())
        lines.append("phases: " + ", ".join(phases))
        if self.followed_links:
            lines.append(
                f"followed {len(self.followed_links)} links, {self.followed_links.total()} times"
            )
        for name, count in self.replaced_bodies.most_common():
            lines.append(f"generated as valid, but invalid; replaced {count} times: {name}")
        for name, count in self.failed.most_common():
            lines += ["", f"FAULT, {count} times: {name}", self.faults[name]]
        for name, details in self.errors.items():
            lines += ["", f"ERROR: {name}", details]
        return "\n".join(lines)
