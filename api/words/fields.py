"""What is wrong with a field: the sentences of the schemas, told apart so that they can be said in
the reader's language. The English ones are the schemas' own.
"""

import re

SENTENCES = {
    "missing": r"Missing data for required field\.",
    "unknown": r"Unknown field\.",
    "null": r"Field may not be null\.",
    "integer": r"Not a valid integer\.",
    "string": r"Not a valid string\.",
    "boolean": r"Not a valid boolean\.",
    "list": r"Not a valid list\.",
    "object": r"(?:Must be an object\.|Invalid input type\.|Not a valid mapping type\.)",
    "one_of": r"Must be one of: (?P<choices>.*)\.",
    "pattern": r"String does not match expected pattern\.",
    "so_many": r"Length must be (?P<count>\d+)\.",
    "length": r"Length must be between (?P<least>\d+) and (?P<most>\d+)\.",
    "range": r"Must be greater than or equal to (?P<least>\d+)"
    r" and less than or equal to (?P<most>\d+)\.",
    "whole": r"A whole number from (?P<least>\d+) to (?P<most>\d+)\.",
    "cursor": r"The `next` of a page of this list, or from (?P<least>\d+) to (?P<most>\d+)\.",
    "characters": r"Between (?P<least>\d+) and (?P<most>\d+) characters\.",
    "control": r"Control characters are not allowed\.",
    "invisible": r"Nothing of this can be seen\.",
    "same_name": r"Two (?:players|members) cannot have the same name\.",
    "twice": r"Nobody can sit in two places\.",
    "players": r"Between (?P<least>\d+) and (?P<most>\d+) players\.",
    "exactly": r"Exactly (?P<count>\d+) players\.",
    "a_player": r"One of the players\.",
    "currency": r"An ISO 4217 code, or chips\.",
    "moment": r"A date or a time, such as 2026-11-21 or 2026-11-21T19:30:00\+01:00\.",
    "as_of": r"A version, or a moment such as 2026-11-21T21:30:00Z\.",
    "shorter": r"A PDF has at most (?P<most>\d+) lines and this is (?P<count>\d+);"
    r" choose a shorter period, or CSV or XLSX, which have no such limit\.",
    "time_zone": r"A time zone, such as Europe/Stockholm\.",
    "swish": r"A Swish number: 07 or 123, ten digits\.",
    "iban": r"An IBAN within SEPA, with its check digits\.",
    "one_of_two": r"Either `(?P<one>\w+)` or `(?P<other>\w+)`, not both\.",
    "comes_with": r"A `(?P<one>\w+)` comes with its `(?P<other>\w+)`\.",
    "side_bid": r"`tricks`, alone or with one nil; or `joint_nil`; or nils of both partners\.",
}


def told_apart(sentence: str) -> tuple[str, dict[str, str]] | None:
    """Which sentence this is, and its operands; none when it is not known."""
    for key, pattern in SENTENCES.items():
        if found := re.fullmatch(pattern, sentence, re.DOTALL):
            return key, found.groupdict()
    return None
