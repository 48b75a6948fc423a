"""A statement as a journal for hledger: one transaction an event, each adding up to nothing.

Accounts are assets: what every player has, the pot, each bet; points come from `equity:sheet`.
Everything is declared, so that `hledger check --strict` accepts it; the last transaction asserts
the closing balances.
"""

from collections.abc import Iterator
from itertools import groupby

import segno

from api.statements.signs import account_name, one_line
from api.statements.telling import Telling
from engine.values import Amount
from ledger.statement import Line

EVENTS_AT_ONCE = 100
EQUITY = "equity:opening"
BLOCKS = {(False, False): " ", (True, False): "▀", (False, True): "▄", (True, True): "█"}


def journal(told: Telling) -> Iterator[bytes]:
    """The text, some events at a time."""
    names = _Accounts(told)
    parts = [_head(told), *names.declared_before(), *_opening(told, names)]
    at = told.sums.first or told.session.at
    for number, (_, lines) in enumerate(groupby(told.lines(), key=lambda x: x.version), start=1):
        event = list(lines)
        at = event[0].at
        parts += _transaction(told, names, event)
        if number % EVENTS_AT_ONCE == 0:
            yield "".join(parts).encode()
            parts = []
    parts += _closing(told, names, at)
    yield "".join(parts).encode()


class _Accounts:
    """What accounts are called, each declared before it is first used."""

    def __init__(self, told: Telling) -> None:
        self._told = told
        self._bets = bytearray()  # a mark a bet: they are numbered from 1, and may be many

    def name(self, account: str) -> str:
        kind, _, which = account.partition(":")
        match kind:
            case "player":
                return f"assets:players:{self._player(which)}"
            case "score":
                sides = " + ".join(self._player(player) for player in which.split("+"))
                return f"assets:points:{sides}"
            case "bet":
                return f"assets:bets:b{which}"
            case "sheet":
                return "equity:sheet"
        return f"assets:{kind}"

    def _player(self, player: str) -> str:
        name = self._told.names.get(player)
        return f"{player} {account_name(name) if name else ''}".strip()

    def declared_before(self) -> Iterator[str]:
        session = self._told.session
        scores = session.sheet.scores if session.sheet else ()
        kept = [f"player:{player}" for player in session.table.players]
        kept += [f"score:{keeper}" for keeper in scores]
        for account in (*kept, "pot", "sheet"):
            yield f"account {self.name(account)}\n"
        yield f"account {EQUITY}\n\n"

    def declared(self, *accounts: str) -> Iterator[str]:
        """Bets are declared when they are met."""
        for account in accounts:
            kind, _, which = account.partition(":")
            if kind != "bet":
                continue
            number = int(which)
            self._bets.extend(bytes(max(0, number + 1 - len(self._bets))))
            if not self._bets[number]:
                self._bets[number] = 1
                yield f"account {self.name(account)}\n"


def _head(told: Telling) -> str:
    speak = told.speak
    lines = [
        f"{speak('statement.title')} – {told.title or told.session.game.name}",
        f"{told.who}",
        f"{speak('statement.period')} {told.period} ({told.asked.zone.key})",
        f"{speak('statement.version')} {told.session.version}",
        f"{speak('statement.seal')} {told.seal}",
    ]
    said = "".join(f"; {one_line(line)}\n" for line in lines)
    receipt = f"; {speak('statement.receipt')} {told.address}\n"
    many = f"1000.{'0' * told.places}"
    drawn = "".join(f"; {row}\n" for row in _picture(told.address))
    return f"{said}{receipt}{drawn}\ncommodity {many} {_commodity(told)}\n\n"


def _picture(address: str) -> Iterator[str]:
    """The QR code in blocks, two modules a sign, dark on light."""
    rows = [list(row) for row in segno.make(address, error="l").matrix_iter(border=2)]
    rows += [[0] * len(rows[0])] * (len(rows) % 2)
    for upper, lower in zip(rows[::2], rows[1::2], strict=True):
        yield "".join(BLOCKS[bool(u), bool(d)] for u, d in zip(upper, lower, strict=True)).rstrip()


def _commodity(told: Telling) -> str:
    return "P" if told.asked.unit == "points" else told.currency


def _amount(told: Telling, amount: Amount) -> str:
    return f"{told.coins(amount)} {_commodity(told)}"


def _transaction(told: Telling, names: _Accounts, event: list[Line]) -> Iterator[str]:
    """The lines of one event. What each was for is its comment, unless there is only one."""
    first = event[0]
    day = told.clock(first.at, "%Y-%m-%d")
    deal = f" deal={first.deal}" if first.deal is not None else ""
    accounts = [a for x in event for a in (x.reason.posting.source, x.reason.posting.target)]
    yield from names.declared(*accounts)
    yield f"{day} * (v{first.version}) {one_line(told.why(first))}"
    yield f"  ; kind={first.kind}{deal}\n"
    for number, line in enumerate(event):
        posting = line.reason.posting
        comment = f"  ; {one_line(told.why(line))}" if number else ""
        yield f"    {names.name(posting.target)}  {_amount(told, posting.amount)}{comment}\n"
        yield f"    {names.name(posting.source)}  {_amount(told, -posting.amount)}\n"
    yield "\n"


def _opening(told: Telling, names: _Accounts) -> Iterator[str]:
    """What was there before the period, taken from equity."""
    before = {a: amount for a, amount in told.sums.opening.items() if amount and _shown(told, a)}
    if not before:
        return
    yield from names.declared(*before)
    at = told.sums.first or min(told.asked.first, told.session.at)
    yield f"{told.clock(at, '%Y-%m-%d')} * {one_line(told.speak('statement.opening'))}\n"
    for account, amount in before.items():
        yield f"    {names.name(account)}  {_amount(told, amount)}\n"
    yield f"    {EQUITY}  {_amount(told, -sum(before.values()))}\n\n"


def _closing(told: Telling, names: _Accounts, at: int) -> Iterator[str]:
    """Moves nothing and asserts everything: hledger refuses a journal that was tampered with."""
    kept = {a: x for a, x in told.sums.closing.items() if _shown(told, a)}
    if not kept:
        return
    yield from names.declared(*kept)
    yield f"{told.clock(at, '%Y-%m-%d')} * {one_line(told.speak('statement.closing'))}\n"
    for account, amount in kept.items():
        zero = _amount(told, 0)
        yield f"    {names.name(account)}  {zero} = {_amount(told, amount)}\n"


def _shown(told: Telling, account: str) -> bool:
    """On a player's statement the others' accounts are only where his lines lead."""
    return told.wanted.mine in (None, account)
