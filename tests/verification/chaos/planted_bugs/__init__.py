"""Bugs planted on purpose, to show that the checks find them.

They exist only here: the product has no switch for them, and is shipped without this folder.
"""

from tests.verification.chaos.planted_bugs import answers, settlements, transactions

BUGS = answers.BUGS | settlements.BUGS | transactions.BUGS
