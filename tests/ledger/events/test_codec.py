"""What was once written is read for ever: the same bytes, and the same seal over them.

`tests/golden/events.jsonl` is only added to. A line that no longer passes is history that can no
longer be read: change the code, or upcast the old shape, and leave the line alone.
"""

import json
from hashlib import sha256
from pathlib import Path
from uuid import UUID

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger import chain, codec
from ledger.envelope import record

GOLDEN = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "golden" / "events.jsonl").read_text().splitlines()
]
FIXED = {
    "session_id": UUID("0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"),
    "version": 1,
    "at": 1_800_000_000_000_000,
    "by": "host.0",
    "before": chain.FIRST,
}
every_line = pytest.mark.parametrize(
    "line", GOLDEN, ids=[f"{number}-{line['type']}" for number, line in enumerate(GOLDEN, 1)]
)
fields = settings(max_examples=100, deadline=None, derandomize=True, database=None)


@every_line
def test_a_line_is_read_and_written_again_to_the_same_bytes(line):
    event = codec.decode(line["type"], line["schema"], line["data"])
    assert codec.type_of(event) == line["type"]
    assert codec.encode(event) == line["data"]


@every_line
def test_its_bytes_are_ascii_with_sorted_keys_and_no_spaces(line):
    data = line["data"]
    assert data.isascii()
    assert data == json.dumps(json.loads(data), sort_keys=True, separators=(",", ":"))
    assert codec.as_json(data) == json.loads(data)


@every_line
def test_its_seal_is_what_it_always_was(line):
    written = {"kind": line["type"], "schema": line["schema"], "data": line["data"]}
    assert chain.seal(**FIXED, **written).hex() == line["seal"]
    assert sealed_by_hand(**FIXED, **written).hex() == line["seal"]


def test_every_type_that_can_be_written_has_a_line():
    assert {line["type"] for line in GOLDEN} == set(codec.TYPES)


def test_every_line_is_of_the_schema_written_today_or_an_older_one():
    assert {line["schema"] for line in GOLDEN} <= set(range(1, codec.SCHEMA + 1))


def test_no_line_leaves_an_optional_field_always_out():
    """Every field of every type has been written at least once, so that its name is held."""
    written = {kind: set() for kind in codec.TYPES}
    for line in GOLDEN:
        written[line["type"]] |= set(json.loads(line["data"]))
    for kind, struct in codec.TYPES.items():
        left_out = set(struct.__struct_fields__) - written[kind] - KEPT_BACK.get(kind, set())
        assert not left_out, f"{kind}: {left_out}"


KEPT_BACK = {"bets_parted": {"paid"}}
"""The same field as in `bets_merged`."""


def test_a_type_or_a_schema_never_written_is_not_guessed_at():
    with pytest.raises(KeyError):
        codec.decode("deal_updated", 1, "{}")
    with pytest.raises(KeyError):
        codec.decode("all_passed", 2, "{}")


def test_what_is_said_again_is_the_same_event_and_what_is_long_is_not_kept():
    """Anybody may send an evening to be taken in: what is refused must not stay."""
    taken = ("pot_taken", 1, '{"amount":70,"deal":1,"player":"p1"}')
    assert codec.decode(*taken) is codec.decode(*taken)
    players = ",".join(f'"p{n}"' for n in range(1, 101))
    codec.remembered.cache_clear()
    codec.decode("declared", 1, f'{{"players":[{players}]}}')
    assert codec.remembered.cache_info().currsize == 0
    assert codec.remembered.cache_info().maxsize * codec.SHORT <= 4_194_304


def test_a_field_of_another_shape_is_not_read():
    with pytest.raises(msgspec.ValidationError):
        codec.decode("trick_recorded", 1, '{"winner":"Ada"}')
    with pytest.raises(msgspec.ValidationError):
        codec.decode("pot_taken", 1, '{"amount":1.5,"deal":1,"player":"p1"}')


# The seal


def sealed_by_hand(*, session_id, version, kind, schema, at, by, data, before):
    """The same 32 bytes, from the words of ledger/chain.py alone."""
    digest = sha256()
    for field in (
        b"vola event 1",
        session_id.bytes,
        version.to_bytes(8, "big"),
        kind.encode("ascii"),
        schema.to_bytes(4, "big"),
        at.to_bytes(8, "big"),
        by.encode("utf-8"),
        sha256(data.encode("ascii")).digest(),
        before,
    ):
        digest.update(len(field).to_bytes(4, "big"))
        digest.update(field)
    return digest.digest()


WRITTEN = {**FIXED, "kind": "all_passed", "schema": 1, "data": "{}"}


@pytest.mark.parametrize(
    "change",
    [
        {"session_id": UUID(int=1)},
        {"version": 2},
        {"kind": "all_passe"},
        {"schema": 2},
        {"at": FIXED["at"] + 1},
        {"by": "host.1"},
        {"data": "{ }"},
        {"before": bytes(31) + b"\1"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_whatever_is_changed_breaks_the_seal(change):
    assert chain.seal(**{**WRITTEN, **change}) != chain.seal(**WRITTEN)


@fields
@given(st.text("abc", min_size=2, max_size=8), st.data())
def test_the_same_bytes_cut_elsewhere_into_fields_are_another_event(text, draw):
    """Every field is preceded by its length, so a byte moved to the next field shows."""
    cut, moved = draw.draw(st.integers(0, len(text) - 1)), draw.draw(st.integers(1, len(text)))
    kind, by = text[:cut].encode(), text[cut:].encode()
    moved = min(moved, len(by))
    run = kind + (1).to_bytes(4, "big") + b"12345678" + by

    def cut_at(place):
        return {
            "kind": run[:place].decode(),
            "schema": int.from_bytes(run[place : place + 4], "big"),
            "at": int.from_bytes(run[place + 4 : place + 12], "big"),
            "by": run[place + 12 :].decode(),
        }

    one, other = cut_at(len(kind)), cut_at(len(kind) + moved)
    assert one["schema"] == 1
    assert chain.seal(**{**WRITTEN, **one}) != chain.seal(**{**WRITTEN, **other})


@fields
@given(st.binary(max_size=6), st.text(max_size=4))
def test_a_byte_moved_from_the_salt_to_the_name_is_another_commitment(salt, name):
    told = chain.commitment(salt + b"x", name)
    assert told != chain.commitment(salt, "x" + name)
    assert len(bytes.fromhex(told)) == 32


def test_each_event_is_sealed_to_the_one_before():
    events = [codec.decode(line["type"], line["schema"], line["data"]) for line in GOLDEN]
    written = record(FIXED["session_id"], events, version=0, before=chain.FIRST, at=1, by="host.0")
    assert [recorded.version for recorded in written] == list(range(1, len(GOLDEN) + 1))
    before = chain.FIRST
    for recorded in written:
        before = chain.seal(
            session_id=FIXED["session_id"],
            version=recorded.version,
            kind=recorded.type,
            schema=recorded.schema,
            at=recorded.at,
            by=recorded.by,
            data=recorded.data,
            before=before,
        )
        assert recorded.hash == before
    assert len({recorded.hash for recorded in written}) == len(written)
