"""The code about money, access and play, and the tests that should notice a mutant of it.

A test is used only if it runs the line that is wrong, so a list may be longer than needed. Tests
that start servers of their own cannot see a mutant and are not listed.
"""

from __future__ import annotations

from pathlib import Path

FOLDING = (
    "tests/ledger/projections/test_postings.py",
    "tests/ledger/projections/test_la_vola_payments.py",
    "tests/ledger/projections/test_bets.py",
    "tests/ledger/projections/test_journal.py",
    "tests/ledger/projections/test_scores.py",
    "tests/ledger/session/test_command_handlers.py",
    "tests/ledger/session/test_carry_forward.py",
    "tests/ledger/session/test_corrections.py",
    "tests/ledger/session/test_conservation.py",
    "tests/ledger/projections/test_deals.py",
    "tests/ledger/reporting/test_statement.py",
    "tests/ledger/reporting/test_season_stats.py",
    "tests/ledger/events/test_codec.py",
    "tests/ledger/session/test_session_state.py",
)
PLAYING = ("tests/engine", *FOLDING)
READING = (
    "tests/ledger/reporting/test_journal_query.py",
    "tests/api/statements/test_session_statement.py",
    "tests/api/statements/formats/test_streaming.py",
    "tests/api/http/test_as_of.py",
)
SETTLING = (
    "tests/workers/test_settle_job.py",
    "tests/workers/test_settlement_failures.py",
    "tests/workers/test_queue.py",
)
COMING_IN = (
    "tests/api/resources/test_devices.py",
    "tests/api/resources/test_join_requests.py",
    "tests/api/auth/test_tokens.py",
    "tests/api/resources/test_group_access.py",
)
ASKING = (
    "tests/api/resources/test_actions.py",
    "tests/api/http/test_problems.py",
    "tests/api/http/test_json_body.py",
    "tests/verification/fuzz/test_decoders.py",
)

MONEY: dict[str, tuple[str, ...]] = {
    "ledger/projections/postings.py": FOLDING,
    "ledger/reporting/payment_plan.py": ("tests/ledger/reporting/test_payment_plan.py",),
    "ledger/session/command_handlers.py": PLAYING,
    "ledger/session/carry_forward.py": FOLDING,
    "ledger/session/session_state.py": FOLDING,
    "ledger/projections/balances.py": FOLDING,
    "ledger/projections/bets.py": FOLDING,
    "ledger/projections/deals.py": FOLDING,
    "ledger/projections/journal.py": FOLDING,
    "ledger/projections/la_vola_payments.py": FOLDING,
    "ledger/projections/scores.py": FOLDING,
    "engine/values.py": PLAYING,
    "engine/scoring/bet_stack.py": PLAYING,
    "engine/scoring/leftovers.py": PLAYING,
    "engine/scoring/score_sheet.py": PLAYING,
    "ledger/reporting/journal_query.py": READING,
    "ledger/operations/health.py": (
        "tests/ledger/operations/test_health.py",
        "tests/api/resources/test_operations.py",
        *SETTLING,
    ),
    "workers/settle_job.py": SETTLING,
}
ACCESS: dict[str, tuple[str, ...]] = {
    "api/auth/access.py": COMING_IN,
    "api/auth/roles.py": COMING_IN,
    "api/auth/tokens.py": COMING_IN,
    "api/resources/devices.py": COMING_IN,
    "api/resources/join_requests.py": COMING_IN,
    "ledger/access/devices.py": COMING_IN,
    "ledger/access/join_requests.py": COMING_IN,
    "ledger/store/metadata_write.py": COMING_IN + ASKING,
    "ledger/access/session_metadata.py": COMING_IN,
    "api/rate_limit/enforcement.py": ("tests/api/rate_limit/test_enforcement.py",),
    "api/http/conditional.py": ASKING,
    "api/http/idempotency.py": ASKING,
    "api/http/json_body.py": ASKING,
}
ROOT = Path(__file__).parents[3]
GAMES: dict[str, tuple[str, ...]] = {
    module: PLAYING
    for module in sorted(str(file.relative_to(ROOT)) for file in (ROOT / "engine").rglob("*.py"))
    if module not in MONEY and not module.endswith("__init__.py")
}
"""The rest of the engine: play, and what it costs each player."""

SCOPE = MONEY | ACCESS | GAMES
