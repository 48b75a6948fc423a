"""Input for decoders: arbitrary values, and valid documents with a few places changed."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any, TypeVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

T = TypeVar("T")

fuzz_settings = settings(
    max_examples=int(os.environ.get("VOLA_EXAMPLES", "60")),  # `make fuzz`: more
    deadline=None,
    derandomize="VOLA_EXAMPLES" not in os.environ,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(texts, inner, max_size=6),
    max_leaves=20,
)
bodies = json_values.map(lambda value: json.dumps(value).encode())
CHARACTERS = tuple('"\\{}[]:,.-+eE0159 \n\t\x00\x7f\xff\xc3\xa5ptnul/')


@st.composite
def corrupted_documents(draw: st.DrawFn, documents: Any) -> bytes:
    """Draw the bytes of a document with a few places cut, doubled, swapped or overwritten."""
    document = bytearray(draw(documents))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(document)))
        end = min(len(document), start + draw(st.integers(0, 12)))
        replacement = draw(
            st.sampled_from(CHARACTERS).map(lambda character: character.encode("latin-1"))
            | st.binary(max_size=6)
            | st.just(bytes(document[start:end]) * 2)
        )
        document[start:end] = replacement
    return bytes(document)


def result_or_refusal(read: Callable[[], T], *refusals: type[Exception]) -> tuple[T | None, Any]:
    """Return the result, or the refusal if it is one of these; any other exception is a fault."""
    try:
        return read(), None
    except refusals as refusal:
        return None, refusal
