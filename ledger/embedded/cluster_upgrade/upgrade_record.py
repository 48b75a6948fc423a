"""The record of an upgrade that an audit has not confirmed yet: one file beside the cluster."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from ledger.embedded.private_files import sync_folder, write_private

RECORD = "postgres.upgrade.json"


@dataclass(frozen=True, kw_only=True)
class UpgradeRecord:
    """From which major version to which, how much was moved, and where the old cluster stays."""

    old_major: int
    new_major: int
    tables: int
    rows: int
    old_folder: str


def write_record(data: Path, record: UpgradeRecord) -> None:
    """Write the record into the data folder. Raise OSError."""
    write_private(data / RECORD, json.dumps(asdict(record), indent=1) + "\n")


def last_upgrade(data: Path) -> UpgradeRecord | None:
    """Return the upgrade of this data folder that no audit has confirmed, if there is one."""
    try:
        return UpgradeRecord(**json.loads((data / RECORD).read_text(encoding="utf-8")))
    except (FileNotFoundError, ValueError, TypeError):
        return None


def confirm_upgrade(data: Path) -> None:
    """Remove the record, now that an audit has read the moved book. Raise OSError."""
    (data / RECORD).unlink(missing_ok=True)
    sync_folder(data)
