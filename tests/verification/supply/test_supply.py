"""Vola's dependencies are pinned, hashed, listed and looked up."""

from __future__ import annotations

import json
import re
from importlib.metadata import distribution

import pytest

from tests.verification.supply.audit import LOCKS, ROOT, judge_report
from tests.verification.supply.bill import LOCK, make_bill, summary_and_licence
from tests.verification.supply.licences import (
    FILE,
    PROGRAMS,
    list_locked_packages,
    make_licences_page,
    read_licence_texts,
)


@pytest.mark.parametrize("lock", [*LOCKS, "requirements-failover.lock"])
def test_every_package_is_pinned_and_every_file_of_it_hashed(lock: str) -> None:
    text = (ROOT / lock).read_text("utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    assert len(lines) > 10
    for line in lines:
        assert re.match(r"[a-z0-9][a-z0-9.-]*(\[[a-z0-9,-]+\])?==[^ ]+", line), line[:80]
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", line), line[:80]
        assert "://" not in line.partition("--hash")[0], line[:80]


def test_the_bill_names_every_package_of_the_lock_with_its_hashes() -> None:
    bill = make_bill(LOCK)
    assert bill == make_bill(LOCK)
    text = LOCK.read_text("utf-8")
    pins = {tuple(pin) for pin in re.findall(r"^([a-z0-9.-]+)==([^ \\;]+)", text, re.MULTILINE)}
    assert {(part["name"], part["version"]) for part in bill["components"]} == pins
    hashes = {
        entry["content"]
        for part in bill["components"]
        for place in part["externalReferences"]
        for entry in place["hashes"]
    }
    assert hashes == set(re.findall(r"--hash=sha256:([0-9a-f]{64})", text))
    root = bill["metadata"]["component"]["bom-ref"]
    [own] = [entry["dependsOn"] for entry in bill["dependencies"] if entry["ref"] == root]
    assert {"pkg:pypi/flask", "pkg:pypi/granian"} <= {ref.partition("@")[0] for ref in own}
    assert sum("licenses" in part for part in bill["components"]) >= len(pins) - 5


def test_the_licences_of_every_package_stand_in_one_file() -> None:
    """`make licences` writes the file again after `make lock`."""
    assert FILE.read_text("utf-8") == make_licences_page()
    for name, _ in list_locked_packages():
        assert summary_and_licence(name)[1], name
        assert read_licence_texts(name), name


def test_no_shared_library_comes_without_a_named_licence() -> None:
    for name, _ in list_locked_packages():
        listed = {lib for _, inside, _, libs in PROGRAMS if inside == name for lib in libs.split()}
        files = [file.name for file in distribution(name).files or [] if ".libs/" in str(file)]
        assert {re.sub(r"^lib|[-.].*", "", file) for file in files} == listed, name


def test_a_known_vulnerability_fails_and_no_answer_does_not() -> None:
    safe_package = {"name": "flask", "version": "3", "vulns": []}
    vulnerability = {"id": "PYSEC-1", "fix_versions": ["4"]}
    for packages, code, sentence in (
        ([safe_package], 0, "1 packages looked up, 0 known"),
        ([safe_package, {**safe_package, "vulns": [vulnerability]}], 1, "PYSEC-1, fixed in 4"),
        ([{"name": "flask", "skip_reason": "not there"}], 0, "Nothing was looked up"),
    ):
        exit_code, output = judge_report(json.dumps({"dependencies": packages}), "")
        assert (exit_code, sentence in output) == (code, True), output
    assert judge_report("", "…\nNo route to host")[0] == 0
    assert "No route to host" in judge_report("", "…\nNo route to host")[1]
