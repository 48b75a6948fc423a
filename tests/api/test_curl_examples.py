"""Every `curl` line of README.md and docs/api.md works, in the order of the page, as shown.

A ```sh block has commands, and `# from the answer: NAME=path …` for values that a reader would
copy. The next block shows the response: json (a part of it, with these values), http (status line
and headers) or text. `…` stands for anything.
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


def run_curl(words: list[str], folder: Path) -> str:
    run = subprocess.run(["curl", *words], cwd=folder, capture_output=True, check=False)
    assert run.returncode == 0 or ("--max-time" in words and run.returncode == STOPPED_BY_ITSELF)
    return run.stdout.decode()


def run_without_curl(words: list[str], folder: Path) -> str:
    """Do what curl does, for the options that the pages use, on a machine without curl."""
    arguments = iter(words)
    method, body, output, shows, url, headers = "GET", None, None, False, "", {}
    for word in arguments:
        if word in ("-X", "-d", "-H", "-o", "--max-time"):
            value = next(arguments)
            if word == "-H":
                name, _, text = value.partition(": ")
                headers[name] = text
            method = value if word == "-X" else "POST" if word == "-d" else method
            body = value if word == "-d" else body
            output = value if word == "-o" else output
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
    lines = [f"HTTP/1.1 {answer.status} {answer.reason}"]
    lines += [f"{name}: {value}" for name, value in answer.getheaders()]
    raw = b""
    try:
        while piece := answer.read1(65536):
            raw += piece
    except TimeoutError:
        assert "--max-time" in words
    line.close()
    if output:
        (folder / output).write_bytes(raw)
        return ""
    return "\r\n".join([*lines, "", ""]) * shows + raw.decode()


def assert_shown(expected: Any, actual: Any, path: str) -> None:
    """Assert that all that the page shows is there; `…` ends a list or stands for a text."""
    if isinstance(expected, dict):
        assert isinstance(actual, dict), path
        for key, value in expected.items():
            assert key in actual, f"{path}/{key}"
            assert_shown(value, actual[key], f"{path}/{key}")
    elif isinstance(expected, list):
        assert isinstance(actual, list), path
        is_open = expected[-1:] == ["…"] and len(expected) > 1 and not isinstance(expected[0], str)
        items = expected[:-1] if is_open else expected
        assert len(actual) > len(items) if is_open else len(actual) == len(items), path
        for place, value in enumerate(items):
            assert_shown(value, actual[place], f"{path}/{place}")
    elif isinstance(expected, str) and "…" in expected:
        assert isinstance(actual, str), path
        assert matches(expected, actual), f"{path}: {actual!r}"
    else:
        assert expected == actual, f"{path}: {actual!r}"
        assert type(expected) is type(actual), path


def matches(expected: str, actual: str) -> bool:
    pattern = ".*".join(re.escape(part) for part in expected.split("…"))
    return re.fullmatch(pattern, actual, re.DOTALL) is not None


def assert_block(block: Block, output: str, path: str) -> None:
    text = "\n".join(block.lines)
    if block.kind == "json":
        assert_shown(json.loads(text), json.loads(output), path)
    elif block.kind == "http":
        head = output.partition("\r\n\r\n")[0].split("\r\n")
        assert head[0].split(" ")[1] == block.lines[0].split(" ")[1], f"{path}: {head[0]}"
        headers = {name.lower(): value for name, _, value in (h.partition(": ") for h in head[1:])}
        for line in block.lines[1:]:
            name, _, value = line.partition(": ")
            assert matches(value, headers.get(name.lower(), "")), f"{path}: {line}"
    else:
        assert matches(text, output.strip()), f"{path}: {output!r}"


def run_line(line: str, names: dict[str, str], run: Run, folder: Path) -> str:
    words = shlex.split(Template(line).substitute(names))
    if words[0] == "curl":
        return run(words[1:], folder)
    assert words[0] == "python3", line
    finished = subprocess.run(
        [sys.executable, "-I", *words[1:]], cwd=folder, capture_output=True, text=True, check=True
    )
    return finished.stdout


@pytest.mark.parametrize("run", [run_curl, run_without_curl])
def test_what_the_pages_show_is_what_happens(run: Run, server_url: str, tmp_path: Path) -> None:
    if run is run_curl and not shutil.which("curl"):
        pytest.skip("no curl here; the same lines are sent by hand")
    count, names, output = 0, {"HERE": server_url}, ""
    for page in PAGES:
        for block in blocks(page):
            if block.kind == "sh":
                for line in block.lines:
                    if line.startswith("# from the answer: "):
                        for name, path in (w.split("=") for w in line[19:].split()):
                            value = json.loads(output)
                            for step in path.split("."):
                                value = value[step]
                            names[name] = str(value)
                    elif line.startswith("HERE="):
                        assert line == f"HERE={ADDRESS}"
                    else:
                        line = line.replace("$(uuidgen)", str(uuid4())).replace(
                            '"Idempotency-Key: ', f'"Idempotency-Key: {run.__name__} '
                        )
                        output = run_line(line, names, run, tmp_path)
                        count += line.startswith("curl")
            elif block.kind in ("json", "http", "text") and output:
                assert_block(block, output, f"{page}: {block.lines[0][:60]}")
    documented = sum((ROOT / page).read_text("utf-8").count("\ncurl ") for page in PAGES)
    assert count == documented > 15
