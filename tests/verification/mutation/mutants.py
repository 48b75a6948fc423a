"""Every mutant of a module: the same code with one thing wrong.

The mutations are mutmut's operators and, in queries, our own. mutmut's own runner is not used: it
leaves out decorated code, as every view and property is, and code outside of functions, as every
query is, and it cannot change what runs when a module is imported.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

import libcst as cst
import libcst.matchers as m
from libcst.metadata import ByteSpanPositionProvider, MetadataWrapper, PositionProvider
from mutmut.mutation.file_mutation import NEVER_MUTATE_FUNCTION_CALLS
from mutmut.mutation.mutators import mutation_operators

from tests.verification.mutation.sql_mutations import mutate_query

TYPE_VARIABLE = m.Call(func=m.Name("ParamSpec") | m.Name("TypeVar"))
STRUCT_OPTIONS = ("eq", "frozen", "kw_only")


@dataclass(frozen=True)
class Mutant:
    """A mutant. `lines` are those of the wrong statement. `function` is the qualified name of the
    outermost function or method around it, or None; `names` are then the constants it sets."""

    path: str
    number: int
    line: int
    lines: range
    function: str | None
    names: tuple[str, ...]
    description: str
    source: str

    @property
    def id(self) -> str:
        return f"{self.path}:{self.line}#{self.number}"


def make_mutants(path: str) -> list[Mutant]:
    """Return the mutants in the order of the file; only those that compile."""
    text = Path(path).read_text("utf-8")
    wrapper = MetadataWrapper(cst.parse_module(text), unsafe_skip_copy=True)
    finder = _Finder()
    wrapper.visit(finder)
    by_source: dict[str, Mutant] = {}
    for place in finder.places:
        for node in place.mutated_nodes:
            source = _replace_node(wrapper.module, text.encode(), place, node)
            if source == text or source in by_source or not _compiles(source):
                continue
            description = _describe(
                wrapper.module.code_for_node(place.node), wrapper.module.code_for_node(node)
            )
            by_source[source] = Mutant(
                path,
                len(by_source),
                place.line,
                place.lines,
                place.function,
                place.names,
                description,
                source,
            )
    return list(by_source.values())


@dataclass(frozen=True)
class _Place:
    node: cst.CSTNode
    bytes: slice
    mutated_nodes: list[cst.CSTNode]
    line: int
    lines: range
    function: str | None
    names: tuple[str, ...]


class _Finder(cst.CSTVisitor):
    METADATA_DEPENDENCIES = (ByteSpanPositionProvider, PositionProvider)

    def __init__(self) -> None:
        self.places: list[_Place] = []
        self._scopes: list[str] = []
        self._outer: list[str] = []
        self._statements: list[cst.CSTNode] = []
        self._lines: list[range] = [range(0)]
        self._assertion_messages: set[int] = set()

    def on_visit(self, node: cst.CSTNode) -> bool:
        if id(node) in self._assertion_messages or _is_skipped(node, bool(self._outer)):
            return False
        if isinstance(node, cst.Assert):
            self._assertion_messages.add(id(node.msg))
        span = self.get_metadata(PositionProvider, node, None)
        if isinstance(node, cst.ClassDef | cst.FunctionDef):
            self._scopes.append(node.name.value)
            if isinstance(node, cst.FunctionDef) and not self._outer:
                self._outer.append(".".join(self._scopes))
        if isinstance(node, cst.SimpleStatementLine) and span:
            self._statements.append(node)
            self._lines.append(range(span.start.line, span.end.line + 1))
        mutated_nodes = list(_mutations(node))
        if mutated_nodes:
            own_lines = range(span.start.line, span.end.line + 1) if span else range(0)
            lines = self._lines[-1] or own_lines
            names = tuple(_assigned_names(self._statements[-1])) if self._statements else ()
            function = self._outer[0] if self._outer else None
            line = own_lines.start or lines.start
            bytes_ = self.get_metadata(ByteSpanPositionProvider, node, None)
            place = slice(bytes_.start, bytes_.start + bytes_.length) if bytes_ else slice(0)
            self.places.append(_Place(node, place, mutated_nodes, line, lines, function, names))
        return True

    def on_leave(self, original_node: cst.CSTNode) -> None:
        if isinstance(original_node, cst.ClassDef | cst.FunctionDef):
            if self._outer and self._outer[0] == ".".join(self._scopes):
                self._outer.pop()
            self._scopes.pop()
        if self._statements and self._statements[-1] is original_node:
            self._statements.pop()
            self._lines.pop()


def _replace_node(module: cst.Module, text: bytes, place: _Place, mutated_node: cst.CSTNode) -> str:
    """Return the source with this node in the given place: replaced as text where its position is
    known, which is a hundred times as fast."""
    node = module.code_for_node(place.node).strip().encode()
    if node and text[place.bytes] == node:
        new = module.code_for_node(mutated_node).strip().encode()
        return (text[: place.bytes.start] + new + text[place.bytes.stop :]).decode()
    return cst.ensure_type(module.deep_replace(place.node, mutated_node), cst.Module).code


def _mutations(node: cst.CSTNode) -> Iterable[cst.CSTNode]:
    for kind, operator in mutation_operators:
        if isinstance(node, kind):
            yield from operator(node)
    if isinstance(node, cst.SimpleString):
        yield from (node.with_changes(value=text) for text in mutate_query(node.value))


def _is_skipped(node: cst.CSTNode, inside: bool) -> bool:
    """Return whether this is never executed: an annotation, a type's name, a docstring."""
    if isinstance(node, cst.Annotation | cst.Import | cst.ImportFrom):
        return True
    if isinstance(node, cst.Expr) and isinstance(node.value, cst.SimpleString):
        return True
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Name):
        return node.func.value in NEVER_MUTATE_FUNCTION_CALLS
    if isinstance(node, cst.Arg) and node.keyword and node.keyword.value in STRUCT_OPTIONS:
        return True
    if isinstance(node, cst.Assign) and not inside:
        return isinstance(node.value, cst.Subscript) or m.matches(node.value, TYPE_VARIABLE)
    return False


def _assigned_names(statement: cst.CSTNode) -> Iterator[str]:
    for target in m.findall(statement, m.AssignTarget(target=m.Name())):
        yield cst.ensure_type(cst.ensure_type(target, cst.AssignTarget).target, cst.Name).value
    for single in m.findall(statement, m.AnnAssign(target=m.Name())):
        yield cst.ensure_type(cst.ensure_type(single, cst.AnnAssign).target, cst.Name).value


def _compiles(source: str) -> bool:
    try:
        compile(source, "mutant", "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return True


def _describe(original: str, mutated: str) -> str:
    """Return what has changed, with a little of the code around it."""
    before, after = " ".join(original.split()), " ".join(mutated.split())
    left, right = max(0, _common_prefix_length(before, after) - 30), 0
    if len(before) > left < len(after):
        right = max(0, _common_prefix_length(before[left:][::-1], after[left:][::-1]) - 20)
    cut = [text[left : len(text) - right] for text in (before, after)]
    return " → ".join(text if len(text) <= 120 else f"{text[:80]} … {text[-35:]}" for text in cut)


def _common_prefix_length(first: str, second: str) -> int:
    """Return how many characters both have in common at the start."""
    pairs = zip(first, second, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
