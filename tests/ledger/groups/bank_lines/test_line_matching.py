"""Lines of a bank are matched with open transfers: what is proposed, and what people decide."""

from datetime import date, timedelta
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.groups.bank_lines.line_matching import (
    MAX_FITS,
    BankLine,
    OpenTransfer,
    hash_lines,
    match_bank_lines,
)

FRIDAY = date(2026, 11, 20)
FIRST, SECOND, GROUP = UUID(int=1), UUID(int=2), UUID(int=9)
NAMES = {"m1": "Ada", "m2": "Bo", "m3": "Cilla", "m4": "Disa", "m5": "Emil"}


def transfer(payer, payee, amount, *, session=FIRST, day=FRIDAY, messages=("Vola",)):
    return OpenTransfer(
        session=session, payer=payer, payee=payee, amount=amount, day=day, messages=messages
    )


def bank_line(amount, text, *, days=1, row=1):
    return BankLine(row=row, day=FRIDAY + timedelta(days), amount=amount, text=text)


def line_of_row(row, other):
    return BankLine(row=row, day=other.day, amount=other.amount, text=other.text)


def match(lines, transfers, account="m2", names=NAMES):
    return match_bank_lines(lines, transfers, account, names)


def statuses(proposals):
    return [proposal.status for proposal in proposals]


def test_a_payment_with_name_and_message_says_why():
    (proposal,) = match([bank_line(5000, "SWISH FRÅN ADA A VOLA")], [transfer("m1", "m2", 5000)])
    assert proposal.status == "proposed"
    (fit,) = proposal.fits
    assert fit.transfer.payer == "m1"
    assert fit.reasons == ("amount", "name", "message", "date")


def test_what_goes_out_pays_the_transfers_of_the_account_holder():
    transfers = [transfer("m1", "m2", 5000), transfer("m2", "m3", 5000)]
    (proposal,) = match([bank_line(-5000, "Swish till Cilla")], transfers)
    assert [fit.transfer.payee for fit in proposal.fits] == ["m3"]


@pytest.mark.parametrize(
    ("amount", "text", "days"),
    [
        pytest.param(4900, "Lön", 1, id="another amount and no name"),
        pytest.param(5100, "Swish Ada", 1, id="more than is open"),
        pytest.param(-5000, "Swish Ada", 1, id="the other way"),
        pytest.param(5000, "Swish Ada", -1, id="before the evening"),
        pytest.param(5000, "Swish från Disa", 1, id="from somebody else"),
        pytest.param(0, "Swish Ada", 1, id="no money"),
    ],
)
def test_a_line_that_fits_nothing_is_left_over(amount, text, days):
    proposals = match([bank_line(amount, text, days=days)], [transfer("m1", "m2", 5000)])
    assert statuses(proposals) == ["left_over"]


def test_a_part_is_proposed_only_by_name():
    (proposal,) = match([bank_line(2000, "SWISH ADA")], [transfer("m1", "m2", 5000)])
    assert proposal.fits[0].reasons == ("part", "name", "date")


def test_the_exact_amount_goes_before_the_name():
    transfers = [transfer("m1", "m2", 5000), transfer("m3", "m2", 2000)]
    lines = [bank_line(2000, "Insättning"), bank_line(5000, "SWISH ADA")]
    first, second = match(lines, transfers)
    assert first.fits[0].transfer.payer == "m3"
    assert second.fits[0].transfer.payer == "m1"


def test_two_evenings_with_the_same_debt_are_ambiguous():
    transfers = [transfer("m1", "m2", 5000), transfer("m1", "m2", 5000, session=SECOND)]
    (proposal,) = match([bank_line(5000, "SWISH ADA")], transfers)
    assert proposal.status == "ambiguous"
    assert {fit.transfer.session for fit in proposal.fits} == {FIRST, SECOND}


def test_a_line_that_fits_too_many_alike_is_left_over():
    transfers = [
        transfer("m1", "m2", 5000, session=UUID(int=n), messages=(f"Kväll {n}",))
        for n in range(MAX_FITS + 1)
    ]
    lines = [bank_line(5000, "SWISH ADA"), bank_line(5000, "SWISH ADA, kväll 7")]
    crowded, clear = match(lines, transfers)
    assert crowded.status == "left_over"
    assert [fit.transfer.session for fit in clear.fits] == [UUID(int=7)]


def test_each_of_a_thousand_equal_lines_is_ambiguous():
    transfers = [
        transfer("m1", "m2", 5000, session=UUID(int=n), messages=()) for n in range(MAX_FITS)
    ]
    proposals = match([bank_line(5000, "SWISH ADA", row=row) for row in range(1000)], transfers)
    assert {(proposal.status, len(proposal.fits)) for proposal in proposals} == {
        ("ambiguous", MAX_FITS)
    }


def test_the_message_tells_two_evenings_apart():
    transfers = [
        transfer("m1", "m2", 5000, messages=("Fredag", "Vola")),
        transfer("m1", "m2", 5000, session=SECOND, messages=("Hos Disa", "Vola")),
    ]
    (proposal,) = match([bank_line(5000, "Swish Ada, hos Disa")], transfers)
    assert proposal.status == "proposed"
    assert proposal.fits[0].transfer.session == SECOND


def test_a_line_from_before_the_second_evening_pays_the_first():
    later = FRIDAY + timedelta(7)
    transfers = [
        transfer("m1", "m2", 5000),
        transfer("m1", "m2", 5000, session=SECOND, day=later),
    ]
    lines = [bank_line(5000, "ADA", days=8, row=1), bank_line(5000, "ADA", days=2, row=2)]
    newer, older = match(lines, transfers)
    assert [fit.transfer.session for fit in newer.fits] == [SECOND]
    assert [fit.transfer.session for fit in older.fits] == [FIRST]
    assert "date" in older.fits[0].reasons


def test_two_lines_alike_for_one_transfer_are_both_ambiguous():
    lines = [bank_line(5000, "SWISH ADA", row=1), bank_line(5000, "SWISH ADA", row=2)]
    assert statuses(match(lines, [transfer("m1", "m2", 5000)])) == ["ambiguous", "ambiguous"]


@pytest.mark.parametrize(
    ("name", "text", "is_named"),
    [
        ("Ada", "SWISH FRÅN ADA A", True),
        ("Ada", "Adamsson bygg AB", False),
        ("Bo", "BOLAGET", False),
        ("Åsa Öberg", "OBERG, ASA", True),
        ("Ada Lovelace", "ADA L", True),
        ("Ada B", "SWISH ADA BYRON", True),
        ("Ada B", "SWISH ADA A", False),
        ("Søren", "MobilePay SOREN", True),
        ("Anna-Lena", "ANNA LENA", True),
        ("Jürgen", "Überweisung Jurgen", True),
    ],
)
def test_a_name_is_found_as_banks_print_it(name, text, is_named):
    names = {"m1": name, "m2": "Holder"}
    (proposal,) = match([bank_line(5000, text)], [transfer("m1", "m2", 5000)], names=names)
    assert ("name" in proposal.fits[0].reasons) == is_named


def test_an_erased_name_is_found_in_no_text():
    (proposal,) = match(
        [bank_line(5000, "Ada")], [transfer("m1", "m2", 5000)], names={"m1": None, "m2": "Bo"}
    )
    assert proposal.fits[0].reasons == ("amount", "date")


def test_lines_alike_in_one_file_have_hashes_of_their_own():
    lines = [
        bank_line(5000, "SWISH ADA", row=1),
        bank_line(5000, " SWISH  ADA ", row=2),
        bank_line(50, "A"),
    ]
    hashes = hash_lines(GROUP, "m2", lines)
    assert len(set(hashes)) == 3
    assert hash_lines(GROUP, "m2", lines[1:]) == [hashes[0], hashes[2]]  # the row does not count
    assert not set(hashes) & set(hash_lines(GROUP, "m1", lines))
    assert not set(hashes) & set(hash_lines(FIRST, "m2", lines))


def test_the_stored_hash_of_a_line_stays_the_same_for_ever():
    """By it a book knows the lines that it has used."""
    assert hash_lines(GROUP, "m2", [bank_line(5000, " SWISH  ADA ")]) == [
        "e6de97e87423cbfc4db4620b40cf25d6c563e979aef4a85a9633c43466ce9cf7"
    ]


amounts = st.sampled_from([2000, 5000])
transfers_of_bo = st.lists(
    st.builds(
        transfer,
        st.sampled_from(["m1", "m3"]),
        st.just("m2"),
        amounts,
        session=st.sampled_from([FIRST, SECOND, None]),
        day=st.sampled_from([FRIDAY, FRIDAY + timedelta(7)]),
        messages=st.sampled_from([("Fredag",), ("Vola",)]),
    ),
    max_size=6,
    unique=True,
)
lines_of_bo = st.lists(
    st.builds(
        bank_line,
        st.sampled_from([2000, 5000, 3000, -2000]),
        st.sampled_from(["SWISH ADA", "Cilla Vola", "fredag", "ICA"]),
        days=st.integers(-1, 9),
    ),
    max_size=7,
).map(lambda lines: [line_of_row(row, drawn) for row, drawn in enumerate(lines)])
held = settings(max_examples=200, deadline=None, derandomize=True, database=None)


@held
@given(lines_of_bo, transfers_of_bo)
def test_each_line_and_each_transfer_is_proposed_once_at_most(lines, transfers):
    proposals = match(lines, transfers)
    assert [proposal.line for proposal in proposals] == lines
    proposed = [p.fits for p in proposals if p.status == "proposed"]
    chosen = [fits[0].transfer for fits in proposed]
    assert all(len(fits) == 1 for fits in proposed)
    assert len(chosen) == len(set(map(repr, chosen)))
    for proposal in proposals:
        assert bool(proposal.fits) == (proposal.status != "left_over")
        for fit in proposal.fits:
            assert 0 < proposal.line.amount <= fit.transfer.amount
            assert proposal.line.day >= fit.transfer.day


@held
@given(lines_of_bo, transfers_of_bo, st.randoms(use_true_random=False))
def test_the_order_of_lines_and_transfers_decides_nothing(lines, transfers, die):
    def as_sets(proposals):
        return {
            proposal.line.row: (proposal.status, frozenset(map(repr, proposal.fits)))
            for proposal in proposals
        }

    shuffled = match(die.sample(lines, len(lines)), die.sample(transfers, len(transfers)))
    assert as_sets(shuffled) == as_sets(match(lines, transfers))


@held
@given(lines_of_bo, transfers_of_bo)
def test_a_transfer_with_a_twin_is_never_chosen_for_one_line(lines, transfers):
    twins = [t for t in transfers if t.session is not None]
    doubled = [*twins, *(transfer_again(t) for t in twins)]
    for single in lines:
        assert match([single], doubled)[0].status != "proposed"


def transfer_again(twin):
    return OpenTransfer(
        session=UUID(int=twin.session.int + 100),
        payer=twin.payer,
        payee=twin.payee,
        amount=twin.amount,
        day=twin.day,
        messages=twin.messages,
    )
