"""What `vola serve` prints when the page works (api/banner.py)."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from api import banner
from api.qr import terminal
from api.settings import Settings


@pytest.fixture(autouse=True)
def at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(banner, "lan_address", lambda: "192.168.1.2")


def settings(host: str) -> Settings:
    return Settings(data=Path(), host=host, port=8080)


def test_a_phone_finds_the_page_by_an_address_and_by_its_code_wherever_that_is_printed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    banner.show(settings("0.0.0.0"))
    printed = capsys.readouterr().out
    assert printed.startswith("Vola: http://127.0.0.1:8080/\n")
    there = "http://192.168.1.2:8080/"
    assert f"{there}\n{terminal(there)}" in printed


def test_nobody_is_sent_to_a_page_that_only_this_machine_has(
    capsys: pytest.CaptureFixture[str],
) -> None:
    banner.show(settings("127.0.0.1"))
    assert capsys.readouterr().out == "Vola: http://127.0.0.1:8080/\nCtrl-C ends it.\n"


def test_where_there_are_no_signs_for_a_code_the_address_is_enough(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    out = io.TextIOWrapper(io.BytesIO(), encoding="latin-1")
    monkeypatch.setattr(sys, "stdout", out)
    banner.show(settings("0.0.0.0"))
    monkeypatch.undo()
    out.seek(0)
    assert out.read().splitlines()[:2] == [
        "Vola: http://127.0.0.1:8080/",
        "Mobil / phone: http://192.168.1.2:8080/",
    ]
