"""The bench measures every figure in a smoke run; no test says how fast anything is."""

import json
import os
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest

from tests.support.module_output import run_module
from tests.verification.bench.measurement import Measurement
from tests.verification.bench.results import results_page
from tests.verification.bench.results.results_table import format_text
from tests.verification.bench.sessions import resource_usage
from tests.verification.bench.targets import PROMISED

NOT_INSTALLED = {"P11 one", "P11 ten", "P11 get"}
"""Only `make bench` installs the package that these rows need."""


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """What the bench prints, and what it saves."""
    file = tmp_path_factory.mktemp("bench") / "bench.json"
    printed = run_module("tests.verification.bench", "--smoke", "--json", str(file))
    return printed, json.loads(file.read_text())


def test_every_row_is_measured_and_printed(run):
    printed, results = run
    assert [row["name"] for row in results["rows"]] == list(PROMISED)
    first_words = [line[:11].strip() for line in printed.splitlines()]
    assert [name for name in first_words if name in PROMISED] == list(PROMISED)
    for row in results["rows"]:
        assert (row["figures"] and min(row["figures"]) > 0) or row["name"] in NOT_INSTALLED, row


def test_conditions_are_printed_and_saved(run):
    printed, results = run
    conditions = results["conditions"]
    assert conditions["settings"]["fsync"] == conditions["settings"]["synchronous_commit"] == "on"
    assert conditions["sizes"]["repetitions"] == 1
    assert conditions["smoke"]
    for word in ("cores", "load before", "PostgreSQL 18", "fsync = on", "1 repetitions", "Smoke"):
        assert word in printed


def test_the_page_has_every_row_and_keeps_what_people_wrote(run, tmp_path):
    _, results = run
    page = tmp_path / "performance.md"
    page.write_text(
        f"# Before\n\n{results_page.BEGIN}\nof yesterday\n{results_page.END}\n\nAfter.\n"
    )
    results_page.write_page(results, page)
    results_page.write_page(results, page)
    text_ = page.read_text()
    assert text_.startswith("# Before\n")
    assert text_.endswith("\nAfter.\n")
    assert "of yesterday" not in text_
    for name in PROMISED:
        assert text_.count(f"| {name} |") == 1
    drawn = ElementTree.parse(tmp_path / "performance.svg")
    titles = [(element.text or "").partition(":")[0] for element in drawn.iter()]
    assert [name for name in titles if name in PROMISED] == list(PROMISED)


@pytest.mark.parametrize(
    ("name", "ours", "floor", "aim"),
    [
        ("P1", 0.49, "–", "–"),
        ("P1", 0.50, "✓", "–"),
        ("P1", 0.65, "✓", "✓"),
        ("P4", 2.3, "–", "–"),
        ("P4", 2.2, "✓", "–"),
        ("P4", 1.5, "✓", "✓"),
    ],
)
def test_a_figure_is_held_to_floor_and_aim(name, ours, floor, aim):
    output = format_text([Measurement(name=name, ours=[ours], reference=[1], unit="")])
    promise = PROMISED[name]
    assert f"floor {promise.bound(promise.floor)} {floor}  " in output
    assert f"aim {promise.bound(promise.aim)} {aim}\n" in output


def test_the_figure_is_the_median_of_repetitions_side_by_side():
    """Each repetition has a ratio of its own, because a slow machine slows both of its sides."""
    measured = Measurement(name="P1", ours=[10, 1, 3], reference=[20, 2, 10], unit="")
    assert measured.figures == [0.5, 0.5, 0.3]
    assert measured.figure == 0.5


def test_a_connection_that_has_just_ended_is_not_measured(urls, monkeypatch):
    server = SimpleNamespace(process=SimpleNamespace(pid=os.getpid()))
    monkeypatch.setattr(resource_usage, "SERVING", f"SELECT {2**31 - 1}")
    assert resource_usage.list_processes(server, urls)["PostgreSQL, for it"] == []
