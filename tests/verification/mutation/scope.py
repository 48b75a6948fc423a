"""The code about money, access and play, and the tests that should notice a mutant of it.

A test is used only if it runs the line that is wrong, so a list may be longer than needed. Tests
that start servers of their own cannot see a mutant and are not listed.
"""

from __future__ import annotations

from pathlib import Path

FOLD_TESTS = (
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
ENGINE_AND_FOLD_TESTS = ("tests/engine", *FOLD_TESTS)
SCORE_TESTS = (
    "tests/engine/scoring",
    "tests/engine/errors",
    "tests/engine/games/knektpass",
    "tests/engine/games/spader",
    "tests/ledger/projections/test_scores.py",
    "tests/ledger/session/test_command_handlers.py",
)
QUERY_TESTS = (
    "tests/ledger/reporting/test_journal_query.py",
    "tests/api/statements/test_session_statement.py",
    "tests/api/statements/formats/test_streaming.py",
    "tests/api/http/test_as_of.py",
)
SETTLEMENT_TESTS = (
    "tests/workers/test_settle_job.py",
    "tests/workers/test_settlement_failures.py",
    "tests/workers/test_queue.py",
)
ACCESS_TESTS = (
    "tests/api/resources/test_devices.py",
    "tests/api/resources/test_join_requests.py",
    "tests/api/auth/test_cookies.py",
    "tests/api/auth/test_may_write.py",
    "tests/api/auth/test_tokens.py",
    "tests/api/resources/test_group_access.py",
    "tests/api/resources/test_group_own_link.py",
)
REQUEST_TESTS = (
    "tests/api/http/test_idempotency.py",
    "tests/api/resources/test_actions.py",
    "tests/api/resources/test_replays.py",
    "tests/api/http/test_problems.py",
    "tests/api/http/test_json_body.py",
    "tests/verification/fuzz/test_decoders.py",
)
COST_TESTS = (
    "tests/ledger/session/test_cost_division.py",
    "tests/ledger/session/test_shared_costs.py",
    "tests/api/resources/test_costs.py",
)
GROUP_MONEY_TESTS = (
    "tests/ledger/groups/test_open_balances.py",
    "tests/ledger/groups/test_departures.py",
    "tests/api/resources/group_money/test_open_balances.py",
    "tests/api/resources/group_money/test_departures.py",
)
BANK_TESTS = (
    "tests/ledger/groups/bank_lines/test_assignment.py",
    "tests/ledger/groups/bank_lines/test_double_payments.py",
    "tests/ledger/groups/bank_lines/test_line_matching.py",
    "tests/ledger/groups/bank_lines/test_recorded_payments.py",
    "tests/ledger/transfer/test_bank_file.py",
    "tests/ledger/transfer/csv_table/test_amounts.py",
    "tests/api/resources/group_money/test_bank_lines.py",
    "tests/api/resources/group_money/test_recorded_payments.py",
)
EARLIER_EVENING_TESTS = (
    "tests/ledger/transfer/earlier_evenings/test_evenings.py",
    "tests/ledger/transfer/earlier_evenings/test_mapping.py",
    "tests/ledger/transfer/earlier_evenings/test_same_days.py",
    "tests/ledger/transfer/earlier_evenings/test_unlikely_evenings.py",
    "tests/ledger/transfer/csv_table/test_amounts.py",
    "tests/api/resources/group_money/test_imports.py",
)

MONEY: dict[str, tuple[str, ...]] = {
    "ledger/projections/postings.py": FOLD_TESTS,
    "ledger/reporting/payment_plan.py": ("tests/ledger/reporting/test_payment_plan.py",),
    "ledger/session/command_handlers.py": ENGINE_AND_FOLD_TESTS,
    "ledger/session/carry_forward.py": FOLD_TESTS,
    "ledger/session/session_state.py": FOLD_TESTS,
    "ledger/projections/balances.py": FOLD_TESTS,
    "ledger/projections/bets.py": FOLD_TESTS,
    "ledger/projections/deals.py": FOLD_TESTS,
    "ledger/projections/journal.py": FOLD_TESTS,
    "ledger/projections/la_vola_payments.py": FOLD_TESTS,
    "ledger/projections/scores.py": FOLD_TESTS,
    "engine/values.py": ENGINE_AND_FOLD_TESTS,
    "engine/scoring/bet_stack.py": ENGINE_AND_FOLD_TESTS,
    "engine/scoring/leftovers.py": ENGINE_AND_FOLD_TESTS,
    "engine/scoring/score_sheet.py": SCORE_TESTS,
    "ledger/reporting/journal_query.py": QUERY_TESTS,
    "ledger/operations/health.py": (
        "tests/ledger/operations/test_health.py",
        "tests/api/resources/test_operations.py",
        *SETTLEMENT_TESTS,
    ),
    "workers/settle_job.py": SETTLEMENT_TESTS,
    "ledger/session/cost_division.py": COST_TESTS,
    "ledger/projections/costs.py": COST_TESTS,
    "ledger/groups/open_balances.py": GROUP_MONEY_TESTS,
    "ledger/groups/departures.py": GROUP_MONEY_TESTS,
    "ledger/groups/bank_lines/assignment.py": BANK_TESTS,
    "ledger/groups/bank_lines/double_payments.py": BANK_TESTS,
    "ledger/groups/bank_lines/line_approval.py": BANK_TESTS,
    "ledger/groups/bank_lines/line_matching.py": BANK_TESTS,
    "ledger/groups/bank_lines/open_transfers.py": BANK_TESTS,
    "ledger/groups/bank_lines/recorded_payments.py": BANK_TESTS,
    "ledger/transfer/bank_file.py": BANK_TESTS,
    "ledger/transfer/csv_table/amounts.py": BANK_TESTS + EARLIER_EVENING_TESTS,
    "ledger/transfer/earlier_evenings/balance_import.py": EARLIER_EVENING_TESTS,
    "ledger/transfer/earlier_evenings/evenings.py": EARLIER_EVENING_TESTS,
    "ledger/transfer/earlier_evenings/mapping.py": EARLIER_EVENING_TESTS,
    "ledger/transfer/earlier_evenings/unlikely_evenings.py": EARLIER_EVENING_TESTS,
}
ACCESS: dict[str, tuple[str, ...]] = {
    "api/auth/access.py": ACCESS_TESTS,
    "api/auth/roles.py": ACCESS_TESTS,
    "api/auth/tokens.py": ACCESS_TESTS,
    "api/resources/devices.py": ACCESS_TESTS,
    "api/resources/join_requests.py": ACCESS_TESTS,
    "ledger/access/devices.py": ACCESS_TESTS,
    "ledger/access/join_requests.py": ACCESS_TESTS,
    "ledger/store/metadata_write.py": ACCESS_TESTS + REQUEST_TESTS,
    "ledger/access/session_metadata.py": ACCESS_TESTS,
    "api/rate_limit/enforcement.py": ("tests/api/rate_limit/test_enforcement.py",),
    "api/http/conditional.py": ("tests/api/http/test_conditional.py",),
    "api/http/idempotency.py": REQUEST_TESTS,
    "api/http/json_body.py": REQUEST_TESTS,
}
ROOT = Path(__file__).parents[3]
GAMES: dict[str, tuple[str, ...]] = {
    module: ENGINE_AND_FOLD_TESTS
    for module in sorted(str(file.relative_to(ROOT)) for file in (ROOT / "engine").rglob("*.py"))
    if module not in MONEY and not module.endswith("__init__.py")
}
"""The rest of the engine: play, and what it costs each player."""

SCOPE = MONEY | ACCESS | GAMES
