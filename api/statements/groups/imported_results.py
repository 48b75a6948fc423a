"""What a group's statement shows of earlier evenings that were imported from files: apart from what
was recorded, and part of none of its sums."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime, time

import msgspec

from api.i18n.translator import Translator
from api.statements.statement_query import StatementQuery
from engine.values import Amount
from ledger.events.event_types import Member
from ledger.events.timestamps import to_microseconds
from ledger.groups.group_events import ImportedEvening, add_up
from ledger.transfer.earlier_evenings.balance_import import BalanceImport


class ImportedResults(
    msgspec.Struct, frozen=True, kw_only=True, rename={"first_day": "from", "last_day": "to"}
):
    """The results of one import in the statement's period, by member."""

    number: int
    sha256: str
    settled: bool
    first_day: str
    last_day: str
    evening_count: int
    results: Mapping[Member, Amount]

    def title(self, translator: Translator, *, short: bool = False) -> str:
        """Return a heading: which import, of which file and evenings, and whether it is settled.
        `short`: without saying that no sum contains an import that is not."""
        open_key = "imported_short" if short else "imported"
        return translator(
            f"statement.{'imported_settled' if self.settled else open_key}",
            number=self.number,
            count=self.evening_count,
            first=translator.format_day(self.first_day),
            last=translator.format_day(self.last_day),
            file=self.sha256[:8],
        )


def imported_results(
    imports: Iterable[BalanceImport], query: StatementQuery
) -> Iterator[ImportedResults]:
    """Yield what the imports have in the period, without those that have nothing."""
    for balance_import in imports:
        event = balance_import.event
        evenings = [evening for evening in event.evenings if _is_in_period(evening, query)]
        if evenings:
            days = [evening.date for evening in evenings]
            yield ImportedResults(
                number=event.number,
                sha256=event.sha256,
                settled=event.settled,
                first_day=min(days),
                last_day=max(days),
                evening_count=len(evenings),
                results=add_up(result for evening in evenings for result in evening.results),
            )


def _is_in_period(evening: ImportedEvening, query: StatementQuery) -> bool:
    """Return whether the day begins in the period, in the statement's time zone."""
    begins = datetime.combine(date.fromisoformat(evening.date), time(), query.zone)
    return query.starts_at <= to_microseconds(begins) < query.ends_at
