"""The share of one fuzzing worker, in a database of its own."""

from __future__ import annotations

from pathlib import Path

from tests.support.databases import DatabaseUrls
from tests.support.server_process import run_server
from tests.verification.fuzz.app_under_test import app_under_test
from tests.verification.fuzz.fuzz_report import FuzzReport
from tests.verification.fuzz.run import fuzz, in_process, over_http


def fuzz_in_process(
    urls: DatabaseUrls, seed: int, requests: int, examples: int, seconds: float
) -> FuzzReport:
    """Fuzz the app in this process."""
    with app_under_test(urls) as app:
        return fuzz(
            in_process(app), app, seed=seed, requests=requests, examples=examples, seconds=seconds
        )


def fuzz_over_http(urls: DatabaseUrls, folder: Path, seed: int, requests: int) -> FuzzReport:
    """Fuzz `vola serve` over HTTP, with its worker and relay."""
    environment = {**urls.environment, "VOLA_DATA": str(folder)}
    with run_server(environment, folder / "server.log") as server:
        return fuzz(over_http(server.url), server.url, seed=seed, requests=requests, examples=5)
