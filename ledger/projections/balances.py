"""What each player has won or lost so far (settled money), and the check that all is zero-sum."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from engine.scoring.bet_stack import Bets
from engine.scoring.score_sheet import ScoreSheet
from engine.values import Amount, Player
from ledger.events.event_types import LedgerEvent, PlayerJoined, SessionOpened, TransferRecorded
from ledger.projections.postings import Posting, account_changes, player_account

Balances = Mapping[Player, Amount]

NO_BALANCES: Balances = MappingProxyType({})


def apply(
    balances: Balances, event: LedgerEvent, account_changes: Mapping[str, Amount]
) -> Balances:
    """Return the balances after this event; `account_changes` are those of its postings."""
    if isinstance(event, SessionOpened):
        return dict.fromkeys(event.players, 0)
    if not account_changes:
        return {**balances, event.player: 0} if isinstance(event, PlayerJoined) else balances
    return add_changes(balances, account_changes)


def add_changes(balances: Balances, account_changes: Mapping[str, Amount]) -> Balances:
    """Return the balances after these changes of accounts."""
    get_change = account_changes.get
    return {p: amount + get_change(player_account(p), 0) for p, amount in balances.items()}


def add_transfer(net_paid: Balances, transfer: TransferRecorded) -> Balances:
    """Return what each player has paid outside the game, less what the player was paid."""
    payer, payee, amount = transfer.payer, transfer.payee, transfer.amount
    return {
        **net_paid,
        payer: net_paid.get(payer, 0) + amount,
        payee: net_paid.get(payee, 0) - amount,
    }


def add_cost(net_costs: Balances, postings: Iterable[Posting]) -> Balances:
    """Return what each player has paid of the shared costs, less the player's own shares."""
    changes = account_changes(postings)
    players = (account.partition(":")[2] for account in changes)
    return {**net_costs, **{p: net_costs.get(p, 0) + changes[player_account(p)] for p in players}}


def is_balanced(
    player_balances: Balances,
    pot_amount: Amount,
    bets_down: Bets,
    sheet: ScoreSheet | None,
    sheet_balance: Amount,
) -> bool:
    """Return whether players, pot and paid bets add up to zero, and scores and sheet as well. This
    holds in every session at every version."""
    money = sum(player_balances.values()) + pot_amount
    for bet in bets_down:
        if bet.paid:
            money += bet.amount
    points = sum(sheet.scores.values()) if sheet else 0
    return money == points + sheet_balance == 0
