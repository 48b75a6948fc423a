"""Whether the data folder of a running server can be used: a disk may be pulled, or fill up."""

import shutil
from pathlib import Path
from typing import Literal

FULL_BYTES = 256 * 1024
"""With less room than this PostgreSQL can hardly extend a table."""

DataFolderFault = Literal["data_folder_missing", "disk_full"]


def has_cluster(data: Path) -> bool:
    """Whether the folder of PostgreSQL is there and its disk can be read."""
    try:
        return any((data / "postgres").iterdir())
    except OSError:
        return False


def find_fault(data: Path) -> DataFolderFault | None:
    """Return why the data folder of an embedded book cannot be used; None if it can."""
    try:
        free_bytes = shutil.disk_usage(data).free
    except OSError:
        return "data_folder_missing"
    if not has_cluster(data):
        return "data_folder_missing"
    return "disk_full" if free_bytes < FULL_BYTES else None
