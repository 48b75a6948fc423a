"""An app over the database of the test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from flask import Flask

from tests.support.app import app_over
from tests.support.databases import DatabaseUrls


@pytest.fixture
def app(urls: DatabaseUrls) -> Iterator[Flask]:
    with app_over(urls) as flask_app:
        yield flask_app
