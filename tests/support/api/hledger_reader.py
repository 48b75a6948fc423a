"""A strict reader of hledger journals that accepts only what Vola writes: every transaction adds up
to zero, every account and commodity is declared, and every assertion holds."""

import re
from dataclasses import dataclass, field
from decimal import Decimal

HEAD = re.compile(
    r"(\d{4}-\d\d-\d\d) \* (?:\((v\d+)\) |(?!\())([^;|]*?)"
    r"(?:  ; kind=\w+(?: deal=\d+)?(?: late_entry=true)?"
    r"(?: session_number=\d+ session=[0-9a-f-]{36})?(?: number=\d+)?)?"
)
POSTING = re.compile(
    r"    ((?:assets|equity):(?:[^\s;:=()\[\]{}@]| (?! )|:)*[^\s;:=()\[\]{}@])  "
    r"(-?\d+(?:\.\d+)?) ([A-Za-z]+)(?: = (-?\d+(?:\.\d+)?) ([A-Za-z]+))?(?:  ; [^:\[\]]*)?"
)


@dataclass
class Transaction:
    date: str
    code: str | None
    description: str
    postings: list[tuple[str, Decimal]] = field(default_factory=list)


def parse_journal(text: str) -> list[Transaction]:
    """Return all transactions. AssertionError if the journal is not strict."""
    accounts: set[str] = set()
    commodities: set[str] = set()
    balances: dict[str, Decimal] = {}
    transactions: list[Transaction] = []
    for line in text.split("\n"):
        if not line or line.startswith("; "):
            continue
        if line.startswith("account "):
            accounts.add(line.removeprefix("account "))
        elif line.startswith("commodity "):
            commodities.add(line.split(" ")[2])
        elif line.startswith("    "):
            match = POSTING.fullmatch(line)
            assert match, line
            account, amount, commodity, asserted, _ = match.groups()
            assert account in accounts, line
            assert commodity in commodities, line
            balances[account] = balances.get(account, Decimal(0)) + Decimal(amount)
            assert asserted is None or balances[account] == Decimal(asserted), line
            transactions[-1].postings.append((account, Decimal(amount)))
        else:
            match = HEAD.fullmatch(line)
            assert match, line
            transactions.append(Transaction(*match.groups()))
    for transaction in transactions:
        assert sum(amount for _, amount in transaction.postings) == 0, transaction
        assert transaction.postings, transaction
    return transactions
