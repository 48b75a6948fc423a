"""How balances went: some moments, and every curve's height at each. Knows no statement."""

import msgspec

from engine.values import Amount

MOST_POINTS = 120
WIDTH, HEIGHT = 720, 200
"""What a drawing is measured in; it is as wide as the paper."""


class Curve(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    heights: tuple[Amount, ...]  # the first is the opening balance

    @property
    def ends(self) -> Amount:
        return self.heights[-1]


class Chart(msgspec.Struct, frozen=True, kw_only=True):
    title: str  # a word of the catalog under `statement`, as the heads are
    heads: tuple[str, str]
    labels: tuple[tuple[str, str], ...]  # of every moment
    curves: tuple[Curve, ...]
    least: Amount  # of every line, not only of those that are drawn
    most: Amount
    steps: bool

    def across(self, place: int) -> int:
        """From left to right, one step a point."""
        return place * WIDTH // max(1, len(self.labels) - 1)

    def down(self, height: Amount) -> int:
        """From the top. Zero is always within."""
        top, bottom = max(self.most, 0), min(self.least, 0)
        return (top - height) * HEIGHT // max(1, top - bottom)

    def path(self, curve: Curve) -> str:
        """The curve as SVG writes it."""
        return "M" + "L".join(f"{across} {down}" for across, down in self.points(curve))

    def points(self, curve: Curve) -> list[tuple[int, int]]:
        """Its corners. In steps a balance stays what it is until the next line."""
        corners = [(0, self.down(curve.heights[0]))]
        for place, height in enumerate(curve.heights[1:], start=1):
            if self.steps:
                corners.append((self.across(place), corners[-1][1]))
            corners.append((self.across(place), self.down(height)))
        return corners
