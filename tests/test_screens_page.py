"""docs/screens.md and the pictures it shows: each of them, and no other."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "screenshots"
SHOWN = re.compile(r'src="(?:docs/)?screenshots/([^"]+)"')
MOST = 2_500_000  # bytes, of all of them


def shown(page: str) -> list[str]:
    return SHOWN.findall((ROOT / page).read_text("utf-8"))


def test_every_picture_is_shown_once_and_every_one_shown_is_there() -> None:
    assert sorted(shown("docs/screens.md")) == sorted(path.name for path in FOLDER.iterdir())
    assert set(shown("README.md")) <= set(shown("docs/screens.md"))


def test_the_pictures_are_small() -> None:
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < MOST
