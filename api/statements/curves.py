"""What a statement's chart shows: the balances line by line, or evening by evening.

Ten thousand deals are drawn by a few hundred points: of the lines between two of them the last one
is shown, and the lowest and highest of all are told in words.
"""

from collections.abc import Mapping

from api.statements.chart import MOST_POINTS, Chart, Curve
from api.statements.evening import Evening
from api.statements.telling import Telling
from engine.values import Amount
from ledger.postings import BROUGHT


class _Drawn:
    """Curves that grow by a point at a time."""

    def __init__(self, names: Mapping[str, str], balances: Mapping[str, Amount]) -> None:
        self.names = names
        self.balances = {account: balances.get(account, 0) for account in names}
        self.labels = list[tuple[str, str]]()
        self.heights: dict[str, list[Amount]] = {account: [] for account in names}
        self.begin()

    def begin(self) -> None:
        self.least, self.most = min(self.balances.values()), max(self.balances.values())

    def move(self, account: str, change: Amount) -> None:
        if account in self.balances:
            balance = self.balances[account] + change
            self.balances[account] = balance
            self.least, self.most = min(self.least, balance), max(self.most, balance)

    def point(self, *label: str) -> None:
        self.labels.append((label[0], label[1]))
        for account, balance in self.balances.items():
            self.heights[account].append(balance)

    def chart(self, title: str, second: str, *, steps: bool) -> Chart:
        return Chart(
            title=title,
            heads=("when", second),
            labels=tuple(self.labels),
            curves=tuple(
                Curve(name=self.names[a], heights=tuple(h)) for a, h in self.heights.items()
            ),
            least=self.least,
            most=self.most,
            steps=steps,
        )


def by_line(told: Telling, evening: Evening, names: Mapping[str, str]) -> Chart | None:
    """Through one evening; none without any lines. Begins with what was brought to it."""
    sums = evening.sums
    if not sums.first or not names:
        return None
    drawn = _Drawn(names, told.opened)
    step = -(-sums.lines // MOST_POINTS)
    begun = False
    for number, line in enumerate(evening.lines(told.pool), start=1):
        posting = line.reason.posting
        if not begun and BROUGHT not in (posting.source, posting.target):
            drawn.begin()
            drawn.point(told.clock(sums.first, "%H:%M"), "")
            begun = True
        drawn.move(posting.source, -posting.amount)
        drawn.move(posting.target, posting.amount)
        if begun and (number % step == 0 or number == sums.lines):
            drawn.point(told.clock(line.at, "%H:%M"), str(line.deal or ""))
    while len(drawn.labels) < 2:  # nothing but what was brought
        drawn.point(told.clock(sums.first, "%H:%M"), "")
    return drawn.chart("chart", "deal", steps=True)


def by_evening(told: Telling, names: Mapping[str, str]) -> Chart | None:
    """What everybody has come to after each evening; none without any lines."""
    if not told.count or not names:
        return None
    drawn = _Drawn(names, told.opened)
    drawn.point("", "")
    step = -(-len(told.evenings) // MOST_POINTS)
    for place, evening in enumerate(told.evenings, start=1):
        opening, closing = evening.sums.opening, evening.sums.closing
        for account in {**opening, **closing}:
            change = closing.get(account, 0) - opening.get(account, 0)
            drawn.move(told.account(evening, account), change)
        if place % step == 0 or place == len(told.evenings):
            drawn.point(told.clock(evening.begun, "%Y-%m-%d"), str(evening.number))
    return drawn.chart("over_evenings", "evening", steps=False)
