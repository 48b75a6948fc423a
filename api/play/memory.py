"""What a table remembers while it plays: what was asked, and how all was when a person chose.

So nobody is asked the same thing twice, and a choice can be taken back with all that followed.
"""

from dataclasses import dataclass, field

from api.play.croupier import Croupier
from api.play.seat import Mind
from engine.values import Player

Asked = tuple[object, ...]
"""Who was asked for what: enough to know the same question again."""


class TakeBack(Exception):
    """A person wants his last choice back."""


@dataclass
class Memory:
    """Of one deal; new cards are a new deal."""

    asked: set[Asked] = field(default_factory=set)
    looked: dict[tuple[Player, int], bool] = field(default_factory=dict)
    """Whether somebody who could bid unseen has looked, after so many bids."""
    round: int = 1  # of exchanging
    spoke: bool = False  # whether anybody has exchanged in it

    def looked_at(self, player: Player) -> bool:
        """Whether he was asked to look, and did."""
        return any(looked for (who, _), looked in self.looked.items() if who == player)

    def face_down(self, player: Player) -> bool:
        """Whether he was asked to look, and never did."""
        return any(who == player for who, _ in self.looked) and not self.looked_at(player)


Kept = tuple[Croupier, Memory, dict[Player, Mind]]
"""The cards, what has been asked, and the machines with their dice."""


@dataclass
class Point:
    """Where a person was asked: everything that must be as it was when he is asked again."""

    said: int  # actions that stood
    kept: Kept
    answered: bool = False
