"""Give each vector to all verifiers, and count outcomes and disagreements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from random import Random

from flask import Flask
from playwright.sync_api import Page

from tests.support.browser.verify_page import judge_vectors
from tests.support.databases import DatabaseUrls
from tests.support.proofs.server_verdict import (
    FAILS,
    HOLDS,
    UNREADABLE,
    audit_outcome,
    import_outcome,
)
from tests.verification.attack.agreement.cases import STRICT_WITNESSES, Case
from tests.verification.attack.agreement.documents import Library
from tests.verification.attack.agreement.forged_documents import draw_cases

Verdict = tuple[int, str, int | None]
ADDS_UP = "adds up"
OUTCOMES = (HOLDS, FAILS, UNREADABLE, ADDS_UP)
"""The outcomes, indexed by the exit code of `verify.py`."""
OTHER_FORM = "all refuse it; an audit compares a statement of any form with the one it makes anew"
UNSIGNED_STATEMENT = "the verifiers say of an unsigned statement that it adds up, and no more"


@dataclass
class Agreement:
    """Counts by kind of document, and a line for each disagreement."""

    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)
    by_three: Counter[tuple[str, str]] = field(default_factory=Counter)
    server_differences: Counter[str] = field(default_factory=Counter)
    ways: Counter[str] = field(default_factory=Counter)
    forged: int = 0
    disagreements: list[str] = field(default_factory=list)

    @property
    def total(self) -> int:
        return self.outcomes.total()

    @property
    def good(self) -> bool:
        return not self.disagreements

    def disagree(self, case: Case, what: str) -> None:
        self.disagreements.append(f"{case.kind}: {case.vector.way}: {what}")

    def table(self) -> str:
        kinds = sorted({kind for kind, _ in self.outcomes})
        columns = "".join(f"{name:>15}" for name in (*OUTCOMES, "import", "audit", "all three"))
        lines = [f"{'vectors':20}{columns}"]
        for kind in kinds:
            counts = [self.outcomes[kind, outcome] for outcome in OUTCOMES]
            counts += [self.by_three[kind, server] for server in ("import", "audit")]
            lines.append(f"{kind:20}" + "".join(f"{n:15}" for n in [*counts, sum(counts[4:])]))
        compared = self.by_three.total()
        lines.append(
            f"{self.total} vectors, {self.forged} of them forged in {len(+self.ways)} ways: "
            f"program and page judged all of them, the server {compared} as well; "
            f"{len(self.disagreements)} disagreements"
        )
        lines += (
            f"{count} apart: {reason}" for reason, count in self.server_differences.most_common()
        )
        return "\n".join([*lines, *self.disagreements[:20]])


def compare_verdicts(
    app: Flask, urls: DatabaseUrls, page: Page, seed: str, vectors: int, forged: int
) -> Agreement:
    """Judge `vectors` vectors, with `forged` forgeries of each document."""
    agreement, die = Agreement(), Random(seed)
    for originals in Library(app, urls.owner, seed).originals():
        drawn = [*draw_cases(originals, die, forged)][: vectors - agreement.total]
        verdicts = judge_vectors(page, [case.vector for case in drawn])
        for case, verdict in zip(drawn, verdicts, strict=True):
            _count_verdicts(agreement, case, verdict, partial(_server_outcome, app, urls))
        if agreement.total >= vectors:
            return agreement
    raise AssertionError("there is always another session")


def _server_outcome(app: Flask, urls: DatabaseUrls, case: Case) -> str:
    raw = case.vector.document
    return import_outcome(raw) if case.server == "import" else audit_outcome(app, urls, raw)


def _count_verdicts(
    agreement: Agreement, case: Case, by_page: Verdict, server_outcome: Callable[[Case], str]
) -> None:
    kind, vector, by_program = case.kind, case.vector, case.vector.judged()
    outcome = OUTCOMES[by_program[0]]
    agreement.outcomes[kind, outcome] += 1
    agreement.forged += case.forged
    agreement.ways[vector.way] += case.forged
    if by_program != by_page:
        agreement.disagree(case, f"program {by_program}, page {by_page}")
    if not case.forged and outcome != HOLDS:
        agreement.disagree(case, f"as the API gave it, and {by_program}")
    by_server = server_outcome(case)
    reason = case.server_difference
    if outcome == ADDS_UP:
        reason = UNSIGNED_STATEMENT
    elif (outcome, by_server) == (UNREADABLE, FAILS) and kind.endswith("statement"):
        reason = OTHER_FORM
    elif (by_program[1], by_server) == ("witness_wrong", UNREADABLE):
        reason = STRICT_WITNESSES
    if reason is not None:
        agreement.server_differences[reason] += 1
        return
    agreement.by_three[kind, case.server] += 1
    if by_server != outcome:
        agreement.disagree(case, f"program {by_program}, {case.server} {by_server}")
