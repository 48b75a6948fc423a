"""Evenings that may be in the book already, by their day."""

from uuid import uuid4

from ledger.access.session_metadata import Generations
from ledger.groups.group_events import BalancesImported, ImportedEvening, MemberAmount
from ledger.groups.groups import GroupSession
from ledger.transfer.earlier_evenings.balance_import import BalanceImport
from ledger.transfer.earlier_evenings.evenings import EarlierEvening
from ledger.transfer.earlier_evenings.same_days import find_same_days

RESULTS = (MemberAmount(member="m1", amount=5), MemberAmount(member="m2", amount=-5))


def evening(row, day, results=RESULTS):
    return EarlierEvening(rows=(row,), date=day, results=results, difference=0)


def session(number):
    return GroupSession(
        number=number,
        session_id=uuid4(),
        title=None,
        generations=Generations(0, 0, 0),
        members={},
    )


def an_import(number, *days, voided_at=None):
    event = BalancesImported(
        number=number,
        sha256="0" * 64,
        currency="SEK",
        settled=False,
        evenings=tuple(ImportedEvening(date=day, results=RESULTS) for day in days),
    )
    return BalanceImport(event=event, at=1, voided_at=voided_at)


def found(evenings, sessions=None, imports=()):
    return [
        (x.evening.rows[0], x.session.number if x.session else None, x.import_number)
        for x in find_same_days(evenings, sessions or {}, imports)
    ]


def test_each_session_of_the_day_is_found_and_no_other():
    evenings = [evening(2, "2024-01-05"), evening(3, "2024-01-06"), evening(4, "2024-01-05")]
    sessions = {"2024-01-05": [session(1), session(3)], "2024-01-07": [session(2)]}
    assert found(evenings, sessions) == [
        *((2, 1, None), (2, 3, None)),
        *((4, 1, None), (4, 3, None)),
    ]


def test_an_import_is_found_once_a_day_and_only_while_it_counts():
    imports = [
        an_import(1, "2024-01-05", "2024-01-05", "2024-01-12"),
        an_import(2, "2024-01-05", voided_at=7),
        an_import(3, "2024-01-05"),
    ]
    assert found([evening(2, "2024-01-05")], imports=imports) == [(2, None, 1), (2, None, 3)]


def test_an_evening_without_results_of_members_is_not_warned_of():
    assert found([evening(2, "2024-01-05", results=())], {"2024-01-05": [session(1)]}) == []
