"""What a watcher sees: each word, each trick on a line, and why every krona and point moved.

Tells only what lies open; a hand that was shown to the book is not shown here.
"""

from collections.abc import Callable

from api.play.voice import Voice
from engine import events as e
from engine.cards import Card
from engine.recorded import action_of
from engine.values import Player
from ledger import settlement, why
from ledger.entries import Entry
from ledger.postings import POT
from ledger.projections.deals import newest_first
from ledger.session import Session

UNTOLD = (e.DealOpened, e.HandShown, e.CardPlayed, e.CardDiscarded, e.Reseated)
"""Said another way, or face down."""


class Telling:
    """Tells an evening line by line."""

    def __init__(self, voice: Voice, show: Callable[[str], None]) -> None:
        self.voice = voice
        self.show = show
        self.trick: list[tuple[Player, Card]] = []
        self.tricks = 0

    def happened(self, session: Session, facts: tuple[Entry, ...]) -> None:
        for fact in facts:
            self._fact(session, fact)

    def taken_back(self, session: Session, anything: bool) -> None:
        view = session.game.view(session.table.table)
        self.trick = list(view.cards) if view else []
        self.tricks = len(view.tricks) if view else 0
        self.show(self.voice("taken_back" if anything else "nothing_to_take_back"))

    def left(self, session: Session, playing_on: bool) -> None:
        self.show(self.voice("plays_on" if playing_on else "stays_open"))

    def _fact(self, session: Session, fact: Entry) -> None:
        voice = self.voice
        match fact:
            case e.DealOpened(number=number, dealer=dealer):
                self.trick, self.tricks = [], 0
                self.show("")
                self.show(voice("deal", number=number, dealer=voice.who(dealer)))
                self.show("  " + self.standing(session))
            case e.CutterTook(player=player, card=card) | e.DealerTook(player=player, card=card):
                self.show("  " + voice("takes", who=voice.who(player), card=voice.card(card)))
            case e.CutShown(card=card):
                self.show("  " + voice("cut", card=voice.card(card)))
            case e.CardTurnedUp(card=card):
                self.show("  " + voice("turned_up", card=voice.card(card)))
            case e.CardPlayed(player=player, card=card):
                self.trick.append((player, card))
            case e.TrickWon(winner=winner):
                self.tricks += 1
                cards = self.laid(self.trick)
                who = voice.who(winner)
                self.show(voice("trick", number=self.tricks, cards=cards, who=who))
                self.trick = []
            case e.DealClosed():
                self._ended(session)
            case e.Spoken() if not isinstance(fact, UNTOLD):
                self.show("  " + voice.said(action_of(fact)))

    def laid(self, cards: list[tuple[Player, Card]]) -> str:
        voice = self.voice
        return "  ".join(f"{voice.who(player)} {voice.card(card)}" for player, card in cards)

    def standing(self, session: Session) -> str:
        """Pot and bets, or the score sheet."""
        voice = self.voice
        if session.sheet:
            scores = session.sheet.scores.items()
            told = ", ".join(f"{voice.keeper(k)} {voice.number(points)}" for k, points in scores)
            return voice("standing", scores=told)
        bets = [
            voice("bet", amount=voice.money(bet.amount), who=voice.who(*bet.by))
            for bet in session.game.bets(session.options, session.table.table)
        ]
        view = session.game.view(session.table.table)
        stake = [voice("played_for", amount=voice.money(view.played_for or 0))] if view else []
        return ", ".join([voice("pot", amount=voice.money(session.pot)), *bets, *stake])

    def _ended(self, session: Session) -> None:
        deal = next(newest_first(session.deals))
        speak, names, currency = self.voice.speak, dict(self.voice.names), self.voice.currency
        self.show(speak.outcome(why.outcome(deal), names, currency))
        settled = [p for p in session.payments.values() if p.status == "settled"]
        reasons = [
            *why.of_deal(session.rules, deal),
            *(why.of_payment(session.rules, p) for p in settled if p.deal == deal.number),
        ]
        for reason in reasons:
            self.show("  " + speak.why(reason, names, currency))

    def end(self, session: Session) -> None:
        """Who has won, or who pays whom."""
        voice, sheet = self.voice, session.sheet
        self.show("")
        if sheet:
            won = [player for keeper in sheet.winners for player in keeper.split("+")]
            self.show(self.standing(session))
            self.show(voice("won", who=voice.who(*won)) if won else voice("nobody_won"))
        if session.for_money:
            self._settlement(session)

    def _settlement(self, session: Session) -> None:
        voice = self.voice
        box = -sum(session.balances.values())
        plan = settlement.transfers({**session.balances, POT: box})
        self.show(voice("settlement"))
        for transfer in plan:
            self.show("  " + self._pays(transfer))
        if box:
            self.show("  " + voice("left_over", amount=voice.money(box)))
        if not plan:
            self.show("  " + voice("even"))

    def _pays(self, transfer: settlement.Transfer) -> str:
        voice = self.voice

        def name(who: str) -> str:
            return voice("the_table") if who == POT else voice.who(who)

        amount = voice.money(transfer.amount)
        return voice("pays", payer=name(transfer.payer), amount=amount, payee=name(transfer.payee))
