"""A statement as a journal for hledger: one transaction an event, each adding up to nothing.

Everything is declared, so that `hledger check --strict` accepts it; the last transaction asserts
the closing balances.
"""

from collections.abc import Iterator
from itertools import groupby

import segno

from api.statements.accounts import OPENING, Accounts
from api.statements.evening import Evening
from api.statements.fluent import Fluent
from api.statements.parts import ADDRESSES, Pairs
from api.statements.signs import one_line
from api.statements.telling import Telling
from engine.values import Amount
from ledger.statement import Line

EVENTS_AT_ONCE = 100
BLOCKS = {(False, False): " ", (True, False): "▀", (False, True): "▄", (True, True): "█"}


def journal(told: Telling) -> Iterator[bytes]:
    """The text, some events at a time."""
    names = Accounts(told)
    parts = [_head(told), *names.declared_before(), *_opening(told, names)]
    for evening in told.evenings:
        say = told.saying(evening)
        parts += _heading(told, evening)
        events = groupby(evening.lines(told.pool), key=lambda line: line.version)
        for number, (_, lines) in enumerate(events, start=1):
            parts += _transaction(told, names, evening, list(lines), say)
            if number % EVENTS_AT_ONCE == 0:
                yield "".join(parts).encode()
                parts = []
        yield "".join(parts).encode()
        parts = []
    parts += _closing(told, names)
    yield "".join(parts).encode()


def _head(told: Telling) -> str:
    speak = told.speak
    lines = (
        f"{speak('statement.title')} – {told.what}",
        f"{told.who}",
        f"{speak('statement.period')} {told.period} ({told.asked.zone.key})",
    )
    said = "".join(f"; {one_line(line)}\n" for line in lines)
    drawn = "".join(_picture(told.address)) if told.address else ""
    many = f"1000.{'0' * told.places}"
    return f"{said}{_pairs(told, told.head())}{drawn}\ncommodity {many} {_commodity(told)}\n\n"


def _heading(told: Telling, evening: Evening) -> Iterator[str]:
    """Over the transactions of one evening of many, with its receipt's QR code."""
    heading = told.heading(evening)
    if heading:
        yield f"; {one_line(heading)}\n{_pairs(told, told.about(evening))}"
        yield from _picture(evening.address)
        yield "\n"


def _pairs(told: Telling, pairs: Pairs) -> str:
    return "".join(
        f"; {told.speak(f'statement.{key}')} "
        f"{value if key in ADDRESSES else one_line(str(value))}\n"
        for key, value in pairs
    )


def _picture(address: str) -> Iterator[str]:
    """The QR code in blocks, two modules a sign, dark on light."""
    rows = [list(row) for row in segno.make(address, error="l").matrix_iter(border=2)]
    rows += [[0] * len(rows[0])] * (len(rows) % 2)
    for upper, lower in zip(rows[::2], rows[1::2], strict=True):
        drawn = "".join(BLOCKS[bool(u), bool(d)] for u, d in zip(upper, lower, strict=True))
        yield f"; {drawn.rstrip()}\n"


def _commodity(told: Telling) -> str:
    return "P" if told.unit == "points" else told.currency


def _amount(told: Telling, amount: Amount) -> str:
    return f"{told.coins(amount)} {_commodity(told)}"


def _transaction(
    told: Telling, names: Accounts, evening: Evening, event: list[Line], say: Fluent
) -> Iterator[str]:
    """The lines of one event. What each was for is its comment, unless there is only one."""

    def why(line: Line) -> str:
        return one_line(say.why(line.reason, evening.names, told.currency))

    first = event[0]
    day = told.clock(first.at, "%Y-%m-%d")
    deal = {} if first.deal is None else {"deal": first.deal}
    place = zip(told.columns, told.place(evening), strict=True)
    tags = {"kind": first.kind, **deal, **dict(place)}
    moved = [
        (told.held(evening, x.reason.posting.source), told.held(evening, x.reason.posting.target))
        for x in event
    ]
    yield from names.declared(*(account for ends in moved for account in ends))
    yield f"{day} * (v{first.version}) {why(first)}"
    yield f"  ; {' '.join(f'{tag}={value}' for tag, value in tags.items())}\n"
    for number, (line, (source, target)) in enumerate(zip(event, moved, strict=True)):
        amount, comment = line.reason.posting.amount, f"  ; {why(line)}" if number else ""
        yield f"    {names.name(target)}  {_amount(told, amount)}{comment}\n"
        yield f"    {names.name(source)}  {_amount(told, -amount)}\n"
    yield "\n"


def _opening(told: Telling, names: Accounts) -> Iterator[str]:
    """What was there before the period, taken from equity."""
    before = {a: amount for a, amount in told.opened.items() if amount and _shown(told, a)}
    if not before:
        return
    yield from names.declared(*before)
    at = told.first or min(told.asked.first, told.at)
    yield f"{told.clock(at, '%Y-%m-%d')} * {one_line(told.speak('statement.opening'))}\n"
    for account, amount in before.items():
        yield f"    {names.name(account)}  {_amount(told, amount)}\n"
    yield f"    {OPENING}  {_amount(told, -sum(before.values()))}\n\n"


def _closing(told: Telling, names: Accounts) -> Iterator[str]:
    """Moves nothing and asserts everything: hledger refuses a journal that was tampered with."""
    kept = {a: x for a, x in told.closed.items() if _shown(told, a)}
    if not kept:
        return
    yield from names.declared(*kept)
    at = told.last or told.first or told.at
    yield f"{told.clock(at, '%Y-%m-%d')} * {one_line(told.speak('statement.closing'))}\n"
    for account, amount in kept.items():
        zero = _amount(told, 0)
        yield f"    {names.name(account)}  {zero} = {_amount(told, amount)}\n"


def _shown(told: Telling, account: str) -> bool:
    """On a player's statement the others' accounts are only where his lines lead."""
    return told.mine in (None, account)
