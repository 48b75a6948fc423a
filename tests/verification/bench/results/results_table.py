"""The figures as a table for people: one line each, with floor, aim and spread."""

from __future__ import annotations

import statistics

from tests.verification.bench.measurement import Measurement

HEAD = ("row", "what", "figure", "least–most", "floor", "", "aim", "", "ours", "reference")


def row_cells(measured: Measurement) -> tuple[str, ...]:
    """Return the cells of a row: ✓ after a bound that is met, – after one that is not."""
    promise = measured.promise
    bounds = [
        cell
        for bound in (promise.floor, promise.aim)
        for cell in (promise.bound(bound), "✓" if measured.meets(bound) else "–")
    ]
    if measured.missing:
        return measured.name, promise.title, "–", "", *bounds, measured.missing, ""
    figures = measured.figures
    return (
        measured.name,
        promise.title,
        f"{format_number(measured.figure)} {promise.unit}",
        f"{format_number(min(figures))}–{format_number(max(figures))}",
        *bounds,
        format_side(measured.ours, measured.unit),
        f"{promise.against}: {format_side(measured.reference, measured.unit)}"
        if measured.reference
        else promise.against,
    )


def format_side(figures: list[float], unit: str) -> str:
    """Return the median of a side."""
    return f"{format_number(statistics.median(figures))} {unit}"


def format_number(figure: float) -> str:
    """Return a figure with about three significant digits."""
    if figure >= 100:
        return f"{figure:,.0f}"
    return (
        f"{figure:.1f}" if figure >= 10 else f"{figure:.2f}" if figure >= 0.1 else f"{figure:.3f}"
    )


def format_text(rows: list[Measurement]) -> str:
    """Return the rows for a terminal: each figure, and its notes below it."""
    lines = []
    for measured in rows:
        row, title, figure, spread, floor, floor_met, aim, aim_met, ours, against = row_cells(
            measured
        )
        lines.append(
            f"{row:<11}{title}\n{'':<11}{figure} ({spread})  floor {floor} {floor_met}  "
            f"aim {aim} {aim_met}\n{'':<11}{ours}; {against}"
        )
        lines += [f"{'':<11}{note}" for note in measured.notes]
    return "\n".join(lines)


def format_markdown(rows: list[Measurement]) -> str:
    def line(parts: tuple[str, ...]) -> str:
        return f"| {' | '.join(parts)} |"

    return "\n".join(
        [line(HEAD), line(("---",) * len(HEAD)), *(line(row_cells(row)) for row in rows)]
    )
