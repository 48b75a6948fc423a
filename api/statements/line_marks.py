"""What a statement says of its lines beside their postings: which deals were entered afterwards
from paper, and what shared costs were for.

Neither follows from a posting. The first stands in the opening of a deal, the second in a remark.
"""

from collections.abc import Iterable, Mapping

import msgspec

from api.statements.wording.sanitize import legible_name
from ledger.access.session_metadata import SessionMetadataStore
from ledger.projections.costs import counted_costs
from ledger.projections.deals import newest_first
from ledger.reporting.statement import StatementLine
from ledger.session.session_state import SessionState
from ledger.store.connection_pool import Pool


class LineMarks(msgspec.Struct, frozen=True, kw_only=True):
    """The marks of one session's lines. The purposes are safe to show."""

    late_deals: frozenset[int] = frozenset()  # their numbers
    purposes: Mapping[int, str] = {}  # of costs that count, by the version that recorded them

    def is_late_entry(self, line: StatementLine) -> bool:
        """Return whether the line is of a deal that was entered from paper."""
        return line.deal in self.late_deals

    def purpose(self, line: StatementLine) -> str:
        """Return what the cost of this line was for; empty for other lines."""
        return self.purposes.get(line.version, "")

    @property
    def late_deals_text(self) -> str:
        """The numbers as people write them, such as `1–20, 23`."""
        return ", ".join(_spans(sorted(self.late_deals)))


def load_line_marks(pool: Pool, session: SessionState) -> LineMarks:
    """Return the marks of a session that has its deals."""
    costs = [*counted_costs(session.costs)]
    remarks = SessionMetadataStore(pool).remarks(session.id) if costs else {}
    purposes = {cost.version: legible_name(remarks.get(cost.version, "")) for cost in costs}
    return LineMarks(
        late_deals=frozenset(
            deal.number for deal in newest_first(session.deals) if deal.opening.late_entry
        ),
        purposes={version: purpose for version, purpose in purposes.items() if purpose},
    )


def _spans(numbers: Iterable[int]) -> list[str]:
    """Return runs of consecutive numbers, each as one text."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return [f"{run[0]}–{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs]
