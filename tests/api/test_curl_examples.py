"""Every `curl` line of README and docs/api.md works, in the order in which a reader would try them,
and answers what the page shows.

In a ```sh block: lines, and `# from the answer: NAME=path …` for what a reader would copy. The
block after it is what comes back: json (what is shown is there, with that value), http (status
line and headers), text. `…` is whatever comes.
"""

from __future__ import annotations

import http.client
import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import pytest

from tests.support.api.openapi_contract import ROOT

PAGES = ("README.md", "docs/api.md")
ADDRESS = "http://127.0.0.1:8080"
STOPPED_BY_ITSELF = 28

Run = Callable[[list[str], Path], str]


@dataclass
class Block:
    kind: str
    lines: list[str]


def blocks(page: str) -> Iterator[Block]:
    text = (ROOT / page).read_text("utf-8")
    for kind, inner in re.findall(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        yield Block(kind, inner.splitlines())


def by_curl(words: list[str], folder: Path) -> str:
    run = subprocess.run(["curl", *words], cwd=folder, capture_output=True, check=False)
    assert run.returncode == 0 or ("--max-time" in words and run.returncode == STOPPED_BY_ITSELF)
    return run.stdout.decode()


def by_hand(words: list[str], folder: Path) -> str:
    """The few words of curl that the pages use, where there is no curl."""
    given = iter(words)
    method, body, out, shows, url, headers = "GET", None, None, False, "", {}
    for word in given:
        if word in ("-X", "-d", "-H", "-o", "--max-time"):
            value = next(given)
            if word == "-H":
                name, _, text = value.partition(": ")
                headers[name] = text
            method = value if word == "-X" else "POST" if word == "-d" else method
            body = value if word == "-d" else body
            out = value if word == "-o" else out
        elif word.startswith("-"):
            assert set(word) <= set("-siN"), word
            shows |= "i" in word
        else:
            url = word
    parts = urlsplit(url)
    line = http.client.HTTPConnection(parts.netloc, timeout=2 if "--max-time" in words else 20)
    path = parts.path + (f"?{parts.query}" if parts.query else "")
    line.request(method, path, body and body.encode(), headers)
    answer = line.getresponse()
    told = [f"HTTP/1.1 {answer.status} {answer.reason}"]
    told += [f"{name}: {value}" for name, value in answer.getheaders()]
    raw = b""
    try:
        while piece := answer.read1(65536):
            raw += piece
    except TimeoutError:
        assert "--max-time" in words
    line.close()
    if out:
        (folder / out).write_bytes(raw)
        return ""
    return "\r\n".join([*told, "", ""]) * shows + raw.decode()


def shown(told: Any, there: Any, where: str) -> None:
    """Everything that the page shows is there; `…` ends a list and stands for a text."""
    if isinstance(told, dict):
        assert isinstance(there, dict), where
        for key, value in told.items():
            assert key in there, f"{where}/{key}"
            shown(value, there[key], f"{where}/{key}")
    elif isinstance(told, list):
        assert isinstance(there, list), where
        more = told[-1:] == ["…"] and len(told) > 1 and not isinstance(told[0], str)
        wanted = told[:-1] if more else told
        assert len(there) > len(wanted) if more else len(there) == len(wanted), where
        for place, value in enumerate(wanted):
            shown(value, there[place], f"{where}/{place}")
    elif isinstance(told, str) and "…" in told:
        assert isinstance(there, str), where
        assert alike(told, there), f"{where}: {there!r}"
    else:
        assert told == there, f"{where}: {there!r}"
        assert type(told) is type(there), where


def alike(told: str, there: str) -> bool:
    pattern = ".*".join(re.escape(part) for part in told.split("…"))
    return re.fullmatch(pattern, there, re.DOTALL) is not None


def held(block: Block, out: str, where: str) -> None:
    text = "\n".join(block.lines)
    if block.kind == "json":
        shown(json.loads(text), json.loads(out), where)
    elif block.kind == "http":
        head = out.partition("\r\n\r\n")[0].split("\r\n")
        assert head[0].split(" ")[1] == block.lines[0].split(" ")[1], f"{where}: {head[0]}"
        there = {name.lower(): value for name, _, value in (h.partition(": ") for h in head[1:])}
        for line in block.lines[1:]:
            name, _, value = line.partition(": ")
            assert alike(value, there.get(name.lower(), "")), f"{where}: {line}"
    else:
        assert alike(text, out.strip()), f"{where}: {out!r}"


def does(line: str, names: dict[str, str], run: Run, folder: Path) -> str:
    words = shlex.split(Template(line).substitute(names))
    if words[0] == "curl":
        return run(words[1:], folder)
    assert words[0] == "python3", line
    made = subprocess.run(
        [sys.executable, "-I", *words[1:]], cwd=folder, capture_output=True, text=True, check=True
    )
    return made.stdout


@pytest.mark.parametrize("run", [by_curl, by_hand])
def test_what_the_pages_show_is_what_happens(run: Run, server_url: str, tmp_path: Path) -> None:
    if run is by_curl and not shutil.which("curl"):
        pytest.skip("no curl here; the same lines are sent by hand")
    count, names, out = 0, {"HERE": server_url}, ""
    for page in PAGES:
        for block in blocks(page):
            if block.kind == "sh":
                for line in block.lines:
                    if line.startswith("# from the answer: "):
                        for name, path in (w.split("=") for w in line[19:].split()):
                            value = json.loads(out)
                            for step in path.split("."):
                                value = value[step]
                            names[name] = str(value)
                    elif line.startswith("HERE="):
                        assert line == f"HERE={ADDRESS}"
                    else:
                        line = line.replace("$(uuidgen)", str(uuid4())).replace(
                            '"Idempotency-Key: ', f'"Idempotency-Key: {run.__name__} '
                        )
                        out = does(line, names, run, tmp_path)
                        count += line.startswith("curl")
            elif block.kind in ("json", "http", "text") and out:
                held(block, out, f"{page}: {block.lines[0][:60]}")
    told = sum((ROOT / page).read_text("utf-8").count("\ncurl ") for page in PAGES)
    assert count == told > 15
