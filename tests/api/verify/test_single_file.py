"""`verify.py` is one file that is joined from modules, and needs nothing but Python."""

import ast
import sys

import pytest

from api.verify.single_file import join_modules, verifier_source

LOWER = "api.verify.program.lower"
UPPER = "api.verify.program.upper"


def test_the_file_needs_nothing_but_python_3_10():
    tree = ast.parse(verifier_source(), feature_version=(3, 10))
    imported = set()
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                imported |= {alias.name for alias in names}
            case ast.ImportFrom(module=module):
                imported.add(module)
    assert {module.partition(".")[0] for module in imported} <= sys.stdlib_module_names


def test_modules_are_joined_after_those_they_import():
    texts = {
        UPPER: f'"""Adds."""\n\nimport sys\nfrom json import loads\n\nfrom {LOWER} import one\n\n'
        "print(loads(sys.argv[1]) + one())\n",
        LOWER: '"""Numbers.\n\nOne of them.\n"""\n\nimport sys\n\n\ndef one():\n    return 1\n',
    }
    assert join_modules(texts) == (
        '#!/usr/bin/env python3\n"""Adds."""\n\nfrom json import loads\nimport sys\n\n\n'
        "# Numbers.\n\n# One of them.\n\ndef one():\n    return 1\n\n\n"
        "print(loads(sys.argv[1]) + one())\n"
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("import flask", "flask"),
        ("from api.app import create_app", "create_app"),
        ("from . import lower", "lower"),
        (f"import {LOWER}", LOWER),
        (f"from {LOWER} import missing", "missing"),
        (f"from {LOWER} import one as first", "another name"),
        (f"def f():\n    from {LOWER} import one", "in a function"),
        ("def one():\n    return 2", "one"),
        ("one = 2", "one"),
        ("from math import one", "one"),
        ("import sys\nfrom os import sys", "sys"),
    ],
)
def test_modules_that_cannot_become_one_file_are_refused(text, reason):
    lower = '"""Lower."""\n\n\ndef one():\n    return 1\n'
    with pytest.raises(ValueError, match=reason):
        join_modules({LOWER: lower, UPPER: f'"""Upper."""\n\n{text}\n'})
