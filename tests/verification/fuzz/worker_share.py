"""What one worker of the fuzzing does, in a database of its own."""

from __future__ import annotations

from pathlib import Path

from tests.conftest import Urls, serving
from tests.fuzz.counted import Counted
from tests.fuzz.house import house
from tests.fuzz.run import fuzz, in_process, over_http


def share(urls: Urls, seed: int, requests: int, examples: int, seconds: float) -> Counted:
    """One worker's, in its own process."""
    with house(urls) as app:
        return fuzz(
            *(in_process(app), app),
            seed=seed,
            requests=requests,
            examples=examples,
            seconds=seconds,
        )


def served(urls: Urls, folder: Path, seed: int, requests: int) -> Counted:
    """The same over HTTP, against `vola serve` with its worker and relay."""
    environment = {
        "DATABASE_URL": urls.app,
        "DATABASE_OWNER_URL": urls.owner,
        "DATABASE_AUDIT_URL": urls.audit,
        "VOLA_DATA": str(folder),
        "VOLA_RATE_LIMITS": "off",  # they are tried by themselves
    }
    with serving(environment, folder / "server.log") as server:
        return fuzz(over_http(server.url), server.url, seed=seed, requests=requests, examples=5)
