"""The curves of a statement: through a session line by line, or from session to session.

Ten thousand deals are drawn with a few hundred points. Of the lines between two points the last one
is drawn, and the lowest and highest balance of all lines are given as text.
"""

from collections.abc import Mapping

from api.statements.session_section import SessionSection
from api.statements.statement import Statement
from api.statements.summaries.chart import MAX_POINTS, Chart, Curve
from engine.values import Amount
from ledger.projections.postings import BROUGHT_FORWARD


class _ChartBuilder:
    """Curves that grow by a point at a time."""

    def __init__(self, names: Mapping[str, str], balances: Mapping[str, Amount]) -> None:
        self._names = names
        self._balances = {account: balances.get(account, 0) for account in names}
        self._labels = list[tuple[str, str]]()
        self._heights: dict[str, list[Amount]] = {account: [] for account in names}
        self.reset_extremes()

    @property
    def point_count(self) -> int:
        return len(self._labels)

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
        self._labels.append((label, second_label))
        for account, balance in self._balances.items():
            self._heights[account].append(balance)

    def build(self, title: str, second_head: str, *, steps: bool) -> Chart:
        return Chart(
            title=title,
            heads=("when", second_head),
            labels=tuple(self._labels),
            curves=tuple(
                Curve(name=self._names[account], heights=tuple(heights))
                for account, heights in self._heights.items()
            ),
            lowest=self._lowest,
            highest=self._highest,
            steps=steps,
        )


def session_chart(
    statement: Statement, section: SessionSection, names: Mapping[str, str]
) -> Chart | None:
    """Return the curves through one session; None without lines. They begin with what was carried
    forward, and leave out payments, which change no result."""
    sums = section.sums
    if not sums.first_line_at or not names:
        return None
    chart = _ChartBuilder(names, statement.opening_balances)
    start_label = statement.format_time(sums.first_line_at, "%H:%M")
    lines_per_point = -(-sums.line_count // MAX_POINTS)
    started = False
    for number, line in enumerate(section.lines(statement.pool), start=1):
        posting = line.explanation.posting
        if not started and BROUGHT_FORWARD not in (posting.source, posting.target):
            chart.reset_extremes()
            chart.add_point(start_label, "")
            started = True
        if line.kind != "transfer_recorded":
            chart.move(posting.source, -posting.amount)
            chart.move(posting.target, posting.amount)
        if started and (number % lines_per_point == 0 or number == sums.line_count):
            chart.add_point(statement.format_time(line.at, "%H:%M"), str(line.deal or ""))
    while chart.point_count < 2:  # nothing but what was carried forward
        chart.add_point(start_label, "")
    return chart.build("chart", "deal", steps=True)


def group_chart(statement: Statement, names: Mapping[str, str]) -> Chart | None:
    """Return the curves of everybody's results so far, by session; None without lines."""
    if not statement.line_count or not names:
        return None
    chart = _ChartBuilder(names, {})
    chart.add_point("", "")
    sessions_per_point = -(-len(statement.sections) // MAX_POINTS)
    for count, section in enumerate(statement.sections, start=1):
        for player, amount in section.results.items():
            chart.move(statement.statement_account(section, f"player:{player}"), amount)
        if count % sessions_per_point == 0 or count == len(statement.sections):
            day = statement.format_time(section.opened_at, "%Y-%m-%d")
            chart.add_point(day, str(section.number))
    return chart.build("over_evenings", "evening", steps=False)
