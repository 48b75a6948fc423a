"""The statement of one session, or of one of its players: in money or in points."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from api.http.problems import Problem
from api.http.query_parameters import Arguments, holder_parameter
from api.i18n.translator import CachedTranslator
from api.representations import session as session_views
from api.representations.qr import svg
from api.schemas.fields import Choice, field_parameter
from api.statements import tables
from api.statements.chart import MAX_POINTS, Chart
from api.statements.context import StatementContext
from api.statements.file_names import file_name
from api.statements.line_marks import load_line_marks
from api.statements.session_section import SessionSection, section_query
from api.statements.statement import Statement
from api.statements.statement_query import StatementQuery, statement_query
from api.statements.wording.sanitize import legible_name, legible_names
from ledger.access.session_metadata import SessionMetadata
from ledger.events.currency import have_fractions
from ledger.events.timestamps import to_datetime
from ledger.projections.deals import Deal, newest_first
from ledger.projections.postings import BROUGHT_FORWARD, POT, SHEET, Unit
from ledger.reporting import journal_query
from ledger.reporting.deal_outcome import describe_outcome
from ledger.reporting.journal_query import JournalSummary
from ledger.reporting.statement import find_account, statement_units
from ledger.session.session_state import SessionState
from ledger.store.connection_pool import Pool


class SessionStatement(Statement, frozen=True, kw_only=True, dict=True):
    """The statement of a session as it stood at its version."""

    session: SessionState

    @property
    def section(self) -> SessionSection:
        (section,) = self.sections
        return section

    @property
    def file_stem(self) -> str:
        day = self.format_time(self.session.opened_at, "%Y-%m-%d")
        holder_name = self.holder_account and self.holder_name
        return file_name(self.title, day, self.session.game.name, holder_name)

    def head_pairs(self) -> tables.Pairs:
        return [
            ("version", self.session.version),
            ("checksum", self.section.head_hash),
            ("key", self.context.key_words),
            ("shown_at", self.page_url),
        ]

    @cached_property
    def _holders(self) -> Mapping[str, str]:
        """The accounts in the statement's unit, with the names of their holders."""
        accounts: Iterable[str] = self.names_by_account
        if self.unit == "points":
            accounts = [account for account in self.other_accounts if account.startswith("score:")]
        return {
            account: self.translator.player_names(account.partition(":")[2].split("+"))
            for account in accounts
            if self.holder_account in (None, account)
        }

    def chart(self) -> Chart | None:
        """Return the curve of the player, or of all players; None without lines. They begin with
        what was carried forward, or the points that a game starts with, and leave out what changes
        no result: payments and costs."""
        sums, names = self.section.sums, self._holders
        if not sums.first_line_at or not names:
            return None
        chart = Chart("chart", "deal", names, self.opening_balances, steps=True)
        start_label = self.format_line_time(sums.first_line_at, self.time_format)
        lines_per_point = -(-sums.line_count // MAX_POINTS)
        postings = journal_query.read_postings(self.pool, self.section.lines_query, sums)
        for number, (at, deal, kind, source, target, amount) in enumerate(postings, start=1):
            begins = kind == "session_opened" or BROUGHT_FORWARD in (source, target)
            if not chart.labels and not begins:
                chart.reset_extremes()
                chart.add_point(start_label, "")
            if kind in ("transfer_recorded", "cost_recorded"):
                chart.title = "chart_of_results"  # it ends at another sum than the balance
            else:
                chart.move(source, -amount)
                chart.move(target, amount)
            if chart.labels and (number % lines_per_point == 0 or number == sums.line_count):
                chart.add_point(self.format_line_time(at, self.time_format), str(deal or ""))
        while len(chart.labels) < 2:  # nothing but what was carried forward
            chart.add_point(start_label, "")
        return chart

    def account_changes(self) -> tables.AccountChanges:
        return tables.AccountChanges(self._grid_columns)

    def grids(self, changes: tables.AccountChanges) -> list[tables.Grid]:
        deals = [*newest_first(self.session.deals)][::-1]
        declared = any(deal.closing and deal.closing.declarers for deal in deals)
        declarers = (("declarers", 22),) if declared else ()
        by_deal = tables.Grid(
            title="by_deal",
            heads=(("deal", 7), ("dealer", 16), *declarers, ("outcome", 70)),
            columns=tuple(self._grid_columns.values()),
            rows=self._grid_rows(deals, changes, declared=declared),
        )
        return [by_deal]

    @cached_property
    def _grid_columns(self) -> Mapping[str, str]:
        """The accounts; for all players also the pot and bets, so that every row sums to zero."""
        if self.holder_account or self.unit == "points":
            return self._holders
        return {**self._holders, POT: self.translator("statement.on_table")}

    def _grid_rows(
        self, deals: list[Deal], changes: tables.AccountChanges, *, declared: bool
    ) -> Iterator[tables.GridRow]:
        translator = self.translator
        blank = ("",) * (3 if declared else 2)
        for kind, amounts in changes.of_no_deal(first=True):
            yield tables.GridRow((*blank, translator(f"kinds.{kind}")), amounts)
        for deal in deals:
            if self.query.has_period and not any(changes.of_deal(deal.number)):
                continue  # outside of the period
            players = deal.closing.declarers if deal.closing else ()
            declarers = translator.player_names(players) if players else ""
            outcome_text = translator.describe_outcome(describe_outcome(deal), self.currency)
            dealer = translator.player_name(deal.dealer)
            cells = (deal.number, dealer, *((declarers,) if declared else ()), outcome_text)
            yield tables.GridRow(cells, changes.of_deal(deal.number))
        for kind, amounts in changes.of_no_deal(first=False):
            yield tables.GridRow((*blank, translator(f"kinds.{kind}")), amounts)

    def balance_tables(self) -> Iterator[tables.BalanceTable]:
        session, translator = self.session, self.translator
        if session.sheet:
            rows = list(tables.score_rows(session.sheet, translator))
            yield tables.BalanceTable(name=translator("statement.scores"), rows=rows)
        if session.is_for_money:
            results = list(self.results())
            fixed = have_fractions((result.amount for result in results), self.currency)
            rows = [
                (x.name, translator.format_money(x.amount, self.currency, sign=True, fixed=fixed))
                for x in results
            ]
            yield tables.BalanceTable(name=self.results_title, rows=rows)
            if rows := list(tables.cost_rows(session, self.section.marks.purposes, translator)):
                yield tables.BalanceTable(name=translator("statement.costs"), rows=rows)
            rows = list(tables.balance_rows(session, translator))
            yield tables.BalanceTable(name=translator("statement.balances"), rows=rows)

    def results(self) -> Iterator[tables.Result]:
        for player, amount in self.section.results.items() if self.session.is_for_money else ():
            account, name = f"player:{player}", self.translator.player_name(player)
            # the balance of now, as the result is, and not that of the end of the period
            yield tables.Result(account, name, amount, self.section.sums.current.get(account, 0))

    def json_head_and_foot(self) -> tuple[dict[str, Any], dict[str, Any]]:
        session, query, section = self.session, self.query, self.section
        payments = session.payments.values()
        receipts, key = self.context.receipts, self.context.signing_key
        head = {
            "session": str(session.id),
            "title": section.title,
            "game": session.opening.game,
            "currency": self.currency,
            "player": query.holder,
            "unit": query.unit,
            "period": self.json_period,
            "filters": query.json_filters,
            "version": session.version,
            "hash": section.head_hash,
            "receipt": {"url": self.context.receipt_url(session), "qr": svg(self.page_url)},
            "page": self.page_url,
            **key.json_fields(),
            "checkpoint": receipts.sign_checkpoint(session.id, session.version, key).note,
            **receipts.cosigned_fields(session.id, session.version, key),
            "opening": self.opening_balance,
        }
        foot = {
            "closing": self.closing_balance,
            "results": session_views.results_view(session),
            "balances": session_views.balances_view(session),
            "pot": session_views.pot_view(session),
            **session_views.scores_view(session),
            "bets": session_views.bets_view(session),
            "payments_due": [session_views.payment_view(p) for p in payments if p.status == "due"],
        }
        return head, foot


def _zero_sum_key(session: SessionState, unit: Unit) -> str:
    if session.sheet:
        return "zero_points" if unit == "points" else "zero_balances"
    return "zero" if "bet_laid" in session.rule_references else "zero_without_bets"


def build_session_statement(
    session: SessionState,
    metadata: SessionMetadata,
    context: StatementContext,
    arguments: Arguments,
) -> SessionStatement:
    """Return the statement that `arguments` describe. Raise Problem (404, 406) or InvalidFields."""
    player, units = holder_parameter(arguments, "player"), statement_units(session)
    if player is not None and player not in session.table.players:
        raise Problem(404, "unknown_player", player=player)
    unit = field_parameter("unit", Choice(units, load_default=units[0]), arguments)
    query = statement_query(player, unit, arguments)
    section = _build_section(session, metadata, query, context.store.pool)
    sums, names = section.sums, section.player_names
    translator = CachedTranslator(context.language, names)
    version, head_hash, game_name = session.version, section.head_hash, session.game.name
    all_players = translator("statement.everybody")
    scores = session.sheet.scores if session.sheet else ()
    carried = (BROUGHT_FORWARD,) if session.brought_forward else ()
    unit_in_link = query.unit if len(units) > 1 else ""
    as_of = translator("statement.as_of", version=version) if query.has_period else ""
    zero_sum = translator(f"statement.{_zero_sum_key(session, query.unit)}")
    day, zone = _day_and_zone(query, sums, translator)
    late_deals = section.marks.late_deals_text
    late_entry = (translator("statement.late_entry", deals=late_deals),) if late_deals else ()
    return SessionStatement(
        session=session,
        query=query,
        context=context,
        translator=translator,
        currency=session.opening.currency,
        title=section.title,
        subject=section.display_title,
        subtitle=game_name if section.display_title != game_name else "",
        holder_name=translator.player_name(query.holder) if query.holder else all_players,
        holder_account=section.lines_query.account,
        sections=(section,),
        opening_balances=sums.opening,
        closing_balances=sums.closing,
        subject_id=session.id,
        names_by_account={f"player:{p}": names.get(p) for p in session.table.players},
        other_accounts=(*(f"score:{side}" for side in scores), POT, SHEET, *carried),
        link_extent={"group": False, "upto": version, "session_count": 0, "unit": unit_in_link},
        notes=(*late_entry, zero_sum),
        period_note=as_of,
        footer_mark=f"{version} {head_hash[:16]}",
        verification_text=translator(
            "statement.version_and_checksum", version=version, hash=head_hash
        ),
        version=version,
        time_format=f"{day}%H:%M{zone}",
        print_time_format=f"{translator.short_day_pattern} %H:%M{zone}",
        status_text=translator(f"statement.{session.status}"),
    )


def _build_section(
    session: SessionState, metadata: SessionMetadata, query: StatementQuery, pool: Pool
) -> SessionSection:
    """Return the one section of the statement, with its sums added up in the database."""
    holder_account = find_account(session, query.holder, query.unit)[0] if query.holder else None
    lines_query = section_query(session, query, holder_account)
    sums = journal_query.summarize_journal(pool, lines_query)
    for player in session.table.players:
        account, balance = find_account(session, player, query.unit)
        assert sums.current.get(account, 0) == balance, f"the lines of {account} add up to it"
    return SessionSection(
        session=session,
        title=legible_name(metadata.title) if metadata.title else None,
        player_names=legible_names(metadata.names),
        results={player: session.result(player) for player in session.balances},
        lines_query=lines_query,
        sums=sums,
        marks=load_line_marks(pool, session),
        opening_balance=sums.opening.get(holder_account or "", 0),
        closing_balance=sums.closing.get(holder_account or "", 0),
    )


def _day_and_zone(
    query: StatementQuery, sums: JournalSummary, translator: CachedTranslator
) -> tuple[str, str]:
    """Return the formats of a line's day and zone: no day if all lines are of one, and a zone only
    if the clocks were changed between the first line and the last, as an hour may come twice."""
    times = [
        to_datetime(at).astimezone(query.zone)
        for at in (sums.first_line_at, sums.last_line_at)
        if at is not None
    ]
    has_days = query.has_period or len({time.date() for time in times}) > 1
    has_zones = len({time.utcoffset() for time in times}) > 1
    return f"{translator.day_pattern} " if has_days else "", " %Z" if has_zones else ""
