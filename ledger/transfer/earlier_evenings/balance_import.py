"""Import results of earlier evenings into a group, and void an import; both are events.

The file itself is not kept, only its hash, by which the same file is refused a second time.
"""

from collections.abc import Iterable, Sequence

import msgspec

from engine.errors import RuleViolation
from ledger.events.event_types import Currency
from ledger.groups.attendance import check_present
from ledger.groups.group_event_log import load_group_events
from ledger.groups.group_events import (
    BalancesImported,
    ImportedEvening,
    ImportVoided,
    RecordedGroupEvent,
)
from ledger.groups.groups import Group
from ledger.store.connection_pool import Connection


class AlreadyImported(RuleViolation):
    """Import {number} of this group has the same file."""


class EveningsDoNotAddUp(RuleViolation):
    """The results of the evenings in rows {rows} do not add up to zero."""


class NothingToImport(RuleViolation):
    """The file has no result of a member."""


class ImportDoesNotCount(RuleViolation):
    """Import {number} is voided already."""


class UnknownImport(Exception):
    """The group has no import of this number."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class BalanceImport(msgspec.Struct, frozen=True, kw_only=True):
    """An import among the group's events. `voided_at` is None while it counts."""

    event: BalancesImported
    at: int  # microseconds, UTC
    voided_at: int | None = None


class NewImport(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be imported: read from a file of this hash, and adding up to zero."""

    sha256: str
    currency: Currency
    settled: bool
    evenings: tuple[ImportedEvening, ...]


def list_imports(events: Iterable[RecordedGroupEvent]) -> tuple[BalanceImport, ...]:
    """Return the imports among a group's events, the first one first, voided ones as well."""
    imports: dict[int, BalanceImport] = {}
    for recorded in events:
        event = recorded.event
        if isinstance(event, BalancesImported):
            imports[event.number] = BalanceImport(event=event, at=recorded.at)
        elif isinstance(event, ImportVoided):
            imports[event.number] = msgspec.structs.replace(
                imports[event.number], voided_at=recorded.at
            )
    return tuple(imports.values())


def find_import(imports: Sequence[BalanceImport], number: int) -> BalanceImport:
    """Return the import of this number. Raise UnknownImport."""
    for balance_import in imports:
        if balance_import.event.number == number:
            return balance_import
    raise UnknownImport(number)


def same_file(imports: Iterable[BalanceImport], sha256: str) -> int | None:
    """Return the number of the import that counts and has this file."""
    for balance_import in imports:
        if balance_import.event.sha256 == sha256 and balance_import.voided_at is None:
            return balance_import.event.number
    return None


def decide_import(db: Connection, group: Group, new_import: NewImport) -> tuple[BalancesImported]:
    """Return the event with which an import is recorded. Raise AlreadyImported, MemberHasLeft."""
    imports = list_imports(load_group_events(db, group.id))
    number = same_file(imports, new_import.sha256)
    if number is not None:
        raise AlreadyImported(number=number)
    event = BalancesImported(number=len(imports) + 1, **msgspec.structs.asdict(new_import))
    _check_present(group, event)
    return (event,)


def decide_void(db: Connection, group: Group, number: int) -> tuple[ImportVoided]:
    """Return the event with which an import is voided: it never counted, and keeps its number.
    Raise UnknownImport, ImportDoesNotCount, MemberHasLeft."""
    voided_import = find_import(list_imports(load_group_events(db, group.id)), number)
    if voided_import.voided_at is not None:
        raise ImportDoesNotCount(number=number)
    _check_present(group, voided_import.event)
    return (ImportVoided(number=number),)


def _check_present(group: Group, event: BalancesImported) -> None:
    """Raise MemberHasLeft if the event would change the balance of a member who has left."""
    if not event.settled:
        results = (result for evening in event.evenings for result in evening.results)
        check_present(group, (result.member for result in results))
