"""An evening that goes on where another ended, and how to ask for the statement of both."""

import shutil
import subprocess
from typing import Any

from tests.api import ledger_text
from tests.api.test_circles import Circle, e3_closed

WON = (
    {"type": "open_deal"},
    {"type": "declare", "players": ["p1"]},
    {"type": "result", "winner": "p1"},
)
TITLE = "Sjunde november"


def went_on(circle: Circle) -> Circle:
    """E3, then an evening that goes on from it: Ada wins the pot and Cilla's bet, Disa pays Bo."""
    first = e3_closed(circle)
    second = circle.gather(carry=True, first_dealer="m2", title=TITLE)
    second.act(*WON)
    second.write("/transfers", {"from": "p4", "to": "p2", "amount": 70}, match="*")
    circle.evenings = first, second
    return circle


def told(circle: Circle, query: str = "") -> Any:
    answer = circle.get(f"/statement{query}")
    assert answer.status_code == 200, answer.text
    return answer.json


def hledger(text: str) -> list[ledger_text.Transaction]:
    """Accepted by our strict reader, and by hledger where there is one."""
    made = ledger_text.read(text)
    if program := shutil.which("hledger"):
        command = [program, "-f", "-", "check", "--strict"]
        subprocess.run(command, input=text.encode(), check=True)
    return made
