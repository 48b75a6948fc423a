"""A pool worker that always gets a batch, and works or dies as a test chooses."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

import pytest

from tests.support.polling import wait_until

Fate = Literal["works", "dies at once", "dies after its work"]

replaced_functions: dict[str, Callable[..., Any]] = {}
"""What `observe` has replaced, by name: a forked worker inherits the replacement."""


@dataclass(frozen=True)
class ObservedWork:
    """A replacement for `function` of `module` in the worker, which creates a file when it
    starts."""

    module: str
    function: str
    start_file: Path
    fate: Fate

    def __call__(self, *arguments: Any) -> Any:
        self.start_file.touch()
        if self.fate == "dies at once":
            os.kill(os.getpid(), signal.SIGKILL)
        module = import_module(self.module)
        work = replaced_functions.get(self.function) or getattr(module, self.function)
        result = work(*arguments)
        if self.fate == "dies after its work":
            os.kill(os.getpid(), signal.SIGKILL)
        return result


def observe(
    monkeypatch: pytest.MonkeyPatch,
    folder: Path,
    module: Any,
    *,
    remote: str,
    local: str,
    fate: Fate,
) -> None:
    """Let the calling process start its own batches only after a worker has started one."""
    start_file, work_locally = folder / "begun", getattr(module, local)

    def wait_for_worker(*arguments: Any, **options: Any) -> Any:
        wait_until(start_file.exists, lambda: "no worker has begun")
        return work_locally(*arguments, **options)

    monkeypatch.setitem(replaced_functions, remote, getattr(module, remote))
    monkeypatch.setattr(module, local, wait_for_worker)
    monkeypatch.setattr(module, remote, ObservedWork(module.__name__, remote, start_file, fate))
