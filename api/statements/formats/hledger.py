"""A statement as an hledger journal: a transaction for each event, each adding up to zero.

Every account is declared, so that `hledger check --strict` accepts it; the last transaction asserts
the closing balances.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, groupby

import segno

from api.statements.group_entry import open_balance_changes
from api.statements.session_section import SessionSection
from api.statements.statement import Statement
from api.statements.tables import URL_KEYS, Pairs
from api.statements.wording.sanitize import journal_account_name, journal_text
from engine.values import Amount
from ledger.projections.postings import BROUGHT_FORWARD, SHEET
from ledger.reporting.statement import StatementLine

DAY = "%Y-%m-%d"
OPENING_ACCOUNT = "equity:opening"
EVENTS_PER_CHUNK = 100
BLOCKS = {(False, False): " ", (True, False): "▀", (False, True): "▄", (True, True): "█"}


def write_hledger(statement: Statement) -> Iterator[bytes]:
    """Yield the text, some events at a time."""
    journal = _Journal(statement)
    parts = [*journal.head(), *journal.opening_transaction()]
    for section in statement.sections:
        parts += journal.section_comments(section)
        worded_lines = statement.worded_lines(section)
        events = groupby(worded_lines, key=lambda worded: worded[0].version)
        for number, (_, lines) in enumerate(events, start=1):
            parts += journal.transaction(section, list(lines))
            if number % EVENTS_PER_CHUNK == 0:
                yield "".join(parts).encode()
                parts = []
        yield "".join(parts).encode()
        parts = []
    parts += [*journal.result_comments(), *journal.entries(), *journal.closing_transaction()]
    yield "".join(parts).encode()


class _Journal:
    """The parts of a journal, each as pieces of text.

    Accounts are assets: those of players, the pot, each bet. Points come from `equity:sheet`, and
    what an earlier session left open from `equity:brought`.
    """

    def __init__(self, statement: Statement) -> None:
        self._statement = statement
        self._translator = statement.translator
        members = (member for entry in statement.entries for member, _ in entry.parts())
        member_names = {f"member:{m}": statement.member_names[m] for m in members}
        self._people = {**member_names, **statement.names_by_account}
        self._commodity = "P" if statement.unit == "points" else statement.currency
        self._declared_bets = bytearray()  # a byte for each bet, as there may be many

    def head(self) -> Iterator[str]:
        statement, translator = self._statement, self._translator
        zone, period = statement.query.zone.key, statement.period_text
        yield _comment(f"{translator('statement.title')} – {statement.subject}")
        yield _comment(statement.holder_and_unit)
        yield _comment(f"{translator('statement.period')} {period} ({zone})")
        yield from self._pair_comments(statement.head_pairs())
        yield from _qr_code_comments(statement.page_url)
        example = f"1000.{'0' * statement.decimal_places}"
        yield f"\ncommodity {example} {self._commodity}\n\n"
        for account in (*self._people, *statement.other_accounts):
            yield f"account {self._account_name(account)}\n"
        yield f"account {OPENING_ACCOUNT}\n\n"

    def section_comments(self, section: SessionSection) -> Iterator[str]:
        """Yield what stands above the transactions of one session of many."""
        statement = self._statement
        if heading := statement.section_heading(section):
            yield _comment(heading)
            yield from self._pair_comments(statement.section_pairs(section))
            yield from _qr_code_comments(statement.section_url(section))
            yield "\n"

    def _pair_comments(self, pairs: Pairs) -> Iterator[str]:
        for key, value in pairs:
            text = value if key in URL_KEYS else journal_text(str(value))
            yield f"; {self._translator(f'statement.{key}')} {text}\n"

    def transaction(
        self, section: SessionSection, event: list[tuple[StatementLine, str]]
    ) -> Iterator[str]:
        """Yield the postings of one event. The first reason describes the transaction, the others
        are comments, and so is what a cost was for."""
        statement = self._statement
        first, description = event[0]
        name = section.journal_account
        accounts = [
            (name(line.explanation.posting.source), name(line.explanation.posting.target))
            for line, _ in event
        ]
        yield from self._declare_bets(chain.from_iterable(accounts))
        day = statement.format_time(first.at, DAY)
        yield f"{day} * (v{first.version}) {journal_text(description)}"
        tags = {"kind": first.kind, **({} if first.deal is None else {"deal": first.deal})}
        tags |= {"late_entry": "true"} if section.marks.is_late_entry(first) else {}
        tags |= statement.section_cells(section)
        yield f"  ; {' '.join(f'{tag}={value}' for tag, value in tags.items())}\n"
        for (line, sentence), (source, target) in zip(event, accounts, strict=True):
            amount = line.explanation.posting.amount
            text = section.marks.purpose(first) if line is first else sentence
            comment = f"  ; {journal_text(text)}" if text else ""
            yield f"    {self._account_name(target)}  {self._amount(amount)}{comment}\n"
            yield f"    {self._account_name(source)}  {self._amount(-amount)}\n"
        yield "\n"

    def opening_transaction(self) -> Iterator[str]:
        """Yield the balances before the period, taken from equity."""
        statement = self._statement
        opening = self._holder_balances(statement.opening_balances)
        balances = {account: amount for account, amount in opening.items() if amount}
        if not balances:
            return
        yield from self._declare_bets(balances)
        first_line_at, _ = statement.line_times
        at = first_line_at or min(statement.query.starts_at, statement.updated_at)
        yield self._summary_head(statement.format_time(at, DAY), "opening")
        for account, amount in balances.items():
            yield f"    {self._account_name(account)}  {self._amount(amount)}\n"
        yield f"    {OPENING_ACCOUNT}  {self._amount(-sum(balances.values()))}\n\n"

    def result_comments(self) -> Iterator[str]:
        """Yield the results, which the accounts no longer show after payments."""
        for result in self._statement.holder_results():
            text = self._translator("statement.result_of", who=result.name)
            yield f"; {journal_text(text)}: {self._amount(result.amount)}\n"
        yield "\n"

    def entries(self) -> Iterator[str]:
        """Yield what the group recorded beside its sessions: a transaction for each entry that
        changes an open balance, comments for the others."""
        for entry in self._statement.entries:
            parts = [(f"member:{member}", amount) for member, amount in entry.parts() if amount]
            if not parts or not entry.is_open_balance:
                yield _comment(f"{entry.day} {entry.sentence}")
                for account, amount in parts:
                    yield f"; {journal_text(self._person(account))}: {self._amount(amount)}\n"
                yield "\n"
                continue
            number = f" number={entry.number}" if entry.number else ""
            # a name with a bracket at the beginning would begin the transaction's code
            description = journal_text(entry.sentence).lstrip("( ")
            yield f"{entry.day} * {description}  ; kind={entry.kind}{number}\n"
            for account, amount in parts:
                yield f"    {self._account_name(account)}  {self._amount(amount)}\n"
            yield "\n"

    def closing_transaction(self) -> Iterator[str]:
        """Yield a transaction that moves nothing and asserts every balance, with the group's
        entries: hledger rejects a journal that was tampered with."""
        statement = self._statement
        totals = Counter(statement.closing_balances)
        for member, amount in open_balance_changes(statement.entries).items():
            totals[f"member:{member}"] += amount
        balances = self._holder_balances(totals)
        if not balances:
            return
        yield from self._declare_bets(balances)
        _, last_line_at = statement.line_times
        at = last_line_at or statement.updated_at
        days = (statement.format_time(at, DAY), *(entry.day for entry in statement.entries))
        yield self._summary_head(max(days), "closing")
        for account, amount in balances.items():
            assertion = f"{self._amount(0)} = {self._amount(amount)}"
            yield f"    {self._account_name(account)}  {assertion}\n"

    def _summary_head(self, day: str, key: str) -> str:
        return f"{day} * {journal_text(self._translator(f'statement.{key}'))}\n"

    def _holder_balances(self, balances: Mapping[str, Amount]) -> dict[str, Amount]:
        """Return the balances in the statement: the holder's, where it has one."""
        holder = self._statement.holder_account
        return {account: x for account, x in balances.items() if holder in (None, account)}

    def _amount(self, amount: Amount) -> str:
        return f"{self._statement.format_decimal(amount)} {self._commodity}"

    def _account_name(self, account: str) -> str:
        if account in self._people:
            return f"assets:players:{self._person(account)}"
        kind, _, suffix = account.partition(":")
        match kind:
            case "score":
                side = " + ".join(self._person(f"player:{player}") for player in suffix.split("+"))
                return f"assets:points:{side}"
            case "bet":
                return f"assets:bets:b{suffix}"
            case _ if kind in (BROUGHT_FORWARD, SHEET):
                return f"equity:{kind}"
        return f"assets:{kind}"

    def _person(self, account: str) -> str:
        """Return id and name, as two names may be alike in the characters that hledger allows."""
        name = self._people.get(account)
        person_id = account.partition(":")[2]
        return f"{person_id} {journal_account_name(name) if name else ''}".strip()

    def _declare_bets(self, accounts: Iterable[str]) -> Iterator[str]:
        """Yield the declarations of bets that occur for the first time."""
        for account in accounts:
            kind, _, suffix = account.partition(":")
            if kind != "bet":
                continue
            number = int(suffix)
            self._declared_bets.extend(bytes(max(0, number + 1 - len(self._declared_bets))))
            if not self._declared_bets[number]:
                self._declared_bets[number] = 1
                yield f"account {self._account_name(account)}\n"


def _comment(text: str) -> str:
    return f"; {journal_text(text)}\n"


def _qr_code_comments(url: str) -> Iterator[str]:
    """Yield the QR code in block characters, two modules each, dark on light."""
    rows = [list(row) for row in segno.make(url, error="l").matrix_iter(border=2)]
    rows += [[0] * len(rows[0])] * (len(rows) % 2)
    for upper_row, lower_row in zip(rows[::2], rows[1::2], strict=True):
        modules = zip(upper_row, lower_row, strict=True)
        blocks = "".join(BLOCKS[bool(upper), bool(lower)] for upper, lower in modules)
        yield f"; {blocks.rstrip()}\n"
