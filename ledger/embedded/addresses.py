"""Where a server can be knocked at: a port of 127.0.0.1, and a folder for its socket."""

import hashlib
import os
import socket
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from ledger.embedded.errors import ServerFailed
from ledger.embedded.run_as import Identity

# All that is ever deleted here: root may be looking into a folder of somebody it does not trust.
SOCKET_PATTERN = ".s.PGSQL.*"


def free_port(preferred: int | None) -> int:
    """Return `preferred` if nobody listens there on 127.0.0.1 (old URLs hold), or another port."""
    for port in (preferred, 0):
        if port is None:
            continue
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            with suppress(OSError, OverflowError):
                probe.bind(("127.0.0.1", port))
                return int(probe.getsockname()[1])
    raise ServerFailed(
        "No port on 127.0.0.1 can be listened on: look at this computer's network (loopback), "
        "or set DATABASE_URL and REDIS_URL to servers elsewhere."
    )


def socket_path(data: Path) -> Path:
    """Return the usual folder for the sockets of `data`.

    Short, for a socket's path ends at about 100 bytes; and not in $XDG_RUNTIME_DIR, which goes
    when its user logs out, while the server may go on.
    """
    digest = hashlib.sha256(os.fsencode(data)).hexdigest()[:16]
    return Path("/tmp", f"vola-{digest}")  # noqa: S108


def socket_folder(data: Path, identity: Identity) -> Path:
    """Make an empty folder that only `identity` (and root) can enter."""
    folder = socket_path(data)
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
        os.chown(folder, identity.uid, identity.gid)
    status = folder.lstat()
    private = stat.S_ISDIR(status.st_mode) and not status.st_mode & 0o077
    if private and status.st_uid == identity.uid:
        _remove_sockets(folder)
        return folder
    # Somebody was here before us, by accident or not: take a name that cannot be foreseen.
    fallback = tempfile.mkdtemp(prefix="vola-", dir=folder.parent)
    os.chown(fallback, identity.uid, identity.gid)
    return Path(fallback)


def remove_socket_folder(folder: Path) -> None:
    """Remove a folder that socket_folder made, if there is nothing in it but dead sockets."""
    with suppress(OSError):
        _remove_sockets(folder)
        folder.rmdir()


def _remove_sockets(folder: Path) -> None:
    for left in folder.glob(SOCKET_PATTERN):
        left.unlink()
