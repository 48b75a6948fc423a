"""Lines that together pay more than is open, by evenings and over the group."""

from uuid import UUID

import pytest

from ledger.groups import open_balances
from ledger.groups.bank_lines.double_payments import find_double_payments
from ledger.groups.bank_lines.line_matching import LinePayment

ADA, BO, CILLA, DISA = "m1", "m2", "m3", "m4"


def owed(**amounts):
    """Return the balances of these members, in öre."""
    rows = [
        open_balances.OpenBalance(
            owner=open_balances.BalanceOwner(member=member),
            parts=(open_balances.BalancePart(source="evening", number=1, amount=amount),),
        )
        for member, amount in amounts.items()
    ]
    return open_balances.CurrencyBalances(currency="SEK", balances=tuple(rows), on_table=0)


def pay(payer, payee, amount):
    return LinePayment(session=None, payer=payer, payee=payee, amount=amount)


DOUBLE = {
    "a payer pays more than is owed": (
        owed(m1=-100, m4=300),
        [pay(ADA, DISA, 60), pay(ADA, DISA, 60)],
        {0, 1},
    ),
    "a payee gets more than is owed": (
        owed(m1=-300, m2=-300, m4=100),
        [pay(ADA, DISA, 60), pay(BO, DISA, 60)],
        {0, 1},
    ),
    "each payment alone is less than is open": (
        owed(m1=-100, m2=-100, m4=200),
        [pay(ADA, DISA, 100), pay(BO, DISA, 100)],
        set(),
    ),
    "only the payments of those who pay too much": (
        owed(m1=-100, m2=-100, m3=100, m4=100),
        [pay(ADA, CILLA, 100), pay(BO, DISA, 101)],
        {1},
    ),
}


@pytest.mark.parametrize("name", DOUBLE)
def test_payments_take_nobody_beyond_zero(name):
    balances, payments, doubles = DOUBLE[name]
    assert find_double_payments(payments, balances, ()) == doubles


def test_payments_of_evenings_alone_are_each_evenings_own():
    payments = [LinePayment(session=UUID(int=1), payer=ADA, payee=DISA, amount=100)]
    balances = owed(m1=-60, m4=60)
    assert find_double_payments(payments, balances, ()) == set()
    assert find_double_payments(payments, balances, {DISA}) == {0}
