"""The user who runs a server: the current one, unless that is root, which PostgreSQL refuses.

Root chooses among three: the owner of the existing files, `nobody`, or a user namespace, in which
root's own files belong to `nobody`. Only the server's own folder changes its owner, and no
permissions change, so a private home or venv requires the namespace. The choice is permanent,
because it is read from the owner of the server's files. Knows nothing of any server.
"""

import contextlib
import os
import pwd
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ledger.embedded.errors import ServerFailed
from ledger.embedded.fork_lock import fork_lock

PROBE_SECONDS = 20
# A server inherits no variables of the caller (they may hold passwords, or be PG… variables) except
# the paths of programs and libraries. In the C locale its messages match `launcher.COMPLAINT`.
ENVIRONMENT = {"LC_ALL": "C", "TZ": "UTC"} | {
    name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ
}
CAN_RUN = 'test -r "$1" && test -w "$1" && test -x "$1" && exec "$2" --version'


@dataclass(frozen=True, kw_only=True)
class Identity:
    """A user id to own a server's files, and how to become that user."""

    uid: int
    gid: int
    drops_rights: bool = False  # those of root: the program starts as `uid` and `gid`
    prefix: tuple[str, ...] = ()  # of the command: `unshare`, for a user namespace

    def launch(
        self, command: Sequence[str], *, output: int, keep: Sequence[int] = (), stdin: int
    ) -> subprocess.Popen[bytes]:
        """Start `command` without a shell and in a session of its own, which Ctrl-C at the terminal
        does not reach."""
        with fork_lock:
            return subprocess.Popen(  # noqa: S603
                [*self.prefix, *command],
                stdin=stdin,
                stdout=output,
                stderr=output,
                cwd="/",
                umask=0o077,
                env=ENVIRONMENT,
                pass_fds=keep,
                start_new_session=True,
                user=self.uid if self.drops_rights else None,
                group=self.gid if self.drops_rights else None,
                extra_groups=[] if self.drops_rights else None,
            )

    def reaches(self, folder: Path, program: Path) -> bool:
        """Whether this user can write in `folder` and run `program`; found out by trying both.
        Yes if that takes too long: the start of the server says what is wrong."""
        probe = ["/bin/sh", "-c", CAN_RUN, "sh", str(folder), str(program)]
        quiet = subprocess.DEVNULL
        try:
            with self.launch(probe, output=quiet, stdin=quiet) as process:
                try:
                    return process.wait(PROBE_SECONDS) == 0
                except subprocess.TimeoutExpired:
                    process.kill()
                    return True
        except (OSError, subprocess.SubprocessError):
            return False


def choose_identity(folder: Path, program: Path, *, root_will_do: bool = False) -> Identity:
    """Choose who runs `program` on the files in `folder`; an empty folder is given to them. With
    `root_will_do`, root runs it if no other user can. Raise ServerFailed when nobody can, or when
    the files belong to another ordinary user."""
    owner = folder.stat()
    current = Identity(uid=os.geteuid(), gid=os.getegid())
    if current.uid != 0:
        if owner.st_uid != current.uid:
            raise ServerFailed(
                f"The folder {folder} belongs to {_user_name(owner.st_uid) or owner.st_uid}: "
                "run Vola as that user, or set VOLA_DATA to a folder of your own."
            )
        # initdb requires a user name, which a container's user may lack: there it runs as `nobody`
        if not _user_name(current.uid):
            for identity in _namespaces(current.uid, current.gid):
                if identity.reaches(folder, program):
                    return identity
        return current
    is_empty = not any(folder.iterdir())
    for identity in _unprivileged_identities(owner, folder.parent.stat(), is_empty):
        if is_empty:
            with contextlib.suppress(OSError):
                os.chown(folder, identity.uid, identity.gid)
        if identity.reaches(folder, program):
            return identity
    if root_will_do:
        return current
    is_given_away = owner.st_uid and not is_empty
    remedy = f" (or give root the files back: chown -R root {folder})" if is_given_away else ""
    raise ServerFailed(
        f"{program.name} may not run as root, and no lesser user could both run it and reach "
        f"{folder}: run Vola as an ordinary user, or set DATABASE_URL to a server{remedy}."
    )


def _unprivileged_identities(
    owner: os.stat_result, parent: os.stat_result, is_empty: bool
) -> list[Identity]:
    if not is_empty and owner.st_uid != 0:
        return [Identity(uid=owner.st_uid, gid=owner.st_gid, drops_rights=True)]
    identities = []
    if is_empty:
        if parent.st_uid != 0 and _user_name(parent.st_uid):
            identities.append(Identity(uid=parent.st_uid, gid=parent.st_gid, drops_rights=True))
        with contextlib.suppress(KeyError):
            account = pwd.getpwnam("nobody")
            identities.append(Identity(uid=account.pw_uid, gid=account.pw_gid, drops_rights=True))
    return [*identities, *_namespaces(0, 0)]


def _namespaces(uid: int, gid: int) -> list[Identity]:
    if unshare := shutil.which("unshare"):
        prefix = (unshare, "--user", "--map-user=65534", "--map-group=65534", "--")
        return [Identity(uid=uid, gid=gid, prefix=prefix)]
    return []


def _user_name(uid: int) -> str | None:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return None
