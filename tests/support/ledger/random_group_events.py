"""Random events of a group: every type, each as the server would write it."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from uuid import UUID

from ledger.events.hash_chain import GENESIS_HASH
from ledger.groups import group_events as g
from ledger.groups.group_event_log import record_group_events
from ledger.session.cost_division import divide_cost

MEMBERS = ("m1", "m2", "m3", "m4")
CURRENCIES = ("DKK", "SEK")
DIGEST = "5e" * 32


def record_events(*events: g.GroupEvent) -> tuple[g.RecordedGroupEvent, ...]:
    """Return these events as the first of a group."""
    return record_group_events(
        UUID(int=8), events, number=0, previous_hash=GENESIS_HASH, at=1, by="host.0"
    )


def random_history(die: Random, count: int, *, departures: bool = True) -> list[g.GroupEvent]:
    """Return events that can follow each other; without `departures` nobody leaves."""
    events: list[g.GroupEvent] = []
    imports, is_line_used = 0, False
    counted: set[int] = set()
    left: set[str] = set()
    while len(events) < count:
        event = _random_event(die, imports + 1)
        match event:
            case g.BalancesImported(number=number):
                imports = number
                counted.add(number)
            case g.ImportVoided():
                if not counted:
                    continue
                event = g.ImportVoided(number=counted.pop())
            case g.MemberLeft(member=member) | g.MemberReturned(member=member):
                if not departures or isinstance(event, g.MemberLeft) == (member in left):
                    continue
                left ^= {member}
            case g.BankLineUsed() | g.BankLineReleased():
                if isinstance(event, g.BankLineUsed) == is_line_used:
                    continue
                is_line_used = not is_line_used
        events.append(event)
    return events


def _random_event(die: Random, number: int) -> g.GroupEvent:
    """Return an event; `number` is that of an import or a write-off."""
    member, other = die.sample(MEMBERS, 2)
    amount, currency = die.randint(1, 5000), die.choice(CURRENCIES)
    owed = die.choice((amount, -amount))
    events: Sequence[g.GroupEvent] = (
        g.GroupTransferRecorded(
            payer=member,
            payee=other,
            amount=amount,
            currency=currency,
            method=die.choice((None, "swish")),
        ),
        g.BalanceHandedOver(member=member, recipient=other, amount=owed, currency=currency),
        write_off(member, owed, currency, number),
        g.MemberLeft(member=member),
        g.MemberReturned(member=member),
        random_import(die, number, currency),
        g.ImportVoided(number=number),
        g.BankLineUsed(
            line_sha256=DIGEST, payer=member, payee=other, amount=amount, currency=currency
        ),
        g.BankLineReleased(line_sha256=DIGEST),
    )
    return die.choice(events)


def write_off(member: str, amount: int, currency: str, number: int) -> g.BalanceWrittenOff:
    """Return the write-off of a balance that all other members bear."""
    sharers = {other: 1 for other in MEMBERS if other != member}
    sign = 1 if amount > 0 else -1
    shares = divide_cost(abs(amount), sharers, number)
    return g.BalanceWrittenOff(
        member=member,
        amount=amount,
        currency=currency,
        borne_by=tuple(
            g.MemberAmount(member=share.player, amount=sign * share.amount) for share in shares
        ),
    )


def import_two_results(
    amount: int, number: int = 1, *, settled: bool = False
) -> g.BalancesImported:
    """Return an import of one evening, at which m2 lost this amount to m1."""
    results = {"m1": amount, "m2": -amount}
    return g.BalancesImported(
        number=number,
        sha256=DIGEST,
        currency="SEK",
        settled=settled,
        evenings=(
            g.ImportedEvening(
                date="2025-11-01",
                results=tuple(g.MemberAmount(member=m, amount=a) for m, a in results.items()),
            ),
        ),
    )


def random_import(die: Random, number: int, currency: str) -> g.BalancesImported:
    evenings = []
    for day in range(1, die.randint(2, 4)):
        amounts = [die.randint(-900, 900) for _ in MEMBERS[1:]]
        results = zip(MEMBERS, (-sum(amounts), *amounts), strict=True)
        evenings.append(
            g.ImportedEvening(
                date=f"2025-11-0{day}",
                results=tuple(g.MemberAmount(member=m, amount=a) for m, a in results),
            )
        )
    return g.BalancesImported(
        number=number,
        sha256=DIGEST,
        currency=currency,
        settled=die.random() < 0.3,
        evenings=tuple(evenings),
    )
