"""A session carried forward from another, and the statement of both."""

import shutil
import subprocess
from typing import Any

from tests.support.api import hledger_reader
from tests.support.api.group_client import GroupClient, play_and_close_e3

WON_DEAL = (
    {"type": "open_deal"},
    {"type": "declare", "players": ["p1"]},
    {"type": "result", "winner": "p1"},
)
TITLE = "Sjunde november"


def play_two_sessions(group: GroupClient) -> GroupClient:
    """Play E3 and a session carried forward from it: Ada wins the pot and Cilla's bet, Disa pays
    Bo."""
    first = play_and_close_e3(group)
    second = group.open_session(carry=True, first_dealer="m2", title=TITLE)
    second.act(*WON_DEAL)
    second.write("/transfers", {"from": "p4", "to": "p2", "amount": 70}, match="*")
    group.sessions = first, second
    return group


def get_statement(group: GroupClient, query: str = "") -> Any:
    answer = group.get(f"/statement{query}")
    assert answer.status_code == 200, answer.text
    return answer.json


def read_journal(text: str) -> list[hledger_reader.Transaction]:
    """Read a journal with the strict reader, and check it with hledger where it is installed."""
    transactions = hledger_reader.parse_journal(text)
    if program := shutil.which("hledger"):
        command = [program, "-f", "-", "check", "--strict"]
        subprocess.run(command, input=text.encode(), check=True)
    return transactions
