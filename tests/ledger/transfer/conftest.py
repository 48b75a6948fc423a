"""A folder for backups."""

from pathlib import Path

import pytest


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "backups"
    place.mkdir()
    return place
