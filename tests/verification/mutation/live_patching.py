"""Mutation of a running program: functions get the code of the mutant, and constants its value.

This reaches functions wherever they are referenced: decorated, wrapped or registered. Code that ran
at import does not run again; for such a mutant the module is imported from the mutant's source.
"""

from __future__ import annotations

import ast
import gc
import sys
from collections.abc import Iterator, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

FunctionKey = tuple[str, int]
"""The qualified name, and which of the functions of that name it is, from 1."""


class NotPatchable(Exception):
    """The running program cannot be changed so; the module has to be imported from other source."""


class LoadedModule:
    """An imported module, and every function that it has made since."""

    def __init__(self, name: str, path: Path) -> None:
        self._module, self._path = sys.modules[name], path
        self._codes = dict(_codes(path.read_text("utf-8"), path))
        self._functions: dict[tuple[str, int], list[FunctionType]] = {}
        for candidate in gc.get_objects():
            if type(candidate) is FunctionType and candidate.__code__.co_filename == str(path):
                code = candidate.__code__
                name_and_line = code.co_qualname, code.co_firstlineno
                self._functions.setdefault(name_and_line, []).append(candidate)

    def patch_functions(self, mutant: str) -> None:
        """Give the module's functions the mutant's code. Raise NotPatchable if that cannot be."""
        new_codes, patched_count = dict(_codes(mutant, self._path)), 0
        for key, original in self._codes.items():
            mutated = new_codes.get(key)
            if mutated == original:
                continue
            for function in self._functions.get(
                (original.co_qualname, original.co_firstlineno), ()
            ):
                if mutated is None or original.co_freevars != mutated.co_freevars:
                    raise NotPatchable
                function.__code__ = mutated
                patched_count += 1
        if not patched_count:
            raise NotPatchable

    def patch_constant(self, name: str, mutant: str) -> None:
        """Give this constant the mutant's value everywhere. Raise NotPatchable if it cannot be."""
        expression = ast.Expression(_assigned_value(mutant, name))
        original = getattr(self._module, name)
        code = compile(expression, str(self._path), "eval", dont_inherit=True)
        try:
            mutated = eval(code, vars(self._module))
        except Exception:
            raise NotPatchable from None
        for module in list(sys.modules.values()):
            if getattr(module, "__dict__", {}).get(name) is original:
                setattr(module, name, mutated)


def _assigned_value(source: str, name: str) -> ast.expr:
    """Return what the module assigns to this name at its top level."""
    for node in ast.parse(source).body:
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=target_name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=target_name), value=ast.expr() as value)
            ) if target_name == name:
                return value
    raise NotPatchable


def _codes(source: str, path: Path) -> Iterator[tuple[FunctionKey, CodeType]]:
    """Yield every function's code by qualified name; a number distinguishes those of one name."""
    numbers: dict[str, int] = {}
    todo = [compile(source, str(path), "exec", dont_inherit=True)]
    while todo:
        code = todo.pop(0)
        todo += [inner for inner in code.co_consts if isinstance(inner, CodeType)]
        if not code.co_name.startswith("<"):
            number = numbers[code.co_qualname] = numbers.get(code.co_qualname, 0) + 1
            yield (code.co_qualname, number), code


class MutantImporter(MetaPathFinder, Loader):
    """An importer of one module, from other source than its file has."""

    def __init__(self, name: str, path: Path, source: str) -> None:
        self._name, self._path, self._source = name, path, source

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: object = None
    ) -> ModuleSpec | None:
        if name != self._name:
            return None
        return spec_from_file_location(name, self._path, loader=self)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        code = compile(self._source, str(self._path), "exec", dont_inherit=True)
        exec(code, module.__dict__)


def import_from(name: str, path: Path, source: str) -> None:
    """Make the next import of this module import the mutant."""
    assert name not in sys.modules, name
    sys.meta_path.insert(0, MutantImporter(name, path, source))
