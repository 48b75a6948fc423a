"""Bugs planted on purpose, to show that the checks find them.

They exist only here: the product has no switch for them, and is shipped without this folder.
"""

from tests.verification.chaos.planted_bugs import answers, settlements, transactions
from tests.verification.chaos.planted_bugs.registry import BUGS

__all__ = ["BUGS", "answers", "settlements", "transactions"]  # each module registers its bugs
