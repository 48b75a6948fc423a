"""The command says what is missing where the packages of a mutation run are not installed."""

import subprocess
import sys
from importlib.util import find_spec

import pytest

from tests.support.module_output import ROOT, run_module
from tests.verification.mutation.__main__ import PACKAGES

COMMAND = "tests.verification.mutation"


def test_help_needs_no_package_of_a_mutation_run():
    assert "usage: python -m tests.verification.mutation" in run_module(COMMAND, "--help")


@pytest.mark.skipif(all(map(find_spec, PACKAGES)), reason="the packages are installed")
def test_missing_packages_are_named_with_exit_code_two():
    result = subprocess.run(
        [sys.executable, "-m", COMMAND], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert result.returncode == 2
    assert "not installed: " in result.stderr
    assert "`make mutants`" in result.stderr
    assert "Traceback" not in result.stderr
