"""Play honest evenings, let dishonest hosts change them, and count what the phones say."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from random import Random

from api.app import create_app
from ledger.store import connection_pool as database
from tests.support.browser.javascript_engine import run_engine
from tests.support.databases import DatabaseUrls
from tests.verification.attack.forger import NotApplicable
from tests.verification.attack.phones import (
    forked_history,
    missing_tail,
    replaced_key,
    rewritten_history,
    swapped_names,
)
from tests.verification.attack.phones.dishonest_host import Hosts, RecordedEvening
from tests.verification.attack.phones.honest_evening import Host, Looks
from tests.verification.attack.phones.phone import TASKS

KINDS: dict[str, Hosts] = {
    "history forked between two phones": forked_history.FORKED,
    "tail dropped": missing_tail.CUT,
    "old backup replayed": missing_tail.BACKUP,
    "key replaced": replaced_key.REPLACED,
    "history rewritten": rewritten_history.REWRITTEN,
    "names swapped": swapped_names.SWAPPED,
}
MAX_DRAWS = 40
"""How many records of a phone a try draws at most: not every variant applies to every record."""


@dataclass
class PhoneTally:
    """Counts by variant, and a line for each failure with the seed that repeats it."""

    looks: Looks = field(default_factory=Looks)
    tried: Counter[tuple[str, str]] = field(default_factory=Counter)
    missed: Counter[tuple[str, str]] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)

    def __add__(self, other: PhoneTally) -> PhoneTally:
        return PhoneTally(
            **{name: getattr(self, name) + getattr(other, name) for name in vars(self)}
        )

    @property
    def good(self) -> bool:
        return not (self.failures or self.looks.false_alarms or self.never_tried)

    @property
    def never_tried(self) -> list[str]:
        return [
            f"{kind}: {variant}"
            for kind, variants in KINDS.items()
            for variant in variants
            if not self.tried[kind, variant]
        ]

    def tries(self, kind: str) -> int:
        return sum(self.tried[kind, variant] for variant in KINDS[kind])

    def table(self) -> str:
        """Return the table of dishonest hosts, and the totals of the honest evenings."""
        lines = [f"{'dishonest hosts':74} {'tries':>6} {'missed':>6}"]
        for kind, variants in KINDS.items():
            missed = sum(self.missed[kind, variant] for variant in variants)
            lines.append(f"{kind:74} {self.tries(kind):6} {missed:6}")
            lines += (
                f"  {variant:72} {self.tried[kind, variant]:6} {self.missed[kind, variant]:6}"
                for variant in variants
            )
        total, missed = self.tried.total(), self.missed.total()
        lines.append(f"{f'{len(KINDS)} kinds':74} {total:6} {missed:6}")
        lines.append(f"why a phone raised the alarm: {dict(self.reasons.most_common())}")
        looks = self.looks
        lines.append(
            f"{looks.evenings} honest evenings, {looks.phones} phones, {looks.looks} looks, "
            f"{looks.requests} receipts: {len(looks.false_alarms)} false alarms"
        )
        lines.append(f"in these evenings: {dict(looks.events.most_common())}")
        lines += [*looks.false_alarms[:20], *self.failures[:20]]
        lines += (f"never tried: {variant}" for variant in self.never_tried)
        return "\n".join(lines)


def try_host(
    recorded_evening: RecordedEvening, kind: str, variant: str, seed: str, tally: PhoneTally
) -> bool:
    """Let one dishonest host deceive one phone. Return whether the variant applied."""
    die = Random(seed)
    for _ in range(MAX_DRAWS):
        try:
            reason = KINDS[kind][variant](recorded_evening.draw_attempt(die))
        except NotApplicable:
            continue
        tally.tried[kind, variant] += 1
        if reason is None:
            tally.missed[kind, variant] += 1
            tally.failures.append(
                f"missed: {kind}: {variant}: {recorded_evening.book.session}, {seed}"
            )
        else:
            assert not reason.endswith("unreadable"), "the phone judged it"
            tally.reasons[reason] += 1
        return True
    return False


def run_phones(urls: DatabaseUrls, seed: str, evenings: int, tries: int) -> PhoneTally:
    """Play `evenings` honest evenings, and try `tries` dishonest hosts on them."""
    tally, variants = PhoneTally(), [(kind, name) for kind in KINDS for name in KINDS[kind]]
    waiting = Random(seed).sample(variants, len(variants))
    pool = database.open_pool(urls.app, size=4)
    try:
        with run_engine(TASKS) as engine:
            app = create_app(pool)
            host = Host(app, urls.owner, engine, seed, evenings)
            for evening in host.play():
                recorded_evening = RecordedEvening(
                    evening, app.extensions["receipts"].signing_key()
                )
                due = tries * host.looks.evenings // evenings
                waiting = _try_hosts(recorded_evening, waiting, due, seed, tally)
            tally.looks = host.looks
    finally:
        pool.close()
    return tally


def _try_hosts(
    recorded_evening: RecordedEvening,
    waiting: list[tuple[str, str]],
    due: int,
    seed: str,
    tally: PhoneTally,
) -> list[tuple[str, str]]:
    """Try the variants in turn until `due` tries were made. Return the variants in the order in
    which they wait; those that did not apply to this evening come first."""
    skipped: list[tuple[str, str]] = []
    while tally.tried.total() < due and waiting:
        kind, variant = waiting.pop(0)
        applied = recorded_evening.moments and try_host(
            recorded_evening, kind, variant, f"{seed}:{tally.tried.total()}", tally
        )
        (waiting if applied else skipped).append((kind, variant))
    return skipped + waiting
