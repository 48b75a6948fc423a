"""How a deal ended, as a code with operands: who won what, and who failed.

The translator of `api/i18n` turns it into a sentence.
"""

from collections import Counter

import msgspec

from engine import events as e
from engine.values import Player
from ledger.projections.deals import Deal
from ledger.projections.postings import postings_of
from ledger.reporting.posting_reasons import PlayerRoles


class DealOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """How a deal ended, as a code with operands."""

    code: str
    players: PlayerRoles = {}
    amounts: dict[str, int] = {}
    scores: tuple[tuple[tuple[Player, ...], int], ...] = ()  # who got how many points
    winners: tuple[str, ...] = ()  # of the whole game, players or sides, if this deal decided it


def describe_outcome(deal: Deal) -> DealOutcome:
    """Return the outcome of a deal: who won what, who failed."""
    played_for = {"played_for": deal.opening.played_for}
    dealer: PlayerRoles = {"dealer": deal.dealer}
    closing = deal.closing
    if deal.voided or closing is None:
        code = "voided" if deal.voided else "open"
        if not deal.opening.played_for:
            return DealOutcome(code=f"{code}_for_points", players=dealer)
        return DealOutcome(code=code, players=dealer, amounts=played_for)
    won = next((r.event for r in deal.facts if isinstance(r.event, e.GameWon)), None)
    players: PlayerRoles = {
        "winner": closing.winner or "",
        "declarers": closing.declarers,
        "failed": tuple(p for p in closing.declarers if p != closing.winner),
        "announcer": closing.la_vola or "",
        "next": closing.next_dealer,
        "champions": tuple(p for side in won.winners for p in side.split("+")) if won else (),
    }
    paid = next((r.event for r in deal.facts if isinstance(r.event, e.LaVolaWon)), None)
    return DealOutcome(
        code=_outcome_code(deal, closing, won),
        players=players,
        amounts={**played_for, "each": paid.amount if paid else 0, "won": _amount_taken(deal)},
        scores=_points_by_contestant(deal),
        winners=won.winners if won else (),
    )


def _amount_taken(deal: Deal) -> int:
    """Return what the winner took: less than was played for if a bet was a claim on the winner."""
    taking_facts = (r.event for r in deal.facts if isinstance(r.event, e.PotTaken | e.BetTaken))
    return sum(line.amount for fact in taking_facts for line in postings_of(fact))


def _outcome_code(deal: Deal, closing: e.DealClosed, won: e.GameWon | None) -> str:
    def happened(*kinds: type[e.BaseEvent]) -> bool:
        return any(isinstance(r.event, kinds) for r in deal.facts)

    match closing.outcome:
        case "all_pass" if not deal.opening.played_for:
            return "all_pass_for_points"
        case "won":
            bet_laid = happened(e.BetLaid)
            if bet_laid and closing.winner in closing.declarers:
                return "won_by_one_of_two"
            if bet_laid:
                return "won_by_third" if len(closing.declarers) > 1 else "won_by_other"
            return "won_by_declarer"
        case "lost":
            code = "vole_lost" if closing.la_vola else "lost"
            return f"{code}_to_winner" if happened(e.PotTaken) else code
        case "la_vola_won" if happened(e.VoleAnnounced) or _is_by_result(deal):
            return "vole_won" if happened(e.PotTaken) else "vole_won_pot_stays"
        case "la_vola_lost" if happened(e.VoleAnnounced) or _is_by_result(deal):
            return "vole_void"
        case ("nobody" | "la_vola_lost") as nobody_won if happened(e.BetLaid):
            return f"{nobody_won}_bet"
        case "scored" | "played_alone":
            return f"{closing.outcome}_and_won" if won else closing.outcome
        case other:
            return other


def _is_by_result(deal: Deal) -> bool:
    results = (r.event for r in deal.facts if isinstance(r.event, e.ResultRecorded))
    return any(event.vole is not msgspec.UNSET for event in results)


def _points_by_contestant(deal: Deal) -> tuple[tuple[tuple[Player, ...], int], ...]:
    """Return the points of each player or side in this deal, all reasons together."""
    totals: Counter[str] = Counter()
    for recorded in deal.facts:
        if isinstance(recorded.event, e.Scored):
            totals[recorded.event.to] += recorded.event.points
    return tuple((tuple(contestant.split("+")), points) for contestant, points in totals.items())
