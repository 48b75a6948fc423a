"""The form's files as they are served: under one digest, the first screens' modules in one file.

Every address holds the digest, so browsers keep the files for good and ask for none of them
again; a change to any file changes all addresses. Modules need no build: `join_modules` puts those
that the page starts with one after the other, and points the imports of all others to the result.
"""

import gzip
import json
import mimetypes
import posixpath
import re
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from api.i18n.catalog import LANGUAGES

WEB_FOLDER = Path(__file__).parent
VERIFIER_FOLDER = WEB_FOLDER.parent / "verify" / "static"
VERIFIER_START = "static/verify/verification.js"
"""The form uses this module and those it imports; the others belong to the page `/verify`."""
START_MODULE = "static/app/main.js"
STYLESHEET = "static/form.css"
WORKER_FILE = "static/sw.js"
STYLES = (
    *("colors", "page", "sheet", "table", "lists", "games", "recorder", "correcting", "board"),
    *("groups", "access", "settling", "contrast"),
)
"""The stylesheets in the order in which they are joined: later ones overrule earlier ones."""

PART_SUFFIXES = {"first_screens": "", "other_screens": ".more"}
"""The parts of a game's file, and the catalog that each goes into: `sv.json` or `sv.more.json`."""

IMPORT = re.compile(r"^import\s*\{([^}]*)\}\s*from\s*'(\.[^']+)';\n", re.MULTILINE)
OTHER_IMPORT = re.compile(r"^ *(?:import\b(?! *[(.])|export *[*{])[^;\n]*", re.MULTILINE)
"""What is left of a form that cannot be joined, such as `import * as` or `export … from`."""
LAZY_IMPORT = re.compile(r"\bimport\(['`](\.[^'`]+)['`]\)")
"""An import at a later time; `./${key}.js` stands for the module of each game."""
COMMENT = re.compile(r"^ *(?://[^\n]*|/\*\*.*?\*/)\n", re.MULTILINE | re.DOTALL)
"""Comments on lines of their own: a fifth of what the first screens would fetch."""
END_COMMENT = re.compile(r" +// [^'\"`\n]*$", re.MULTILINE)
"""A comment behind code. One with a quotation mark stays, because it could be part of a text."""
INDENTATION = re.compile(r"^\s+", re.MULTILINE)
"""Indentation and empty lines: no text of the first screens goes over several lines."""
STYLE_COMMENT = re.compile(rb"/\*.*?\*/", re.DOTALL)
STYLE_SPACE = re.compile(rb"\s*([{};,])\s*")
"""Space that no browser needs, since no text in quotes has one of these characters."""
EXPORT = re.compile(r"^export (?=(?:async )?(?:const|let|function\*?|class) (\w+))", re.MULTILINE)


@dataclass(frozen=True)
class Asset:
    content: bytes
    content_type: str

    @cached_property
    def compressed(self) -> bytes | None:
        """The content as gzip, or None where gzip gains nothing."""
        if self.content_type.startswith(("image/png", "font/")):
            return None
        return gzip.compress(self.content, 9, mtime=0)


@dataclass(frozen=True)
class FormAssets:
    """The files of the form by their path below `/form/<digest>/`."""

    files: dict[str, Asset]
    digest: str

    def url(self, path: str) -> str:
        return f"/form/{self.digest}/{path}"


@cache
def form_assets() -> FormAssets:
    """Read the form's files, once in the life of a process."""
    paths = [
        path
        for path in sorted((WEB_FOLDER / "static").rglob("*"))
        if path.is_file() and path.suffix != ".css"
    ]
    contents = {path.relative_to(WEB_FOLDER).as_posix(): path.read_bytes() for path in paths}
    contents |= {path: text.encode() for path, text in verifier_modules().items()}
    catalogs = join_catalogs(WEB_FOLDER / "translations")
    contents |= {f"translations/{name}": catalog for name, catalog in catalogs.items()}
    scripts = [path for path in contents if path.endswith(".js") and path != WORKER_FILE]
    modules = {path: contents.pop(path).decode() for path in scripts}
    contents |= {path: text.encode() for path, text in join_modules(modules).items()}
    styles = [WEB_FOLDER / "static" / "styles" / f"{name}.css" for name in STYLES]
    stylesheet = STYLE_COMMENT.sub(b"", b"".join(style.read_bytes() for style in styles))
    contents[STYLESHEET] = STYLE_SPACE.sub(rb"\1", stylesheet)
    templates = sorted((WEB_FOLDER / "templates").iterdir())
    hashed = [*contents.items(), *((path.name, path.read_bytes()) for path in templates)]
    parts = (sha256(part).digest() for name, content in hashed for part in (name.encode(), content))
    digests = b"".join(parts)
    return FormAssets(
        files={path: Asset(content, content_type(path)) for path, content in contents.items()},
        digest=sha256(digests).hexdigest()[:16],
    )


def verifier_modules() -> dict[str, str]:
    """Return the verifier's modules by their path in the form, below its digest: so a phone checks
    and signs with the code that `/verify` runs, without a network too."""
    files = sorted(VERIFIER_FOLDER.glob("*.js"))
    modules = {f"static/verify/{file.name}": file.read_text("utf-8") for file in files}
    return {path: modules[path] for path in imported_modules(modules, VERIFIER_START)}


def join_catalogs(folder: Path) -> dict[str, bytes]:
    """Return the catalogs as JSON by file name: two for each language, such as `sv.json` and
    `sv.more.json`.

    Each game has one file with its sentences in all languages, and each language one file with the
    sentences that belong to no game. A phone fetches neither, but what is made of them here.
    """
    games = [_read_json(path) for path in sorted((folder / "games").glob("*.json"))]
    catalogs = {}
    for language in LANGUAGES:
        for part, suffix in PART_SUFFIXES.items():
            name = f"{language}{suffix}.json"
            catalog = _read_json(folder / name)
            for game in games:
                catalog |= {key: sentences[language] for key, sentences in game[part].items()}
            catalogs[name] = json.dumps(catalog, ensure_ascii=False, separators=(",", ":")).encode()
    return catalogs


def _read_json(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def content_type(path: str) -> str:
    guessed = mimetypes.guess_type(path)[0] or "application/octet-stream"
    is_text = guessed.startswith("text/") or guessed in ("application/json", "image/svg+xml")
    return f"{guessed}; charset=utf-8" if is_text else guessed


def imported_modules(modules: dict[str, str], start: str) -> list[str]:
    """List the modules that `start` cannot run without, each after those it imports."""
    ordered_paths: list[str] = []

    def visit(path: str) -> None:
        if path in ordered_paths:
            return
        for _, target in IMPORT.findall(modules[path]):
            visit(resolve(path, target))
        ordered_paths.append(path)

    visit(start)
    return ordered_paths


def join_modules(modules: dict[str, str]) -> dict[str, str]:
    """Return the modules with those of the first screens joined under `START_MODULE`. No two of
    these may declare the same name. Raise ValueError for an import in another form than these."""
    _reject_other_imports(modules)
    joined = imported_modules(modules, START_MODULE)
    exported = [name for path in joined for name in EXPORT.findall(modules[path])]
    parts = []
    for path in joined:
        code = IMPORT.sub("", _rebase_lazy_imports(modules[path], path))
        for superfluous in (COMMENT, END_COMMENT, INDENTATION):
            code = superfluous.sub("", code)
        parts.append(f"// {path}\n{EXPORT.sub('', code)}")
    start = "\n".join([*parts, f"export {{ {', '.join(exported)} }};\n"])
    lazy = {path: text for path, text in modules.items() if path not in joined}
    redirected = {path: _redirect_imports(text, path, joined) for path, text in lazy.items()}
    return {**redirected, START_MODULE: start}


def _reject_other_imports(modules: dict[str, str]) -> None:
    """An import that is not recognized would load a second copy of a module, or none."""
    for path, text in modules.items():
        if statement := OTHER_IMPORT.search(IMPORT.sub("", text)):
            form = "import { … } from './….js';"
            raise ValueError(f"{path}: only `{form}` can be joined, not `{statement[0].strip()}`")


def resolve(path: str, target: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), target))


def relative(path: str, target: str) -> str:
    address = posixpath.relpath(target, posixpath.dirname(path))
    return address if address.startswith(".") else f"./{address}"


def _rebase_lazy_imports(text: str, path: str) -> str:
    """Return the module's text with lazy imports as seen from the joined module."""
    return LAZY_IMPORT.sub(
        lambda match: f"import(`{relative(START_MODULE, resolve(path, match[1]))}`)", text
    )


def _redirect_imports(text: str, path: str, joined: list[str]) -> str:
    """Return the module's text with its imports from joined modules pointed to the joined one."""

    def redirect(match: re.Match[str]) -> str:
        if resolve(path, match[2]) not in joined:
            return match[0]
        return f"import {{{match[1]}}} from '{relative(path, START_MODULE)}';\n"

    return IMPORT.sub(redirect, text)


def public_paths() -> list[str]:
    """List what the service worker caches: every file but itself."""
    return sorted(path for path in form_assets().files if path != WORKER_FILE)
