"""What `vola serve` prints once the page works (api/cli/startup_message.py)."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import pytest

from api.cli import startup_message
from api.representations.qr import terminal
from api.settings import Settings


@pytest.fixture(autouse=True)
def fixed_lan_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(startup_message, "lan_address", lambda: "192.168.1.2")


def settings_for(host: str) -> Settings:
    return Settings(data=Path(), host=host, port=8080)


def test_the_lan_address_and_its_qr_code_are_printed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    startup_message.show(settings_for("0.0.0.0"))
    printed = capsys.readouterr().out
    assert printed.startswith("Vola: http://127.0.0.1:8080/\n")
    url = "http://192.168.1.2:8080/"
    assert f"{url}\n{terminal(url)}" in printed


def test_a_page_on_this_machine_only_is_offered_to_no_device(
    capsys: pytest.CaptureFixture[str],
) -> None:
    startup_message.show(settings_for("127.0.0.1"))
    assert capsys.readouterr().out == "Vola: http://127.0.0.1:8080/\nCtrl-C ends it.\n"


def test_without_unicode_the_address_is_printed_without_qr_code(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stdout = io.TextIOWrapper(io.BytesIO(), encoding="latin-1")
    monkeypatch.setattr(sys, "stdout", stdout)
    startup_message.show(settings_for("0.0.0.0"))
    monkeypatch.undo()
    stdout.seek(0)
    assert stdout.read().splitlines()[:2] == [
        "Vola: http://127.0.0.1:8080/",
        "Mobil / phone: http://192.168.1.2:8080/",
    ]


def test_an_output_whose_reader_is_gone_ends_no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as stdout:
        monkeypatch.setattr(sys, "stdout", stdout)
        startup_message.show(settings_for("0.0.0.0"))
        monkeypatch.undo()
