"""The event types of a group: money between evenings, and members who leave and return.

An event has ids and amounts, never a name or a sentence of a person. A correction is another event.
Knows neither the database nor any session.
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import Annotated, assert_never

import msgspec
from msgspec import Meta

from engine.events import snake_case
from engine.values import MAX_AMOUNT, Amount
from ledger.events.event_types import UUID_PATTERN, Currency, Member, PaymentMethod
from ledger.events.hash_chain import HashedFields
from ledger.proofs.continuation import Hash

PaidAmount = Annotated[int, Meta(ge=1, le=MAX_AMOUNT)]
Balance = Annotated[int, Meta(ge=-(2**63 - 1), le=2**63 - 1)]
"""A sum of amounts: no limit for people, but one for JSON."""
SessionId = Annotated[str, Meta(pattern=rf"^{UUID_PATTERN}\Z")]


class BaseGroupEvent(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag=snake_case):
    """A fact about the group that holds from this event on."""


class MemberAmount(msgspec.Struct, frozen=True, kw_only=True):
    """A member's part of an amount, or result of an evening."""

    member: Member
    amount: Balance


class BalanceHandedOver(BaseGroupEvent, frozen=True, kw_only=True):
    """`recipient` takes over this balance of a member: less than zero for what the member owes."""

    member: Member
    recipient: Member
    amount: Balance
    currency: Currency


class BalanceWrittenOff(BaseGroupEvent, frozen=True, kw_only=True):
    """Other members bear this balance of a member; their amounts add up to it, sign included.

    Source: docs/rules.md §11.
    """

    member: Member
    amount: Balance
    currency: Currency
    borne_by: tuple[MemberAmount, ...]


class GroupTransferRecorded(BaseGroupEvent, frozen=True, kw_only=True):
    """A member paid another, against the balances of several evenings."""

    payer: Member
    payee: Member
    amount: PaidAmount
    currency: Currency
    method: PaymentMethod | None = None


class MemberLeft(BaseGroupEvent, frozen=True, kw_only=True):
    """A member left the group, with a balance of zero in every currency."""

    member: Member


class MemberReturned(BaseGroupEvent, frozen=True, kw_only=True):
    """A member who left is back."""

    member: Member


class ImportedEvening(msgspec.Struct, frozen=True, kw_only=True):
    """The results of an evening that was not recorded here; they add up to zero."""

    date: Annotated[str, Meta(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")]
    results: tuple[MemberAmount, ...]


class BalancesImported(BaseGroupEvent, frozen=True, kw_only=True):
    """Results of earlier evenings were read from a file. `settled` if their money changed hands, so
    that they are no open balances."""

    number: int  # of the imports of this group, from 1
    sha256: Hash  # of the file
    currency: Currency
    settled: bool
    evenings: Annotated[tuple[ImportedEvening, ...], Meta(min_length=1)]


class ImportVoided(BaseGroupEvent, frozen=True, kw_only=True):
    """The import of this number no longer counts."""

    number: int


class BankLineUsed(BaseGroupEvent, frozen=True, kw_only=True):
    """A line of a bank's file shows a transfer. It moves nothing: the transfer has an event of its
    own, in this session, or in the group if there is none."""

    line_sha256: Hash
    session: SessionId | None = None
    payer: str  # a player of the session, or a member
    payee: str
    amount: PaidAmount
    currency: Currency


class BankLineReleased(BaseGroupEvent, frozen=True, kw_only=True):
    """The line was approved by mistake; it may be used again."""

    line_sha256: Hash


GroupEvent = (
    GroupTransferRecorded | BalanceHandedOver | BalanceWrittenOff | MemberLeft | MemberReturned
    | BalancesImported | ImportVoided | BankLineUsed | BankLineReleased
)  # fmt: skip


class StoredGroupEvent(HashedFields, frozen=True):
    """One event of a group as it is stored; its `version` is its number in the group."""

    hash: bytes


class RecordedGroupEvent(StoredGroupEvent, frozen=True):
    """One event of a group with what its data says."""

    event: GroupEvent


def amount_changes(event: GroupEvent) -> tuple[MemberAmount, ...]:
    """Return what an event alone adds to the balances of members; it adds up to zero. The caller
    leaves out imports that are voided or settled, which do not count."""
    match event:
        case GroupTransferRecorded(payer=payer, payee=payee, amount=amount):
            # paying raises one's balance, as in a session
            return _transferred_amounts(payee, payer, amount)
        case BalanceHandedOver(member=member, recipient=recipient, amount=amount):
            return _transferred_amounts(member, recipient, amount)
        case BalanceWrittenOff(member=member, amount=amount, borne_by=borne_by):
            return (MemberAmount(member=member, amount=-amount), *borne_by)
        case BalancesImported(evenings=evenings):
            return tuple(result for evening in evenings for result in evening.results)
        case MemberLeft() | MemberReturned() | ImportVoided() | BankLineUsed() | BankLineReleased():
            return ()
        case _:
            assert_never(event)


def is_balanced(event: GroupEvent) -> bool:
    """Return whether an event adds up to zero; an import must do so in each evening."""
    if isinstance(event, BalancesImported):
        return all(_total(evening.results) == 0 for evening in event.evenings)
    return _total(amount_changes(event)) == 0


def members_of(event: GroupEvent) -> tuple[Member, ...]:
    """Return every member that an event names."""
    match event:
        case MemberLeft(member=member) | MemberReturned(member=member):
            return (member,)
        case BankLineUsed(session=None, payer=payer, payee=payee):
            return payer, payee
        case _:
            return tuple(part.member for part in amount_changes(event))


def add_up(amounts: Iterable[MemberAmount]) -> dict[Member, Amount]:
    """Return the total of each member, in the members' order."""
    totals: defaultdict[Member, Amount] = defaultdict(int)
    for part in amounts:
        totals[part.member] += part.amount
    return {member: totals[member] for member in sorted(totals, key=lambda m: int(m[1:]))}


def _transferred_amounts(
    source: Member, target: Member, amount: Amount
) -> tuple[MemberAmount, MemberAmount]:
    return MemberAmount(member=source, amount=-amount), MemberAmount(member=target, amount=amount)


def _total(amounts: Iterable[MemberAmount]) -> Amount:
    return sum(part.amount for part in amounts)
