"""The table of results, with one line for each module."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Row:
    module: str
    killed: int
    survived: int

    @property
    def mutants(self) -> int:
        return self.killed + self.survived

    @property
    def score(self) -> str:
        return f"{100 * self.killed / max(self.mutants, 1):.1f} %"

    @classmethod
    def read(cls, module: str, file: Path) -> Row:
        """Return the row of a module; a mutant that timed out counts as killed."""
        fates = Counter(json.loads(line)["fate"] for line in file.read_text("utf-8").splitlines())
        return cls(module, fates["killed"] + fates["timeout"], fates["survived"])


def format_table(rows: list[Row]) -> str:
    total = Row("together", sum(row.killed for row in rows), sum(row.survived for row in rows))
    lines = ["| module | mutants | killed | survived | score |", "|---|---:|---:|---:|---:|"]
    for row in [*rows, total]:
        counts = f"{row.mutants} | {row.killed} | {row.survived} | {row.score}"
        lines.append(f"| {row.module} | {counts} |")
    return "\n".join(lines)
