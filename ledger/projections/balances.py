"""What each player has won or lost so far, settled money only."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from engine.values import Amount, Player
from ledger.events.event_types import PlayerJoined, SessionOpened, TransferRecorded
from ledger.events.recorded_event import RecordedEvent
from ledger.projections.postings import Posting, player_account

Balances = Mapping[Player, Amount]

PLAYER_PREFIX = player_account("")
"""The prefix of players' accounts."""

PREFIX_LENGTH = len(PLAYER_PREFIX)

NO_BALANCES: Balances = MappingProxyType({})


def apply(balances: Balances, recorded: RecordedEvent, postings: Sequence[Posting]) -> Balances:
    """Return the balances after this event and its postings."""
    event = recorded.event
    if isinstance(event, SessionOpened):
        return dict.fromkeys(event.players, 0)
    if isinstance(event, PlayerJoined):
        return {**balances, event.player: 0}
    if not postings:
        return balances
    updated = dict(balances)
    for line in postings:
        source, target = line.source, line.target
        if source.startswith(PLAYER_PREFIX):
            updated[source[PREFIX_LENGTH:]] -= line.amount
        if target.startswith(PLAYER_PREFIX):
            updated[target[PREFIX_LENGTH:]] += line.amount
    return updated


def add_transfer(net_paid: Balances, transfer: TransferRecorded) -> Balances:
    """Return what each player has paid outside the game, less what the player was paid."""
    payer, payee, amount = transfer.payer, transfer.payee, transfer.amount
    return {
        **net_paid,
        payer: net_paid.get(payer, 0) + amount,
        payee: net_paid.get(payee, 0) - amount,
    }
