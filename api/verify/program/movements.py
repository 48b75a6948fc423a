"""What the events of a session move, between which accounts, and what of it still stands.

The ledger has this in ledger/projections/postings.py and journal.py; nothing is shared with it.
"""

from collections.abc import Iterator
from typing import Any

from api.verify.program.document import (
    AMOUNT,
    PLAYER,
    TEXT,
    VERSION,
    Document,
    Refused,
    fit_shape,
    iso_time,
)
from api.verify.program.strict_json import MAX_INTEGER, parse_object, require

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
SCHEMA = 1
SUM = range(MAX_INTEGER + 1)
FACTS = [{"*": object}]  # each of them is an event, with its type
DEAL_AMOUNT = {"deal": VERSION, "player": PLAYER, "amount": SUM}
STAKED = {"bet": VERSION, "by": [PLAYER], "each": SUM}
CARRIED = {**STAKED, "paid": (True, False)}
BET = {**CARRIED, "deal": VERSION}
SHARES = [{"player": PLAYER, "amount": SUM}]
PAYMENT = {"payer": PLAYER, "payee": PLAYER, "amount": SUM}
UNDOING = {"deal": (VERSION, None), "took_back": FACTS}
CORRECTION = {"rescored": [{"deal": VERSION, "was": FACTS, "facts": FACTS}]}
EVENT_SHAPES: dict[str, Any] = {
    **{kind: {} for kind in NON_POSTING},
    "session_opened": {"game": TEXT, "currency": TEXT, "players": [PLAYER], "start": {"*": AMOUNT}},
    "deal_opened": {"number": VERSION, "dealer": PLAYER, "stake": SUM},
    "pot_taken": DEAL_AMOUNT,
    "bet_taken": {**BET, "player": PLAYER},
    "bet_laid": BET,
    "bets_merged": {**BET, "added": VERSION},
    "bets_parted": {**BET, "parted": VERSION},
    "penalty_paid": DEAL_AMOUNT,
    "scored": {"deal": VERSION, "to": TEXT, "points": AMOUNT},
    "pot_shared": {"shares": SHARES},
    "bet_shared": {"bet": VERSION, "shares": SHARES},
    "bet_collected": STAKED,
    "points_paid": {"payer": PLAYER, "payee": PLAYER, "points": SUM, "value": SUM},
    "payment_settled": {"deal": VERSION, **PAYMENT},
    "transfer_recorded": PAYMENT,
    "cost_recorded": {"payer": PLAYER, "shares": SHARES},
    "cost_voided": {"recorded_version": VERSION, "took_back": FACTS},
    "brought_forward": {"balances": {"*": AMOUNT}, "pot": SUM, "bets": [CARRIED]},
    "deal_corrected": CORRECTION,
    "correction_undone": CORRECTION,
    "action_undone": UNDOING,
    "deal_voided": UNDOING,
    "session_reopened": {"took_back": FACTS},
}
"""The fields of which movements are computed, by event type; whatever else an event has moves
nothing. The page has the same table (api/verify/static/event_shapes.js)."""
DEFAULTS = {"stake": 0, "paid": True, "start": {}}
"""The fields that an event has without writing them."""


def standing_movements(events: list[Document]) -> list[Document]:
    """Return every movement that has not been undone, in order, as lines of a statement. Raise
    Refused for an event of a newer version, ValueError or LookupError for events that no ledger
    writes."""
    undoable: list[UndoableMovement] = []  # the newest last
    lines: dict[tuple[int, int], Document] = {}  # by place
    for event in events:
        version, kind = event["version"], event["type"]
        require((kind == "session_opened") == (version == 1))
        try:
            if event["schema"] != SCHEMA:
                raise UnknownEvent
            data = fit_event(kind, parse_object(event["data"]))
            movements = movements_by_deal(kind, data)
            if kind in CORRECTION_EVENTS:
                replace_rescored(undoable, data["rescored"])
        except UnknownEvent:
            raise Refused("event_unknown", version) from None
        for number, (deal, movement) in enumerate(movements, 1):
            if kind == "cost_voided":
                del lines[data["recorded_version"], len(movements) + 1 - number]
            elif kind in UNDO_EVENTS and (undone := undoable.pop()[1]) is not None:
                del lines[undone]
            else:
                lines[version, number] = statement_line(event, deal, movement)
                if kind in UNDOABLE:
                    undoable.append((deal, (version, number)))
    return list(lines.values())


def movements_by_deal(kind: str, data: Document) -> list[tuple[int | None, Movement]]:
    """Return what an event moves, each with the deal that it belongs to."""
    if kind in CORRECTION_EVENTS:
        return [(deal["deal"], move) for deal in data["rescored"] for move in net_movements(deal)]
    deal = data.get("number" if kind == "deal_opened" else "deal")
    return [(deal, movement) for movement in movements_of(kind, data)]


def statement_line(event: Document, deal: int | None, movement: Movement) -> Document:
    source, target, amount = movement
    return {
        "version": event["version"],
        "at": iso_time(event["at"]),
        "deal": deal,
        "kind": event["type"],
        "from": source,
        "to": target,
        "amount": amount,
    }


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
    """An event of a type or schema that this version of the check does not know."""


def fit_event(kind: Any, data: Document) -> Document:
    """Return the fields of which movements are computed. Raise UnknownEvent for another type,
    ValueError for another shape."""
    if fit_shape(kind, TEXT) not in EVENT_SHAPES:
        raise UnknownEvent
    fields: Document = fit_shape({**DEFAULTS, **data}, EVENT_SHAPES[kind])
    return fields


def movements_of(kind: str, data: Document) -> list[Movement]:
    """Return what an event moves."""
    signed = signed_movements(kind, fit_event(kind, data))
    directed = ((a, b, n) if n > 0 else (b, a, -n) for a, b, n in signed)
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
            return [(player("dealer"), "pot", data["stake"])]
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
            start_scores, seats = data["start"], data["players"]
            order = sorted(
                start_scores, key=lambda contestant: seats.index(contestant.partition("+")[0])
            )
            return [
                ("sheet", f"score:{contestant}", start_scores[contestant]) for contestant in order
            ]
        case "payment_settled":
            return [(player("payer"), player("payee"), data["amount"])]
        case "transfer_recorded":  # paying raises the balance of the payer
            return [(player("payee"), player("payer"), data["amount"])]
        case "cost_recorded":
            shares = [share for share in data["shares"] if share["player"] != data["payer"]]
            return [(f"player:{s['player']}", player("payer"), s["amount"]) for s in shares]
        case "brought_forward":
            players = fit_shape([*data["balances"]], [PLAYER])
            balances = [(p, data["balances"][p]) for p in sorted(players, key=lambda p: int(p[1:]))]
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
        case _ if kind in NON_POSTING:
            return []
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
