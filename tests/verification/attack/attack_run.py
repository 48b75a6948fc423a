"""Play clean evenings, attack them one at a time, and count by kind what the audit finds."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import Any
from uuid import UUID

import psycopg

from ledger.audit.findings import Finding, is_clean
from ledger.audit.run import audit_session
from ledger.projections.deals import newest_first
from ledger.store.database_snapshot import database_snapshot
from ledger.store.event_store import EventStore
from tests.verification.attack.attacks import Attack
from tests.verification.attack.attempt import attack_and_audit
from tests.verification.attack.group_sessions import play_chain
from tests.verification.attack.kinds import EVENT_ATTACKS, OTHER_ATTACKS
from tests.verification.attack.stored_sessions import play

MAX_DRAWS = 60
"""How many sessions are drawn at most to find one to which a kind of attack applies."""
GROUP_SHARE = 0.2
"""The share of turns in which several sessions of one group are played."""

CHANGED_COSTS = "SELECT count(*) FROM vola.events WHERE session_id = %s AND type = 'cost_voided'"
RECHECK_EVERY = 20
"""After this many attacks another, clean session is audited; it must have no findings."""


@dataclass
class Tally:
    """Counts by kind, and a line for each failure with the seed that repeats it."""

    tried: Counter[str] = field(default_factory=Counter)
    detected: Counter[str] = field(default_factory=Counter)
    codes: Counter[str] = field(default_factory=Counter)
    clean: int = 0
    events: int = 0
    corrected: int = 0
    corrected_again: int = 0
    carried: int = 0
    costs: int = 0
    costs_changed: int = 0
    rechecked: int = 0
    failures: list[str] = field(default_factory=list)

    def __add__(self, other: Tally) -> Tally:
        return Tally(**{name: getattr(self, name) + getattr(other, name) for name in vars(self)})

    def count(self, kind: str, session_id: UUID, findings: list[Finding], seed: str) -> None:
        self.tried[kind] += 1
        if is_clean(findings):
            self.failures.append(f"missed: {kind}: {session_id}, {seed}")
        else:
            self.detected[kind] += 1
            self.codes[next(finding.code for finding in findings if finding.about == "book")] += 1

    @property
    def good(self) -> bool:
        return not self.failures and not self.never_tried

    @property
    def never_tried(self) -> list[str]:
        """The kinds that could not be planted in any of these sessions."""
        return [kind for kind in (*EVENT_ATTACKS, *OTHER_ATTACKS) if not self.tried[kind]]

    def table(self) -> str:
        """Return the table of what was tried, found and missed, by kind."""
        lines = []
        for title, kinds in (("stored events", EVENT_ATTACKS), ("other tables", OTHER_ATTACKS)):
            total_tried = sum(self.tried[kind] for kind in kinds)
            total_detected = sum(self.detected[kind] for kind in kinds)
            lines.append(f"{title:66} {'tried':>6} {'found':>6} {'missed':>6}")
            lines += (self._line(kind, self.tried[kind], self.detected[kind]) for kind in kinds)
            lines.append(self._line(f"{len(kinds)} kinds", total_tried, total_detected))
        lines.append(f"first finding: {dict(self.codes.most_common())}")
        lines.append(
            f"{self.clean} clean evenings ({self.events} events) with no finding about the book, "
            f"{self.rechecked} audited again during an attack"
        )
        lines.append(
            f"{self.corrected} deals corrected, {self.corrected_again} of them more than once"
        )
        lines.append(f"{self.carried} evenings carried forward from another")
        lines.append(f"{self.costs} shared costs, changed {self.costs_changed} times")
        lines += self.failures[:20]
        lines += (f"never tried: {kind}" for kind in self.never_tried)
        return "\n".join(lines)

    @staticmethod
    def _line(name: str, tried: int, detected: int) -> str:
        return f"{name:66} {tried:6} {detected:6} {tried - detected:6}"


def audit_clean_sessions(
    store: EventStore, auditor: psycopg.Connection[Any], seed: str, count: int, tally: Tally
) -> list[UUID]:
    """Play `count` sessions and audit each as the auditor's role."""
    played = _play_sessions(store, seed, count)
    for number, session_id in enumerate(played):
        with database_snapshot(auditor):
            findings = audit_session(auditor, session_id)
        session = store.load(session_id)
        tally.carried += session.brought_forward is not None
        corrections = [len(deal.superseded) for deal in newest_first(session.deals)]
        tally.events += session.version
        tally.costs += len(session.costs)
        tally.costs_changed += _count_changed_costs(auditor, session_id)
        tally.corrected += sum(count > 0 for count in corrections)
        tally.corrected_again += sum(count > 1 for count in corrections)
        if is_clean(findings):
            tally.clean += 1
        else:
            tally.failures.append(f"false alarm: {seed}:{number}: {findings[0]}")
    return played


def _count_changed_costs(auditor: psycopg.Connection[Any], session_id: UUID) -> int:
    """Return how often a cost of this session was corrected or voided."""
    with database_snapshot(auditor):
        ((count,),) = auditor.execute(CHANGED_COSTS, [session_id])
    return int(count)


def _play_sessions(store: EventStore, seed: str, count: int) -> list[UUID]:
    """Play `count` sessions, some alone and some in groups."""
    played: list[UUID] = []
    while len(played) < count:
        name = f"{seed}:{len(played)}"
        if Random(name).random() < GROUP_SHARE:
            played += play_chain(store, name, count - len(played))
        else:
            played.append(play(store, name))
    return played


def attack_sessions(
    db: psycopg.Connection[Any],
    played: list[UUID],
    seed: str,
    count: int,
    attacks: dict[str, Attack],
    tally: Tally,
) -> None:
    """Make `count` attacks, of each kind in turn, on sessions to which they apply."""
    die, kinds = Random(seed), list(attacks)
    for turn in range(count):
        kind = kinds[turn % len(kinds)]
        for _ in range(MAX_DRAWS):
            session_id, *other_ids = die.sample(played, min(len(played), 4))
            findings = attack_and_audit(db, attacks[kind], session_id, other_ids, die)
            if findings is not None:
                tally.count(kind, session_id, findings, f"seed {seed}, turn {turn}")
                break
        if turn % RECHECK_EVERY == 0:
            tally.rechecked += 1
            findings = audit_session(db, other_ids[0])
            db.rollback()
            if not is_clean(findings):
                tally.failures.append(f"false alarm during: {kind}: {other_ids[0]}: {findings[0]}")
