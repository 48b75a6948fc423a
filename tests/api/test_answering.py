"""An answer is whole before it is sent, wherever it waits."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from api import answering
from api.answering import IN_MEMORY, OnDisk, gathered


class Pieces:
    def __init__(self, sizes: list[int], *, broken: bool = False) -> None:
        self.sizes, self.broken, self.closed = sizes, broken, False

    def __iter__(self):
        for size in self.sizes:
            yield b"x" * size
        if self.broken:
            raise LookupError

    def close(self) -> None:
        self.closed = True


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("sizes", [[], [3, 0, 4], [IN_MEMORY]])
def test_a_short_answer_waits_in_memory(sizes, here):
    pieces = Pieces(sizes)
    assert gathered(pieces) == b"x" * sum(sizes)
    assert pieces.closed
    assert not list(here.iterdir())


@pytest.mark.parametrize("descriptors", [Path("/proc/self/fd"), Path("/nowhere")])
def test_a_long_answer_waits_in_a_file_until_it_is_forgotten(here, monkeypatch, descriptors):
    monkeypatch.setattr(answering, "DESCRIPTORS", descriptors)
    pieces = Pieces([IN_MEMORY, 1, IN_MEMORY])
    whole = gathered(pieces)
    assert isinstance(whole, OnDisk)
    assert pieces.closed
    assert whole.size == 2 * IN_MEMORY + 1
    assert Path(whole.path).stat().st_mode & 0o077 == 0  # nobody else's to read
    with open(whole.path, "rb") as opened:
        whole.forget()
        assert not list(here.iterdir())
        assert opened.read() == b"x" * whole.size


def test_an_answer_that_breaks_leaves_nothing_behind(here):
    pieces = Pieces([IN_MEMORY, 1], broken=True)
    with pytest.raises(LookupError):
        gathered(pieces)
    assert pieces.closed
    assert not list(here.iterdir())
