"""Whether a path exists, with an error where that cannot be seen.

`Path.exists` and `Path.is_dir` say no without an error since Python 3.14, also of a folder without
access or on a failing disk: a person would be told that there is no such folder.
"""

import stat
from pathlib import Path


def path_exists(path: Path) -> bool:
    """Return whether the path exists. OSError if that cannot be seen."""
    return _mode(path) is not None


def is_folder(path: Path) -> bool:
    """Return whether the path is that of a folder. OSError if that cannot be seen."""
    mode = _mode(path)
    return mode is not None and stat.S_ISDIR(mode)


def _mode(path: Path) -> int | None:
    try:
        return path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
