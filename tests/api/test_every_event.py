"""Every event type is known wherever its amounts and sentences are written a second time.

mypy finds none of these places.
"""

import json
import re
from collections import Counter

import pytest

from api.verify.program.movements import EVENT_SHAPES, fit_event, movements_of
from ledger.events import codec
from ledger.projections.postings import account_changes, postings_of
from tests.support.api.money_events import MONEY_EVENTS, RULE_REFERENCES, record_event
from tests.support.api.openapi_contract import ROOT
from tests.support.ledger.unpaged_statement import explain_recorded_event

GOLDEN = [
    json.loads(line)
    for line in (ROOT / "tests/golden/events.jsonl").read_text("utf-8").splitlines()
]
EVENTS = {
    f"{number}-{line['type']}": codec.decode(line["type"], line["schema"], line["data"])
    for number, line in enumerate(GOLDEN, 1)
}
MOVING_TYPES = {codec.event_type(event) for event in EVENTS.values() if postings_of(event)}
"""Those that move an amount."""
DIRECTLY_MOVING_TYPES = {
    kind
    for kind in MOVING_TYPES
    if not {"took_back", "rescored"} & set(codec.EVENT_CLASSES[kind].__struct_fields__)
}
"""Those that move it themselves, and not by the events that they carry."""
PLACES = {
    "api/verify/static/event_shapes.js": set(codec.EVENT_CLASSES),
    "api/web/static/ui/event_sentences.js": set(codec.EVENT_CLASSES),
    "api/verify/static/postings.js": MOVING_TYPES,
    "ledger/audit/check_sums.py": DIRECTLY_MOVING_TYPES,
}


@pytest.mark.parametrize(
    ("file", "kind"), [(file, kind) for file, kinds in PLACES.items() for kind in sorted(kinds)]
)
def test_a_type_is_named_in_every_file_that_has_a_list(file: str, kind: str) -> None:
    is_named = bool(re.search(rf"\b{kind}\b", (ROOT / file).read_text("utf-8")))
    assert is_named, f"add {kind} to {file}"


@pytest.mark.parametrize("line", EVENTS)
def test_the_verifier_moves_what_the_ledger_moves(line: str) -> None:
    event = EVENTS[line]
    moved: Counter[str] = Counter()
    kind = codec.event_type(event)
    place = f"add {kind} to api/verify/program/movements.py"
    assert kind in EVENT_SHAPES, place
    for source, target, amount in movements_of(
        kind, fit_event(kind, json.loads(codec.encode(event)))
    ):
        moved.subtract({source: amount})
        moved.update({target: amount})
    posted = account_changes(postings_of(event))
    assert {a: n for a, n in moved.items() if n} == {a: n for a, n in posted.items() if n}, place


@pytest.mark.parametrize("kind", sorted(MOVING_TYPES))
def test_an_amount_that_moves_is_explained(kind: str) -> None:
    events = [event for event in MONEY_EVENTS if codec.event_type(event) == kind]
    assert events, f"add {kind} to tests/support/api/money_events.py"
    for event in events:
        assert explain_recorded_event(RULE_REFERENCES, record_event(event))
