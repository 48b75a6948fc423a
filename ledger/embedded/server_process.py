"""Find the process of a server, by its recorded process id or else by its folder.

On a full disk a server runs but cannot record its process id. Knows nothing of any server but its
program and its folder.
"""

import os
from pathlib import Path

import psutil


def is_running(pid: int, folder: Path) -> bool:
    """Whether `pid` is a live process, no zombie, that was started on `folder`, or on the folder
    that was moved there while it ran."""
    try:
        process = psutil.Process(pid)
        is_on_folder = str(folder) in process.cmdline() or _works_in(process, folder)
        return process.status() != psutil.STATUS_ZOMBIE and is_on_folder
    except (psutil.Error, OSError):
        return False


def running_pid(recorded: int | None, program: Path, folder: Path) -> int | None:
    """Return the `recorded` process id if the server has it, else the id that a search finds."""
    if recorded is not None and is_running(recorded, folder):
        return recorded
    return find_process(program, folder)


def find_process(program: Path, folder: Path) -> int | None:
    """Return the id of the process that runs `program` in `folder`. Scans all processes; call it
    rarely."""
    for process in psutil.process_iter():
        try:
            command = process.cmdline()
            if (
                command
                and Path(command[0]).name == program.name
                and process.status() != psutil.STATUS_ZOMBIE
                and _works_in(process, folder)
            ):
                return process.pid
        except (psutil.Error, OSError):
            continue  # it has ended, or belongs to another user
    return None


def _works_in(process: psutil.Process, folder: Path) -> bool:
    """Whether the process works in this folder, and not in a deleted one of its name. Raise
    psutil.Error, OSError."""
    return os.path.samefile(process.cwd(), folder)
