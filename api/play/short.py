"""A whole deal in one breath, as a table records it that writes down only tricks, or results.

Nobody holds any cards here: a die says what was said, and the list of legal actions is its law.
"""

from random import Random
from typing import Any

from api.play import choices
from engine import commands as c
from engine import evening as evenings
from engine.evening import Evening
from engine.game import Legal
from ledger.session import Session

SELDOM = {"all_pass": 1, "redeal": 1, "exchange": 4}
"""Weights of what would else end every deal at once, or never let it begin."""
OFTEN = 8


class WholeDeals:
    """Makes up one deal after another. The same seed makes up the same ones."""

    def __init__(self, seed: str, depth: choices.Depth) -> None:
        self.die = Random(seed)  # noqa: S311  # cards, not secrets
        self.depth = depth

    def __call__(self, session: Session) -> list[c.Command]:
        """From the opening to the last action, which closes it."""
        said: list[c.Command] = [c.OpenDeal(number=session.table.next_number)]
        evening = _after(session, session.table, said[0])
        while evening.open:
            legal = session.game.legal(session.options, evening.table)
            ways = choices.at_depth(session.game, legal, self.depth)
            weights = [SELDOM.get(entry.type, OFTEN) for entry in ways]
            said.append(self._chosen(self.die.choices(ways, weights)[0]))
            evening = _after(session, evening, said[-1])
        return said

    def _chosen(self, entry: Legal) -> c.Command:
        fields = {name: self._value(allowed) for name, allowed in entry.fields.items()}
        return choices.command(entry.type, fields)

    def _value(self, allowed: dict[str, Any]) -> Any:
        if "sum" in allowed:
            taken = self.die.choices(allowed["keys"], k=allowed["sum"])
            return {key: taken.count(key) for key in allowed["keys"]}
        if "values" in allowed:
            return self.die.choice(allowed["values"])
        return self.die.randint(allowed["min"], allowed["max"])


def _after(session: Session, evening: Evening[Any], said: c.Command) -> Evening[Any]:
    game = session.game
    for fact in evenings.decide(game, session.options, evening, said, session.funds):
        evening = evenings.evolve(game, evening, fact)
    return evening
