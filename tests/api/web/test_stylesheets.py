"""The form's stylesheets are short enough to read, and style only what the form has."""

import re
from pathlib import Path

import pytest

from api.web.assets import STYLES
from tests.support.browser.form_sources import FORM, STATIC, read_modules

MAX_LINES = 300
MAX_COLUMNS = 110
FILES = sorted((STATIC / "styles").glob("*.css"))
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
DECLARATIONS = re.compile(r"\{[^{}]*\}")
STYLE = "".join(COMMENT.sub("", path.read_text("utf-8")) for path in FILES)
CLASSES = sorted(set(re.findall(r"\.([a-z][\w-]*)", DECLARATIONS.sub("", STYLE))))
TEMPLATES = sorted((FORM / "templates").iterdir())
FORM_TEXT = " ".join([*read_modules().values(), *(path.read_text("utf-8") for path in TEMPLATES)])
FORM_WORDS = set(re.findall(r"[\w-]+", FORM_TEXT))
BEGUN_NAMES = set(re.findall(r"([a-z][\w-]*)\$\{", FORM_TEXT))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_stylesheet_is_short_enough_to_read(path: Path) -> None:
    lines = path.read_text("utf-8").splitlines()
    assert len(lines) <= MAX_LINES
    assert [line for line in lines if len(line) > MAX_COLUMNS] == []


def test_every_stylesheet_is_served() -> None:
    assert sorted(STYLES) == [path.stem for path in FILES]


def is_used(name: str) -> bool:
    """Return whether the form names this class, or its beginning as in `hue${number}`."""
    stem = re.sub(r"\d+$|[A-Z]$|(?<=verdict-)fault$", "", name)
    return name in FORM_WORDS or stem in BEGUN_NAMES


def test_the_form_uses_every_class_that_has_a_style() -> None:
    assert len(CLASSES) > 100
    assert [name for name in CLASSES if not is_used(name)] == []
