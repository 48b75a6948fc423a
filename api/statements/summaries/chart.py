"""A chart of balances, and the coordinates that it is drawn with."""

import msgspec

from engine.values import Amount

MAX_POINTS = 120
WIDTH, HEIGHT = 720, 200
"""The size of the drawing in its own units; on paper it is as wide as the page."""


class Curve(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    heights: tuple[Amount, ...]  # the first is the opening balance

    @property
    def last_height(self) -> Amount:
        return self.heights[-1]


class Chart(msgspec.Struct, frozen=True, kw_only=True):
    """`title` and `heads` are keys of the catalog under `statement`."""

    title: str
    heads: tuple[str, str]
    labels: tuple[tuple[str, str], ...]  # of each point
    curves: tuple[Curve, ...]
    lowest: Amount  # of all lines, not only of those that are drawn
    highest: Amount
    steps: bool  # whether a balance stays what it is until the next point

    def x(self, index: int) -> int:
        """Return how far from the left a point is drawn."""
        return index * WIDTH // max(1, len(self.labels) - 1)

    def y(self, height: Amount) -> int:
        """Return how far from the top a balance is drawn. Zero is always within the drawing."""
        top, bottom = max(self.highest, 0), min(self.lowest, 0)
        return (top - height) * HEIGHT // max(1, top - bottom)

    def svg_path(self, curve: Curve) -> str:
        return "M" + "L".join(f"{x} {y}" for x, y in self.corners(curve))

    def corners(self, curve: Curve) -> list[tuple[int, int]]:
        corners = [(0, self.y(curve.heights[0]))]
        for index, height in enumerate(curve.heights[1:], start=1):
            if self.steps:
                corners.append((self.x(index), corners[-1][1]))
            corners.append((self.x(index), self.y(height)))
        return corners
