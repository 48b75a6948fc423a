"""Which open transfer a line of a bank's file may be the payment of: proposals, for a person to
decide on.

A proposal is made only where nothing else fits as well. Where two transfers fit a line alike, or
two lines a transfer, the lines are ambiguous, and nothing is chosen among them. Pure: knows neither
files nor the database.
"""

import datetime
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import groupby
from typing import Literal, NamedTuple
from uuid import UUID

import msgspec

from engine.values import Amount
from ledger.events.event_types import Member
from ledger.groups.bank_lines.assignment import assign
from ledger.store.name_matching import has_name, has_phrase, text_words

Reason = Literal["amount", "part", "name", "message", "date", "recorded"]
"""Why a line may be a transfer's payment: it has the same amount, or pays a part of it; the text
names the other person; the text has the transfer's message; it came within days of the evening. And
why it may not: such a payment is recorded already."""

DAYS_AFTER_EVENING = datetime.timedelta(days=7)
MAX_FITS = 24
"""A line that fits more transfers equally well is no evidence for any of them."""


class LinePayment(msgspec.Struct, frozen=True, kw_only=True):
    """What a line would pay: in one session, or over all evenings (`session` None)."""

    session: UUID | None
    payer: Member
    payee: Member
    amount: Amount


class OpenTransfer(LinePayment, frozen=True, kw_only=True):
    """What a member is to pay another."""

    day: datetime.date  # of the evening; over several evenings, of the first one
    messages: tuple[str, ...] = ()  # what the payment may be called, such as the evening's title


class BankLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line of a member's account. `amount` > 0 came in, < 0 went out."""

    row: int
    day: datetime.date
    amount: Amount
    text: str


class TransferFit(msgspec.Struct, frozen=True, kw_only=True):
    """A transfer that a line may be the payment of, and why."""

    transfer: OpenTransfer
    reasons: tuple[Reason, ...]


class LineProposal(msgspec.Struct, frozen=True, kw_only=True):
    """A line with the transfers that it may be the payment of: one if it is `proposed`, one or more
    if it is `ambiguous`, none if it is `left_over`."""

    line: BankLine
    status: Literal["proposed", "ambiguous", "left_over"]
    fits: tuple[TransferFit, ...] = ()


class _Pair(NamedTuple):
    """A line and a transfer by their places, and whether it has the same amount, the name and the
    message. An exact amount counts most, then the name. The date decides nothing: an earlier
    payment need not be for the older debt."""

    line: int
    transfer: int
    rank: tuple[bool, bool, bool]


def match_bank_lines(
    lines: Sequence[BankLine],
    transfers: Sequence[OpenTransfer],
    account: Member,
    names: Mapping[Member, str | None],
) -> tuple[LineProposal, ...]:
    """Return a proposal for each line of this member's account, in the order of the lines.

    A line is proposed for one transfer at most, and a transfer for one line at most; the order of
    lines and transfers decides nothing. The transfers are of the account's currency.
    """
    pairs = list(_fitting_pairs(lines, transfers, account, names))
    levels = (
        [(pair.line, pair.transfer) for pair in level]
        for _, level in groupby(
            sorted(pairs, key=lambda pair: pair.rank, reverse=True), key=lambda pair: pair.rank
        )
    )
    certain, ambiguous = assign(levels)
    proposed_pairs = certain | ambiguous
    fits: defaultdict[int, list[TransferFit]] = defaultdict(list)
    for pair in pairs:
        if (pair.line, pair.transfer) in proposed_pairs:
            fits[pair.line].append(_fit(lines[pair.line], transfers[pair.transfer], pair.rank))
    proposed = {line for line, _ in certain}
    return tuple(
        LineProposal(
            line=line,
            status="proposed" if i in proposed else "ambiguous" if i in fits else "left_over",
            fits=tuple(fits.get(i, ())),
        )
        for i, line in enumerate(lines)
    )


def hash_lines(group_id: UUID, account: Member, lines: Iterable[BankLine]) -> list[str]:
    """Return the SHA-256 of each line, in hexadecimal. Lines that are alike in one file differ by
    how many came before; those of another group or account have other hashes."""
    counts: defaultdict[tuple[object, ...], int] = defaultdict(int)
    hashes = []
    for line in lines:
        content = (line.day.isoformat(), line.amount, " ".join(line.text.split()))
        counts[content] += 1
        canonical = ["vola bank line 1", str(group_id), account, *content, counts[content]]
        hashes.append(sha256(msgspec.json.encode(canonical)).hexdigest())
    return hashes


def _fitting_pairs(
    lines: Sequence[BankLine],
    transfers: Sequence[OpenTransfer],
    account: Member,
    names: Mapping[Member, str | None],
) -> Iterator[_Pair]:
    """Yield each line with each transfer that it may be the payment of. If more than MAX_FITS
    transfers fit a line with the same rank, none of them is yielded."""
    name_words = {m: text_words(name) for m, name in names.items() if name and m != account}
    message_words = {text: text_words(text) for t in transfers for text in t.messages}
    candidates = _Candidates(transfers, account)
    for i, line in enumerate(lines):
        words = text_words(line.text)
        named = {member for member, name in name_words.items() if has_name(words, name)}
        found_messages = {text: has_phrase(words, message_words[text]) for text in message_words}
        ranks: defaultdict[tuple[bool, bool, bool], list[int]] = defaultdict(list)
        for k in candidates.of_line(line, named):
            transfer = transfers[k]
            message = next((text for text in transfer.messages if found_messages[text]), None)
            counterparty = transfer.payer if line.amount > 0 else transfer.payee
            has_counterparty = counterparty in named
            in_message = message_words[message] if message is not None and named else ()
            if has_counterparty or all(has_name(in_message, name_words[m]) for m in named):
                is_exact = abs(line.amount) == transfer.amount
                ranks[is_exact, has_counterparty, message is not None].append(k)
            # else the text names somebody else outside the transfer's message
        for rank, places in ranks.items():
            if len(places) <= MAX_FITS:
                yield from (_Pair(i, k, rank) for k in places)


class _Candidates:
    """The transfers of an account, indexed by what a line must have: the amount or the name."""

    def __init__(self, transfers: Sequence[OpenTransfer], account: Member) -> None:
        self.transfers = transfers
        self.by_amount: defaultdict[tuple[bool, Amount], list[int]] = defaultdict(list)
        self.by_counterparty: defaultdict[tuple[bool, Member], list[int]] = defaultdict(list)
        for k, transfer in enumerate(transfers):
            if account in (transfer.payer, transfer.payee):
                incoming = account == transfer.payee
                counterparty = transfer.payer if incoming else transfer.payee
                self.by_amount[incoming, transfer.amount].append(k)
                self.by_counterparty[incoming, counterparty].append(k)

    def of_line(self, line: BankLine, named: Iterable[Member]) -> list[int]:
        """Return the transfers of the same amount, and larger ones with a named member; none of a
        later day than the line."""
        incoming, paid = line.amount > 0, abs(line.amount)
        larger = (
            k
            for member in named
            for k in self.by_counterparty.get((incoming, member), ())
            if 0 < paid < self.transfers[k].amount
        )
        exact = self.by_amount.get((incoming, paid), ())
        return [k for k in (*exact, *larger) if self.transfers[k].day <= line.day]


def _fit(line: BankLine, transfer: OpenTransfer, rank: tuple[bool, bool, bool]) -> TransferFit:
    is_exact, has_counterparty, has_message = rank
    applies: dict[Reason, bool] = {
        "amount": is_exact,
        "part": not is_exact,
        "name": has_counterparty,
        "message": has_message,
        "date": line.day - transfer.day <= DAYS_AFTER_EVENING,
    }
    reasons = tuple(reason for reason, is_so in applies.items() if is_so)
    return TransferFit(transfer=transfer, reasons=reasons)
