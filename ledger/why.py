"""For every movement of money the rule that moved it, and the numbers of that rule.

Says it in a code with operands; putting it into somebody's language is not known here. Which
paragraph stands behind a reason is for the game to say, but for what all games share (rules.md §5).
"""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from engine import events as e
from engine.bets import EARLIER_EVENING
from engine.values import Player
from ledger.entries import Entry, PaymentSettled, SessionOpened, TransferRecorded
from ledger.envelope import Recorded
from ledger.postings import BROUGHT, SHEET, Posting, difference, postings
from ledger.postings import player as account
from ledger.projections.deals import Deal
from ledger.projections.payments import Payment, by_correction

Rules = Mapping[str, str]
"""A game's own paragraphs, by reason."""

Who = Mapping[str, Player | tuple[Player, ...]]
"""Players by the part they have in the sentence."""

Because = tuple[str, Who, Mapping[str, int], Mapping[str, int]]
"""A code with its players, amounts and numbers."""

NOBODY: Who = {}
NOTHING: Mapping[str, int] = {}

OF_EVERY_GAME: Rules = {
    "transfer": "",  # no rule asks for it
    # what is carried, as usual, moves nothing: whatever is shared, the table agreed to share
    "leftover_pot": "§5, A-PP-13",
    "leftover_bet": "§5, A-PP-13",
    "claim_collected": "§5, A-PP-13",
    "points_paid": "point_value",
    "brought_to_get": "§5",
    "brought_to_pay": "§5",
    "brought_pot": "§5",
    "brought_bet": "§5",
    "undone": "A-PP-16",
    "corrected": "A-PP-16",
    "rescored": "A-PP-16",
    "never_counted": "A-PP-16",
    "voided": "A-PP-16",
}


class Reason(msgspec.Struct, frozen=True, kw_only=True):
    """One posting and why it was made. Operands: players as ids, amounts in minor units."""

    version: int
    posting: Posting
    code: str
    rule: str  # the paragraph of rules.md; none behind what was paid outside the game
    players: Who = {}
    amounts: Mapping[str, int] = {}
    numbers: Mapping[str, int] = {}

    @property
    def scores(self) -> tuple[tuple[str, int], ...]:
        """Whose points it moves, `p1` or `p1+p3`, and by how much. Of two if a correction gives to
        one side what it takes from another."""
        posting = self.posting
        ends = ((posting.target, posting.amount), (posting.source, -posting.amount))
        return tuple((a.partition(":")[2], points) for a, points in ends if a != SHEET)


def of_deal(rules: Rules, deal: Deal) -> tuple[Reason, ...]:
    """Every posting of a deal as it stands, in order."""
    if deal.voided:
        return ()
    return tuple(reason for recorded in deal.facts for reason in of_event(rules, recorded))


def of_event(rules: Rules, recorded: Recorded) -> tuple[Reason, ...]:
    """Every posting of one event."""
    return reasons(rules, recorded.version, recorded.event)


def reasons(rules: Rules, version: int, event: Entry) -> tuple[Reason, ...]:
    """Every posting of what was written at this version."""
    if isinstance(event, e.DealCorrected):
        return tuple(_corrected(rules, version, event))
    return tuple(
        [_reason(rules, version, line, _why(rules, event, line)) for line in postings(event)]
    )


def _corrected(rules: Rules, version: int, event: e.DealCorrected) -> Iterator[Reason]:
    """What a correction moves, deal by deal."""
    for again in event.rescored:
        for posting in difference(again):
            own = again.deal == event.deal
            code = "rescored" if not own else "corrected" if again.facts else "never_counted"
            because = _because(code, deal=again.deal, because_of=event.deal)
            yield _reason(rules, version, posting, because)


def of_payment(rules: Rules, payment: Payment) -> Reason:
    """A settled leg of a la vola, at the version that made it due."""
    code = _vola(rules, payment.id, back=bool(payment.reverses))
    posting = Posting(account(payment.payer), account(payment.payee), payment.amount)
    who: Who = {"payer": payment.payer, "payee": payment.payee}
    version = int(payment.id.partition("-")[0].partition(".")[0])
    return _reason(rules, version, posting, _because(code, who, deal=payment.deal))


def _reason(rules: Rules, version: int, posting: Posting, because: Because) -> Reason:
    code, players, amounts, numbers = because
    return Reason(
        version=version,
        posting=posting,
        code=code,
        rule=rules[code] if code in rules else OF_EVERY_GAME[code],
        players=players,
        amounts=amounts,
        numbers=numbers,
    )


def _vola(rules: Rules, payment: str, *, back: bool) -> str:
    """As the game calls it, la vola or vole. What a correction made due may be all of it, a part,
    or something back and something else at once: it says only what it settles."""
    said = "vole" if "vole_paid" in rules else "la_vola"
    if by_correction(payment):
        return f"{said}_corrected"
    return f"{said}_paid_back" if back else f"{said}_paid"


def _why(rules: Rules, event: Any, posting: Posting) -> Because:
    match event:
        case e.DealOpened(dealer=dealer, number=number):
            return _because("ante", {"dealer": dealer}, deal=number)
        case e.PotTaken(player=winner, deal=number):
            code = "stake_taken" if "stake_taken" in rules else "pot_taken"  # older money stays
            return _because(code, {"winner": winner}, deal=number)
        case e.BetTaken(player=winner, by=by, laid_in=laid_in, paid=paid):
            three: Who = {"winner": winner, "by": by, "payer": _player(posting.source)}
            if laid_in == EARLIER_EVENING:
                code = "bet_taken_from_before" if paid else "claim_taken_from_before"
                return _because(code, three)
            return _because("bet_taken" if paid else "claim_taken", three, deal=laid_in)
        case e.BetLaid(played_for=played_for, multiplier=multiplier):
            code = "bet_laid" if multiplier == 1 else "bet_laid_double"
            loser: Who = {"loser": _player(posting.source)}
            return _because(code, loser, {"played_for": played_for}, times=multiplier)
        case e.PenaltyPaid(player=failed, deal=number):
            return _because("penalty_paid", {"loser": failed}, deal=number)
        case e.Scored(rule=rule):
            return _scored(event, rule)
        case e.PointsPaid(payer=payer, payee=payee, points=points, value=value):
            pair: Who = {"payer": payer, "payee": payee}
            return _because("points_paid", pair, {"value": value}, points=points)
        case e.BetsMerged() | e.BetsParted():
            code = "bets_merged" if isinstance(event, e.BetsMerged) else "bets_parted"
            return _because(code, {"by": event.by}, deal=event.deal)
        case PaymentSettled(payer=payer, payee=payee, deal=number, reverses=reverses):
            code = _vola(rules, event.payment, back=bool(reverses))
            return _because(code, {"payer": payer, "payee": payee}, deal=number)
        case SessionOpened():
            return _because("score_begun", {"who": _keeper(posting.target)})
        case TransferRecorded(payer=payer, payee=payee):
            return _because("transfer", {"payer": payer, "payee": payee})
        case e.PotShared():
            return _because("leftover_pot", {"winner": _player(posting.target)})
        case e.BetShared(bet=number):
            return _because("leftover_bet", {"winner": _player(posting.target)}, bet=number)
        case e.BetCollected(bet=number):
            return _because("claim_collected", {"payer": _player(posting.source)}, bet=number)
        case e.BroughtForward():
            return _brought(posting)
        case e.ActionUndone() | e.DealVoided():
            code = "undone" if isinstance(event, e.ActionUndone) else "voided"
            return _because(code, deal=event.deal or 0)
    raise AssertionError(f"{type(event).__name__} moves nothing")


def _brought(posting: Posting) -> Because:
    """From an earlier evening: what somebody was owed or owed, the pot, a bet."""
    if posting.target == BROUGHT:
        return _because("brought_to_pay", {"who": _player(posting.source)})
    kind, _, which = posting.target.partition(":")
    if kind == "player":
        return _because("brought_to_get", {"who": which})
    return _because("brought_bet", bet=int(which)) if kind == "bet" else _because("brought_pot")


def _scored(event: e.Scored, rule: str) -> Because:
    """The counts that the rule speaks of go with it."""
    counts = ("bid", "taken", "exchanged", "least", "each", "overtricks")
    numbers = {name: getattr(event, name) for name in counts}
    told = {name: number for name, number in numbers.items() if number is not None}
    who: Who = {"who": tuple(event.to.split("+")), "player": event.player or ""}
    apart = "_apart" if rule in ("bid_made", "bid_failed") and event.player else ""
    times = abs(event.points) // event.each if event.each else 0
    return _because(f"score_{rule}{apart}", who, times=times, **told)


def _because(
    code: str, players: Who = NOBODY, amounts: Mapping[str, int] = NOTHING, **numbers: int
) -> Because:
    return code, players, amounts, numbers


def _keeper(account: str) -> tuple[Player, ...]:
    """The players behind a score: `score:p1+p3`."""
    return tuple(account.partition(":")[2].split("+"))


def _player(account: str) -> Player:
    kind, _, player = account.partition(":")
    return player if kind == "player" else account


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """How a deal ended, as a code with operands."""

    code: str
    players: Who = {}
    amounts: dict[str, int] = {}
    numbers: dict[str, int] = {}
    scores: tuple[tuple[tuple[Player, ...], int], ...] = ()  # who got how many points
    winners: tuple[str, ...] = ()  # of the whole game, players or sides, if this deal decided it


def outcome(deal: Deal) -> Told:
    """One sentence's worth: who won what, who failed."""
    played_for = {"played_for": deal.opening.played_for}
    dealer: Who = {"dealer": deal.dealer}
    end = deal.closing
    if deal.voided or end is None:
        code = "voided" if deal.voided else "open"
        if not deal.opening.played_for:
            return Told(code=f"{code}_for_points", players=dealer)
        return Told(code=code, players=dealer, amounts=played_for)
    won = next((r.event for r in deal.facts if isinstance(r.event, e.GameWon)), None)
    players: Who = {
        "winner": end.winner or "",
        "declarers": end.declarers,
        "failed": tuple(p for p in end.declarers if p != end.winner),
        "announcer": end.la_vola or "",
        "next": end.next_dealer,
        "champions": tuple(p for side in won.winners for p in side.split("+")) if won else (),
    }
    paid = next((r.event for r in deal.facts if isinstance(r.event, e.LaVolaWon)), None)
    return Told(
        code=_outcome(deal, end, won),
        players=players,
        amounts={**played_for, "each": paid.amount if paid else 0, "won": _taken(deal)},
        scores=_scores(deal),
        winners=won.winners if won else (),
    )


def _taken(deal: Deal) -> int:
    """What the winner took: less than was played for where a bet among it is a claim on himself."""
    took = (r.event for r in deal.facts if isinstance(r.event, e.PotTaken | e.BetTaken))
    return sum(line.amount for fact in took for line in postings(fact))


def _outcome(deal: Deal, end: e.DealClosed, won: e.GameWon | None) -> str:
    def happened(*kinds: type[e.Fact]) -> bool:
        return any(isinstance(r.event, kinds) for r in deal.facts)

    match end.outcome:
        case "all_pass" if not deal.opening.played_for:
            return "all_pass_for_points"
        case "won":
            laid = happened(e.BetLaid)
            if laid and end.winner in end.declarers:
                return "won_by_one_of_two"
            return "won_by_other" if laid else "won_by_declarer"
        case "lost":
            how = "vole_lost" if end.la_vola else "lost"
            return f"{how}_to_winner" if happened(e.PotTaken) else how
        case "la_vola_won" if happened(e.VoleAnnounced) or _by_result(deal):
            return "vole_won" if happened(e.PotTaken) else "vole_won_pot_stays"
        case "la_vola_lost" if happened(e.VoleAnnounced) or _by_result(deal):
            return "vole_void"
        case ("nobody" | "la_vola_lost") as nobody_won if happened(e.BetLaid):
            return f"{nobody_won}_bet"
        case "scored" | "played_alone":
            return f"{end.outcome}_and_won" if won else end.outcome
        case other:
            return other


def _by_result(deal: Deal) -> bool:
    said = (r.event for r in deal.facts if isinstance(r.event, e.ResultRecorded))
    return any(event.vole is not msgspec.UNSET for event in said)


def _scores(deal: Deal) -> tuple[tuple[tuple[Player, ...], int], ...]:
    """What every player or side got in this deal, all reasons together."""
    totals = dict[str, int]()
    for recorded in deal.facts:
        match recorded.event:
            case e.Scored(to=keeper, points=points):
                totals[keeper] = totals.get(keeper, 0) + points
    return tuple((tuple(keeper.split("+")), points) for keeper, points in totals.items())
