"""A signed note is read within bounds, whatever a client sends as one."""

import tracemalloc
from uuid import UUID

import pytest

from ledger.proofs.checkpoint import MalformedNote, verified_body


def test_a_note_of_a_million_lines_is_refused_in_little_memory():
    note = "a\n" * 1_000_000
    tracemalloc.start()
    with pytest.raises(MalformedNote):
        verified_body(note, UUID(int=0), bytes(32))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < len(note)
