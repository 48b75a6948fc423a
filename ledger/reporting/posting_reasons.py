"""Explain each posting: the rule that moved the amount, and the numbers of that rule.

An explanation is a code with operands; api/i18n turns it into a sentence. The rule reference is the
game's own, except for what all games share (docs/rules.md §5).
"""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from engine import events as e
from engine.scoring.bet_stack import EARLIER_SESSION
from engine.values import Player
from ledger.events.event_types import (
    CostRecorded,
    CostVoided,
    LedgerEvent,
    PaymentSettled,
    SessionOpened,
    TransferRecorded,
)
from ledger.projections import postings
from ledger.projections.deals import Deal
from ledger.projections.la_vola_payments import is_due_by_correction
from ledger.projections.postings import Posting, player_account

RuleReferences = Mapping[str, str]
"""The paragraph of docs/rules.md or the option that an explanation cites, by its code."""

PlayerRoles = Mapping[str, Player | tuple[Player, ...]]
"""Players by their role in the sentence."""

Cause = tuple[str, PlayerRoles, Mapping[str, int], Mapping[str, int]]
"""A code with its players, amounts and numbers."""

NO_PLAYERS: PlayerRoles = {}
NO_NUMBERS: Mapping[str, int] = {}

COMMON_RULE_REFERENCES: RuleReferences = {
    "transfer": "",  # no rule requires it
    "cost_share": "§10.2",
    "cost_voided": "§10.3",
    # leftovers usually stay; when they are shared, the players agreed to it
    "leftover_pot": "§5, A-PP-13",
    "leftover_bet": "§5, A-PP-13",
    "claim_collected": "§5, A-PP-13",
    "brought_to_get": "§5",
    "brought_to_pay": "§5",
    "brought_pot": "§5",
    "brought_bet": "§5",
    "reopened": "§5",
    "undone": "A-PP-16",
    "corrected": "A-PP-16",
    "rescored": "A-PP-16",
    "never_counted": "A-PP-16",
    "correction_undone": "A-PP-16",
    "voided": "A-PP-16",
}


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """One posting and why it was made. Players are ids, amounts in minor units."""

    version: int
    posting: Posting
    code: str
    rule: str  # paragraph of docs/rules.md; empty for a transfer outside the game
    players: PlayerRoles = {}
    amounts: Mapping[str, int] = {}
    numbers: Mapping[str, int] = {}

    @property
    def payer_and_payee(self) -> tuple[str, str]:
        """The accounts as people see the payment: payer first. A transfer outside the game is
        booked in reverse, because it raises the payer's balance."""
        posting = self.posting if self.code != "transfer" else self.posting.reversed()
        return posting.source, posting.target

    @property
    def scores(self) -> tuple[tuple[str, int], ...]:
        """Whose points it moves, `p1` or `p1+p3`, and by how much. Two entries if a correction
        moves points from one side to another."""
        posting = self.posting
        ends = ((posting.target, posting.amount), (posting.source, -posting.amount))
        return tuple((a.partition(":")[2], points) for a, points in ends if a != postings.SHEET)


def explain_deal(rules: RuleReferences, deal: Deal) -> tuple[Explanation, ...]:
    """Explain every posting of a deal as it now is, in order."""
    if deal.voided:
        return ()
    return tuple(x for r in deal.facts for x in explain_event(rules, r.version, r.event))


def explain_event(
    rules: RuleReferences, version: int, event: LedgerEvent
) -> tuple[Explanation, ...]:
    """Explain every posting of an event at this version."""
    if isinstance(event, e.DealCorrected | e.CorrectionUndone):
        return tuple(_explain_correction(rules, version, event))
    causes = ((line, _find_cause(rules, event, line)) for line in postings.postings_of(event))
    return tuple(_explain(rules, version, line, cause) for line, cause in causes)


def _explain_correction(
    rules: RuleReferences, version: int, event: e.DealCorrected | e.CorrectionUndone
) -> Iterator[Explanation]:
    """Explain what a correction, or undoing one, moves, deal by deal."""
    for rescored in event.rescored:
        if isinstance(event, e.CorrectionUndone):
            code = "correction_undone"
        elif rescored.deal != event.deal:
            code = "rescored"
        else:
            code = "corrected" if rescored.facts else "never_counted"
        cause = _cause(code, deal=rescored.deal, corrected_deal=event.deal)
        for posting in postings.correction_postings(rescored):
            yield _explain(rules, version, posting, cause)


def explain_la_vola_payments(rules: RuleReferences, deal: Deal) -> tuple[Explanation, ...]:
    """Explain what each player owes for the la vola won in a deal, at the version that won it."""
    if deal.voided:
        return ()
    code = f"{_la_vola_or_vole(rules)}_paid"
    return tuple(
        _explain(
            rules,
            recorded.version,
            Posting(player_account(payer), player_account(won.player), won.amount),
            _cause(code, {"payer": payer, "payee": won.player}, deal=deal.number),
        )
        for recorded in deal.facts
        if isinstance(won := recorded.event, e.LaVolaWon)
        for payer in won.payers
    )


def _explain(rules: RuleReferences, version: int, posting: Posting, cause: Cause) -> Explanation:
    code, players, amounts, numbers = cause
    return Explanation(
        version=version,
        posting=posting,
        code=code,
        rule=rules[code] if code in rules else COMMON_RULE_REFERENCES[code],
        players=players,
        amounts=amounts,
        numbers=numbers,
    )


def _la_vola_or_vole(rules: RuleReferences) -> str:
    return "vole" if "vole_paid" in rules else "la_vola"


def _find_cause(rules: RuleReferences, event: Any, posting: Posting) -> Cause:
    match event:
        case e.DealOpened(dealer=dealer, number=number):
            return _cause("ante", {"dealer": dealer}, deal=number)
        case e.PotTaken(player=winner, deal=number):
            # with `stake_taken`, money from earlier deals stays in the pot
            code = "stake_taken" if "stake_taken" in rules else "pot_taken"
            return _cause(code, {"winner": winner}, deal=number)
        case e.BetTaken(player=winner, by=by, laid_in=laid_in, paid=paid):
            payer = _account_player(posting.source)
            roles: PlayerRoles = {"winner": winner, "by": by, "payer": payer}
            if laid_in == EARLIER_SESSION:
                code = "bet_taken_from_before" if paid else "claim_taken_from_before"
                return _cause(code, roles)
            return _cause("bet_taken" if paid else "claim_taken", roles, deal=laid_in)
        case e.BetLaid(played_for=played_for, multiplier=multiplier):
            code = "bet_laid" if multiplier == 1 else "bet_laid_double"
            loser: PlayerRoles = {"loser": _account_player(posting.source)}
            return _cause(code, loser, {"played_for": played_for}, times=multiplier)
        case e.PenaltyPaid(player=failed, deal=number):
            return _cause("penalty_paid", {"loser": failed}, deal=number)
        case e.Scored(rule=rule):
            return _score_cause(event, rule)
        case e.PointsPaid(payer=payer, payee=payee, points=points, value=value):
            payer_and_payee: PlayerRoles = {"payer": payer, "payee": payee}
            return _cause("points_paid", payer_and_payee, {"value": value}, points=points)
        case e.BetsMerged() | e.BetsParted():
            code = "bets_merged" if isinstance(event, e.BetsMerged) else "bets_parted"
            return _cause(code, {"by": event.by}, deal=event.deal)
        case PaymentSettled(payer=payer, payee=payee, deal=number, reverses=reverses):
            change = "paid_back" if reverses else "paid"
            if is_due_by_correction(event.payment):  # all of it, a part, or a mixture
                change = "corrected"
            code = f"{_la_vola_or_vole(rules)}_{change}"
            return _cause(code, {"payer": payer, "payee": payee}, deal=number)
        case SessionOpened():
            contestant = posting.target.partition(":")[2]
            return _cause("score_begun", {"who": tuple(contestant.split("+"))})
        case TransferRecorded(payer=payer, payee=payee):
            return _cause("transfer", {"payer": payer, "payee": payee})
        case CostRecorded() as recorded:
            return _cost_cause(recorded, posting)
        case CostVoided(cost=number):
            return _cause("cost_voided", cost=number)
        case e.PotShared():
            return _cause("leftover_pot", {"winner": _account_player(posting.target)})
        case e.BetShared(bet=number):
            return _cause("leftover_bet", {"winner": _account_player(posting.target)}, bet=number)
        case e.BetCollected(bet=number):
            return _cause("claim_collected", {"payer": _account_player(posting.source)}, bet=number)
        case e.BroughtForward():
            return _brought_forward_cause(posting)
        case e.ActionUndone() | e.DealVoided():
            code = "undone" if isinstance(event, e.ActionUndone) else "voided"
            return _cause(code, deal=event.deal or 0)
        case e.SessionReopened():
            return _cause("reopened")
    raise AssertionError(f"_find_cause has no case for {type(event).__name__}")


def _brought_forward_cause(posting: Posting) -> Cause:
    """Return the cause of an amount from an earlier session: a balance, the pot or a bet."""
    if posting.target == postings.BROUGHT_FORWARD:
        return _cause("brought_to_pay", {"who": _account_player(posting.source)})
    kind, _, account_id = posting.target.partition(":")
    if kind == "player":
        return _cause("brought_to_get", {"who": account_id})
    return _cause("brought_bet", bet=int(account_id)) if kind == "bet" else _cause("brought_pot")


def _cost_cause(recorded: CostRecorded, posting: Posting) -> Cause:
    """Return the cause of a player's share: of how much, and how many of all parts."""
    sharer = _account_player(posting.source)
    parts = {share.player: share.parts for share in recorded.shares}
    return _cause(
        "cost_share",
        {"payer": recorded.payer, "sharer": sharer},
        {"total": recorded.amount},
        cost=recorded.cost,
        parts=parts[sharer],
        all_parts=sum(parts.values()),
    )


def _score_cause(event: e.Scored, rule: str) -> Cause:
    """Return the cause of points, with the counts that the rule names."""
    counts = ("bid", "taken", "exchanged", "least", "each", "overtricks")
    numbers = {name: getattr(event, name) for name in counts}
    operands = {name: number for name, number in numbers.items() if number is not None}
    roles: PlayerRoles = {"who": tuple(event.to.split("+")), "player": event.player or ""}
    suffix = "_apart" if rule in ("bid_made", "bid_failed") and event.player else ""
    times = abs(event.points) // event.each if event.each else 0
    return _cause(f"score_{rule}{suffix}", roles, times=times, **operands)


def _cause(
    code: str,
    players: PlayerRoles = NO_PLAYERS,
    amounts: Mapping[str, int] = NO_NUMBERS,
    **numbers: int,
) -> Cause:
    return code, players, amounts, numbers


def _account_player(account: str) -> Player:
    kind, _, player = account.partition(":")
    return player if kind == "player" else account
