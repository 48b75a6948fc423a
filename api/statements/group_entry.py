"""An entry of a group: what it recorded beside its sessions, for CSV, workbooks and journals.

No sum of a statement contains an entry. With the statement's balances, the entries add up to the
open balances, which a journal's accounts show.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from api.i18n.translator import Translator
from api.statements.tables import Grid, GridRow
from engine.values import Amount
from ledger.events.event_types import Member

GROUP_OPENING = "group_opening"
"""The kind of the entry with what all entries had come to before the period."""


def shown_member_name(name: str | None, member: Member, translator: Translator) -> str:
    """Return the name, or the word for a member with the number if it is erased."""
    return name or translator("statement.member", number=member[1:])


class EntryPart(msgspec.Struct, frozen=True, kw_only=True):
    """What an entry adds to one member. `name` is safe to show, and None if it is erased."""

    member: Member
    name: str | None
    amount: Amount

    @property
    def account(self) -> str:
        return f"member:{self.member}"

    def shown_name(self, translator: Translator) -> str:
        return shown_member_name(self.name, self.member, translator)


class GroupEntry(msgspec.Struct, frozen=True, kw_only=True):
    """Something that a group recorded beside its sessions; its parts add up to zero."""

    kind: str  # `import`, GROUP_OPENING, or the type of an event
    day: str  # `2026-11-24`; of an import, the last evening's
    parts: tuple[EntryPart, ...]
    sentence: str
    is_open_balance: bool = True  # if not, the money of the import changed hands before
    number: int | None = None  # of an event in its group
    at: int | None = None  # of an event, in microseconds

    def shown_parts(self, holder_account: str | None) -> list[EntryPart]:
        """Return the holder's part, or every part if there is no holder."""
        return [part for part in self.parts if holder_account in (None, part.account)]


def opening_parts(entries: Iterable[GroupEntry], holder_account: str | None) -> list[EntryPart]:
    """Return what all entries had come to before the period."""
    openings = (entry for entry in entries if entry.kind == GROUP_OPENING)
    return [part for entry in openings for part in entry.shown_parts(holder_account)]


def open_balance_changes(entries: Iterable[GroupEntry]) -> Counter[str]:
    """Return what the entries add to the open balances, by account."""
    changes = Counter[str]()
    for entry in entries:
        if entry.is_open_balance:
            for part in entry.parts:
                changes[part.account] += part.amount
    return changes


def entry_grid(
    entries: Sequence[GroupEntry], holder_account: str | None, translator: Translator
) -> Grid:
    """Return what each entry adds to the open balances: a row for each, a column for each member,
    or for the holder alone."""
    names = {
        part.member: part.shown_name(translator)
        for entry in entries
        for part in entry.shown_parts(holder_account)
    }
    members = sorted(names, key=lambda member: int(member[1:]))
    changes = (
        (entry, {part.member: part.amount for part in entry.parts})
        for entry in entries
        if entry.is_open_balance
    )
    return Grid(
        title="group_entries",
        heads=(("when", 12), ("why", 90)),
        columns=tuple(names[member] for member in members),
        rows=(
            GridRow((entry.day, entry.sentence), tuple(amounts.get(m, 0) for m in members))
            for entry, amounts in changes
        ),
    )
