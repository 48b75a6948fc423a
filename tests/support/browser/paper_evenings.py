"""The worked evenings of the rules as lines typed from paper, with the sums at the end."""

from __future__ import annotations

PAPER_EVENINGS = {
    "polskt_pass": (
        ("B CCDCB", "D AABDD", "-", "DC BBABD", "A CC+CCC", "B BB+BC", "D DADBC"),
        {"p1": "-50", "p2": "-40", "p3": "150", "p4": "-60"},
    ),
    "polskpas": (
        ("B CBCAC", "-", "D DD+ABD", "A AA+BBB", "C CC+CCC", "D DADBC"),
        {"p1": "-180", "p2": "-140", "p3": "430", "p4": "-110"},  # E5 at twice its stake
    ),
    "spader": (
        ("7 5 4 3 4 2", "A4 8 0 4 5 4", "6 7 5 2 4 2"),
        {"p1+p3": "216", "p2+p4": "40"},
    ),
    "knektpass": (
        (
            *("2 0 - 3 2 1 - 2", "-", "- - 0 -"),
            *("1 3 0 2 1 3 1 0", "0 5 1 - 1 0 4 -", "2 4 1 - 3 0 2 -"),
        ),
        {"p1": "5", "p2": "53", "p3": "0", "p4": "27"},
    ),
}

TWENTY_DEALS = (
    *("B CCDCB", "D AABDD", "-", "DC BBABD", "A CC+CCC"),
    *("B BB+BC", "D DADBC", "A BBCB", "C CCC", "B ADDAC"),
    *("-", "D ABCAD", "A AABCD", "B BCBDB", "C DDABD"),
    *("DC AACBA", "B CC+CD", "A BCDBB", "D CCADC", "C ABABB"),
)

TWENTY_SUMS = {"p1": "-40", "p2": "20", "p3": "100", "p4": "-160"}
"""The sums on the paper after them, added up from the rules; 80 is in two bets."""
