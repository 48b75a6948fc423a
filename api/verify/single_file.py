"""The verifier as one file, `verify.py`, which needs nothing but Python.

It is written as the modules of `api/verify/program/` and joined from their text, each after those
that it imports; its sentences are those of the catalog. This writes the file without a server:

    python -m api.verify.single_file > verify.py
"""

import ast
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from pprint import pformat
from textwrap import indent

from api.i18n.catalog import catalog

PROGRAM_FOLDER = Path(__file__).parent / "program"
PROGRAM_PACKAGE = "api.verify.program"

Meaning = tuple[str, str]
"""What a name stands for: (module, name in it), or (module, "") for the module itself."""


@cache
def verifier_source() -> str:
    """Return the text of `verify.py`, joined once in the life of a process."""
    files = [file for file in PROGRAM_FOLDER.glob("*.py") if file.stem != "__init__"]
    texts = pformat(catalog("en")["verify"], width=100, sort_dicts=False)
    modules = {f"{PROGRAM_PACKAGE}.{f.stem}": f.read_text("utf-8") for f in files}
    package = f'"""The texts of the page /verify, in English."""\n\nTEXTS = {texts}'
    return join_modules({PROGRAM_PACKAGE: package, **modules})


def join_modules(texts: dict[str, str]) -> str:
    """Return modules, given as text by full name, as one program.

    The program begins with the docstring of the module that no other imports; the docstrings of the
    others become comments. Raise ValueError if a module imports anything but the standard library
    and names of the other modules, or if a name would stand for two things; CycleError if
    modules import each other.
    """
    trees = {module: ast.parse(text) for module, text in sorted(texts.items())}
    imports = {module: set(imported_meanings(tree)) for module, tree in trees.items()}
    own = {(module, name) for module, tree in trees.items() for name in defined_names(tree)}
    library = set().union(*imports.values()) - own
    check_names(own, library)
    imported = {module: sorted({origin for origin, _ in imports[module] & own}) for module in trees}
    *modules, start = TopologicalSorter(imported).static_order()
    docstring = ast.get_source_segment(texts[start], trees[start].body[0])
    lines = sorted(f"from {m} import {name}" if name else f"import {m}" for m, name in library)
    parts = ["\n".join(["#!/usr/bin/env python3", f"{docstring}\n", *lines])]
    for module in modules:
        comment = indent(ast.get_docstring(trees[module]) or "", "# ")
        parts.append(f"{comment}\n\n{text_below_imports(texts[module], trees[module])}")
    return "\n\n\n".join([*parts, text_below_imports(texts[start], trees[start])]) + "\n"


def check_names(own: set[Meaning], library: set[Meaning]) -> None:
    for module, name in library:
        if module.partition(".")[0] not in sys.stdlib_module_names:
            raise ValueError(f"{name or module} of {module} is neither Python's nor defined here")
    names = Counter(name or module for module, name in own | library)
    if ambiguous := sorted(name for name in names if names[name] > 1):
        raise ValueError(f"these names stand for two things: {', '.join(ambiguous)}")


def imported_meanings(tree: ast.Module) -> Iterator[Meaning]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            if node not in tree.body or any(alias.asname for alias in node.names):
                raise ValueError(f"line {node.lineno} imports in a function or by another name")
            if isinstance(node, ast.Import):
                yield from ((alias.name, "") for alias in node.names)
            else:
                yield from ((str(node.module), alias.name) for alias in node.names)


def defined_names(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        else:
            names = (name for name in ast.walk(node) if isinstance(name, ast.Name))
            yield from (name.id for name in names if isinstance(name.ctx, ast.Store))


def text_below_imports(text: str, tree: ast.Module) -> str:
    """Return a module without its docstring and its imports."""
    nodes = [tree.body[0], *(n for n in tree.body if isinstance(n, ast.Import | ast.ImportFrom))]
    dropped = {line for node in nodes for line in range(node.lineno, (node.end_lineno or 0) + 1)}
    lines = enumerate(text.split("\n"), 1)
    return "\n".join(line for number, line in lines if number not in dropped).strip("\n")


if __name__ == "__main__":
    sys.stdout.buffer.write(verifier_source().encode())
