"""Whether the figures of a statement are those of the events in an export of its session.

Lines, balances, scores and bets are computed again from the events. For a group's statement, these
are the lines of the export's session.
"""

import re
from collections.abc import Iterable

from api.verify.program.document import LINE, Document, Refused
from api.verify.program.export_check import check_export, name_commitments
from api.verify.program.movements import counts_points, standing_movements
from api.verify.program.signed_note import is_key_endorsed
from api.verify.program.strict_json import parse_object, require

LAST_TIME = "~"  # sorts after every time


def check_against_export(document: Document, export: Document, expected_key: str | None) -> None:
    """Refuse a statement whose figures are not those of this export, which must be valid itself."""
    if export["session"] != document["session"]:
        raise Refused("export_other")
    opening, movements, players = read_checked_export(document, export, expected_key)
    if (document["game"], document["currency"]) != (opening.get("game"), opening.get("currency")):
        raise Refused("remade_wrong", 1)
    if document["player"] is not None and document["player"] not in players:
        raise Refused("remade_wrong", document["version"])
    check_lines(document, movements)
    check_closing(document, movements, players)


def read_checked_export(
    claim: Document, export: Document, expected_key: str | None
) -> tuple[Document, list[Document], list[str]]:
    """Return the opening, the movements and the players at the version that the claim names."""
    if not is_key_endorsed(claim["key"], export) and not is_key_endorsed(export["key"], claim):
        raise Refused("other_key")
    try:
        check_export(export, expected_key)
    except Refused as refused:
        raise Refused("other_key" if refused.code == "other_key" else "export_wrong") from None
    version, events = claim["version"], export["events"]
    if len(events) < version:
        raise Refused("export_short", version)
    if events[version - 1]["hash"] != claim["hash"]:
        raise Refused("export_differs", version)
    try:
        opening, movements = parse_object(events[0]["data"]), standing_movements(events[:version])
        players = [player for player, _ in name_commitments(events[:version])]
        accounts = {account for line in movements for account in (line["from"], line["to"])}
        strangers = accounts - {f"player:{player}" for player in players}
        require(not any(account.startswith("player:") for account in strangers))
    except Refused as refused:
        raise refused if refused.code == "event_unknown" else Refused("export_wrong") from None
    except (ValueError, KeyError, TypeError, AttributeError, IndexError):
        raise Refused("export_wrong") from None
    return opening, movements, players


def check_lines(document: Document, movements: list[Document]) -> None:
    """Check that the statement has every line of its account and period, and the right balances."""
    points = document["unit"] == "points"
    in_unit = [line for line in movements if counts_points(line["from"]) == points]
    account = account_of(document["player"], in_unit, points)
    of_account = movements_on(account, in_unit)
    first, last = period_bounds(document)
    balance = sum(change_of(line, account) for line in of_account if line["at"] < first)
    if document["opening"] != balance:
        raise Refused("remade_wrong", document["version"])
    expected = [line for line in of_account if first <= line["at"] < last]
    for line, movement in zip(document["lines"], expected, strict=False):
        change = change_of(movement, account)
        balance += change
        amounts = {} if account is None else {"change": change, "balance": balance}
        if line != {**dict.fromkeys(LINE), **movement, **amounts}:
            raise Refused("remade_wrong", movement["version"])
    times = [movement["at"] for movement in expected] or [None]
    period = {"from": times[0], "to": times[-1]}
    if (
        len(document["lines"]) != len(expected)
        or document["closing"] != balance
        or document["period"] != period
    ):
        raise Refused("remade_wrong", document["version"])


def period_bounds(document: Document) -> tuple[str, str]:
    """Return when the period begins and when it is over. Version 0.1 wrote only the days that were
    asked for: then the period is known as far as the lines reach."""
    filters, lines = document["filters"] or {}, document["lines"]
    begins, ends = filters.get("begins"), filters.get("ends")
    if begins is None and ends is None and (filters.get("from") or filters.get("to")):
        times = [line["at"] or "" for line in (lines[0], lines[-1])] if lines else [LAST_TIME, ""]
        return times[0], times[1] + LAST_TIME
    return begins or "", ends or LAST_TIME


def check_closing(document: Document, movements: list[Document], players: list[str]) -> None:
    """Check balances, pot, paid bets and scores: the totals of all accounts at this version."""
    totals: dict[str, int] = {}
    for line in movements:
        totals[line["from"]] = totals.get(line["from"], 0) - line["amount"]
        totals[line["to"]] = totals.get(line["to"], 0) + line["amount"]
    stated = {f"player:{player}": amount for player, amount in (document["balances"] or {}).items()}
    stated |= {
        f"score:{contestant}": amount for contestant, amount in (document["scores"] or {}).items()
    }
    if document["pot"] is not None:
        stated["pot"] = document["pot"]
    paid_bets = [bet for bet in document["bets"] or [] if bet["paid"] is not False]
    for bet in paid_bets:
        stated[re.sub("^bet b", "bet:", f"bet {bet['id']}")] = bet["amount"]
    kinds = {"player"} if document["balances"] is not None else set()
    kinds |= {"score"} if document["scores"] is not None else set()
    kinds |= (
        {"pot", "bet"} if document["pot"] is not None or document["bets"] is not None else set()
    )
    compared = {a: n for a, n in totals.items() if n and a.partition(":")[0] in kinds}
    each_once = len({bet["id"] for bet in paid_bets}) == len(paid_bets)
    all_players = document["balances"] is None or set(document["balances"]) == set(players)
    same = compared == {account: n for account, n in stated.items() if n}
    if not (each_once and all_players and same):
        raise Refused("remade_wrong", document["version"])


def account_of(player: str | None, movements: list[Document], points: bool) -> str | None:
    """Return the account that the statement is about, None for all; partners share a score."""
    if player is None or not points:
        return player and f"player:{player}"
    accounts = (account for line in movements for account in (line["from"], line["to"]))
    scores = (a for a in accounts if a != "sheet" and player in a.partition(":")[2].split("+"))
    return next(scores, "score:")


def movements_on(account: str | None, movements: list[Document]) -> list[Document]:
    """Return the movements of one account, or of all for None."""
    return [line for line in movements if account in (None, line["from"], line["to"])]


def change_of(line: Document, account: str | None) -> int:
    """Return by how much a movement changes this account; 0 in a statement of all accounts."""
    if account is None:
        return 0
    amount: int = line["amount"]
    return amount if line["to"] == account else -amount


def check_group_against_export(
    document: Document, export: Document, expected_key: str | None
) -> None:
    """Refuse a group's statement whose lines of this export's session are not of its events."""
    summaries = [s for s in document["sessions"] if s["session"] == export["session"]]
    if not summaries:
        raise Refused("export_other")
    summary = summaries[-1]
    opening, movements, players = read_checked_export(summary, export, expected_key)
    if document["currency"] != opening.get("currency"):
        raise Refused("remade_wrong", 1)
    first, last = period_bounds(document)
    in_period = [
        line
        for line in movements
        if first <= line["at"] < last
        and not counts_points(line["from"])
        and "brought" not in (line["from"], line["to"])
    ]
    lines = [line for line in document["lines"] if line["session"] == export["session"]]
    holder: str | None = None
    accounts: list[str | None] = [None]
    if document["member"] is not None:
        holder = f"member:{document['member']}"
        accounts = [f"player:{player}" for player in players]
        took_part = document["member"] in (summary["results"] or {})
        accounts += [] if took_part else ["player:"]  # nothing moves on this account
    members = summary["results"] or document["balances"]
    if not any(are_lines_of(lines, in_period, account, holder, members) for account in accounts):
        raise Refused("remade_wrong", summary["version"])


def are_lines_of(
    lines: list[Document],
    movements: list[Document],
    account: str | None,
    holder: str | None,
    members: Iterable[str],
) -> bool:
    """Return whether these lines of a group's statement are the movements of one account, or of
    all. The statement calls players by their places in the group, each by one name, or guests."""
    of_account = movements_on(account, movements)
    names = {} if account is None else {account: holder}
    if len(lines) != len(of_account):
        return False
    for line, movement in zip(lines, of_account, strict=True):
        change = None if account is None else change_of(movement, account)
        if any(line[f] != movement[f] for f in ("version", "at", "deal", "kind", "amount")):
            return False
        if line["change"] != change:
            return False
        for end in ("from", "to"):
            if names.setdefault(movement[end], line[end]) != line[end]:
                return False
    if not all(may_be_called(a, name, members) for a, name in names.items() if a != account):
        return False
    return len({*names.values()}) == len(names)


def may_be_called(account: str, name: str | None, members: Iterable[str]) -> bool:
    """Return whether a group's statement may call an account of a session by this name."""
    kind, _, player = account.partition(":")
    if kind != "player":
        return name == account
    guest = re.fullmatch("guest:[0-9]+[.](.+)", name or "", re.DOTALL)
    return guest[1] == player if guest else name in {f"member:{member}" for member in members}
