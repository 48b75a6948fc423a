"""What every player has won or lost so far, settled money only."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from engine.values import Amount, Player
from ledger.entries import PlayerJoined, SessionOpened, TransferRecorded
from ledger.envelope import Recorded
from ledger.postings import Posting, player

Balances = Mapping[Player, Amount]

PLAYER = player("")
"""How the accounts of players begin."""

WHO = len(PLAYER)

NONE: Balances = MappingProxyType({})


def apply(balances: Balances, recorded: Recorded, moved: Sequence[Posting]) -> Balances:
    """Everybody's after this event and its lines."""
    event = recorded.event
    if isinstance(event, SessionOpened):
        return dict.fromkeys(event.players, 0)
    if isinstance(event, PlayerJoined):
        return {**balances, event.player: 0}
    if not moved:
        return balances
    new = dict(balances)
    for line in moved:
        source, target = line.source, line.target
        if source.startswith(PLAYER):
            new[source[WHO:]] -= line.amount
        if target.startswith(PLAYER):
            new[target[WHO:]] += line.amount
    return new


def paid(so_far: Balances, transfer: TransferRecorded) -> Balances:
    """What everybody has paid outside the game, less what he was paid."""
    payer, payee, amount = transfer.payer, transfer.payee, transfer.amount
    return {
        **so_far,
        payer: so_far.get(payer, 0) + amount,
        payee: so_far.get(payee, 0) - amount,
    }
