"""A stored event stays readable: the same bytes and the same hash over them.

`tests/golden/events.jsonl` is only added to; the `seal` of a new line is the hash that its failing
test computes. An old line that fails is history that can no longer be read: change the code, or
upcast the old shape, and leave the line alone.
"""

import json
from hashlib import sha256
from pathlib import Path
from uuid import UUID

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.events import BaseEvent
from ledger.events import codec
from ledger.events import hash_chain as chain
from ledger.events.recorded_event import record_events
from tests.support.module_output import run_module

GOLDEN = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "golden" / "events.jsonl").read_text().splitlines()
]
FIXED = {
    "session_id": UUID("0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"),
    "version": 1,
    "at": 1_800_000_000_000_000,
    "by": "host.0",
    "before": chain.GENESIS_HASH,
}
every_line = pytest.mark.parametrize(
    "line", GOLDEN, ids=[f"{number}-{line['type']}" for number, line in enumerate(GOLDEN, 1)]
)
fields = settings(max_examples=100, deadline=None, derandomize=True, database=None)


@every_line
def test_a_line_is_read_and_written_again_to_the_same_bytes(line):
    event = codec.decode(line["type"], line["schema"], line["data"])
    assert codec.event_type(event) == line["type"]
    assert codec.encode(event) == line["data"]


@every_line
def test_its_bytes_are_ascii_with_sorted_keys_and_no_spaces(line):
    data = line["data"]
    assert data.isascii()
    assert data == json.dumps(json.loads(data), sort_keys=True, separators=(",", ":"))


@every_line
def test_its_hash_has_never_changed(line):
    written = {"kind": line["type"], "schema": line["schema"], "data": line["data"]}
    assert hash_fields(**FIXED, **written).hex() == line["seal"]
    assert hash_by_hand(**FIXED, **written).hex() == line["seal"]


def concrete_classes(kind):
    """Yield the classes that inherit from this one, and from which none inherits."""
    for subclass in kind.__subclasses__():
        yield from concrete_classes(subclass) if subclass.__subclasses__() else (subclass,)


def test_every_event_is_in_the_union_of_its_package():
    events = set(concrete_classes(BaseEvent))
    assert events == set(codec.EVENT_CLASSES.values()), "event_types.py has the union"


def test_every_type_that_can_be_written_has_a_line():
    types = {line["type"] for line in GOLDEN}
    assert types == set(codec.EVENT_CLASSES), "tests/golden/events.jsonl is on the left"


def test_every_line_is_of_the_schema_written_today_or_an_older_one():
    assert {line["schema"] for line in GOLDEN} <= set(range(1, codec.SCHEMA_VERSION + 1))


def test_every_field_of_every_type_occurs():
    """At least one line has each field of each type, so that its name cannot change."""
    written = {kind: set() for kind in codec.EVENT_CLASSES}
    for line in GOLDEN:
        written[line["type"]] |= set(json.loads(line["data"]))
    for kind, struct in codec.EVENT_CLASSES.items():
        missing_fields = (
            set(struct.__struct_fields__) - written[kind] - FIELDS_WITHOUT_A_LINE.get(kind, set())
        )
        assert not missing_fields, f"{kind}: {missing_fields}"


FIELDS_WITHOUT_A_LINE = {"bets_parted": {"paid"}}
"""The same field as in `bets_merged`."""


def test_an_unknown_type_or_schema_is_refused():
    with pytest.raises(KeyError):
        codec.decode("deal_updated", 1, "{}")
    with pytest.raises(KeyError):
        codec.decode("all_passed", 2, "{}")


def test_short_events_are_cached_and_long_ones_are_not():
    """Anyone can send a file to import: a refused one must not fill the cache."""
    pot_taken = ("pot_taken", 1, '{"amount":70,"deal":1,"player":"p1"}')
    assert codec.decode(*pot_taken) is codec.decode(*pot_taken)
    players = ",".join(f'"p{n}"' for n in range(1, 101))
    codec.decode_cached.cache_clear()
    codec.decode("declared", 1, f'{{"players":[{players}]}}')
    assert codec.decode_cached.cache_info().currsize == 0
    assert codec.decode_cached.cache_info().maxsize * codec.MAX_CACHED_CHARS <= 4_194_304


def test_a_field_of_the_wrong_type_is_refused():
    with pytest.raises(msgspec.ValidationError):
        codec.decode("trick_recorded", 1, '{"winner":"Ada"}')
    with pytest.raises(msgspec.ValidationError):
        codec.decode("trick_recorded", 1, '{"winner":"p1\\n"}')
    with pytest.raises(msgspec.ValidationError):
        codec.decode("pot_taken", 1, '{"amount":1.5,"deal":1,"player":"p1"}')


# The hash


def hash_fields(*, session_id, kind, before, **fields):
    return chain.hash_event(session_id, chain.HashedFields(type=kind, **fields), before)


def hash_by_hand(*, session_id, version, kind, schema, at, by, data, before):
    """Return the hash of an event by the description in ledger/events/hash_chain.py alone."""
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
def test_any_change_breaks_the_hash(change):
    assert hash_fields(**{**WRITTEN, **change}) != hash_fields(**WRITTEN)


@fields
@given(st.text("abc", min_size=2, max_size=8), st.data())
def test_the_same_bytes_split_into_other_fields_have_another_hash(text, draw):
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

    fields, moved_fields = cut_at(len(kind)), cut_at(len(kind) + moved)
    assert fields["schema"] == 1
    assert hash_fields(**{**WRITTEN, **fields}) != hash_fields(**{**WRITTEN, **moved_fields})


@fields
@given(st.binary(max_size=6), st.text(max_size=4))
def test_a_byte_moved_from_salt_to_name_changes_the_commitment(salt, name):
    commitment = chain.commit_to_name(salt + b"x", name)
    assert commitment != chain.commit_to_name(salt, "x" + name)
    assert len(bytes.fromhex(commitment)) == 32


def test_each_event_hash_includes_the_one_before():
    events = [codec.decode(line["type"], line["schema"], line["data"]) for line in GOLDEN]
    written = record_events(
        FIXED["session_id"], events, version=0, previous_hash=chain.GENESIS_HASH, at=1, by="host.0"
    )
    assert [recorded.version for recorded in written] == list(range(1, len(GOLDEN) + 1))
    before = chain.GENESIS_HASH
    for recorded in written:
        before = chain.hash_event(FIXED["session_id"], recorded, before)
        assert recorded.hash == before
    assert len({recorded.hash for recorded in written}) == len(written)


def test_threads_that_decode_a_type_first_do_not_end_the_process():
    printed = run_module("tests.support.ledger.concurrent_decoding")
    assert printed == f"{len(codec.EVENT_CLASSES)} types of events\n"
