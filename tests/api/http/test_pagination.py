"""A page ends with a cursor: opaque, signed, and valid for its own listing alone."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.http import pagination as cursors

PASSED_DEAL = [{"type": "open_deal"}, {"type": "all_pass"}]
LISTINGS = {"events": "version", "deals": "number", "payments": "id"}
VOLA_DEAL = [
    {"type": "open_deal"},
    {"type": "declare", "players": ["p1"]},
    {"type": "result", "la_vola": {"player": "p3", "won": True}},
]


@pytest.fixture
def long_session(open_session):
    session = open_session()
    for _ in range(3):
        assert session.act(*PASSED_DEAL, *VOLA_DEAL).status_code == 201
    return session


def pages(session, listing, limit, first="0"):
    after, keys = first, []
    while after is not None:
        page = session.get(f"/{listing}?after={after}&limit={limit}").json
        assert len(page[listing]) <= limit
        keys.append([entry[LISTINGS[listing]] for entry in page[listing]])
        after = page["next"]
        assert after is None or len(page[listing]) == limit
    return keys


@pytest.mark.parametrize("listing", LISTINGS)
@pytest.mark.parametrize("limit", [1, 2, 5, 1000])
def test_the_pages_together_are_the_whole_list(long_session, listing, limit):
    entries = long_session.get(f"/{listing}?limit=1000").json[listing]
    keys = [key for page in pages(long_session, listing, limit) for key in page]
    assert keys == [entry[LISTINGS[listing]] for entry in entries]
    assert len(keys) > 5


@pytest.mark.parametrize("listing", LISTINGS)
def test_a_page_has_at_most_a_hundred_items_by_default(open_session, listing):
    session = open_session()
    for _ in range(34):
        assert session.act(*PASSED_DEAL, *PASSED_DEAL, *PASSED_DEAL, *VOLA_DEAL).status_code == 201
    page = session.get(f"/{listing}").json
    assert len(page[listing]) == 100
    rest = session.get(f"/{listing}?after={page['next']}&limit=1000").json
    assert rest["next"] is None
    everything = session.get(f"/{listing}?limit=1000").json[listing]
    assert page[listing] + rest[listing] == everything


@pytest.mark.parametrize("listing", LISTINGS)
def test_a_plain_number_is_accepted_as_a_cursor(long_session, listing):
    second = long_session.get(f"/{listing}?limit=2").json
    assert (
        long_session.get(f"/{listing}?after=2&limit=1").json[listing]
        == (long_session.get(f"/{listing}?after={second['next']}&limit=1").json[listing])
    )


def test_later_entries_come_on_a_later_page_and_none_comes_twice(long_session):
    first = long_session.get("/events?limit=5").json
    long_session.act(*PASSED_DEAL)
    rest = pages(long_session, "events", 7, first["next"])
    assert [n for page in rest for n in page] == list(range(6, long_session.version + 1))


def test_a_cursor_is_valid_for_one_listing_of_one_session(long_session, open_session):
    other_session = open_session()
    cursors_by_listing = {
        listing: long_session.get(f"/{listing}?limit=1").json["next"] for listing in LISTINGS
    }
    assert len(set(cursors_by_listing.values())) == len(LISTINGS)
    for owner, cursor in cursors_by_listing.items():
        for listing in LISTINGS:
            status = long_session.get(f"/{listing}?after={cursor}").status_code
            assert status == (200 if listing == owner else 422)
            refused = other_session.get(f"/{listing}?after={cursor}")
            assert (refused.status_code, refused.json["code"]) == (422, "wrong_shape")
            assert refused.json["errors"][0]["pointer"] == "?after"


@pytest.mark.parametrize(
    "after",
    ["", "-1", "1.0", "+1", "２", f"{2**31}", "9" * 11, "A" * 24, "A" * 23, "null", "%00", "1%0a"],
)
def test_an_invalid_cursor_is_refused(session, after):
    for listing in LISTINGS:
        assert session.get(f"/{listing}?after={after}").status_code == 422, listing


def test_a_cursor_with_any_bit_changed_is_refused(long_session):
    cursor = long_session.get("/events?limit=1").json["next"]
    raw = urlsafe_b64decode(cursor)
    for bit in range(len(raw) * 8):
        changed = bytearray(raw)
        changed[bit // 8] ^= 1 << bit % 8
        forged = urlsafe_b64encode(bytes(changed)).decode()
        assert long_session.get(f"/events?after={forged}").status_code == 422


@given(place=st.integers(0, 2**40 - 1), session_id=st.uuids(), listing=st.sampled_from([*LISTINGS]))
def test_a_cursor_decodes_only_with_the_same_secret(place, session_id, listing):
    cursor = cursors.encode_cursor(b"secret", session_id, listing, place)
    assert cursor.isascii()
    assert len(cursor) == 24
    assert cursors.decode_cursor(b"secret", session_id, listing, cursor) == place
    assert cursors.decode_cursor(b"Secret", session_id, listing, cursor) is None
    assert cursors.decode_cursor(b"secret", uuid4(), listing, cursor) is None


@given(st.text())
def test_any_other_text_is_no_cursor(cursor):
    assert cursors.decode_cursor(b"secret", UUID(int=1), "events", cursor) is None
