"""One accident from its beginning to the audit, and its row of the table."""

from __future__ import annotations

import signal
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ledger import embedded
from tests.support.api.command_line import run_vola
from tests.support.api.http_client import RemoteSession
from tests.verification.accidents.accidents import ACCIDENTS
from tests.verification.accidents.recording_phone import Acknowledgement, RecordingPhone
from tests.verification.accidents.scene import Scene, new_scene
from tests.verification.accidents.upgrade import UPGRADE, upgrade_without_power
from tests.verification.chaos import stored_ledger
from tests.verification.chaos.stored_ledger import StoredLedger

NAMES = (*ACCIDENTS, UPGRADE)
TABLE_HEAD = (
    "| accident | what the phone saw | acknowledged | lost | longest wait for an answer | went on "
    "after its end | audit |\n|---|---|---|---|---|---|---|"
)


@dataclass(frozen=True)
class AccidentResult:
    """The result of one accident; `lost` lists the acknowledged events that the book lacks."""

    name: str
    phone: RecordingPhone
    lost: list[str]
    seconds_until_acknowledged: float
    audit: str
    has_findings: bool

    def is_good(self) -> bool:
        return not self.lost and not self.has_findings

    def row(self) -> str:
        failures = [f"{times} × {failure}" for failure, times in self.phone.failures.most_common()]
        return (
            f"| {self.name} | {'; '.join(failures) or 'nothing of it'} "
            f"| {len(self.phone.acknowledged)} | {len(self.lost)} "
            f"| {self.phone.longest_wait:.1f} s | {self.seconds_until_acknowledged:.1f} s "
            f"| {self.audit} |"
        )


def stage_accident(name: str, folder: Path, seconds: float, deals: int = 10) -> AccidentResult:
    """Stage the accident, whose cause lasts `seconds`, with `deals` deals before and after it."""
    with new_scene(folder, seconds) as scene:
        if name == UPGRADE:
            return audit_scene(name, scene, *upgrade_without_power(scene, deals))
        scene.server.start()
        with RecordingPhone(RemoteSession(scene.server.url).open()) as phone:
            phone.wait_for_deals(deals)
            ended_at = ACCIDENTS[name](scene)
            resumed_at = phone.wait_for_deals(1)
            phone.wait_for_deals(deals - 1)
        return audit_scene(name, scene, phone, resumed_at - ended_at, {})


def audit_scene(
    name: str, scene: Scene, phone: RecordingPhone, seconds: float, earlier: StoredLedger
) -> AccidentResult:
    """Stop the server, compare the book with the phone's acknowledgements and with `earlier`, which
    the book held before the accident, and audit it."""
    assert scene.server.stop(signal.SIGTERM) == 0, scene.server.log.read_text()[-2000:]
    with embedded.postgres(scene.data, must_exist=True) as postgres:
        book = stored_ledger.read_ledger(postgres.audit_url)
    lost = [*list_missing(book, phone.session_id, phone.acknowledged)]
    for session_id, session in earlier.items():
        events = (Acknowledgement(event.version, event.hash, 0) for event in session.events)
        lost += list_missing(book, session_id, events)
    audit = run_vola("audit", **scene.environment)
    printed = "; ".join((audit.stdout.strip() or audit.stderr).splitlines())
    return AccidentResult(name, phone, lost, seconds, printed, audit.returncode != 0)


def list_missing(
    book: StoredLedger, session_id: str, acknowledged: Iterable[Acknowledgement]
) -> list[str]:
    """Return a line for each event that is not in the book with the same hash."""
    hashes = {event.version: event.hash for event in book[session_id].events}
    return [
        f"version {event.version} of {session_id}"
        for event in acknowledged
        if hashes.get(event.version) != event.hash
    ]
