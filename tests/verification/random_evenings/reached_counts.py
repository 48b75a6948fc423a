"""Counts of what random evenings reached, as a table, and what they never reached."""

from __future__ import annotations

from collections import Counter

from engine.games.registry import GAMES
from tests.support.engine.every_option import positions

Counts = Counter[tuple[str, ...]]


def count_evenings(counts: Counts) -> int:
    return sum(count for key, count in counts.items() if key[0].startswith("evenings"))


def list_missing(counts: Counts) -> list[str]:
    """Return the actions and positions of options that were never reached."""
    gaps = []
    for game in GAMES.values():
        kinds = {kind.__struct_config__.tag for kind in game.commands} | {"open_deal", "undo"}
        ways = ("action", "action with real cards")
        reached = {key[2] for key in counts if key[0] in ways and key[1] == game.key}
        gaps += [f"{game.key}: {kind}" for kind in kinds - reached]
        for name, values in positions(game.options_type).items():
            for value in values:
                if not counts["option", game.key, name, str(value)]:
                    gaps.append(f"{game.key}: {name} = {value}")
    return sorted(gaps)


def format_table(counts: Counts) -> str:
    rows: dict[tuple[str, ...], list[str]] = {}
    for key, count in sorted(counts.items()):
        rows.setdefault(key[:-1], []).append(f"{key[-1]} {count}")
    lines = (f"{' '.join(head):42} {', '.join(cells)}" for head, cells in rows.items())
    return "\n".join(lines)
