"""A stopped PostgreSQL cluster for the tests of the embedded servers."""

from pathlib import Path

import pytest

from ledger.embedded import postgres
from tests.support.ledger.embedded_servers import copy_folder


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with an undamaged, stopped cluster, which each test leaves as it was."""
    data = tmp_path_factory.mktemp("data")
    with postgres(data):
        pass
    return data


@pytest.fixture
def copy(data: Path, tmp_path: Path) -> Path:
    """A copy of the data folder that a test can damage."""
    return copy_folder(data, tmp_path / "var")
