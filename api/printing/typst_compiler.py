"""The PDF files of statements and score sheets, typeset by Typst.

A file is tagged and conforms to PDF/UA-1, so that a screen reader can read it. If a name has a
character that no font at hand can draw, the file is tagged but does not claim to conform. All texts
reach a template as data, so that no name is ever read as markup.
"""

import fcntl
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import typst

LOCKED_FILE = Path(__file__)
MISSING_FONT = "could not be displayed"


def compile_pdf(template: Path, data: dict[str, Any], timestamp_seconds: int) -> bytes:
    """Return the file that the template makes of `data`: the same bytes for the same arguments."""
    text = msgspec.json.encode(data).decode()
    arguments = (template, text, timestamp_seconds)
    try:
        return COMPILER.submit(_compile, *arguments, accessible=True).result()
    except typst.TypstError as error:
        if MISSING_FONT not in error.message:
            raise
        return COMPILER.submit(_compile, *arguments, accessible=False).result()


def _compile(template: Path, data: str, timestamp_seconds: int, *, accessible: bool) -> bytes:
    with LOCKED_FILE.open("rb") as locked_file:
        # one document at a time in all processes of this machine, so that a core is left for play
        fcntl.flock(locked_file, fcntl.LOCK_EX)
        return typst.compile(
            template.read_bytes(),
            format="pdf",
            font_paths=_fonts(),
            sys_inputs={"document": data},
            pdf_standards=["ua-1"] if accessible else [],
            timestamp=timestamp_seconds,
        )


def _lower_priority() -> None:
    if sys.platform == "linux":  # where each thread has a priority of its own
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 19)


COMPILER = ThreadPoolExecutor(1, "pdf", _lower_priority)
"""Typesets one document at a time, because of the memory that it takes, and only while a core is
idle. The threads that Typst starts have the same priority."""


@cache
def _fonts() -> typst.Fonts:
    """Return Typst's fonts, and the machine's for scripts that those cannot write."""
    return typst.Fonts()
