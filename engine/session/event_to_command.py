"""From a recorded event back to its command, so that a deal can be shown or scored again."""

from engine import commands, events

COMMAND_TYPES: dict[type[events.InputEvent], type[commands.Command]] = {
    events.Declared: commands.Declare,
    events.AllPassed: commands.AllPass,
    events.TrickRecorded: commands.Trick,
    events.LaVolaAnnounced: commands.LaVola,
    events.PlayFinished: commands.Finish,
    events.ResultRecorded: commands.Result,
    events.CutShown: commands.Cut,
    events.CardTurnedUp: commands.TurnUp,
    events.TurnUpTaken: commands.Take,
    events.TurnUpDeclined: commands.Decline,
    events.BidMade: commands.Bid,
    events.CardDiscarded: commands.Discard,
    events.CardPlayed: commands.Play,
    events.HandShown: commands.Hand,
    events.VoleAnnounced: commands.Vole,
    events.SideBidMade: commands.SideBid,
    events.RedealClaimed: commands.Redeal,
    events.CardsSwapped: commands.Swap,
    events.SwapDeclined: commands.NoSwap,
    events.TricksCounted: commands.Tricks,
    events.Stayed: commands.Stay,
    events.Passed: commands.Pass,
}


def command_of(fact: events.InputEvent) -> commands.Command:
    """Return the command that this event was decided from."""
    match fact:
        case events.DealOpened(number=number, late_entry=late_entry):
            return commands.OpenDeal(number=number, late_entry=late_entry)
        case events.Reseated(seats=seats, dealer=dealer):
            return commands.Reseat(players=seats, dealer=dealer)
        case events.TurnUpExchanged(player=player):
            return commands.Exchange(player=player, turn_up=True)
        case events.CardsExchanged(player=player, cards=cards):
            return commands.Exchange(player=player, cards=cards)
        case events.BetsMerged() | events.BetsParted():
            return commands.Merge(together=isinstance(fact, events.BetsMerged))
        case _:
            command_type = COMMAND_TYPES[type(fact)]
            fields = command_type.__struct_fields__
            return command_type(**{name: getattr(fact, name) for name in fields})
