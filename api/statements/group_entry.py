"""An entry of a group: what it recorded beside its sessions.

No sum of a statement contains an entry. With the statement's balances, the entries add up to the
open balances, which a journal's accounts show.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime

import msgspec

from engine.values import Amount
from ledger.events.event_types import Member
from ledger.groups.group_events import MemberAmount, add_up

GROUP_OPENING = "group_opening"
"""The kind of the entry with what all entries had come to before the period."""


class GroupEntry(msgspec.Struct, frozen=True, kw_only=True):
    """Something that a group recorded beside its sessions; its changes add up to zero."""

    kind: str  # `import`, GROUP_OPENING, or the type of an event
    day: str  # `2026-11-24`; of an import, the last evening's
    changes: Mapping[Member, Amount]  # in the members' order
    sentence: str
    is_open_balance: bool = True  # if not, the money of the import changed hands before
    number: int = 0  # of an event in its group
    at: int = 0  # of an event, in microseconds

    @property
    def local_day(self) -> datetime:
        """The start of the day, in no time zone, as a cell of a workbook has it."""
        return datetime.fromisoformat(self.day)

    def parts(self, holder: Member | None = None) -> list[tuple[Member, Amount]]:
        """Return what it changes for the holder, or else for every member."""
        return [(member, x) for member, x in self.changes.items() if holder in (None, member)]


def open_balance_changes(entries: Iterable[GroupEntry]) -> dict[Member, Amount]:
    """Return what the entries add to the open balances."""
    open_entries = (entry for entry in entries if entry.is_open_balance)
    return add_up(
        MemberAmount(member=member, amount=amount)
        for entry in open_entries
        for member, amount in entry.parts()
    )
