"""What the events of a session move, between which accounts, and what of it still stands.

The ledger has this in ledger/projections/postings.py and journal.py; nothing is shared with it.
"""

from collections.abc import Iterator

from api.verify.program.document import Document, Refused, iso_time
from api.verify.program.strict_json import parse_object

Movement = tuple[str, str, int]
"""Source account, target account, and an amount above zero."""
UndoableMovement = tuple[int | None, tuple[int, int] | None]
"""Its deal, and its place as (version, number); no place for one of a corrected deal."""

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


def standing_movements(events: list[Document]) -> list[Document]:
    """Return every movement that has not been undone, in order, as lines of a statement."""
    undoable: list[UndoableMovement] = []  # the newest last
    lines: dict[tuple[int, int], Document] = {}  # by place
    for event in events:
        kind, data = event["type"], parse_object(event["data"])
        deal = data.get("number" if kind == "deal_opened" else "deal")
        try:
            if kind in CORRECTION_EVENTS:
                rescored = data["rescored"]
                movements = [(d["deal"], move) for d in rescored for move in net_movements(d)]
                replace_rescored(undoable, rescored)
            else:
                movements = [(deal, movement) for movement in movements_of(kind, data)]
        except UnknownEvent:
            raise Refused("event_unknown", event["version"]) from None
        for number, (deal_number, (source, target, amount)) in enumerate(movements, 1):
            place = event["version"], number
            if kind == "cost_voided":
                lines.pop((data["recorded_version"], len(movements) + 1 - number), None)
                continue
            if kind in UNDO_EVENTS:
                _, undone_place = undoable.pop()
                if undone_place is not None:
                    del lines[undone_place]
                    continue
            elif kind in UNDOABLE:
                undoable.append((deal, place))
            lines[place] = {
                "version": event["version"],
                "at": iso_time(event["at"]),
                "deal": deal_number,
                "kind": kind,
                "from": source,
                "to": target,
                "amount": amount,
            }
    return list(lines.values())


def replace_rescored(undoable: list[UndoableMovement], rescored: list[Document]) -> None:
    """Let undo see the corrected deals as they are now, though only the difference was posted."""
    facts_by_deal = {deal["deal"]: deal["facts"] for deal in rescored}
    by_deal: dict[int, list[UndoableMovement]] = {}
    while facts_by_deal and undoable:
        number = undoable[-1][0]
        if number is None or number < min(facts_by_deal):
            break
        by_deal.setdefault(number, []).insert(0, undoable.pop())
    for number, facts in facts_by_deal.items():
        moved = [movement for fact in facts for movement in movements_of(fact["type"], fact)]
        by_deal[number] = [(number, None)] * len(moved)
    for number in sorted(by_deal):
        undoable += by_deal[number]


class UnknownEvent(Exception):
    """An event type that this version of the check does not know."""


def movements_of(kind: str, data: Document) -> list[Movement]:
    """Return what an event moves."""
    if kind in NON_POSTING:
        return []
    directed = ((a, b, n) if n > 0 else (b, a, -n) for a, b, n in signed_movements(kind, data))
    return [movement for movement in directed if movement[2]]


def signed_movements(kind: str, data: Document) -> list[Movement]:
    """Return the same with signs: a negative amount goes the other way."""

    def player(name: str = "player") -> str:
        return f"player:{data[name]}"

    def bet(name: str = "bet") -> str:
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
            payers = [owner for owner in data["by"] if owner != data["player"]]
            return [(f"player:{owner}", player(), data["each"]) for owner in payers]
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
            return [("pot", f"player:{s['player']}", s["amount"]) for s in data["shares"]]
        case "bet_shared":
            return [(bet(), f"player:{s['player']}", s["amount"]) for s in data["shares"]]
        case "session_opened":
            start_scores, seats = data.get("start", {}), data["players"]
            order = sorted(start_scores, key=lambda keeper: seats.index(keeper.partition("+")[0]))
            return [("sheet", f"score:{keeper}", start_scores[keeper]) for keeper in order]
        case "payment_settled":
            return [(player("payer"), player("payee"), data["amount"])]
        case "transfer_recorded":  # paying raises the balance of the payer
            return [(player("payee"), player("payer"), data["amount"])]
        case "cost_recorded":
            shares = [share for share in data["shares"] if share["player"] != data["payer"]]
            return [(f"player:{s['player']}", player("payer"), s["amount"]) for s in shares]
        case "brought_forward":
            balances = sorted(data["balances"].items(), key=lambda item: int(item[0][1:]))
            bets = [b for b in data["bets"] if b["paid"]]
            return [
                *(("brought", f"player:{player_id}", amount) for player_id, amount in balances),
                ("brought", "pot", data["pot"]),
                *(("brought", f"bet:{b['bet']}", b["each"] * len(b["by"])) for b in bets),
            ]
        case "deal_corrected" | "correction_undone":
            return [movement for deal in data["rescored"] for movement in net_movements(deal)]
        case "action_undone" | "deal_voided" | "session_reopened" | "cost_voided":
            facts = reversed(data["took_back"])
            moved = [m for fact in facts for m in reversed(movements_of(fact["type"], fact))]
            return [(target, source, amount) for source, target, amount in moved]
    raise UnknownEvent


def net_movements(rescored: Document) -> Iterator[Movement]:
    """Return the fewest movements that lead from the old totals of a deal to its new ones."""
    totals: dict[str, int] = {}
    for facts, sign in ((rescored["was"], -1), (rescored["facts"], 1)):
        for fact in facts:
            for source, target, amount in movements_of(fact["type"], fact):
                totals[source] = totals.get(source, 0) - sign * amount
                totals[target] = totals.get(target, 0) + sign * amount
    for points in (False, True):
        in_unit = [(a, n) for a, n in totals.items() if counts_points(a) == points]
        payers = [(account, -total) for account, total in in_unit if total < 0]
        payees = [(account, total) for account, total in in_unit if total > 0]
        while payers and payees:
            (payer, debt), (payee, claim) = payers.pop(0), payees.pop(0)
            amount = min(debt, claim)
            yield payer, payee, amount
            if debt > amount:
                payers.insert(0, (payer, debt - amount))
            if claim > amount:
                payees.insert(0, (payee, claim - amount))


def counts_points(account: str) -> bool:
    return account == "sheet" or account.startswith("score:")
