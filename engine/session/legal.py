"""Every action that may be done now, inside a deal and between deals."""

from typing import Any

from engine.errors import CreditLimitReached, RuleViolation
from engine.games.game import S
from engine.session import undo
from engine.session.session import Funds, next_opening
from engine.session.table_state import TableState
from engine.table_view import LegalAction, one_of
from engine.values import Player


def legal_actions(table: TableState[S], funds: Funds) -> tuple[LegalAction, ...]:
    """Everything that may be done now, each with the values allowed for its fields.

    For `reseat` these are the changes by one person: one leaves, one comes, one takes over a
    seat. Any other order of known players is accepted too.
    """
    if table.closed:
        return ()
    game = table.game
    actions: list[LegalAction] = []
    if not table.deal_is_open:
        try:
            game.open_deal(table.game_state, next_opening(table), funds(table.dealer))
        except CreditLimitReached:
            # the same players stay seated, and somebody else deals
            other_dealers = [player for player in table.seats if player != table.dealer]
            seats, dealer = one_of(list(table.seats)), one_of(*other_dealers)
            actions.append(LegalAction.of("reseat", players=seats, dealer=dealer))
        except RuleViolation:
            pass  # refused with any dealer: the game is won, or the pot is too large
        else:
            actions.append(
                LegalAction.of(
                    "open_deal",
                    optional=("number", "late_entry"),
                    number=one_of(table.next_number),
                    late_entry=one_of(False, True),
                )
            )
    actions += game.legal_actions(table.game_state)
    may_reseat = not table.deal_is_open and not game.scoring
    if may_reseat and (changes := _changes_by_one(table, game.player_counts)):
        actions.append(LegalAction.of("reseat", players=one_of(*changes)))
    if table.correction or table.last_step:
        actions.append(LegalAction(type="undo", undo_target=undo.describe_undo(table)))
    return tuple(actions)


def _changes_by_one(table: TableState[Any], player_counts: range) -> list[list[Player]]:
    seats = list(table.seats)
    absent = [player for player in table.players if player not in seats]
    removals = [[p for p in seats if p != player] for player in seats]
    additions = [[*seats, player] for player in absent]
    replacements = [
        [player if p == seat else p for p in seats] for player in absent for seat in seats
    ]
    return [c for c in (*removals, *additions, *replacements) if len(c) in player_counts]
