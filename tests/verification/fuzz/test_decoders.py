"""Each decoder of outside input returns a value or its own refusal, and raises nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from marshmallow import ValidationError

from api.http.json_body import decode_strict_json
from api.http.problems import Problem
from api.schemas.commands import COMMANDS, load_commands
from api.schemas.settlement import parse_iban, parse_swish_number
from api.schemas.struct_schema import load_struct
from api.settings import HELP, InvalidSetting, read_settings
from engine.cards import Card
from engine.games.registry import GAMES
from ledger.events import codec
from tests.support.proofs.exported_files import SignedBook, encode_document
from tests.support.proofs.verifier import verify
from tests.verification.fuzz.corrupted_input import (
    bodies,
    corrupted_documents,
    fuzz_settings,
    json_values,
    result_or_refusal,
    texts,
)

GOLDEN = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "golden" / "events.jsonl").read_text().splitlines()
]


@fuzz_settings
@given(st.binary() | corrupted_documents(bodies) | bodies)
@example(b"[" * 100_000)
@example(b"1" * 5000)
@example(b'{"a": 1e400}')
def test_a_body_is_json_or_refused(body: bytes) -> None:
    value, refusal = result_or_refusal(lambda: decode_strict_json(body), Problem)
    if refusal is not None:
        assert (refusal.status, refusal.code) == (400, "malformed_json")
        return
    text = json.dumps(value)
    assert "\\u0000" not in text
    assert json.loads(text) == value  # false if there is NaN in it
    assert repr(json.loads(body.decode("utf-8"))) == repr(value)


@fuzz_settings
@given(st.sampled_from(GOLDEN), st.data())
def test_an_event_is_read_or_refused(line: dict[str, Any], data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from([line["type"], *sorted(codec.EVENT_CLASSES)]) | texts)
    valid = st.just(line["data"].encode())
    text = data.draw(corrupted_documents(valid) | bodies | valid).decode("utf-8", "replace")
    schema = data.draw(st.sampled_from([1, 1, 1, 0, 2, -1]))
    event, refusal = result_or_refusal(
        lambda: codec.decode(kind, schema, text), KeyError, msgspec.DecodeError
    )
    if refusal is None:
        assert codec.event_type(event) == kind


@pytest.fixture(scope="module")
def saved_documents() -> list[bytes]:
    """Valid documents: an export, a receipt and a statement."""
    book = SignedBook(Random(1), 8)
    return [
        encode_document(book.export()),
        encode_document(book.receipt(3)),
        encode_document(book.statement(Random(1))),
    ]


@fuzz_settings
@given(data=st.data())
def test_any_document_gets_a_verdict(saved_documents: list[bytes], data: st.DataObject) -> None:
    document = data.draw(
        corrupted_documents(st.sampled_from(saved_documents)) | bodies | st.binary()
    )
    earlier = data.draw(st.none() | corrupted_documents(st.sampled_from(saved_documents)))
    key = data.draw(st.none() | texts | st.text("0123456789abcdef", min_size=64, max_size=64))
    code, sentence, version = verify.verify_document(document, earlier, key)
    assert code in (0, 1, 2)
    assert sentence in verify.SENTENCES
    assert version is None or isinstance(version, int)


fields = st.sampled_from(
    [
        "player",
        "players",
        "card",
        "cards",
        "winner",
        "taken",
        "number",
        "side",
        "tricks",
        "nil",
        "blind_nil",
        "joint_nil",
        "trump",
        "la_vola",
        "vole",
        "call",
        "reason",
        "turn_up",
        "together",
        "dealer",
    ]
)
likely_values = st.sampled_from(["p1", "AS", "S", "p1+p3", ["p1", "p3"], {"p1": 3}, 5, True])
actions = st.builds(
    lambda values, kind: {**values, "type": kind},
    st.dictionaries(fields | texts, json_values | likely_values, max_size=4),
    st.sampled_from(sorted(COMMANDS)),
)


@fuzz_settings
@given(st.lists(actions | json_values, max_size=4))
def test_actions_are_loaded_or_refused_with_their_places(batch: list[Any]) -> None:
    commands, refusal = result_or_refusal(lambda: load_commands(batch), ValidationError)
    if refusal is not None:
        assert set(refusal.messages_dict) == {"actions"}
        assert set(refusal.messages_dict["actions"]) <= set(range(len(batch)))
        return
    assert [command.__struct_config__.tag for command in commands] == [a["type"] for a in batch]


@fuzz_settings
@given(st.sampled_from(sorted(GAMES)), st.data())
def test_options_are_loaded_or_refused_with_messages(game: str, data: st.DataObject) -> None:
    options = GAMES[game].options_type
    names = st.sampled_from([*options.__struct_fields__, "rake"])
    values = data.draw(st.dictionaries(names, json_values) | json_values)
    loaded, refusal = result_or_refusal(lambda: load_struct(options, values), ValidationError)
    if refusal is not None:
        assert refusal.messages
        return
    assert {name: getattr(loaded, name) for name in values} == values


CARDS = {f"{rank}{suit}" for rank in [*range(2, 11), *"JQKA"] for suit in "CSHD"}


@fuzz_settings
@given(st.text("0123456789JQKACSHDjqkacshd\n ٣♠", max_size=4) | texts | json_values)
@example("AS\n")
@example("10٣")
def test_a_card_is_one_of_fifty_two(text: Any) -> None:
    is_one = isinstance(text, str) and text in CARDS
    _, refusal = result_or_refusal(
        lambda: load_commands([{"type": "cut", "card": text}]), ValidationError
    )
    assert is_one == (refusal is None)
    _, refusal = result_or_refusal(lambda: msgspec.convert(text, Card), msgspec.ValidationError)
    assert not is_one or refusal is None  # its pattern also matches before a final line break


@fuzz_settings
@given(texts | st.text("0123456789+- ", max_size=20), texts)
def test_a_payment_number_or_account_is_parsed_or_refused(number: str, account: str) -> None:
    for read in (parse_swish_number, parse_iban):
        for text in (number, account):
            parsed, refusal = result_or_refusal(
                lambda read=read, text=text: read(text), ValidationError
            )
            assert refusal is not None or (parsed.isascii() and parsed.isalnum())


likely_settings = st.sampled_from(
    [
        "0",
        "65535",
        "65536",
        "-1",
        "٣",
        "²",
        "1e3",
        "off",
        "postgresql://",
        "postgresql://[",
        "redis://",
        "redis://:x@h:99999/0",
        "postgres://u:p@h:port/d",
        "unix://",
        "10.0.0.0/8",
        "10.0.0.0/99",
        "::1",
        "json",
    ]
)


@fuzz_settings
@given(st.dictionaries(st.sampled_from(sorted(HELP)), texts | likely_settings))
def test_settings_are_read_or_refused_in_a_sentence(environ: dict[str, str]) -> None:
    settings, refusal = result_or_refusal(lambda: read_settings(environ), InvalidSetting)
    if refusal is not None:
        assert str(refusal)[-1] in ".?!"
        assert any(name in str(refusal) for name in HELP)
        return
    assert 1 <= settings.port <= 65535
