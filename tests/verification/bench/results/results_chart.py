"""The figures as one SVG chart: how far each is from its floor, and where its aim is.

Further right is better, whatever the figure counts; each grid line is twice the one before.
"""

from __future__ import annotations

import math
from xml.sax.saxutils import escape

from tests.verification.bench.measurement import Measurement
from tests.verification.bench.results.results_table import format_number

WIDTH, LEFT, RIGHT, LINE, TOP = 920, 330, 125, 30, 40
MIN_POWER, MAX_POWER = -4.0, 4.0  # powers of two
INK, PALE, GOOD, BAD = "#222", "#bbb", "#2a7d4f", "#b3402a"


def draw_chart(rows: list[Measurement]) -> str:
    """Return the chart, which can be read on light and on dark pages."""
    height = TOP + LINE * len(rows) + 30
    foot = TOP + LINE * len(rows)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'font-family="sans-serif" font-size="13">',
        "<title>Each figure, measured by its floor</title>",
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
    ]
    for power in range(int(MIN_POWER), int(MAX_POWER) + 1):
        x = x_position(2.0**power)
        bold = power == 0
        parts += [
            f'<line x1="{x:.1f}" y1="{TOP - 8}" x2="{x:.1f}" y2="{foot}" '
            f'stroke="{INK if bold else PALE}" stroke-width="{1.5 if bold else 0.5}"/>',
            f'<text x="{x:.1f}" y="{TOP - 14}" text-anchor="middle" fill="{INK}">'
            f"{'floor' if bold else f'{2.0**power:g} ×'}</text>",
        ]
    for place, measured in enumerate(rows):
        parts += draw_bar(measured, TOP + LINE * place + LINE / 2)
    parts.append(
        f'<text x="{LEFT}" y="{foot + 20}" fill="{INK}">◆ aim; the thin line is from the least '
        f"to the most of the repetitions</text></svg>"
    )
    return "\n".join(parts) + "\n"


def draw_bar(measured: Measurement, y: float) -> list[str]:
    promise = measured.promise
    name = f"{measured.name}: {promise.title}"
    label = f'<text x="8" y="{y + 4:.1f}" fill="{INK}">{escape(name)}</text>'
    aim = x_position(floor_ratio(promise.aim, promise.floor, promise.higher_is_better))
    mark = f'<text x="{aim:.1f}" y="{y + 4:.1f}" text-anchor="middle" fill="{INK}">◆</text>'
    if measured.missing:
        return [label, mark]
    figure = x_position(floor_ratio(measured.figure, promise.floor, promise.higher_is_better))
    ends = [
        x_position(floor_ratio(bound, promise.floor, promise.higher_is_better))
        for bound in (min(measured.figures), max(measured.figures))
    ]
    zero = x_position(1)
    colour = GOOD if measured.meets(promise.floor) else BAD
    return [
        label,
        f'<rect x="{min(zero, figure):.1f}" y="{y - 7:.1f}" width="{abs(figure - zero):.1f}" '
        f'height="14" fill="{colour}"/>',
        f'<line x1="{ends[0]:.1f}" y1="{y:.1f}" x2="{ends[1]:.1f}" y2="{y:.1f}" stroke="{INK}"/>',
        mark,
        f'<text x="{WIDTH - RIGHT + 8}" y="{y + 4:.1f}" fill="{INK}">'
        f"{format_number(measured.figure)} {promise.unit}</text>",
    ]


def floor_ratio(figure: float, floor: float, higher_is_better: bool) -> float:
    """Return how many times as good as the floor the figure is."""
    if figure <= 0:
        return 2.0**MAX_POWER
    return figure / floor if higher_is_better else floor / figure


def x_position(times: float) -> float:
    """Return the x coordinate of `times` times the floor, or the edge if it lies beyond."""
    power = min(MAX_POWER, max(MIN_POWER, math.log2(times))) if times > 0 else MIN_POWER
    return LEFT + (WIDTH - LEFT - RIGHT) * (power - MIN_POWER) / (MAX_POWER - MIN_POWER)
