"""How a balance went through the evening: some moments, and every curve's height at each.

Ten thousand deals are drawn by a few hundred points: of the lines between two of them the last one
is shown, and the lowest and highest of all are told in words.
"""

from collections.abc import Iterator

import msgspec

from api.statements.telling import Telling
from engine.values import Amount
from ledger.postings import SHEET

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
    moments: tuple[int, ...]  # microseconds; the opening has the first line's
    deals: tuple[int | None, ...]
    curves: tuple[Curve, ...]
    least: Amount  # of every line, not only of those that are drawn
    most: Amount

    def across(self, place: int) -> int:
        """From left to right, one step a point."""
        return place * WIDTH // max(1, len(self.moments) - 1)

    def down(self, height: Amount) -> int:
        """From the top. Zero is always within."""
        top, bottom = max(self.most, 0), min(self.least, 0)
        return (top - height) * HEIGHT // max(1, top - bottom)

    def path(self, curve: Curve) -> str:
        """A balance stays what it is until the next line: steps, as SVG writes them."""
        steps = [f"M0 {self.down(curve.heights[0])}"]
        for place, height in enumerate(curve.heights[1:], start=1):
            steps.append(f"H{self.across(place)}V{self.down(height)}")
        return "".join(steps)

    def points(self, curve: Curve) -> list[tuple[int, int]]:
        """The same as corners."""
        corners = [(0, self.down(curve.heights[0]))]
        for place, height in enumerate(curve.heights[1:], start=1):
            corners += [
                (self.across(place), corners[-1][1]),
                (self.across(place), self.down(height)),
            ]
        return corners


def chart(told: Telling) -> Chart | None:
    """The curve of a player, or of everybody; none without any lines."""
    if not told.sums.first:
        return None
    kept = _curves(told)
    balances = {account: told.sums.opening.get(account, 0) for account in kept}
    moments, deals = [told.sums.first], list[int | None]([None])
    heights = {account: [balance] for account, balance in balances.items()}
    least, most = min(balances.values()), max(balances.values())
    step = -(-told.sums.lines // MOST_POINTS)
    for number, line in enumerate(told.lines(), start=1):
        posting = line.reason.posting
        for account, change in (
            (posting.source, -posting.amount),
            (posting.target, posting.amount),
        ):
            if account in balances:
                balances[account] += change
                least, most = min(least, balances[account]), max(most, balances[account])
        if number % step == 0 or number == told.sums.lines:
            moments.append(line.at)
            deals.append(line.deal)
            for account, balance in balances.items():
                heights[account].append(balance)
    return Chart(
        moments=tuple(moments),
        deals=tuple(deals),
        curves=tuple(Curve(name=kept[a], heights=tuple(h)) for a, h in heights.items()),
        least=least,
        most=most,
    )


def _curves(told: Telling) -> dict[str, str]:
    """Whose balances are drawn, by account."""
    return dict(_accounts(told))


def _accounts(told: Telling) -> Iterator[tuple[str, str]]:
    speak, session, mine = told.speak, told.session, told.wanted.mine
    if told.asked.unit == "points":
        found = [f"score:{keeper}" for keeper in (session.sheet.scores if session.sheet else ())]
    else:
        found = [f"player:{player}" for player in session.table.players]
    for account in found:
        if mine in (None, account) and account != SHEET:
            yield account, speak.people(account.partition(":")[2].split("+"), told.names)
