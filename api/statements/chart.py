"""A chart of balances, and the coordinates that it is drawn with.

Ten thousand deals are drawn with a few hundred points. Of the lines between two points the last one
is drawn, and the lowest and highest balance of all lines are given as text.
"""

from collections.abc import Mapping

import msgspec

from engine.values import Amount

MAX_POINTS = 120
WIDTH, HEIGHT = 720, 200
"""The size of the drawing in its own units; on paper it is as wide as the page."""


class Curve(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    heights: tuple[Amount, ...]  # the first is the opening balance


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


class ChartBuilder:
    """Curves that grow by a point at a time."""

    def __init__(self, names: Mapping[str, str], balances: Mapping[str, Amount]) -> None:
        self._names = names
        self._balances = {account: balances.get(account, 0) for account in names}
        self.labels = list[tuple[str, str]]()
        self._heights: dict[str, list[Amount]] = {account: [] for account in names}
        self.reset_extremes()

    def reset_extremes(self) -> None:
        balances = self._balances.values()
        self._lowest, self._highest = min(balances), max(balances)

    def move(self, account: str, change: Amount) -> None:
        if account in self._balances:
            balance = self._balances[account] + change
            self._balances[account] = balance
            self._lowest = min(self._lowest, balance)
            self._highest = max(self._highest, balance)

    def add_point(self, label: str, second_label: str) -> None:
        self.labels.append((label, second_label))
        for account, balance in self._balances.items():
            self._heights[account].append(balance)

    def build(self, title: str, second_head: str, *, steps: bool) -> Chart:
        return Chart(
            title=title,
            heads=("when", second_head),
            labels=tuple(self.labels),
            curves=tuple(
                Curve(name=self._names[account], heights=tuple(heights))
                for account, heights in self._heights.items()
            ),
            lowest=self._lowest,
            highest=self._highest,
            steps=steps,
        )
