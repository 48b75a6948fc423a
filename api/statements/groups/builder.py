"""Build the statement of a group: add up its sessions, the oldest first.

Of each session only its sums are held; its lines are read while the statement is written.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

from flask import request

from api.http.problems import Problem
from api.http.query_parameters import Arguments, choice_parameter
from api.statements.context import StatementContext
from api.statements.groups.group_statement import (
    GroupStatement,
    erased_member_name,
    journal_account,
    member_account,
)
from api.statements.groups.session_summary import SessionSummary, summarize_sessions
from api.statements.query import StatementQuery, statement_query
from api.statements.session_section import SessionSection
from api.statements.wording.cached_translator import CachedTranslator
from api.statements.wording.formatting import decimal_places
from api.statements.wording.sanitize import legible_name
from engine.values import Amount, Player
from ledger.access.session_metadata import SessionMetadataStore
from ledger.groups.groups import Group, Member
from ledger.reporting import journal_query
from ledger.reporting.journal_query import JournalQuery, JournalSummary

ABSENT = ""
"""The account of a member in a session without him: nothing moves on it."""


def build_group_statement(
    group: Group,
    context: StatementContext,
    arguments: Arguments | None = None,
    as_of: int | None = None,
) -> GroupStatement:
    """Return the statement that this request, or `arguments`, describe: of the sessions as they
    stand, or as they stood at a time (microseconds)."""
    member = (request.args if arguments is None else arguments).get("member")
    if member is not None and member not in group.members:
        raise Problem(404, "unknown_member", member=member)
    query = statement_query(member, "money", arguments)
    summaries = summarize_sessions(group, context.store, query.ends_at, as_of)
    latest_first = (summary.currency for summary in reversed(summaries))
    currencies = list(dict.fromkeys(latest_first)) or ["SEK"]
    currency = choice_parameter("currency", currencies, currencies[0], arguments)
    in_currency = [summary for summary in summaries if summary.currency == currency]
    return _Builder(group, query, context).build(in_currency, currency)


class _Builder:
    """The accounts of members and guests over the sessions added up so far."""

    def __init__(self, group: Group, query: StatementQuery, context: StatementContext) -> None:
        self._group, self._query, self._context = group, query, context
        self._session_metadata = SessionMetadataStore(context.store.pool)
        self._translator = CachedTranslator(context.language, {})
        self._opening_balances, self._closing_balances = Counter[str](), Counter[str]()
        self._names_by_account = dict[str, str | None]()
        self._numbers = {str(session.session_id): session.number for session in group.sessions}

    def build(self, summaries: Iterable[SessionSummary], currency: str) -> GroupStatement:
        """Return the statement of sessions of one currency, the oldest first."""
        query, group, translator = self._query, self._group, self._translator
        summed = [(summary, *self._add(summary)) for summary in summaries]
        holder_account = f"member:{query.holder}" if query.holder else None
        opening_balance = self._opening_balances[holder_account or ABSENT]
        return GroupStatement(
            query=query,
            context=self._context,
            translator=translator,
            currency=currency,
            title=legible_name(group.name),
            subject=legible_name(group.name),
            holder_name=self._member_name(query.holder)
            if query.holder
            else translator("statement.circle"),
            holder_account=holder_account,
            sections=tuple(self._sections(summed, opening_balance)),
            opening_balances=self._opening_balances,
            closing_balances=self._closing_balances,
            section_columns=("evening", "session"),
            group_id=group.id,
            members=tuple(group.members),
            attendance={session.number: session.members for session in group.sessions},
            names_by_account=self._names_by_account,
            as_of=max((summary.updated_at for summary, *_ in summed), default=0),
            session_count=max(self._numbers.values(), default=0),
        )

    def _add(self, summary: SessionSummary) -> tuple[JournalQuery, JournalSummary]:
        """Add the accounts of one session to those of the group."""
        members, number = summary.group_session.members, summary.group_session.number
        movements = self._movements(summary)
        sums = journal_query.summarize_journal(self._context.store.pool, movements)
        for player, balance in summary.balances.items():
            assert sums.current.get(f"player:{player}", 0) == balance, (
                f"the lines of {player} in session {number} add up to the balance"
            )
        for totals, changes in (
            (self._opening_balances, sums.opening),
            (self._closing_balances, sums.closing),
        ):
            for account, amount in changes.items():
                totals[journal_account(member_account(members, number, account))] += amount
        for player, name in self._player_names(summary).items():
            account = member_account(members, number, f"player:{player}")
            self._names_by_account.setdefault(account, name)
        return movements, sums

    def _movements(self, summary: SessionSummary) -> JournalQuery:
        members, holder = summary.group_session.members, self._query.holder
        accounts = (f"player:{p}" for p in summary.balances if members.get(p) == holder)
        return JournalQuery(
            session_id=summary.group_session.session_id,
            version=summary.version,
            unit="money",
            account=next(accounts, ABSENT) if holder else None,
            with_brought_forward=False,
            coin_units=10 ** decimal_places(summary.currency, "money"),
            start=self._query.starts_at,
            end=self._query.ends_at,
        )

    def _sections(
        self,
        summed: list[tuple[SessionSummary, JournalQuery, JournalSummary]],
        opening_balance: Amount,
    ) -> Iterator[SessionSection]:
        """Yield the sessions that began or moved something in the period, each with the holder's
        balance so far."""
        for summary, movements, sums in summed:
            account = movements.account or ABSENT
            change = sums.closing.get(account, 0) - sums.opening.get(account, 0)
            closing_balance = opening_balance + change
            if sums.line_count or summary.opened_at >= self._query.starts_at:
                yield self._section(summary, movements, sums, opening_balance, closing_balance)
            opening_balance = closing_balance

    def _section(
        self,
        summary: SessionSummary,
        movements: JournalQuery,
        sums: JournalSummary,
        opening_balance: Amount,
        closing_balance: Amount,
    ) -> SessionSection:
        session, members = summary.group_session, summary.group_session.members
        names = self._player_names(summary)
        for player, member in members.items():
            names[player] = names.get(player) or self._member_name(member)
        return SessionSection(
            session_id=session.session_id,
            title=legible_name(session.title) if session.title else None,
            game_key=summary.game_key,
            game=summary.game,
            opened_at=summary.opened_at,
            updated_at=summary.updated_at,
            status=summary.status,
            version=summary.version,
            head_hash=summary.head_hash,
            receipt_url=self._context.receipt_url(session.session_id, summary.version),
            player_names=names,
            rules=summary.rules,
            movements=movements,
            sums=sums,
            opening_balance=opening_balance,
            closing_balance=closing_balance,
            number=session.number,
            continued_number=self._numbers.get(summary.carried_from or ""),
            results=summary.results if summary.opened_at >= self._query.starts_at else {},
            carried_from=summary.carried_from,
            carried_to=summary.carried_to,
        )

    def _player_names(self, summary: SessionSummary) -> dict[Player, str | None]:
        """Return the names of members as the group has them, of guests as the session has them."""
        members = summary.group_session.members
        has_guests = any(player not in members for player in summary.balances)
        metadata = None
        if has_guests:
            metadata = self._session_metadata.load(summary.group_session.session_id)
        guest_names = metadata.names if metadata else {}
        names = {
            player: self._group.members.get(members[player])
            if player in members
            else guest_names.get(player)
            for player in summary.balances
        }
        return {player: legible_name(name) if name else None for player, name in names.items()}

    def _member_name(self, member: Member) -> str:
        name = self._group.members.get(member)
        return legible_name(name) if name else erased_member_name(self._translator, member)
