"""Build the statement of a group: add up its sessions, the oldest first.

Of each session only its sums are held; its lines are read while the statement is written.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from api.http.problems import Problem
from api.http.query_parameters import Arguments, holder_parameter
from api.i18n.translator import CachedTranslator, Translator
from api.schemas.fields import Choice, field_parameter
from api.statements.context import StatementContext
from api.statements.groups.group_entries import event_entries, group_entries
from api.statements.groups.group_statement import GroupStatement
from api.statements.groups.imported_results import imported_results
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
from api.statements.session_section import BETS, SessionSection, section_query
from api.statements.statement_query import StatementQuery, statement_query
from api.statements.wording.sanitize import legible_name, legible_names
from engine.values import Amount, Player
from ledger.access.session_metadata import SessionMetadataStore
from ledger.groups.group_events import (
    BalancesImported,
    GroupTransferRecorded,
    ImportVoided,
    RecordedGroupEvent,
)
from ledger.groups.groups import Group, GroupSession
from ledger.groups.past_group import with_first_sessions
from ledger.projections.postings import POT
from ledger.reporting import journal_query
from ledger.reporting.journal_query import FOREVER
from ledger.session.session_state import SessionState
from ledger.transfer.earlier_evenings.balance_import import BalanceImport, list_imports

ABSENT = ""
"""The account of an absent member: nothing moves on it."""


def build_group_statement(
    group: Group, context: StatementContext, arguments: Arguments, extent: GroupExtent = WHOLE_GROUP
) -> GroupStatement:
    """Return the statement that `arguments` describe, as far as `extent`."""
    member = holder_parameter(arguments, "member")
    if member is not None and member not in group.members:
        raise Problem(404, "unknown_member", member=member)
    if extent.session_count is not None:
        group = with_first_sessions(group, extent.session_count)
    query = statement_query(member, "money", arguments)
    sessions = load_sessions(group, context.store, query.ends_at, extent)
    events = load_events_within(group, context.store, extent)
    if extent.as_of == FOREVER:
        sessions = [*as_at_one_time(sessions, events, context.store)]
    imports = [x for x in list_imports(events) if x.voided_at is None]
    latest_first = [loaded.session.opening.currency for loaded in reversed(sessions)]
    latest_first += [balance_import.event.currency for balance_import in reversed(imports)]
    latest_first += [
        recorded.event.currency
        for recorded in reversed(events)
        if isinstance(recorded.event, GroupTransferRecorded)
    ]
    if not latest_first or arguments.get("currency", latest_first[0]) not in latest_first:
        # a period before the first evening in a currency has a statement as well
        last_resort = [] if latest_first else ["SEK"]
        latest_first += [*all_currencies(group, context.store), *last_resort]
    currencies = tuple(dict.fromkeys(latest_first))
    choice = Choice(currencies, load_default=currencies[0])
    currency = field_parameter("currency", choice, arguments)
    return _Builder(group, query, context).build(
        currency,
        [code for code in currencies if code != currency],
        [x for x in sessions if x.session.opening.currency == currency],
        [x for x in imports if x.event.currency == currency],
        events,
    )


class _Builder:
    """The accounts of members and guests over the sessions added up so far."""

    def __init__(self, group: Group, query: StatementQuery, context: StatementContext) -> None:
        self._group, self._query, self._context = group, query, context
        self._session_metadata = SessionMetadataStore(context.store.pool)
        self._member_names = legible_names(group.members)
        nameless = Translator(context.language)
        self._translator = CachedTranslator(  # names members as it does players elsewhere
            context.language,
            {
                member: name or nameless("statement.member", number=member[1:])
                for member, name in self._member_names.items()
            },
        )
        self._opening_balances: Counter[str] = Counter()
        self._closing_balances: Counter[str] = Counter()
        self._names_by_account: dict[str, str | None] = {}
        self._numbers = {str(session.session_id): session.number for session in group.sessions}

    def build(
        self,
        currency: str,
        other_currencies: Sequence[str],
        sessions: Iterable[LoadedSession],
        imports: Sequence[BalanceImport],
        events: Sequence[RecordedGroupEvent],
    ) -> GroupStatement:
        """Return the statement of sessions and imports of the currency, the oldest first."""
        query, group, translator = self._query, self._group, self._translator
        sections = [self._add(*loaded) for loaded in sessions]
        holder_account = f"member:{query.holder}" if query.holder else None
        opening_balance = self._opening_balances[holder_account or ABSENT]
        shown_events = [*event_entries(events, currency, query, translator)]
        shown_numbers = {entry.number for entry in shown_events}
        counted = [
            recorded
            for recorded in events
            if recorded.version in shown_numbers
            or isinstance(recorded.event, BalancesImported | ImportVoided)
        ]
        times = (*(x.session.at for x in sections), *(recorded.at for recorded in counted))
        as_of, count = max(times, default=0), max(self._numbers.values(), default=0)
        event_count = max((recorded.version for recorded in counted), default=0)
        all_members, name = translator("statement.whole_group"), legible_name(group.name)
        notes = [translator("statement.counted_once"), translator("statement.zero_circle")]
        if other_currencies:
            codes = ", ".join(other_currencies)
            notes.append(translator("statement.other_currencies", currency=currency, codes=codes))
        return GroupStatement(
            query=query,
            context=self._context,
            translator=translator,
            time_format=f"{translator.day_pattern} %H:%M",
            print_time_format=f"{translator.short_day_pattern} %H:%M",
            currency=currency,
            title=name,
            subject=name,
            holder_name=translator.player_name(query.holder) if query.holder else all_members,
            holder_account=holder_account,
            sections=tuple(self._with_balances(sections, opening_balance)),
            opening_balances=self._opening_balances,
            closing_balances=self._closing_balances,
            section_columns=("session_number", "session"),
            subject_id=group.id,
            names_by_account=self._names_in_order(),
            member_names=self._member_names,
            other_accounts=(POT, BETS),
            extent=GroupExtent(as_of=as_of, session_count=count, event_count=event_count),
            link_extent={"group": True, "upto": as_of, "session_count": count, "unit": currency},
            imported=tuple(imported_results(imports, query)),
            entries=tuple(group_entries(shown_events, imports, as_of, query, translator)),
            notes=tuple(notes),
            period_note=translator("statement.whole_evenings") if query.has_period else "",
            footer_mark=str(group.id)[:8],
            verification_text=f"{translator('statement.verify')} {self._context.verify_url}",
        )

    def _add(
        self, group_session: GroupSession, session: SessionState, marks: LineMarks
    ) -> SessionSection:
        """Add the accounts of one session, and return it without the holder's balances."""
        brought_forward = session.brought_forward
        carried = brought_forward.balances if brought_forward else {}
        holder, members = self._query.holder, group_session.members
        accounts = (f"player:{p}" for p in session.balances if members.get(p) == holder)
        account = next(accounts, ABSENT) if holder else None
        lines_query = section_query(session, self._query, account, in_group=True)
        sums = journal_query.summarize_journal(self._context.store.pool, lines_query)
        names, shown_name = self._player_names(group_session, session), self._translator.player_name
        is_of_period = session.opened_at >= self._query.starts_at
        section = SessionSection(
            session=session,
            title=legible_name(group_session.title) if group_session.title else None,
            player_names=names | {p: shown_name(m) for p, m in members.items()},
            results={p: session.result(p) for p in session.balances if is_of_period},
            lines_query=lines_query,
            sums=sums,
            marks=marks,
            number=group_session.number,
            members=members,
            continued_number=self._numbers.get(brought_forward.session if brought_forward else ""),
        )
        for player, balance in session.balances.items():
            moved = sums.current.get(f"player:{player}", 0)
            assert moved == balance - carried.get(player, 0), (
                f"the lines of {player} in session {section.number} add up to the balance"
            )
        for totals, changes in (
            (self._opening_balances, sums.opening),
            (self._closing_balances, sums.closing),
        ):
            for account, amount in changes.items():
                totals[section.journal_account(account)] += amount
        for player, name in names.items():
            self._names_by_account.setdefault(section.statement_account(f"player:{player}"), name)
        return section

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

    def _names_in_order(self) -> dict[str, str | None]:
        """Return the names of those who took part: members as the group lists them, then guests."""
        order = {f"member:{member}": number for number, member in enumerate(self._member_names)}
        names = self._names_by_account.items()
        return dict(sorted(names, key=lambda item: order.get(item[0], len(order))))

    def _player_names(
        self, group_session: GroupSession, session: SessionState
    ) -> dict[Player, str | None]:
        """Return the names of members as the group has them, of guests as the session has them."""
        guests = session.balances.keys() - group_session.members.keys()
        names = legible_names(self._session_metadata.load(session.id).names) if guests else {}
        names |= {p: self._member_names.get(m) for p, m in group_session.members.items()}
        return {player: names.get(player) for player in session.balances}
