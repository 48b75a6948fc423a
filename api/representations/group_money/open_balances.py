"""The representation of a group's open balances: who is owed what, where each amount comes from,
and the fewest payments that settle all of it."""

from collections.abc import Mapping, Sequence
from typing import Any

from flask import Response

from api.http.app_state import event_store, group_store, session_metadata
from api.http.responses import reply_response
from api.representations.group import group_after, load_own_events, member_name
from api.representations.session import player_name, transfer_view
from ledger.events.event_types import Member
from ledger.events.timestamps import format_timestamp
from ledger.groups.current_sessions import load_current_sessions
from ledger.groups.group_events import (
    BalancesImported,
    BalanceWrittenOff,
    GroupEvent,
    RecordedGroupEvent,
    members_of,
)
from ledger.groups.groups import Group
from ledger.groups.open_balances import (
    BalanceOwner,
    BalancePart,
    CurrencyBalances,
    OpenBalance,
    PlayedSession,
    fold_open_balances,
    load_played_sessions,
    plan_group_payments,
)
from ledger.groups.stored_replies import GroupReply


def open_balances_view(group: Group) -> dict[str, Any]:
    """Return the open balances as they stand."""
    group, sessions = load_current_sessions(group_store(), event_store(), group)
    return _OpenBalancesView(group, sessions, load_own_events(group.id)).view()


def open_balances_response(reply: GroupReply) -> Response:
    """Return the open balances as they stood after a write, under today's names."""
    group, read = group_after(reply)
    sessions = load_played_sessions(group, read)
    events = load_own_events(group.id)[: reply.moment.events]
    view = _OpenBalancesView(group, sessions, events).view()
    return reply_response(reply, view, "/open-balances")


class _OpenBalancesView:
    def __init__(
        self, group: Group, sessions: Sequence[PlayedSession], events: Sequence[RecordedGroupEvent]
    ) -> None:
        self._group, self._events = group, events
        self._sessions: Mapping[int, PlayedSession] = {pair[0].number: pair for pair in sessions}

    def view(self) -> dict[str, Any]:
        folded = fold_open_balances(self._sessions.values(), self._events)
        return {
            "group": str(self._group.id),
            "former_members": sorted(self._group.former_members, key=lambda m: int(m[1:])),
            "currencies": [self._currency_view(balances) for balances in folded],
        }

    def _currency_view(self, balances: CurrencyBalances) -> dict[str, Any]:
        return {
            "currency": balances.currency,
            "balances": [self._balance_view(row) for row in balances.balances],
            "on_table": balances.on_table,
            "transfers": [transfer_view(line) for line in plan_group_payments(balances)],
        }

    def _balance_view(self, row: OpenBalance) -> dict[str, Any]:
        owner = row.owner
        return {
            "id": owner.id,
            "name": self._name(owner),
            "is_member": owner.member is not None,
            "amount": row.amount,
            "parts": [self._part_view(owner, part) for part in row.parts],
        }

    def _part_view(self, owner: BalanceOwner, part: BalancePart) -> dict[str, Any]:
        if part.source == "evening":
            played, session = self._sessions[part.number]
            origin: dict[str, Any] = {"session": str(played.session_id), "title": played.title}
            at = session.opened_at
        else:
            recorded = self._events[part.number - 1]
            origin = {"members": _other_members(recorded.event, owner.member)}
            at = recorded.at
        return {
            "source": part.source,
            "number": part.number,
            "at": format_timestamp(at),
            "amount": part.amount,
            **origin,
        }

    def _name(self, owner: BalanceOwner) -> str:
        if owner.member is not None:
            return member_name(owner.member, self._group)
        assert owner.session is not None, "a guest is of a session"
        assert owner.player is not None, "a guest is a player"
        played, _ = self._sessions[owner.session]
        return player_name(owner.player, session_metadata().load(played.session_id).names)


def _other_members(event: GroupEvent, member: Member | None) -> list[Member]:
    """Return the other members of a part of a balance: who paid or was paid, who bears a balance or
    had it; none for an import."""
    match event:
        case BalancesImported():
            return []
        case BalanceWrittenOff() if member != event.member:
            return [event.member]
        case _:
            return [m for m in dict.fromkeys(members_of(event)) if m != member]
