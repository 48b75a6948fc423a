"""The reference for appends: PostgreSQL's own pgbench, out of the same wheel as the server."""

from __future__ import annotations

import re
import subprocess
from itertools import count
from pathlib import Path

from ledger.events.recorded_event import RecordedEvent

runs = count(1)

HEAD = r"""
\set who :run * 64 + :client_id
\set version :version + {rows}
"""
INSERT = "INSERT INTO vola.events VALUES\n  {rows};\n"
ROW = (
    "(lpad(to_hex(:who::bigint), 32, '0')::uuid, :version::integer + {place}, "
    "'{type}', {schema}, {at}, '{by}', '{data}', '\\x{hash}')"
)


def script(events: list[RecordedEvent]) -> str:
    """One transaction: these events, by one statement, behind what this client wrote before."""
    rows = [
        ROW.format(
            place=place,
            type=event.type,
            schema=event.schema,
            at=event.at,
            by=event.by,
            data=re.sub(r":(?=[A-Za-z_])", ": ", event.data),  # `:null` would be a variable
            hash=event.hash.hex(),
        )
        for place, event in enumerate(events)
    ]
    return HEAD.format(rows=len(events)) + INSERT.format(rows=",\n  ".join(rows))


def commits(program: Path, url: str, file: Path, clients: int, seconds: float) -> float:
    """Transactions a second, prepared, each client by its own connection."""
    command = [str(program), "--no-vacuum", "--protocol=prepared", f"--file={file}"]
    command += [
        f"--client={clients}",
        f"--jobs={min(clients, 2)}",
        f"--time={max(1, round(seconds))}",
    ]
    command += ["--define=version=1", f"--define=run={next(runs)}", url]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert "number of failed transactions: 0 " in result.stdout, result.stdout
    match = re.search(r"^tps = ([0-9.]+) ", result.stdout, re.MULTILINE)
    assert match, result.stdout
    return float(match[1])
