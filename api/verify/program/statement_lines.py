"""Whether the figures of a statement are those of the events in an export of its session.

Lines, balances, scores and bets are computed again from the events. For a group's statement, these
are the lines of the export's session.
"""

import re

from api.verify.program.document import LINE, Refused
from api.verify.program.export_check import check_export, name_commitments
from api.verify.program.movements import counts_points, standing_movements
from api.verify.program.signed_note import is_key_endorsed
from api.verify.program.strict_json import parse_object


def check_against_export(doc, export, key):
    """Refuse a statement whose figures are not those of this export, which must be valid itself."""
    if export["session"] != doc["session"]:
        raise Refused("export_other")
    opening, movements, players = read_checked_export(doc, export, key)
    version = doc["version"]
    if (doc["game"], doc["currency"]) != (opening.get("game"), opening.get("currency")):
        raise Refused("remade_wrong", 1)
    if doc["player"] is not None and doc["player"] not in players:
        raise Refused("remade_wrong", version)
    check_lines(doc, movements)
    check_closing(doc, movements, players)


def read_checked_export(claim, export, key):
    """Return the opening, the movements and the players at the version that the claim names."""
    if not is_key_endorsed(claim["key"], export) and not is_key_endorsed(export["key"], claim):
        raise Refused("other_key")
    try:
        check_export(export, key)
    except Refused as refused:
        raise Refused("other_key" if refused.code == "other_key" else "export_wrong") from None
    version, events = claim["version"], export["events"]
    if len(events) < version:
        raise Refused("export_short", version)
    if events[version - 1]["hash"] != claim["hash"]:
        raise Refused("export_differs", version)
    try:
        opening, movements = parse_object(events[0]["data"]), standing_movements(events[:version])
        players = [one[0] for one in name_commitments(events[:version])]
    except (ValueError, KeyError, TypeError, AttributeError, IndexError):
        raise Refused("export_wrong") from None
    return opening, movements, players


def check_lines(doc, movements):
    """Check that the statement has every line of its account and period, and the right balances."""
    points = doc["unit"] == "points"
    in_unit = [line for line in movements if counts_points(line["from"]) == points]
    account = account_of(doc["player"], in_unit, points)
    of_account = [
        line for line in in_unit if account is None or account in (line["from"], line["to"])
    ]
    first, last = period_bounds(doc)
    balance = sum(change_of(line, account) for line in of_account if line["at"] < first)
    if doc["opening"] != balance:
        raise Refused("remade_wrong", doc["version"])
    expected = [line for line in of_account if first <= line["at"] < last]
    for line, movement in zip(doc["lines"], expected, strict=False):
        balance += change_of(movement, account)
        extra = (
            {} if account is None else {"change": change_of(movement, account), "balance": balance}
        )
        if line != {**dict.fromkeys(LINE), **movement, **extra}:
            raise Refused("remade_wrong", movement["version"])
    period = (
        {"from": expected[0]["at"], "to": expected[-1]["at"]}
        if expected
        else {"from": None, "to": None}
    )
    if len(doc["lines"]) != len(expected) or doc["closing"] != balance or doc["period"] != period:
        raise Refused("remade_wrong", doc["version"])


def period_bounds(doc):
    """Return when the period begins and when it is over. Version 0.1 wrote only the days that were
    asked for: then the period is known as far as the lines reach."""
    filters, lines = doc["filters"] or {}, doc["lines"]
    begins, ends = filters.get("begins"), filters.get("ends")
    if begins is None and ends is None and (filters.get("from") or filters.get("to")):
        times = [line["at"] or "" for line in (lines[0], lines[-1])] if lines else [LAST_TIME, ""]
        return times[0], times[1] + LAST_TIME
    return begins or "", ends or LAST_TIME


LAST_TIME = "~"  # sorts after every time


def check_closing(doc, movements, players):
    """Check balances, pot, paid bets and scores: the totals of all accounts at this version."""
    totals = {}
    for line in movements:
        totals[line["from"]] = totals.get(line["from"], 0) - line["amount"]
        totals[line["to"]] = totals.get(line["to"], 0) + line["amount"]
    stated = {}
    for player, amount in (doc["balances"] or {}).items():
        stated[f"player:{player}"] = amount
    for keeper, amount in (doc["scores"] or {}).items():
        stated[f"score:{keeper}"] = amount
    if doc["pot"] is not None:
        stated["pot"] = doc["pot"]
    for bet in doc["bets"] or []:
        if bet["paid"] is not False:
            stated[f"bet:{(bet['id'] or '')[1:]}"] = bet["amount"]
    kinds = {"player"} if doc["balances"] is not None else set()
    kinds |= {"score"} if doc["scores"] is not None else set()
    kinds |= {"pot", "bet"} if doc["pot"] is not None or doc["bets"] is not None else set()
    compared = {one: n for one, n in totals.items() if n and one.partition(":")[0] in kinds}
    all_players = doc["balances"] is None or set(doc["balances"]) == set(players)
    if not all_players or compared != {account: n for account, n in stated.items() if n}:
        raise Refused("remade_wrong", doc["version"])


def account_of(player, movements, points):
    """Return the account that the statement is about, None for all; partners share a score."""
    if player is None or not points:
        return player and f"player:{player}"
    for line in movements:
        for account in (line["from"], line["to"]):
            if account != "sheet" and player in account.partition(":")[2].split("+"):
                return account
    return "score:"


def change_of(line, account):
    """Return by how much a movement changes this account; 0 in a statement of all accounts."""
    if account is None:
        return 0
    return line["amount"] if line["to"] == account else -line["amount"]


def check_group_against_export(doc, export, key):
    """Refuse a group's statement whose lines of this export's session are not of its events."""
    summaries = [one for one in doc["sessions"] if one["session"] == export["session"]]
    if not summaries:
        raise Refused("export_other")
    summary = summaries[-1]
    opening, movements, players = read_checked_export(summary, export, key)
    if doc["currency"] != opening.get("currency"):
        raise Refused("remade_wrong", 1)
    first, last = period_bounds(doc)
    in_period = [
        line
        for line in movements
        if first <= line["at"] < last
        and not counts_points(line["from"])
        and "brought" not in (line["from"], line["to"])
    ]
    lines = [line for line in doc["lines"] if line["session"] == export["session"]]
    holder = doc["member"] and f"member:{doc['member']}"
    if holder is None:
        holders = [None]
    else:
        holders = [f"player:{player}" for player in players]
        took_part = doc["member"] in (summary["results"] or {})
        holders += [] if took_part else ["player:"]  # nothing moves on this account
    members = summary["results"] or doc["balances"]
    if not any(are_lines_of(lines, in_period, account, holder, members) for account in holders):
        raise Refused("remade_wrong", summary["version"])


def are_lines_of(lines, movements, account, holder, members):
    """Whether these lines of a group's statement are the movements of one account, or of all. The
    statement calls players by their places in the group, each by one name, or guests."""
    own = [one for one in movements if account is None or account in (one["from"], one["to"])]
    names = {} if account is None else {account: holder}
    if len(lines) != len(own):
        return False
    for line, movement in zip(lines, own, strict=True):
        change = None if account is None else change_of(movement, account)
        if any(line[one] != movement[one] for one in ("version", "at", "deal", "kind", "amount")):
            return False
        if line["change"] != change:
            return False
        for end in ("from", "to"):
            if names.setdefault(movement[end], line[end]) != line[end]:
                return False
    fitting = all(
        may_be_called(*called, members) for called in names.items() if called[0] != account
    )
    return fitting and len({*names.values()}) == len(names)


def may_be_called(account, name, members):
    """Whether a group's statement may call an account of a session by this name."""
    kind, _, player = account.partition(":")
    if kind != "player":
        return name == account
    guest = re.fullmatch("guest:[0-9]+[.](.+)", name or "", re.DOTALL)
    return guest[1] == player if guest else name in {f"member:{member}" for member in members}
