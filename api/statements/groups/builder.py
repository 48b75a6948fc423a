"""Build the statement of a group: add up its sessions, the oldest first.

Of each session only its sums are held; its lines are read while the statement is written.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from api.http.problems import Problem
from api.http.query_parameters import Arguments, choice_parameter
from api.i18n.translator import CachedTranslator
from api.statements.context import StatementContext
from api.statements.group_entry import shown_member_name
from api.statements.groups import group_statement
from api.statements.groups.group_entries import GroupRecords, group_entries
from api.statements.groups.group_event_lines import event_currencies, group_event_lines
from api.statements.groups.group_statement import GroupStatement
from api.statements.groups.imported_results import ImportedResults, imported_results
from api.statements.groups.loaded_sessions import (
    WHOLE_GROUP,
    GroupExtent,
    LoadedSession,
    all_currencies,
    as_at_one_time,
    load_events_within,
    load_sessions,
)
from api.statements.line_marks import LineMarks
from api.statements.request_arguments import StatementQuery, statement_query
from api.statements.session_section import SessionSection
from api.statements.statement import decimal_places
from api.statements.wording.sanitize import legible_name, legible_names
from engine.values import Amount, Player
from ledger.access.session_metadata import SessionMetadataStore
from ledger.events.event_types import Member
from ledger.events.timestamps import format_timestamp
from ledger.groups.group_events import BalancesImported, ImportVoided, RecordedGroupEvent
from ledger.groups.groups import Group, GroupSession
from ledger.groups.past_group import with_first_sessions
from ledger.projections.postings import POT
from ledger.reporting import journal_query
from ledger.reporting.journal_query import FOREVER, JournalQuery
from ledger.session.session_state import SessionState
from ledger.transfer.earlier_evenings.balance_import import list_imports

ABSENT = ""
"""The account of an absent member: nothing moves on it."""


def build_group_statement(
    group: Group,
    context: StatementContext,
    arguments: Arguments,
    extent: GroupExtent = WHOLE_GROUP,
) -> GroupStatement:
    """Return the statement that `arguments` describe, as far as `extent`."""
    member = arguments.get("member")
    if member is not None and member not in group.members:
        raise Problem(404, "unknown_member", member=member)
    if extent.session_count is not None:
        group = with_first_sessions(group, extent.session_count)
    query = statement_query(member, "money", arguments)
    sessions = load_sessions(group, context.store, query.ends_at, extent)
    events = load_events_within(group, context.store, extent)
    if extent.as_of is None:
        sessions = [*as_at_one_time(sessions, events, context.store)]
    imports = tuple(x for x in list_imports(events) if x.voided_at is None)
    latest_first = [loaded.session.opening.currency for loaded in reversed(sessions)]
    latest_first += [balance_import.event.currency for balance_import in reversed(imports)]
    latest_first += event_currencies(events)
    if not latest_first or arguments.get("currency", latest_first[0]) not in latest_first:
        # a period before the first evening in a currency has a statement as well
        last_resort = [] if latest_first else ["SEK"]
        latest_first += [*all_currencies(group, context.store), *last_resort]
    currencies = list(dict.fromkeys(latest_first))
    currency = choice_parameter(arguments, "currency", currencies, currencies[0])
    in_currency = [x for x in sessions if x.session.opening.currency == currency]
    builder = _Builder(group, query, context, imported_results(imports, currency, query))
    statement = builder.build(in_currency, currency, events)
    records = GroupRecords(
        group=group, events=events, imports=imports, currency=currency, as_of=statement.as_of
    )
    entries = tuple(group_entries(records, query, statement.translator))
    return msgspec.structs.replace(statement, entries=entries)


class _Builder:
    """The accounts of members and guests over the sessions added up so far."""

    def __init__(
        self,
        group: Group,
        query: StatementQuery,
        context: StatementContext,
        imported: tuple[ImportedResults, ...],
    ) -> None:
        self._group, self._query, self._context = group, query, context
        self._imported = imported
        self._session_metadata = SessionMetadataStore(context.store.pool)
        self._translator = CachedTranslator(context.language, {})
        self._opening_balances, self._closing_balances = Counter[str](), Counter[str]()
        self._names_by_account = dict[str, str | None]()
        self._numbers = {str(session.session_id): session.number for session in group.sessions}

    def build(
        self,
        sessions: Iterable[LoadedSession],
        currency: str,
        events: Sequence[RecordedGroupEvent],
    ) -> GroupStatement:
        """Return the statement of sessions of one currency, the oldest first."""
        query, group, translator = self._query, self._group, self._translator
        sections = [self._add(*loaded) for loaded in sessions]
        holder_account = f"member:{query.holder}" if query.holder else None
        opening_balance = self._opening_balances[holder_account or ABSENT]
        all_members = translator("statement.circle")
        verify_url = f"{self._context.base_url}/verify"
        names = {member: self._member_name(member) for member in group.members}
        # also what was before the period: the opening entry has it
        from_start = msgspec.structs.replace(query, starts_at=-FOREVER)
        lines = tuple(group_event_lines(events, currency, from_start, translator, names))
        numbers_and_times = [(line.number, line.at) for line in lines]
        numbers_and_times += [
            (recorded.version, recorded.at)
            for recorded in events
            if isinstance(recorded.event, BalancesImported | ImportVoided)
        ]
        times = (section.session.at for section in sections)
        as_of = max((*times, *(at for _, at in numbers_and_times)), default=0)
        session_count = max(self._numbers.values(), default=0)
        extent = {"group": True, "upto": as_of, "session_count": session_count, "unit": currency}
        return GroupStatement(
            query=query,
            context=self._context,
            translator=translator,
            currency=currency,
            title=legible_name(group.name),
            subject=legible_name(group.name),
            holder_name=self._member_name(query.holder) if query.holder else all_members,
            holder_account=holder_account,
            sections=tuple(self._with_balances(sections, opening_balance)),
            opening_balances=self._opening_balances,
            closing_balances=self._closing_balances,
            section_columns=("session_number", "session"),
            subject_id=group.id,
            members=tuple(group.members),
            attendance={session.number: session.members for session in group.sessions},
            names_by_account=self._names_by_account,
            other_accounts=(POT, group_statement.BETS),
            as_of=as_of,
            json_extent={
                "at": format_timestamp(as_of),
                "sessions": session_count,
                "events": max((number for number, _ in numbers_and_times), default=0),
            },
            imported=self._imported,
            imported_names=names,
            event_lines=tuple(line for line in lines if line.at >= query.starts_at),
            link_extent=extent,
            notes=(translator("statement.counted_once"), translator("statement.zero_circle")),
            footer_mark=str(group.id)[:8],
            verify_url=verify_url,
            verification_text=f"{translator('statement.verify')} {verify_url}",
        )

    def _add(
        self, group_session: GroupSession, session: SessionState, marks: LineMarks
    ) -> SessionSection:
        """Add the accounts of one session, and return it without the holder's balances."""
        members, number = group_session.members, group_session.number
        brought_forward = session.brought_forward
        carried = brought_forward.balances if brought_forward else {}
        lines_query = self._lines_query(group_session, session)
        sums = journal_query.summarize_journal(self._context.store.pool, lines_query)
        for player, balance in session.balances.items():
            moved = sums.current.get(f"player:{player}", 0)
            assert moved == balance - carried.get(player, 0), (
                f"the lines of {player} in session {number} add up to the balance"
            )
        for totals, changes in (
            (self._opening_balances, sums.opening),
            (self._closing_balances, sums.closing),
        ):
            for account, amount in changes.items():
                account = group_statement.member_account(members, number, account)
                totals[group_statement.journal_account(account)] += amount
        names = self._player_names(group_session, session)
        for player, name in names.items():
            account = group_statement.member_account(members, number, f"player:{player}")
            self._names_by_account.setdefault(account, name)
        for player, member in members.items():
            names[player] = names.get(player) or self._member_name(member)
        is_of_period = session.opened_at >= self._query.starts_at
        return SessionSection(
            session=session,
            title=legible_name(group_session.title) if group_session.title else None,
            player_names=names,
            results={p: session.result(p) for p in session.balances if is_of_period},
            lines_query=lines_query,
            sums=sums,
            marks=marks,
            number=number,
            continued_number=self._numbers.get(brought_forward.session if brought_forward else ""),
        )

    def _lines_query(self, group_session: GroupSession, session: SessionState) -> JournalQuery:
        holder = self._query.holder
        accounts = (
            f"player:{p}" for p in session.balances if group_session.members.get(p) == holder
        )
        return JournalQuery(
            session_id=session.id,
            version=session.version,
            unit="money",
            account=next(accounts, ABSENT) if holder else None,
            with_brought_forward=False,
            coin_units=10 ** decimal_places(session.opening.currency, "money"),
            start=self._query.starts_at,
            end=self._query.ends_at,
        )

    def _with_balances(
        self, sections: Iterable[SessionSection], balance: Amount
    ) -> Iterator[SessionSection]:
        """Yield those that began or moved something in the period, with the balance so far."""
        for section in sections:
            account, sums = section.lines_query.account or ABSENT, section.sums
            opening_balance = balance
            balance += sums.closing.get(account, 0) - sums.opening.get(account, 0)
            if sums.line_count or section.session.opened_at >= self._query.starts_at:
                yield msgspec.structs.replace(
                    section, opening_balance=opening_balance, closing_balance=balance
                )

    def _player_names(
        self, group_session: GroupSession, session: SessionState
    ) -> dict[Player, str | None]:
        """Return the names of members as the group has them, of guests as the session has them."""
        guests = session.balances.keys() - group_session.members.keys()
        metadata = self._session_metadata.load(session.id) if guests else None
        names = dict[Player, str | None](metadata.names if metadata else {})
        names |= {p: self._group.members.get(member) for p, member in group_session.members.items()}
        return legible_names({player: names.get(player) for player in session.balances})

    def _member_name(self, member: Member) -> str:
        name = self._group.members.get(member)
        return shown_member_name(name and legible_name(name), member, self._translator)
