"""Progress is one line on a terminal, and a few lines in a log."""

import os
import sys

from api.cli.progress_line import progress_of_total


def test_a_terminal_shows_one_line_that_counts(monkeypatch):
    leader, follower = os.openpty()
    text = b""
    with open(leader, "rb", buffering=0) as screen, open(follower, "w") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        with progress_of_total("sessions written:") as show_progress:
            show_progress(1, 1000)
            show_progress(1000, 1000)
        # A terminal may deliver the text in several parts.
        while not text.endswith(b"\n"):
            text += screen.read(1000)
    assert text == b"\rsessions written: 1 of 1,000\rsessions written: 1,000 of 1,000\r\n"


def test_a_log_shows_the_first_and_the_last_and_few_between(capsys):
    with progress_of_total("sessions written:") as show_progress:
        for count in range(1, 1001):
            show_progress(count, 1000)
    first, *between, last = capsys.readouterr().err.splitlines()
    assert (first, last) == ("sessions written: 1 of 1,000", "sessions written: 1,000 of 1,000")
    assert len(between) < 100
