"""The columns of a score sheet: what the form asks of a deal, in its order, then the sums.

What a game asks is in its catalog (`score_sheet.columns`). Knows no game by name.
"""

from collections.abc import Iterator

import msgspec

from api.i18n.catalog import catalog_entry
from api.i18n.translator import Translator
from engine.values import Player, clockwise_from, left_of
from ledger.session.session_state import SessionState

NUMBER_WIDTH, DEALER_WIDTH = 7, 9
WORDS = {"declarer": "statement.declarers"}
"""Heads that the statement has as well."""
SUM_WIDTH, TABLE_WIDTH, OVERTRICKS_WIDTH = 14, 13, 9


class Column(msgspec.Struct, frozen=True, kw_only=True):
    """A column with what stands over it; columns with the same `group` share a head over theirs.

    `key` is its field: `dealer`, `side`, or the account whose sum is added up, which is also where
    `is_sum`. Widths are shares of the line.
    """

    group: str
    head: str
    key: str
    width: int
    is_sum: bool = False


def player_marks(seats: tuple[Player, ...], translator: Translator) -> dict[Player, str]:
    """Return what stands for each player on paper: the first letter of the name, with the number
    of the seat where two names share it or have none. The form reads these marks again
    (api/web/static/games/late_entry.js)."""
    letters = {player: _first_letter(translator.player_name(player)) for player in seats}
    used_letters = list(letters.values())
    return {
        player: letter if letter and used_letters.count(letter) == 1 else f"{letter}{number}"
        for number, (player, letter) in enumerate(letters.items(), start=1)
    }


def _first_letter(name: str) -> str:
    return next(filter(str.isalpha, name), "").upper()


def side_mark(contestant: str, marks: dict[Player, str]) -> str:
    """Return the marks of a player or of the players of a side: `A+C`."""
    return "+".join(marks[player] for player in contestant.split("+"))


def sheet_columns(
    session: SessionState, marks: dict[Player, str], translator: Translator
) -> list[Column]:
    """Return the columns from left to right."""
    return [
        Column(group="", head=translator("statement.deal"), key="number", width=NUMBER_WIDTH),
        Column(group="", head=translator("statement.dealer"), key="dealer", width=DEALER_WIDTH),
        *_asked_columns(session, marks, translator),
        *_sum_columns(session, marks, translator),
    ]


def _asked_columns(
    session: SessionState, marks: dict[Player, str], translator: Translator
) -> Iterator[Column]:
    """Yield what the form asks of a deal, in its order."""
    for entry in catalog_entry("rules", session.game.key, "score_sheet")["columns"]:
        name, width = entry["name"], entry["width"]
        label = translator(WORDS.get(name, f"score_sheet.{name}"))
        if entry.get("each_player"):
            for player in session.table.seats:
                yield Column(group=label, head=marks[player], key="", width=width)
        elif "heads" in entry:
            for head in entry["heads"]:
                words = head if head.isdigit() else translator(f"score_sheet.{head}")
                yield Column(group=label, head=words, key=f"{name}.{head}", width=width)
        else:
            yield Column(group="", head=label, key=name, width=width)


def _sum_columns(
    session: SessionState, marks: dict[Player, str], translator: Translator
) -> Iterator[Column]:
    """Yield what is added up: money of players and of the table, or points and overtricks."""
    if session.sheet is None:
        currency = session.opening.currency
        label = translator("score_sheet.won_and_lost", currency=currency)
        for player in session.table.seats:
            key = f"player:{player}"
            yield Column(group=label, head=marks[player], key=key, width=SUM_WIDTH, is_sum=True)
        head = translator("statement.on_table")
        yield Column(group="", head=head, key="table", width=TABLE_WIDTH, is_sum=True)
        return
    for name, counts, width in (
        ("points", session.sheet.scores, SUM_WIDTH),
        ("overtricks", session.sheet.overtricks, OVERTRICKS_WIDTH),
    ):
        for contestant in counts:
            yield Column(
                group=translator(f"score_sheet.{name}"),
                head=side_mark(contestant, marks),
                key=f"{name}:{contestant}",
                width=width,
                is_sum=True,
            )


def bidding_sides(session: SessionState, dealer: Player) -> dict[str, str]:
    """Return the columns that name a side with that side: the forehand's bids first (rules.md
    §3.2). Empty where players keep their own scores."""
    if session.sheet is None:
        return {}
    order = clockwise_from(left_of(dealer, session.table.seats), session.table.seats)
    sides = [side for side in session.sheet.scores if "+" in side]
    sides.sort(key=lambda side: min(order.index(player) for player in side.split("+")))
    return dict(zip(("first_bid.side", "second_bid.side"), sides, strict=False))
