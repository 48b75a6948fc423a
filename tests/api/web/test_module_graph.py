"""The form's modules import downwards only, have no cycles, and are short enough to read."""

import re
from graphlib import TopologicalSorter

import pytest

from api.i18n.catalog import LANGUAGES
from api.web.assets import (
    IMPORT,
    LAZY_IMPORT,
    START_MODULE,
    imported_modules,
    join_modules,
    resolve,
)
from engine.games.registry import GAMES
from tests.support.browser.form_sources import STATIC, read_modules

FOLDER_ORDER = (
    *("verify", "domain", "forecast", "core", "ui", "features", "games", "screens", "app"),
)
"""A module imports from its own folder and from those before it."""
MAX_LINES = 300
MAX_COLUMNS = 110
MODULES = read_modules()
LIST_OF_GAMES = "static/domain/games.js"
DECLARATION = re.compile(
    r"^(?:export )?(?:async )?(?:const|let|function\*?|class) (\w+)", re.MULTILINE
)
DOCUMENT = re.compile(r"\b(document|window|location|localStorage|indexedDB)\b\.?")


def imports(path: str) -> set[str]:
    """Return the modules that a module imports, at its start or later."""
    names = [target for _, target in IMPORT.findall(MODULES[path])]
    names += [
        name.replace("${key}", key) for name in LAZY_IMPORT.findall(MODULES[path]) for key in GAMES
    ]
    return {resolve(path, name) for name in names}


def folder(path: str) -> str:
    return path.split("/")[1]


@pytest.mark.parametrize("path", MODULES)
def test_a_module_imports_from_its_folder_and_those_below(path: str) -> None:
    allowed = FOLDER_ORDER[: FOLDER_ORDER.index(folder(path)) + 1]
    assert {name for name in imports(path) if folder(name) not in allowed} == set()


def test_no_module_imports_itself_by_way_of_others() -> None:
    assert list(TopologicalSorter({path: imports(path) for path in MODULES}).static_order())


@pytest.mark.parametrize("path", MODULES)
def test_every_import_names_a_module_that_exports_it(path: str) -> None:
    for names, target in IMPORT.findall(MODULES[path]):
        text = MODULES[resolve(path, target)]
        for name in names.split(","):
            declared = rf"^export (?:async )?(?:const|let|function\*?|class) {name.strip()}\b"
            assert re.search(declared, text, re.MULTILINE), name
    written = re.findall(r"^import ", MODULES[path], re.MULTILINE)
    assert len(written) == len(IMPORT.findall(MODULES[path])), "an import of another form"


PURE_FOLDERS = ("verify", "domain", "forecast")
PURE_MODULES = ("static/features/proofs/continuation.js",)


@pytest.mark.parametrize(
    "path", [p for p in MODULES if folder(p) in PURE_FOLDERS or p in PURE_MODULES]
)
def test_pure_modules_do_not_use_the_document(path: str) -> None:
    code = re.sub(r"//.*|/\*.*?\*/", "", MODULES[path], flags=re.DOTALL | re.MULTILINE)
    assert not DOCUMENT.search(code)


def test_one_module_changes_the_session_store() -> None:
    """All others read `sessionState()` and subscribe to it; it reports the queue as well."""
    inner = {"changeState", "clearSession", "onQueue"}
    importers = {
        path
        for path, text in MODULES.items()
        for names, _ in IMPORT.findall(text)
        if inner & {name.strip() for name in names.split(",")}
    }
    assert importers == {"static/core/session_sync.js"}


@pytest.mark.parametrize("path", [path for path in MODULES if path != "static/ui/page.js"])
def test_only_the_page_replaces_what_is_drawn(path: str) -> None:
    assert not re.search(r"\.(replaceChildren|replaceWith)\(", MODULES[path])


@pytest.mark.parametrize("path", [*MODULES, "static/sw.js"])
def test_a_module_is_short_enough_to_read(path: str) -> None:
    lines = (MODULES.get(path) or (STATIC.parent / path).read_text("utf-8")).splitlines()
    assert len(lines) <= MAX_LINES
    assert [line for line in lines if len(line) > MAX_COLUMNS] == []


def test_no_two_modules_of_the_first_screens_declare_the_same_name() -> None:
    paths = imported_modules(MODULES, START_MODULE)
    names = [name for path in paths for name in DECLARATION.findall(MODULES[path])]
    assert len(names) > 100
    assert not {name for name in names if names.count(name) > 1}


def test_joined_modules_export_the_same_names_and_import_nothing() -> None:
    joined = join_modules(MODULES)
    assert not IMPORT.search(joined[START_MODULE])
    assert not re.search(r"^ *(//(?! static/)|/\*\*)", joined[START_MODULE], re.MULTILINE)
    assert joined.keys() < MODULES.keys()
    for path, text in joined.items():
        for _, target in IMPORT.findall(text):
            assert resolve(path, target) in joined, path


def test_the_first_screens_are_joined_without_comments_and_indentation() -> None:
    source = """/** Shows a link.
 */
export function showLink() {
  // the address has slashes
  const address = 'https://vola.example // no comment'; // the page's own
  return address;  // as a text

}
"""
    assert join_modules({START_MODULE: source})[START_MODULE] == (
        f"// {START_MODULE}\nfunction showLink() {{\n"
        "const address = 'https://vola.example // no comment'; // the page's own\n"
        "return address;\n}\n\nexport { showLink };\n"
    )


@pytest.mark.parametrize(
    "statement",
    [
        "import { t } from './t.js';",
        "import { t,\n  u } from './t.js';",
        "import { t, u }\n  from './t.js';",
        "import {\n  t,\n}\nfrom\n'./t.js';",
    ],
)
def test_an_import_may_be_broken_at_any_place(statement: str) -> None:
    modules = {
        START_MODULE: f"{statement}\nt();\n",
        "static/app/t.js": "export const t = 1;\nexport const u = 2;\n",
        "static/app/later.js": f"{statement}\nu();\n",
    }
    joined = join_modules(modules)
    assert joined.keys() == {START_MODULE, "static/app/later.js"}
    assert not IMPORT.search(joined[START_MODULE])
    assert [target for _, target in IMPORT.findall(joined["static/app/later.js"])] == ["./main.js"]


@pytest.mark.parametrize("path", [START_MODULE, "static/app/later.js"])
@pytest.mark.parametrize(
    "statement",
    [
        'import { t } from "./t.js";',
        "import { t } from './t.js'",
        "import * as t from './t.js';",
        "import t from './t.js';",
        "import './t.js';",
        "  import { t } from './t.js';",
        "export { t } from './t.js';",
        "export * from './t.js';",
    ],
)
def test_an_import_that_cannot_be_joined_is_refused(path: str, statement: str) -> None:
    modules = {START_MODULE: "", "static/app/t.js": "export const t = 1;\n"}
    with pytest.raises(ValueError, match=rf"{path}: only .* can be joined, not"):
        join_modules({**modules, path: f"{statement}\n"})


def test_no_text_of_the_first_screens_goes_over_several_lines() -> None:
    """Joined modules have no indentation, and a text over several lines would lose its own."""
    lines = join_modules(MODULES)[START_MODULE].splitlines()
    assert [line for line in lines if line.count("`") % 2] == []


@pytest.mark.parametrize("path", MODULES)
def test_every_lazy_import_names_a_module(path: str) -> None:
    assert imports(path) <= MODULES.keys()


def test_the_form_records_every_game() -> None:
    listed = re.search(r"^export const GAMES = \[(.*)\];$", MODULES[LIST_OF_GAMES], re.MULTILINE)
    assert listed
    assert re.findall(r"'(\w+)'", listed[1]) == list(GAMES), f"api/web/{LIST_OF_GAMES}"


@pytest.mark.parametrize("key", GAMES)
def test_a_game_is_named_in_its_own_files_and_in_one_list(key: str) -> None:
    """A new game changes these files alone (README.md, "How to change something")."""
    own = {f"static/games/{key}.js", f"static/forecast/{key}.js"}
    named = {path for path, text in MODULES.items() if re.search(rf"\b{key}:|'{key}[_']", text)}
    assert named - own == {LIST_OF_GAMES}
    assert own < MODULES.keys()


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_words_of_a_game_stand_in_one_file(language: str) -> None:
    translations = STATIC.parent / "translations"
    assert {path.stem for path in (translations / "games").iterdir()} == set(GAMES), (
        "api/web/translations/games/ has one file for each game"
    )
    for path in translations.glob(f"{language}*.json"):
        text = path.read_text("utf-8")
        assert [key for key in GAMES if f'"{key}.' in text or f".{key}" in text] == [], path.name
