"""What a frozen book keeps of each session and group beside its backup."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from tests.support.api.http_client import RemoteSession, ask

FORMATS = ("csv", "xlsx", "pdf", "hledger", "html")


def save_session(folder: Path, name: str, phone: RemoteSession) -> None:
    session_folder = folder / name
    session_folder.mkdir(exist_ok=True)
    state = phone.get().json
    numbers = [deal["number"] for deal in phone.get("/deals").json["deals"]]
    session_state = {
        "tokens": phone.tokens,
        "state": state,
        "states": [phone.get(f"?at={v}").json for v in range(1, state["version"] + 1)],
        "deals": [phone.get(f"/deals/{number}").json for number in numbers],
        "settlement": phone.get("/settlement").json if state["balances"] else None,
        "cosignatures": phone.get("/cosignatures").json,
        "objections": phone.get("/objections").json,
    }
    compressed = gzip.compress(json.dumps(session_state).encode(), mtime=0)
    session_folder.joinpath("seen.json.gz").write_bytes(compressed)
    for file, path in {
        "export.json": "/export",
        "export-names.json": "/export?names=true",
        "receipt.json": f"/receipts/{max(1, state['version'] // 2)}",
    }.items():
        save_response(session_folder / file, phone, path)
    for player in (player["id"] for player in state["players"]):
        path = f"/statement?player={player}"
        save_response(session_folder / f"statement-{player}.json", phone, path)
    for kind in FORMATS if name == "polskt_pass" else ():
        path = f"/statement?player=p1&format={kind}"
        save_response(session_folder / f"statement-p1.{kind}", phone, path)


def save_response(file: Path, phone: RemoteSession, path: str) -> None:
    answer = phone.get(path)
    assert answer.status == 200, answer.raw
    file.write_bytes(answer.raw)


def save_group(folder: Path, url: str, group: dict[str, Any]) -> None:
    group_url = f"{url}/v1/groups/{group['id']}"
    headers = {"Authorization": f"Bearer {group['tokens']['host']}"}
    group_state = {"tokens": group["tokens"], "group": ask(group_url, headers=headers).json}
    group_state["standings"] = ask(f"{group_url}/standings", headers=headers).json
    folder.joinpath("group.json").write_text(json.dumps(group_state, ensure_ascii=False))
    statement = ask(f"{group_url}/statement?member=m1", headers=headers)
    assert statement.status == 200, statement.raw
    folder.joinpath("group-statement-m1.json").write_bytes(statement.raw)
