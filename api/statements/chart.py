"""A chart of balances, and the coordinates that it is drawn with.

Ten thousand deals are drawn with a few hundred points. Of the lines between two points the last one
is drawn, and the lowest and highest balance of all lines are given as text.
"""

from collections.abc import Mapping
from typing import NamedTuple

from engine.values import Amount

MAX_POINTS = 120
WIDTH, HEIGHT = 720, 200
"""The size of the drawing in its own units; on paper it is as wide as the page."""


class Curve(NamedTuple):
    name: str
    heights: list[Amount]  # the first is the opening balance


class Chart:
    """The curves of some accounts, which grow by a point at a time.

    `title` and `heads` are keys of the catalog under `statement`; `steps`: a balance stays what it
    is until the next point.
    """

    def __init__(
        self,
        title: str,
        second_head: str,
        names: Mapping[str, str],
        balances: Mapping[str, Amount],
        *,
        steps: bool,
    ) -> None:
        self.title, self.heads, self.steps = title, ("when", second_head), steps
        self.labels: list[tuple[str, str]] = []  # of each point
        self.curves = [Curve(name, []) for name in names.values()]
        self._balances = {account: balances.get(account, 0) for account in names}
        self.reset_extremes()

    def reset_extremes(self) -> None:
        """Start anew with the lowest and highest balance of all lines, drawn or not."""
        balances = self._balances.values()
        self.lowest, self.highest = min(balances), max(balances)

    def move(self, account: str, change: Amount) -> None:
        if account in self._balances:
            balance = self._balances[account] + change
            self._balances[account] = balance
            self.lowest = min(self.lowest, balance)
            self.highest = max(self.highest, balance)

    def add_point(self, label: str, second_label: str) -> None:
        self.labels.append((label, second_label))
        for curve, balance in zip(self.curves, self._balances.values(), strict=True):
            curve.heights.append(balance)

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
