"""Clean evenings, then corruption after corruption in them; and what came of it, by kind."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import Any
from uuid import UUID

import psycopg

from ledger.audit.findings import is_clean
from ledger.audit.run import audit_session
from ledger.projections.deals import newest_first
from ledger.store.database_snapshot import database_snapshot
from ledger.store.event_store import EventStore
from tests.verification.attack import (
    carry_forward,
    groups,
    heads_and_projections,
    names_and_replies,
    rewritten_chains,
    stored_events,
    tail_and_inserts,
)
from tests.verification.attack.corruption import REST, ROWS, Tried, attempt
from tests.verification.attack.group_sessions import play_chain
from tests.verification.attack.stored_sessions import play

KINDS_OF = (
    stored_events,
    tail_and_inserts,
    rewritten_chains,
    carry_forward,
    heads_and_projections,
    names_and_replies,
    groups,
)  # importing them registers their kinds
MOST_EVENINGS = 60
OF_A_CIRCLE = 0.2
"""So often a circle's evenings come next, several at once."""

LOOKED_BESIDE = 20
"""At every so many attacks another evening is audited too, in which nothing must be found."""


@dataclass
class Tally:
    """Counts by kind; the first few of what should not be, with what leads to it again."""

    tried: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    nothing: Counter[str] = field(default_factory=Counter)
    codes: Counter[str] = field(default_factory=Counter)
    clean: int = 0
    events: int = 0
    corrected: int = 0
    again: int = 0
    carried: int = 0
    beside: int = 0
    wrong: list[str] = field(default_factory=list)

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            **{
                name: getattr(self, name) + getattr(other, name)
                for name in self.__dataclass_fields__
            }
        )

    def count(self, tried: Tried, seed: str) -> None:
        if tried.nothing:
            self.nothing[tried.kind] += 1
            return
        self.tried[tried.kind] += 1
        if tried.found:
            self.found[tried.kind] += 1
            self.codes[next(f.code for f in tried.findings if f.about == "book")] += 1
        else:
            self.wrong.append(f"missed: {tried.kind}: {tried.session_id}, {seed}")

    @property
    def good(self) -> bool:
        return not self.wrong and not self.never

    @property
    def never(self) -> list[str]:
        """Kinds of which there was not one in all these evenings."""
        return [kind for kind in (*ROWS, *REST) if not self.tried[kind]]

    def table(self) -> str:
        """By kind: tried, found, missed."""
        lines = []
        for title, kinds in (("stored events", ROWS), ("all the rest", REST)):
            all_tried = sum(self.tried[kind] for kind in kinds)
            all_found = sum(self.found[kind] for kind in kinds)
            lines.append(f"{title:66} {'tried':>6} {'found':>6} {'missed':>6}")
            lines += (self._line(k, self.tried[k], self.found[k]) for k in kinds)
            lines.append(self._line(f"{len(kinds)} kinds", all_tried, all_found))
        lines.append(f"first finding: {dict(self.codes.most_common())}")
        lines.append(
            f"{self.clean} clean evenings ({self.events} events) with no finding about the book, "
            f"{self.beside} looked at again beside an attack"
        )
        lines.append(f"{self.corrected} deals scored anew, {self.again} of them more than once")
        lines.append(f"{self.carried} evenings that went on where another had ended")
        lines += self.wrong[:20]
        lines += (f"never tried: {kind}" for kind in self.never)
        return "\n".join(lines)

    @staticmethod
    def _line(name: str, tried: int, found: int) -> str:
        return f"{name:66} {tried:6} {found:6} {tried - found:6}"


def clean_evenings(
    store: EventStore, auditor: psycopg.Connection[Any], seed: str, count: int, tally: Tally
) -> list[UUID]:
    """So many, each audited when it is over, as the auditor's role."""
    played = _played(store, seed, count)
    for number, session_id in enumerate(played):
        with database_snapshot(auditor):
            findings = audit_session(auditor, session_id)
        session = store.load(session_id)
        tally.carried += session.brought_forward is not None
        times = [len(deal.superseded) for deal in newest_first(session.deals) if deal.superseded]
        tally.events += session.version
        tally.corrected += len(times)
        tally.again += sum(count > 1 for count in times)
        if is_clean(findings):
            tally.clean += 1
        else:
            tally.wrong.append(f"false alarm: {seed}:{number}: {findings[0]}")
    return played


def _played(store: EventStore, seed: str, count: int) -> list[UUID]:
    """Some evenings by themselves, some of a circle."""
    played = list[UUID]()
    while len(played) < count:
        name = f"{seed}:{len(played)}"
        if Random(name).random() < OF_A_CIRCLE:
            played += play_chain(store, name, count - len(played))
        else:
            played.append(play(store, name))
    return played


def attack(
    db: psycopg.Connection[Any],
    played: list[UUID],
    seed: str,
    count: int,
    kinds: list[str],
    tally: Tally,
) -> None:
    """So many that were really planted, each kind in its turn; some evenings have nothing of it."""
    die = Random(seed)
    for turn in range(count):
        kind = kinds[turn % len(kinds)]
        for _ in range(MOST_EVENINGS):
            session_id, *others = die.sample(played, min(len(played), 4))
            tried = attempt(db, kind, session_id, others, die)
            tally.count(tried, f"seed {seed}, turn {turn}")
            if not tried.nothing:
                break
        if turn % LOOKED_BESIDE == 0:
            tally.beside += 1
            findings = audit_session(db, others[0])
            db.rollback()
            if not is_clean(findings):
                tally.wrong.append(f"false alarm beside: {kind}: {others[0]}: {findings[0]}")
