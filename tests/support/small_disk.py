"""A small disk for a test to fill."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def mounted_disk(place: Path, kib: int) -> Iterator[Path]:
    """Yield a new folder `place` with room for `kib` KiB. Skip the test without root's rights."""
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={kib}k,mode=755", "tmpfs", str(place)]
    if os.geteuid() or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("only root can mount a small disk")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)
