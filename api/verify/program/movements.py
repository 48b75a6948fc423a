"""What the events of a session move, between which accounts, and what of it still stands.

The same as ledger/projections/postings.py and journal.py there, with none of their code.
"""

from api.verify.program.document import Refused, iso_time
from api.verify.program.strict_json import parse_object

UNDOABLE = {
    *("deal_opened", "pot_taken", "bet_taken", "bet_laid", "bets_merged", "bets_parted"),
    *("penalty_paid", "scored", "pot_shared", "bet_shared", "bet_collected", "points_paid"),
}
UNDO_EVENTS = {"action_undone", "deal_voided", "session_reopened"}
CORRECTION_EVENTS = {"deal_corrected", "correction_undone"}
NON_POSTING = {
    *("reseated", "declared", "all_passed", "trick_recorded", "la_vola_announced"),
    *("vole_announced", "side_bid_made", "redeal_claimed", "cards_swapped", "swap_declined"),
    *("tricks_counted", "stayed", "passed", "cards_exchanged", "turn_up_exchanged", "game_won"),
    *("play_finished", "result_recorded", "cut_shown", "card_turned_up", "turn_up_taken"),
    *("turn_up_declined", "bid_made", "card_discarded", "card_played", "hand_shown"),
    *("cutter_took", "dealer_took", "trick_won", "la_vola_won", "deal_closed", "bet_waived"),
    *("evening_closed", "player_joined", "carried_forward"),
}


def standing_movements(events):
    """Return every movement that has not been undone, in order."""
    undoable, standing = [], {}  # undoable movements: the deal and the place of each, newest last
    for event in events:
        kind, data = event["type"], parse_object(event["data"])
        deal = data.get("number" if kind == "deal_opened" else "deal")
        if kind in CORRECTION_EVENTS:
            movements = [
                (one["deal"], move) for one in data["rescored"] for move in net_movements(one)
            ]
            replace_rescored(undoable, data["rescored"])
        elif kind in NON_POSTING:
            continue
        else:
            try:
                movements = [(deal, move) for move in movements_of(kind, data)]
            except UnknownEvent:
                raise Refused("event_unknown", event["version"]) from None
        for number, (deal_number, (source, target, amount)) in enumerate(movements, 1):
            place = event["version"], number
            if kind in UNDO_EVENTS:
                _, undone_place = undoable.pop()
                if undone_place is not None:
                    del standing[undone_place]
                    continue
            elif kind in UNDOABLE:
                undoable.append((deal, place))
            standing[place] = {
                "version": event["version"],
                "at": iso_time(event["at"]),
                "deal": deal_number,
                "kind": kind,
                "from": source,
                "to": target,
                "amount": amount,
            }
    return list(standing.values())


def replace_rescored(undoable, rescored):
    """Let undo see the corrected deals as they are now, though only the difference was posted."""
    facts_by_deal, by_deal = {one["deal"]: one["facts"] for one in rescored}, {}
    while (
        facts_by_deal
        and undoable
        and undoable[-1][0] is not None
        and undoable[-1][0] >= min(facts_by_deal)
    ):
        by_deal.setdefault(undoable[-1][0], []).insert(0, undoable.pop())
    for deal, facts in facts_by_deal.items():
        by_deal[deal] = [(deal, None) for fact in facts for _ in movements_of(fact["type"], fact)]
    for deal in sorted(by_deal):
        undoable += by_deal[deal]


class UnknownEvent(Exception):
    """An event type that this version of the check does not know."""


def movements_of(kind, data):
    """Return what an event moves, as (source account, target account, amount)."""
    if kind in NON_POSTING:
        return []
    directed = ((a, b, n) if n > 0 else (b, a, -n) for a, b, n in signed_movements(kind, data))
    return [move for move in directed if move[2]]


def signed_movements(kind, data):
    """Return the same with signs: a negative amount goes the other way."""

    def player(name="player"):
        return f"player:{data[name]}"

    def bet(name="bet"):
        return f"bet:{data[name]}"

    paid = data.get("paid", True)
    match kind:
        case "deal_opened":
            return [(player("dealer"), "pot", data.get("stake", 0))]
        case "pot_taken":
            return [("pot", player(), data["amount"])]
        case "bet_taken" if paid:
            return [(bet(), player(), data["each"] * len(data["by"]))]
        case "bet_taken":
            others = [owner for owner in data["by"] if owner != data["player"]]
            return [(f"player:{owner}", player(), data["each"]) for owner in others]
        case "bet_laid" | "bet_collected":
            by = data["by"] if paid else []
            return [(f"player:{owner}", bet(), data["each"]) for owner in by]
        case "bets_merged" | "bets_parted":
            other_bet, bet_account = bet("added" if kind == "bets_merged" else "parted"), bet()
            amount = data["each"] * len(data["by"]) if paid else 0
            return [(other_bet, bet_account, amount if kind == "bets_merged" else -amount)]
        case "penalty_paid":
            return [(player(), "pot", data["amount"])]
        case "scored":
            return [("sheet", f"score:{data['to']}", data["points"])]
        case "points_paid":
            return [(player("payer"), player("payee"), data["points"] * data["value"])]
        case "pot_shared":
            return [("pot", f"player:{one['player']}", one["amount"]) for one in data["shares"]]
        case "bet_shared":
            return [(bet(), f"player:{one['player']}", one["amount"]) for one in data["shares"]]
        case "session_opened":
            start_scores, seats = data.get("start", {}), data["players"]
            order = sorted(start_scores, key=lambda keeper: seats.index(keeper.partition("+")[0]))
            return [("sheet", f"score:{keeper}", start_scores[keeper]) for keeper in order]
        case "payment_settled":
            return [(player("payer"), player("payee"), data["amount"])]
        case "transfer_recorded":  # paying raises the balance of the payer
            return [(player("payee"), player("payer"), data["amount"])]
        case "brought_forward":
            balances = sorted(data["balances"].items(), key=lambda one: int(one[0][1:]))
            movements = [("brought", f"player:{who}", amount) for who, amount in balances]
            bets = [one for one in data["bets"] if one["paid"]]
            movements.append(("brought", "pot", data["pot"]))
            return movements + [
                ("brought", f"bet:{one['bet']}", one["each"] * len(one["by"])) for one in bets
            ]
        case "deal_corrected" | "correction_undone":
            return [move for one in data["rescored"] for move in net_movements(one)]
        case "action_undone" | "deal_voided" | "session_reopened":
            facts = reversed(data["took_back"])
            movements = [
                move for fact in facts for move in reversed(movements_of(fact["type"], fact))
            ]
            return [(target, source, amount) for source, target, amount in movements]
    raise UnknownEvent


def net_movements(rescored):
    """Return the fewest movements that lead from the old totals of a deal to its new ones."""
    totals = {}
    for facts, sign in ((rescored["was"], -1), (rescored["facts"], 1)):
        for fact in facts:
            for source, target, amount in movements_of(fact["type"], fact):
                totals[source] = totals.get(source, 0) - sign * amount
                totals[target] = totals.get(target, 0) + sign * amount
    movements = []
    for points in (False, True):
        balances = [[a, n] for a, n in totals.items() if n and counts_points(a) == points]
        payers, payees = (
            [[a, -n] for a, n in balances if n < 0],
            [one for one in balances if one[1] > 0],
        )
        while payers and payees:
            amount = min(payers[0][1], payees[0][1])
            movements.append((payers[0][0], payees[0][0], amount))
            for side in (payers, payees):
                side[0][1] -= amount
                if not side[0][1]:
                    side.pop(0)
    return movements


def counts_points(account):
    return account == "sheet" or account.startswith("score:")
