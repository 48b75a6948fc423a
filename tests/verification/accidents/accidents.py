"""The accidents: each causes a fault while a phone records, and then removes it.

Each returns the time on the monotonic clock at which the fault was removed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial

from tests.support.api.http_client import RemoteSession
from tests.support.moved_clock import HOUR_SECONDS, TEN_YEARS_SECONDS
from tests.verification.accidents.scene import Scene

Accident = Callable[[Scene], float]
FILLING_BYTES = (1 << 20, 1 << 12)


def fill_disk(scene: Scene) -> float:
    """Fill the stick, wait, and free its space again."""
    filler = scene.stick.place / "filler"
    descriptor = os.open(filler, os.O_WRONLY | os.O_CREAT)
    try:
        for size in FILLING_BYTES:
            fill_file(descriptor, size)
        time.sleep(scene.seconds)
    finally:
        os.close(descriptor)
        filler.unlink()
    return time.monotonic()


def fill_file(descriptor: int, size: int) -> None:
    """Write blocks of this size until the disk is full."""
    while True:
        try:
            os.write(descriptor, bytes(size))
        except OSError:
            return


def pull_stick(scene: Scene) -> float:
    """Pull the stick with the data folder, and plug it in again."""
    scene.stick.pull()
    time.sleep(scene.seconds)
    scene.stick.plug_in()
    return time.monotonic()


def move_clock(seconds: int, scene: Scene) -> float:
    """Move the clock of every process of the server, wait, and set it right again."""
    scene.clock.move(seconds)
    opened = RemoteSession(scene.server.url).open().get("/events?limit=1").json["events"][0]["at"]
    moved_by = datetime.fromisoformat(opened) - datetime.now(UTC)
    assert abs(moved_by.total_seconds() - seconds) < HOUR_SECONDS / 2, "the clock did not move"
    time.sleep(scene.seconds)
    scene.clock.move(0)
    return time.monotonic()


def cut_power(scene: Scene) -> float:
    """Cut the power of the machine, and start the server again."""
    scene.cut_power()
    time.sleep(scene.seconds)
    scene.stick.plug_in()
    scene.server.launch()
    return time.monotonic()


ACCIDENTS: dict[str, Accident] = {
    "disk full": fill_disk,
    "data folder pulled": pull_stick,
    "clock + 1 h": partial(move_clock, HOUR_SECONDS),
    "clock − 1 h": partial(move_clock, -HOUR_SECONDS),
    "clock + 10 y": partial(move_clock, TEN_YEARS_SECONDS),
    "power cut": cut_power,
}
