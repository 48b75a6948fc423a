"""Events that move money or points, one of each kind that a statement can explain."""

from __future__ import annotations

from typing import Any, get_args

from engine import events as e
from engine.games.polskt_pass import decider as polskt_pass
from engine.games.registry import GAMES
from ledger.events import event_types
from ledger.events.event_types import LedgerEvent, PaymentSettled, SessionOpened, TransferRecorded
from ledger.events.recorded_event import RecordedEvent
from ledger.session.cost_division import divide_cost

PLAYER_NAMES = {"p1": "Ada", "p2": "Bo", "p3": "Cilla", "p4": None}


def record_event(event: LedgerEvent) -> RecordedEvent:
    envelope = {"type": "", "schema": 1, "at": 0, "by": "host.0", "data": "{}", "hash": b""}
    return RecordedEvent(version=1, event=event, **envelope)  # type: ignore[arg-type]


DEAL_OPENED = e.DealOpened(number=1, dealer="p1", seats=("p1", "p2"), stake=10, played_for=30)


BET_LAID = e.BetLaid(deal=1, bet=1, by=("p2", "p4"), each=20, played_for=20, multiplier=1)


BET_TAKEN = e.BetTaken(deal=2, player="p1", bet=1, by=("p2", "p4"), each=20, laid_in=1)


PAYMENT_SETTLED = PaymentSettled(payment="1-p1-p2", deal=1, payer="p1", payee="p2", amount=30)


COST_RECORDED = event_types.CostRecorded(
    cost=1, payer="p2", amount=100, shares=divide_cost(100, {"p1": 2, "p2": 1, "p4": 1}, 1)
)


SHARES = (e.Share(player="p1", amount=5),)


BET_FIELDS: dict[str, Any] = {"deal": 1, "bet": 1, "by": ("p2",), "each": 20}


SESSION_OPENED = SessionOpened(
    game="any",
    options={},
    currency="SEK",
    players=("p1", "p3"),
    names=("", ""),
    first_dealer="p1",
    start={"p1": 12},
)


RULE_REFERENCES = {
    code: rule
    for game in GAMES.values()
    for code, rule in game.rule_references(game.options_type()).items()
    if not code.startswith("vole_")
}


VOLE_REFERENCES = GAMES["polskpas"].rule_references(GAMES["polskpas"].options_type())


ANTE_REFERENCES = GAMES["polskt_pass"].rule_references(
    polskt_pass.Options(amount_basis="ante_only")
)


POINTS_SCORED = e.Scored(
    deal=1, to="p1+p3", points=41, rule="bid_made", bid=4, taken=5, each=10, player="p1"
)


PAYMENT_REVERSED = PaymentSettled(
    payment="9-p2-p1", deal=1, payer="p2", payee="p1", amount=30, reverses=PAYMENT_SETTLED.payment
)


PAYMENT_CORRECTED = PaymentSettled(payment="9.1-p2-p1", deal=1, payer="p2", payee="p1", amount=30)


PAYMENTS = (PAYMENT_SETTLED, PAYMENT_REVERSED, PAYMENT_CORRECTED)


MONEY_EVENTS: tuple[LedgerEvent, ...] = (
    DEAL_OPENED,
    e.PotTaken(deal=1, player="p3", amount=10),
    BET_TAKEN,
    e.BetTaken(deal=2, player="p1", bet=1, by=("p2",), each=20, laid_in=1, paid=False),
    BET_LAID,
    e.BetLaid(deal=1, bet=1, by=("p2",), each=40, played_for=20, multiplier=2),
    e.BetsMerged(added=2, **BET_FIELDS),
    e.BetsParted(parted=2, **BET_FIELDS),
    *PAYMENTS,
    POINTS_SCORED,
    e.Scored(
        deal=1, to="p1+p3", points=-40, rule="bid_failed", bid=4, taken=3, each=10, player="p1"
    ),
    TransferRecorded(payer="p1", payee="p4", amount=100),
    COST_RECORDED,
    event_types.CostVoided(cost=1, recorded_version=7, took_back=(COST_RECORDED,)),
    e.PotShared(shares=SHARES),
    e.BetShared(bet=1, shares=SHARES),
    e.BetCollected(bet=1, by=("p2",), each=20),
    SESSION_OPENED,
    e.PenaltyPaid(deal=1, player="p2", amount=10),
    *(
        e.Scored(
            deal=1,
            to="p1+p3",
            points=-12,
            rule=rule,
            player=None if rule in ("bid_made", "bid_failed") else "p1",
            bid=3,
            taken=2,
            exchanged=4,
            least=4,
            each=10,
            overtricks=0,
        )
        for rule in get_args(e.ScoringRule)
    ),
    e.PointsPaid(payer="p1", payee="p2", points=7, value=50),
    e.ActionUndone(deal=1, took_back=(DEAL_OPENED,)),
    e.DealVoided(deal=1, took_back=(DEAL_OPENED,), next_dealer="p1"),
    e.SessionReopened(took_back=(e.PotShared(shares=SHARES), e.EveningClosed(policy="carry"))),
    e.DealCorrected(
        deal=1,
        rescored=(
            e.Rescored(deal=1, was=(DEAL_OPENED,), facts=(DEAL_OPENED, BET_LAID)),
            e.Rescored(deal=2, was=(BET_LAID,), facts=()),
        ),
        next_dealer="p1",
    ),
    e.BetTaken(deal=1, player="p1", bet=1, by=("p2",), each=20, laid_in=0),
    e.BetTaken(deal=1, player="p1", bet=1, by=("p2",), each=20, laid_in=0, paid=False),
    e.BroughtForward(
        session="earlier",
        version=9,
        hash="ab",
        pot=10,
        bets=(e.CarriedBet(bet=1, by=("p2",), each=20, paid=True),),
        balances={"p1": 10, "p2": -40},
    ),
    e.DealCorrected(
        deal=3, rescored=(e.Rescored(deal=3, was=(DEAL_OPENED,), facts=()),), next_dealer="p1"
    ),
    e.CorrectionUndone(
        deal=3, rescored=(e.Rescored(deal=3, was=(), facts=(DEAL_OPENED,)),), next_dealer="p1"
    ),
)
