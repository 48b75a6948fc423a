"""Which code is about money, about who may do what, about play; and the tests that would notice.

A test is asked only if it runs the line that is wrong, so that a list may well be longer than
needed. Tests that start servers of their own cannot see a mutant and are not here.
"""

from __future__ import annotations

from pathlib import Path

FOLDING = (
    "tests/ledger/test_postings.py",
    "tests/ledger/test_payments.py",
    "tests/ledger/test_bets.py",
    "tests/ledger/test_journal.py",
    "tests/ledger/test_scores.py",
    "tests/ledger/test_handling.py",
    "tests/ledger/test_carrying.py",
    "tests/ledger/test_corrections.py",
    "tests/ledger/test_conservation.py",
    "tests/ledger/test_deals.py",
    "tests/ledger/test_statement.py",
    "tests/ledger/test_season.py",
    "tests/ledger/test_codec.py",
    "tests/ledger/test_session.py",
)
PLAYING = ("tests/engine", *FOLDING)
READING = (
    "tests/ledger/test_movements.py",
    "tests/api/test_statements.py",
    "tests/api/test_statement_streaming.py",
    "tests/api/test_as_of.py",
)
SETTLING = (
    "tests/workers/test_settling.py",
    "tests/workers/test_sticking.py",
    "tests/workers/test_sweeping.py",
)
COMING_IN = (
    "tests/api/test_phones.py",
    "tests/api/test_door.py",
    "tests/api/test_access.py",
    "tests/api/test_circles_rights.py",
)
ASKING = (
    "tests/api/test_writing.py",
    "tests/api/test_refusals.py",
    "tests/api/test_strict_json.py",
    "tests/fuzz/test_decoders.py",
)

MONEY: dict[str, tuple[str, ...]] = {
    "ledger/postings.py": FOLDING,
    "ledger/settlement.py": ("tests/ledger/test_settlement.py",),
    "ledger/handling.py": PLAYING,
    "ledger/carrying.py": FOLDING,
    "ledger/session.py": FOLDING,
    "ledger/projections/balances.py": FOLDING,
    "ledger/projections/bets.py": FOLDING,
    "ledger/projections/deals.py": FOLDING,
    "ledger/projections/journal.py": FOLDING,
    "ledger/projections/payments.py": FOLDING,
    "ledger/projections/pot.py": FOLDING,
    "ledger/projections/scores.py": FOLDING,
    "engine/values.py": PLAYING,
    "engine/bets.py": PLAYING,
    "engine/leftovers.py": PLAYING,
    "engine/points.py": PLAYING,
    "ledger/movements.py": READING,
    "ledger/standing.py": (
        "tests/ledger/test_standing.py",
        "tests/api/test_operating.py",
        *SETTLING,
    ),
    "workers/la_vola.py": SETTLING,
}
ACCESS: dict[str, tuple[str, ...]] = {
    "api/access.py": COMING_IN,
    "api/phones.py": COMING_IN,
    "api/door.py": COMING_IN,
    "ledger/phones.py": COMING_IN,
    "ledger/pins.py": COMING_IN,
    "ledger/door.py": COMING_IN,
    "ledger/beside.py": COMING_IN + ASKING,
    "ledger/cards.py": COMING_IN,
    "api/limits.py": ("tests/api/test_limits.py",),
    "api/preconditions.py": ASKING,
}
ROOT = Path(__file__).parents[2]
GAMES: dict[str, tuple[str, ...]] = {
    module: PLAYING
    for module in sorted(str(file.relative_to(ROOT)) for file in (ROOT / "engine").rglob("*.py"))
    if module not in MONEY and not module.endswith("__init__.py")
}
"""The rest of the engine: what is played, and what it costs whom."""

SCOPE = MONEY | ACCESS | GAMES
