"""docs/performance.md and its chart, made from the saved figures of a run.

Only the text between the two marks is replaced; what people have written on the page stays.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.verification.bench import environment
from tests.verification.bench.measurement import Measurement
from tests.verification.bench.results.results_chart import draw_chart
from tests.verification.bench.results.results_table import format_markdown

BEGIN, END = "<!-- figures -->", "<!-- /figures -->"


def write_page(results: dict[str, Any], page: Path) -> None:
    rows = [Measurement(**row) for row in results["rows"]]
    picture = page.with_suffix(".svg")
    picture.write_text(draw_chart(rows), encoding="utf-8")
    text = page.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    assert end, f"{page} has no {BEGIN} … {END}"
    section = format_figures(results, rows, picture.name)
    page.write_text(f"{before}{BEGIN}\n\n{section}\n\n{END}{after}", encoding="utf-8")


def format_figures(results: dict[str, Any], rows: list[Measurement], picture: str) -> str:
    notes = [f"- **{row.name}** {'; '.join(row.notes)}" for row in rows if row.notes]
    conditions = [f"- {line}" for line in environment.table_lines(results["conditions"])]
    loads = ", ".join(f"{row} {load:.1f}" for row, load in results["loads"].items())
    return "\n\n".join(
        [
            f"![How far each figure is from its floor]({picture})",
            format_markdown(rows),
            "\n".join(notes),
            "\n".join([*conditions, f"- load of the machine before each row: {loads}"]),
        ]
    )


def read_results(file: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return document
