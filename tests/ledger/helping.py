"""A helper of a crew that surely gets a part, and what it does with it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ledger import crew

PROGRAM = """
import os
from ledger import crew
from {module} import _help

def help(what):
    work, begun = _help(what), []
    def told(part):
        if not begun:
            begun.append(open({road!r}, "w").close())
        {does}
    return told

crew.serve(help)
"""


def instead(
    monkeypatch: pytest.MonkeyPatch, folder: Path, module: Any, work: str, does: str
) -> None:
    """From here on there is one such helper, and we wait for it to have a part before we do our
    own `work`. `does`: what it does, which is `return work(part)` in earnest."""
    road, own, waited = folder / "begun", getattr(module, work), list[str]()
    os.mkfifo(road)

    def after_helper(*given: Any, **more: Any) -> Any:
        if not waited:
            waited.append(road.read_text())
        return own(*given, **more)

    start = subprocess.Popen
    program = PROGRAM.format(module=module.__name__, road=str(road), does=does)
    monkeypatch.setattr(
        crew.subprocess, "Popen", lambda _, **how: start([sys.executable, "-c", program], **how)
    )
    monkeypatch.setattr(module, work, after_helper)
