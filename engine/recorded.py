"""From what was recorded back to what was said, so that a deal can be told or scored again."""

from engine import commands as c
from engine import events as e

SAID: dict[type[e.Spoken], type[c.Command]] = {
    e.Declared: c.Declare,
    e.AllPassed: c.AllPass,
    e.TrickRecorded: c.Trick,
    e.LaVolaAnnounced: c.LaVola,
    e.PlayFinished: c.Finish,
    e.ResultRecorded: c.Result,
    e.CutShown: c.Cut,
    e.CardTurnedUp: c.TurnUp,
    e.TurnUpTaken: c.Take,
    e.TurnUpDeclined: c.Decline,
    e.BidMade: c.Bid,
    e.CardDiscarded: c.Discard,
    e.CardPlayed: c.Play,
    e.HandShown: c.Hand,
    e.VoleAnnounced: c.Vole,
    e.SideBidMade: c.SideBid,
    e.RedealClaimed: c.Redeal,
    e.CardsSwapped: c.Swap,
    e.SwapDeclined: c.NoSwap,
    e.TricksCounted: c.Tricks,
    e.Stayed: c.Stay,
    e.Passed: c.Pass,
}


def action_of(fact: e.Spoken) -> c.Command:
    """The action that made this fact."""
    match fact:
        case e.DealOpened(number=number):
            return c.OpenDeal(number=number)
        case e.Reseated(seats=seats, dealer=dealer):
            return c.Reseat(players=seats, dealer=dealer)
        case e.TurnUpExchanged(player=player):
            return c.Exchange(player=player, turn_up=True)
        case e.CardsExchanged(player=player, cards=cards):
            return c.Exchange(player=player, cards=cards)
        case e.BetsMerged():
            return c.Merge(together=True)
        case e.BetsParted():
            return c.Merge(together=False)
        case _:
            said = SAID[type(fact)]
            return said(**{name: getattr(fact, name) for name in said.__struct_fields__})
