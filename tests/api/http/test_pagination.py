"""A page ends in a cursor: opaque, signed, and good for its own listing alone."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api import cursors

PASSED = [{"type": "open_deal"}, {"type": "all_pass"}]
LISTINGS = {"events": "version", "deals": "number", "payments": "id"}
VOLA = [
    {"type": "open_deal"},
    {"type": "declare", "players": ["p1"]},
    {"type": "result", "la_vola": {"player": "p3", "won": True}},
]


@pytest.fixture
def long(open_table):
    table = open_table()
    for _ in range(3):
        assert table.act(*PASSED, *VOLA).status_code == 201
    return table


def pages(table, listing, limit, first="0"):
    after, found = first, []
    while after is not None:
        page = table.get(f"/{listing}?after={after}&limit={limit}").json
        assert len(page[listing]) <= limit
        found.append([one[LISTINGS[listing]] for one in page[listing]])
        after = page["next"]
        assert after is None or len(page[listing]) == limit
    return found


@pytest.mark.parametrize("listing", LISTINGS)
@pytest.mark.parametrize("limit", [1, 2, 5, 1000])
def test_the_pages_together_are_the_whole_list(long, listing, limit):
    whole = long.get(f"/{listing}?limit=1000").json[listing]
    found = [key for page in pages(long, listing, limit) for key in page]
    assert found == [one[LISTINGS[listing]] for one in whole]
    assert len(found) > 5


@pytest.mark.parametrize("listing", ["deals", "payments"])
def test_who_asks_for_no_page_gets_all_as_ever(long, listing):
    whole = long.get(f"/{listing}").json
    assert set(whole) == {listing, "version"}
    assert whole[listing] == long.get(f"/{listing}?limit=1000").json[listing]


@pytest.mark.parametrize("listing", LISTINGS)
def test_a_plain_place_is_taken_as_ever(long, listing):
    second = long.get(f"/{listing}?limit=2").json
    assert (
        long.get(f"/{listing}?after=2&limit=1").json[listing]
        == (long.get(f"/{listing}?after={second['next']}&limit=1").json[listing])
    )


def test_what_is_written_meanwhile_comes_on_a_later_page_and_nothing_twice(long):
    first = long.get("/events?limit=5").json
    long.act(*PASSED)
    rest = pages(long, "events", 7, first["next"])
    assert [n for page in rest for n in page] == list(range(6, long.version + 1))


def test_it_is_no_other_listings_and_no_other_sessions(long, open_table):
    other = open_table()
    made = {listing: long.get(f"/{listing}?limit=1").json["next"] for listing in LISTINGS}
    assert len(set(made.values())) == len(LISTINGS)
    for whose, cursor in made.items():
        for listing in LISTINGS:
            status = long.get(f"/{listing}?after={cursor}").status_code
            assert status == (200 if listing == whose else 422)
            refused = other.get(f"/{listing}?after={cursor}")
            assert (refused.status_code, refused.json["code"]) == (422, "wrong_shape")
            assert refused.json["errors"][0]["pointer"] == "?after"


@pytest.mark.parametrize(
    "after",
    ["", "-1", "1.0", "+1", "２", f"{2**31}", "9" * 11, "A" * 24, "A" * 23, "null", "%00", "1%0a"],
)
def test_what_is_neither_is_refused(table, after):
    for listing in LISTINGS:
        assert table.get(f"/{listing}?after={after}").status_code == 422, listing


def test_no_bit_of_it_can_be_another(long):
    cursor = long.get("/events?limit=1").json["next"]
    raw = urlsafe_b64decode(cursor)
    for bit in range(len(raw) * 8):
        bent = bytearray(raw)
        bent[bit // 8] ^= 1 << bit % 8
        forged = urlsafe_b64encode(bytes(bent)).decode()
        assert long.get(f"/events?after={forged}").status_code == 422


@given(place=st.integers(0, 2**40 - 1), session=st.uuids(), listing=st.sampled_from([*LISTINGS]))
def test_it_comes_back_as_it_was_and_only_with_the_right_secret(place, session, listing):
    cursor = cursors.sealed(b"secret", session, listing, place)
    assert cursor.isascii()
    assert len(cursor) == 24
    assert cursors.opened(b"secret", session, listing, cursor) == place
    assert cursors.opened(b"Secret", session, listing, cursor) is None
    assert cursors.opened(b"secret", uuid4(), listing, cursor) is None


@given(st.text())
def test_whatever_else_is_handed_back_is_nothing(cursor):
    assert cursors.opened(b"secret", UUID(int=1), "events", cursor) is None
