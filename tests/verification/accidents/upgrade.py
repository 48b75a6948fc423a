"""Power cuts while a new version of Vola migrates an earlier version's book and a phone waits."""

from __future__ import annotations

import gzip
import json
import time
from contextlib import suppress
from pathlib import Path

import psycopg

import migrations
from ledger.transfer import backup
from tests.support.api.http_client import RemoteSession
from tests.support.earlier_books import DUMPS
from tests.support.postgresql.cluster import postgres
from tests.support.postgresql.older_cluster import APP_READS_MIGRATIONS
from tests.verification.accidents.recording_phone import RecordingPhone
from tests.verification.accidents.scene import Scene
from tests.verification.chaos.stored_ledger import Event, StoredLedger, StoredSession

UPGRADE = "power cut during an upgrade"
DELAYS_SECONDS = (0.0, 0.1, 0.2, 0.4)
"""How long after the backup that precedes the migration the power is cut."""
FROZEN_SESSION = "misdeals"
"""A session of the frozen books that can be continued."""
BACKUP_FOLDER = "migration-backups"
HASHES = "SELECT session_id::text, version, encode(hash, 'hex') FROM vola.events"
START_SECONDS = 120


def upgrade_without_power(scene: Scene, deals: int) -> tuple[RecordingPhone, float, StoredLedger]:
    """Start the server on the book of the last version, and cut its power during the migration at
    later and later moments; then let it start.

    Return the phone, the seconds that it waited for its first acknowledgement after the last start,
    and what the book held before. Raise AssertionError if every cut came after the migration.
    """
    dump = DUMPS[-1]
    earlier = load_earlier_book(scene.data, dump)
    frozen_file = dump.parent / FROZEN_SESSION / "seen.json.gz"
    frozen = json.loads(gzip.decompress(frozen_file.read_bytes()))
    phone = RemoteSession(scene.server.url, frozen["state"]["id"], frozen["tokens"]["host"])
    interrupted = 0
    with RecordingPhone(phone, frozen["state"]["deal"]["number"]) as recording:
        for delay_seconds in DELAYS_SECONDS:
            earlier_backups = list_backups(scene.data)
            scene.server.launch()
            wait_for_backup(scene, earlier_backups)
            time.sleep(delay_seconds)
            scene.cut_power()
            scene.stick.plug_in()
            interrupted += is_pending(scene.data)
        assert interrupted, "each migration had ended when the power was cut"
        scene.server.launch()
        started_at = time.monotonic()
        resumed_at = recording.wait_for_deals(1)
        recording.wait_for_deals(deals - 1)
    return recording, resumed_at - started_at, earlier


def load_earlier_book(data: Path, dump: Path) -> StoredLedger:
    """Load the book without migrating it, and return the hashes of its events."""
    data.mkdir()
    with postgres(data) as cluster:
        backup.restore(cluster.owner_url, dump, frozenset(step.name for step in migrations.STEPS))
        book: StoredLedger = {}
        with psycopg.connect(cluster.owner_url) as db:
            db.execute(APP_READS_MIGRATIONS)
            for session_id, version, digest in db.execute(HASHES):
                event = Event(version, "", "", {}, digest)
                book.setdefault(session_id, StoredSession()).events.append(event)
    return book


def is_pending(data: Path) -> bool:
    """Whether the book still has to be migrated."""
    with postgres(data) as cluster:
        return migrations.read_plan(cluster.owner_url).files != []


def list_backups(data: Path) -> set[Path]:
    return {*data.joinpath(BACKUP_FOLDER).glob("*.dump")}


def wait_for_backup(scene: Scene, earlier: set[Path]) -> None:
    """Wait until the server has made the backup that precedes the migration, or is ready."""
    deadline = time.monotonic() + START_SECONDS
    while list_backups(scene.data) == earlier:
        with suppress(OSError):
            return scene.server.check_ready()
        assert time.monotonic() < deadline, scene.server.log.read_text()[-2000:]
        time.sleep(0.01)
    return None
