"""docs/rules.md has every cited paragraph and every option of every game."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from engine.games.registry import GAMES

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "rules.md").read_text("utf-8")
FOLDERS = ("engine", "ledger", "workers", "api", "migrations", "tests", "docs")
KINDS = {".py", ".js", ".json", ".sql", ".md", ".yaml", ".html"}
SKIPPED = ("golden", "vendor", "node_modules")
DECISION = re.compile(r"\bA-[A-Z]{2}-\d+\b")
SECTION = re.compile(r"rules\.md,? §+\s?(\d+(?:\.\d+)?)|\"§(\d+(?:\.\d+)?)")


def files() -> Iterator[Path]:
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in KINDS and not set(SKIPPED) & set(path.parts):
                yield path


def sections() -> set[str]:
    return set(re.findall(r"^#+ (\d+(?:\.\d+)?)\.? ", PAGE, re.MULTILINE))


@pytest.fixture(scope="module")
def cited() -> dict[str, list[str]]:
    """Return the files that cite each number."""
    places: dict[str, list[str]] = {}
    for path in files():
        text = path.read_text("utf-8")
        for number in DECISION.findall(text):
            places.setdefault(number, []).append(str(path))
        for pair in SECTION.findall(text):
            places.setdefault("§" + "".join(pair), []).append(str(path))
    return places


def test_every_cited_number_is_on_the_page(cited: dict[str, list[str]]) -> None:
    on_page = {f"§{number}" for number in sections()} | set(
        re.findall(r"^\| (A-[A-Z]+-\d+) \|", PAGE, re.MULTILINE)
    )
    assert len(cited) > 60
    assert {number: places for number, places in cited.items() if number not in on_page} == {}


def test_every_cited_page_exists() -> None:
    cited = {
        (page, path)
        for path in files()
        if path.suffix in {".py", ".sql", ".yaml"} and path.name != Path(__file__).name
        for page in re.findall(r"[\w./-]+\.md\b", path.read_text("utf-8"))
    }
    assert len(cited) > 50
    places = (ROOT, ROOT / "docs")
    missing = {
        f"{path}: {page}" for page, path in cited if not any((p / page).exists() for p in places)
    }
    assert missing == set()


@pytest.mark.parametrize("game", [game.name for game in GAMES.values()])
def test_every_game_has_a_chapter_and_is_named_in_the_readme(game: str) -> None:
    assert re.search(rf"^## \d+\. .*{game}$", PAGE, re.MULTILINE), f"no chapter about {game}"
    first_paragraph = (ROOT / "README.md").read_text("utf-8").split("\n\n")[1]
    assert game in first_paragraph, f"the first paragraph of README.md does not name {game}"


@pytest.mark.parametrize("game", GAMES)
def test_every_option_is_on_the_page_with_its_values(game: str) -> None:
    for field in msgspec.inspect.type_info(GAMES[game].options_type).fields:  # type: ignore[attr-defined]
        name = field.encode_name
        lines = [line for line in PAGE.splitlines() if f"`{name}`" in line]
        assert lines, f"docs/rules.md has no row for the option {name} of {game}"
        kinds = getattr(field.type, "types", (field.type,))
        values = [v for kind in kinds if hasattr(kind, "values") for v in kind.values]
        for value in values:
            text = str(value).replace("-", "−")
            assert any(text in line or str(value) in line for line in lines), (name, value)


@pytest.mark.parametrize("game", [key for key, game in GAMES.items() if game.scoring])
def test_the_paragraph_cited_for_the_price_of_a_point_has_it(game: str) -> None:
    catalog = json.loads((ROOT / "api/i18n/catalogs/games" / f"{game}.json").read_text("utf-8"))
    cited = catalog["rules"]["options"]["point_value"]["rule"].removeprefix("§")
    _, _, section = PAGE.partition(f"### {cited} ")
    paragraph = re.split(r"^#", section, maxsplit=1, flags=re.MULTILINE)[0]
    assert "`point_value`" in paragraph, f"docs/rules.md §{cited} does not name `point_value`"


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))], ids=lambda path: path.name
)
def test_every_link_leads_to_a_file(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)|src=\"([^\"]+)\"", page.read_text("utf-8"))
    linked_files = [a or b for a, b in targets]
    missing = [
        target
        for target in linked_files
        if not target.startswith(("http", "/")) and not (page.parent / target).exists()
    ]
    assert missing == []
