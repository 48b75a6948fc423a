"""A PostgreSQL for the duration of an upgrade. It ends when Vola ends, even by `kill -9`."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from ledger.embedded.cluster import setting_flags
from ledger.embedded.errors import ServerFailed
from ledger.embedded.launcher import failure_reason, free_port
from ledger.embedded.private_files import LogPart
from ledger.embedded.run_as import choose_identity

START_SECONDS = 300
"""The old server may have to recover from a crash."""
STOP_SECONDS = 120
POLL_SECONDS = 0.01
STATE_LINE = 7
# The shell stops the server as soon as its input ends: when Vola closes it, or dies. It repeats the
# signal, which a server that has only just been started ignores.
UNTIL_INPUT_ENDS = """\
exec 3<&0
"$@" 3<&- </dev/null &
server=$!
{ read -r _ <&3; while kill -INT "$server"; do sleep 0.2; done; } 2>/dev/null &
wait "$server"
"""


@contextmanager
def temporary_server(
    program: Path, cluster: Path, settings: Mapping[str, str], server_lock: int, log: LogPart
) -> Iterator[int]:
    """Run `program` on the folder `cluster`, and yield its port on 127.0.0.1. Raise
    ServerFailed."""
    port = free_port()
    flags = setting_flags({**settings, "port": str(port)})
    process = choose_identity(cluster, program).launch(
        ("/bin/sh", "-c", UNTIL_INPUT_ENDS, "sh", str(program), "-D", str(cluster), *flags),
        stdin=subprocess.PIPE,
        output=log.descriptor,
        keep=[server_lock],
    )
    assert process.stdin is not None
    try:
        _wait_until_ready(process, cluster, log)
        yield port
    finally:
        process.stdin.close()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _wait_until_ready(process: subprocess.Popen[bytes], cluster: Path, log: LogPart) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        lines: list[str] = []
        with suppress(OSError):
            lines = (cluster / "postmaster.pid").read_text(errors="replace").splitlines()
        if len(lines) > STATE_LINE and lines[STATE_LINE].strip() == "ready":
            return
        time.sleep(POLL_SECONDS)
    raise ServerFailed(f"PostgreSQL did not start on {cluster}: {failure_reason(log)}")
