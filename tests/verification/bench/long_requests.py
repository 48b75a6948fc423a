"""One client that records, beside work that is long: PDFs, audits, imports.

Each row is a number of clients that ask for the long work all the time, and what the one client
that writes notices of it: how long its writes take, and how many are refused. Run by
`python -m tests.verification.bench.overload`.
"""

from __future__ import annotations

import asyncio
import itertools
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from tests.support.api.http_client import Answer
from tests.support.api.socket_clients import Line, open_evening, paused, share
from tests.support.proofs.resigned_export import resign_export

DEALS = 12
PAUSE_SECONDS = 0.02  # between two writes of the one client: a phone is no flood

Ask = Callable[[Line], Any]


async def during_long_work(url: str, writes: int) -> str:
    """A table of rows: who else asks, and what the one client notices."""
    line = await Line.connect(url)
    path, token = await open_evening(line)
    await record(line, path, token, range(1, DEALS + 1))
    export = (await line.ask("GET", f"{path}/export", token=token)).json
    await line.close()
    pdf = lambda line: line.ask("GET", f"{path}/statement?format=pdf", token=token)  # noqa: E731
    audit = lambda line: line.ask("GET", f"{path}/audit", token=token)  # noqa: E731
    files = imports(export)
    imported = lambda line: line.ask("POST", "/v1/imports", next(files))  # noqa: E731
    rows = [await row("alone", url, 0, pdf, writes)]
    rows += [await row(f"{n} PDFs", url, n, pdf, writes) for n in (8, 16, 24)]
    rows.append(await row("16 audits", url, 16, audit, writes))
    rows.append(await row("4 imports", url, 4, imported, writes))
    return "\n".join(rows)


def imports(export: Any) -> Iterator[Any]:
    """The same evening again and again, each time as another one."""
    while True:
        yield resign_export({**export, "session": str(uuid.uuid4())})


async def row(name: str, url: str, clients: int, ask: Ask, writes: int) -> str:
    """What one client notices while so many others ask without a pause."""
    stop, statuses = asyncio.Event(), Counter[int]()

    async def keep_asking() -> None:
        line = await Line.connect(url)
        while not stop.is_set():
            reply: Answer = await ask(line)
            statuses[reply.status] += 1
            if wait := reply.headers.get("retry-after"):
                await paused(stop, float(wait))
        await line.close()

    crowd = [asyncio.create_task(keep_asking()) for _ in range(clients)]
    await asyncio.sleep(1 if clients else 0)
    took, refused = await one_that_writes(url, writes)
    stop.set()
    await asyncio.gather(*crowd)
    return (
        f"writes beside {name}: p50 {share(took, 0.5):.0f} ms, p99 {share(took, 0.99):.0f} ms, "
        f"most {took[-1]:.0f} ms, {refused} of {writes} refused; the others {dict(statuses)}"
    )


async def one_that_writes(url: str, writes: int) -> tuple[list[float], int]:
    """Milliseconds of every write, sorted, and how many were refused."""
    line, took, refused = await Line.connect(url), list[float](), 0
    path, token = await open_evening(line)
    numbers = itertools.count(1)
    number = next(numbers)
    for _ in range(writes):
        began = time.perf_counter()
        reply = await line.ask("POST", f"{path}/actions", deal(number), token=token)
        took.append((time.perf_counter() - began) * 1000)
        if reply.status == 201:
            number = next(numbers)
        else:
            refused += 1
        await asyncio.sleep(PAUSE_SECONDS)
    await line.close()
    return sorted(took), refused


async def record(line: Line, path: str, token: str, numbers: range) -> None:
    for number in numbers:
        reply = await line.ask("POST", f"{path}/actions", deal(number), token=token)
        assert reply.status == 201, reply.raw


def deal(number: int) -> dict[str, Any]:
    declared = {"type": "declare", "players": ["p2"]}
    won = {"type": "result", "winner": "p3"}
    return {"actions": [{"type": "open_deal", "number": number}, declared, won]}
