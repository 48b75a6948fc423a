"""docs/screens.md shows each picture of its folder, and no other."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "screenshots"
PICTURE = re.compile(r'src="(?:docs/)?screenshots/([^"]+)"')
MAX_TOTAL_BYTES = 2_500_000


def pictures_on_page(page: str) -> list[str]:
    return PICTURE.findall((ROOT / page).read_text("utf-8"))


def test_the_page_shows_every_picture_once_and_no_other() -> None:
    assert sorted(pictures_on_page("docs/screens.md")) == sorted(
        path.name for path in FOLDER.iterdir()
    )
    assert set(pictures_on_page("README.md")) <= set(pictures_on_page("docs/screens.md"))


def test_the_pictures_are_small() -> None:
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < MAX_TOTAL_BYTES
