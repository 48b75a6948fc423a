"""Approve that lines of a bank's file show transfers, and take an approval back.

The transfer is recorded in its session, or in the group for all evenings, and the line's hash in
the group, in one transaction. Only the hash of the line is stored.

Source: docs/rules.md §11.2.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple
from uuid import UUID

import msgspec

from engine.errors import RuleViolation
from engine.values import Amount
from ledger.events.event_types import Currency, Member, PaymentMethod
from ledger.groups.attendance import check_present
from ledger.groups.bank_lines.double_payments import find_double_payments
from ledger.groups.bank_lines.line_matching import LinePayment
from ledger.groups.bank_lines.open_transfers import balances_in, list_open_transfers
from ledger.groups.current_sessions import SessionsChanged
from ledger.groups.group_event_log import load_group_events
from ledger.groups.group_events import (
    BankLineReleased,
    BankLineUsed,
    GroupEvent,
    GroupTransferRecorded,
    RecordedGroupEvent,
)
from ledger.groups.groups import Group, GroupSession
from ledger.groups.open_balances import PlayedSession, members_settled_outside
from ledger.session import command_handlers
from ledger.session.session_state import SessionState
from ledger.store.append_request import AppendRequest, Decision, Refusal
from ledger.store.connection_pool import Connection
from ledger.store.event_store import EventStore

UsedLine = tuple[RecordedGroupEvent, BankLineUsed]


class LineApproval(LinePayment, frozen=True, kw_only=True):
    """A line, by its hash, and the open transfer that it pays, in full or in part."""

    line_sha256: str
    open_amount: Amount  # of the transfer, as it was when the person approved

    @property
    def transfer(self) -> tuple[UUID | None, Member, Member]:
        return self.session, self.payer, self.payee


class Approvals(msgspec.Struct, frozen=True, kw_only=True):
    """Lines of one account, and how they were paid."""

    lines: tuple[LineApproval, ...]
    currency: Currency
    method: PaymentMethod


class LineAlreadyUsed(Refusal):
    """The line was used before; `at` says when (microseconds, UTC)."""

    def __init__(self, line: str, at: int) -> None:
        super().__init__(line)
        self.line, self.at = line, at


class LineNotUsed(Refusal):
    """No transfer was recorded by this line, or the approval was taken back."""


class TransferNotOpen(RuleViolation):
    """The transfer of line {line} is not open any more, or another amount of it is."""


def parties(group: Group, line: BankLineUsed) -> tuple[Member, Member]:
    """Return the members who paid and were paid by a line that is used."""
    members = next((s.members for s in group.sessions if str(s.session_id) == line.session), {})
    return members.get(line.payer, line.payer), members.get(line.payee, line.payee)


def used_lines(events: Iterable[RecordedGroupEvent]) -> dict[str, UsedLine]:
    """Return the lines that are used, by hash and oldest first: approvals not taken back."""
    used: dict[str, UsedLine] = {}
    for recorded in events:
        if isinstance(recorded.event, BankLineUsed):
            used[recorded.event.line_sha256] = (recorded, recorded.event)
        elif isinstance(recorded.event, BankLineReleased):
            used.pop(recorded.event.line_sha256, None)
    return used


def approve_lines(
    db: Connection,
    store: EventStore,
    group: Group,
    sessions: Sequence[PlayedSession],
    approvals: Approvals,
) -> Sequence[GroupEvent]:
    """Record in their sessions the transfers that these lines pay, and return the group's events,
    all or none. The caller holds the group's lock. Raise LineAlreadyUsed, TransferNotOpen, and what
    a session refuses with."""
    versions = {session.id: session.version for _, session in sessions}
    group_events = load_group_events(db, group.id)
    used = used_lines(group_events)
    for approval in approvals.lines:
        if approval.line_sha256 in used:
            recorded, _ = used[approval.line_sha256]
            raise LineAlreadyUsed(approval.line_sha256, recorded.at)
    _check_open(approvals, group, sessions, group_events)
    writer = _TransferWriter(db, store, group, len(group_events))
    return [e for line in approvals.lines for e in writer.record(line, approvals, versions)]


def release_line(
    db: Connection, store: EventStore, group: Group, line: str
) -> tuple[GroupEvent, ...]:
    """Take an approval back: the same amount is recorded the other way, where the transfer was
    recorded, and the line may be used again. Return the group's events. The caller holds the
    group's lock. Raise LineNotUsed, MemberHasLeft, and what the session refuses with."""
    group_events = load_group_events(db, group.id)
    lines = used_lines(group_events)
    if line not in lines:
        raise LineNotUsed
    _, used = lines[line]
    if used.session not in {None, *(str(s.session_id) for s in group.sessions)}:
        raise LineNotUsed  # no server wrote that, but an archive may say it
    check_present(group, parties(group, used))
    writer = _TransferWriter(db, store, group, len(group_events))
    return (*writer.reverse(used), BankLineReleased(line_sha256=line))


def _check_open(
    approvals: Approvals,
    group: Group,
    sessions: Sequence[PlayedSession],
    group_events: Sequence[RecordedGroupEvent],
) -> None:
    """Raise TransferNotOpen unless each transfer is open with the amount that the person saw, and
    all of them together pay no more than is open over all evenings."""
    transfers = list_open_transfers(group, sessions, group_events, approvals.currency)
    open_amounts = {(t.session, t.payer, t.payee): t.amount for t in transfers}
    for approval in approvals.lines:
        # each transfer once: a second line for it is refused
        open_amount = open_amounts.pop(approval.transfer, 0)
        if open_amount != approval.open_amount or approval.amount > open_amount:
            raise TransferNotOpen(line=approval.line_sha256)
    balances = balances_in(approvals.currency, sessions, group_events)
    assert balances is not None, "a transfer is open"
    settled_outside = members_settled_outside(group_events, approvals.currency)
    if places := find_double_payments(approvals.lines, balances, settled_outside):
        raise TransferNotOpen(line=approvals.lines[min(places)].line_sha256)


class _TransferWriter(NamedTuple):
    """Writes transfers in a transaction that holds the group's lock."""

    db: Connection
    store: EventStore
    group: Group
    event_count: int  # of the group's events so far

    def record(
        self, approval: LineApproval, approvals: Approvals, versions: dict[UUID, int]
    ) -> tuple[GroupEvent, ...]:
        """Record one transfer; return the events of the group that belong to it. `versions` are
        those of the sessions as they were read, and are kept up to date."""
        used = BankLineUsed(
            line_sha256=approval.line_sha256,
            payer=approval.payer,
            payee=approval.payee,
            amount=approval.amount,
            currency=approvals.currency,
        )
        if approval.session is None:
            return _group_transfer(used, approvals.method), used
        members = self._session(approval.session).members
        players = {member: player for player, member in members.items()}
        payer, payee, session_id = players[used.payer], players[used.payee], str(approval.session)
        used = msgspec.structs.replace(used, session=session_id, payer=payer, payee=payee)
        version = versions[approval.session]
        versions[approval.session] = self._append(approval.session, used, approvals.method, version)
        return (used,)

    def reverse(self, used: BankLineUsed) -> tuple[GroupEvent, ...]:
        """Record the same amount the other way; return the events of the group for it."""
        reversed_line = msgspec.structs.replace(used, payer=used.payee, payee=used.payer)
        if used.session is None:
            return (_group_transfer(reversed_line, method=None),)
        self._append(UUID(used.session), reversed_line, method=None)
        return ()

    def _append(
        self,
        session_id: UUID,
        transfer: BankLineUsed,
        method: PaymentMethod | None,
        version: int | None = None,
    ) -> int:
        """Record a transfer in its session, as the host of the session; return its version then.
        Raise SessionsChanged if it is not at this version."""

        def decide(session: SessionState) -> Decision:
            if version not in (None, session.version):
                raise SessionsChanged
            events = command_handlers.record_transfer(
                session, transfer.payer, transfer.payee, transfer.amount, method
            )
            return Decision(events=events)

        generations = self._session(session_id).generations
        request = AppendRequest(
            # a new key, and one that no client can send
            key=f"○ {self.group.id} {self.event_count} {transfer.line_sha256}",
            digest=bytes.fromhex(transfer.line_sha256),
            by=f"host.{generations.host}",
        )
        return self.store.append_in_transaction(self.db, session_id, request, decide).version

    def _session(self, session_id: UUID) -> GroupSession:
        return next(s for s in self.group.sessions if s.session_id == session_id)


def _group_transfer(used: BankLineUsed, method: PaymentMethod | None) -> GroupTransferRecorded:
    return GroupTransferRecorded(
        payer=used.payer,
        payee=used.payee,
        amount=used.amount,
        currency=used.currency,
        method=method,
    )
