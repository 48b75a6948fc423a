"""What a new contract takes away from clients of a frozen one.

Breaking is: a path, operation, media type, field, enum value, status or problem code that is gone;
an input that is newly required or that allows less than before; a type that has changed. New paths,
new optional inputs and new fields in responses are not.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import yaml

METHODS = ("get", "put", "post", "delete", "patch")
UPPER_BOUNDS = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
LOWER_BOUNDS = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
VARIANTS = ("oneOf", "anyOf", "allOf")

Direction = Literal["in", "out"]
Pointer = tuple[str | int, ...]


@dataclass(frozen=True)
class BreakingChange:
    """What is broken, and the line of the frozen contract that promised otherwise."""

    line: int
    text: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.text}"


@dataclass(frozen=True)
class Node:
    """A part of a document, and where it stands."""

    value: Any
    pointer: Pointer = ()

    def __getitem__(self, key: str | int) -> Node:
        return Node(self.value[key], (*self.pointer, key))

    def get(self, key: str, default: Any = None) -> Node:
        return self[key] if key in self.value else Node(default, self.pointer)

    def resolve(self, document: Any) -> Node:
        """Return what a reference leads to, or the node itself if it is no reference."""
        node = self
        while isinstance(node.value, dict) and "$ref" in node.value:
            target = Node(document)
            for key in node.value["$ref"].removeprefix("#/").split("/"):
                target = target[key.replace("~1", "/").replace("~0", "~")]
            node = target
        return node


def find_breaking_changes(frozen_text: str, current: Any) -> list[BreakingChange]:
    """Return every breaking change of the `current` document against the frozen one, by line."""
    frozen = yaml.load(frozen_text, yaml.CSafeLoader)  # a safe loader, in C
    comparison = Comparison(frozen, current)
    comparison.compare_paths()
    lines = _line_numbers(frozen_text)
    changes = {BreakingChange(lines[pointer], text) for pointer, text in comparison.found}
    return sorted(changes, key=lambda change: (change.line, change.text))


@dataclass
class Comparison:
    """One walk through two documents; `found` holds pointers into the frozen one, each with a
    sentence."""

    frozen: Any
    current: Any
    found: list[tuple[Pointer, str]] = field(default_factory=list)
    visited: set[tuple[Pointer, Pointer, Direction]] = field(default_factory=set)

    def report(self, node: Node, text: str) -> None:
        self.found.append((node.pointer, text))

    def compare_paths(self) -> None:
        old_paths, new_paths = Node(self.frozen)["paths"], Node(self.current)["paths"]
        for path in old_paths.value:
            if path not in new_paths.value:
                self.report(old_paths[path], f"{path} is gone")
                continue
            for method in METHODS:
                if method in old_paths[path].value:
                    name = f"{method.upper()} {path}"
                    if method not in new_paths[path].value:
                        self.report(old_paths[path][method], f"{name} is gone")
                        continue
                    shared = old_paths[path].get("parameters", []), new_paths[path]
                    self.compare_operation(
                        name, old_paths[path][method], new_paths[path][method], shared
                    )

    def compare_operation(self, name: str, old: Node, new: Node, shared: tuple[Node, Node]) -> None:
        old_shared, new_path = shared
        old_parameters = self._parameters(self.frozen, old_shared, old.get("parameters", []))
        new_parameters = self._parameters(
            self.current, new_path.get("parameters", []), new.get("parameters", [])
        )
        for key, parameter in old_parameters.items():
            if key not in new_parameters:
                self.report(parameter, f"{name}: parameter `{key[1]}` is gone")
                continue
            if new_parameters[key].value.get("required") and not parameter.value.get("required"):
                self.report(parameter, f"{name}: parameter `{key[1]}` is newly required")
            self.compare_schema(
                f"{name}: `{key[1]}`", parameter["schema"], new_parameters[key]["schema"], "in"
            )
        for key, parameter in new_parameters.items():
            if key not in old_parameters and parameter.value.get("required"):
                self.report(old, f"{name}: parameter `{key[1]}` is new and required")
        self._compare_body(name, old, new)
        for code in old.value.get("x-problems", ()):
            if code not in new.value.get("x-problems", ()):
                self.report(old["x-problems"], f"{name}: problem `{code}` is gone")
        for status in old.value["responses"]:
            self._compare_response(f"{name} {status}", old["responses"], new["responses"], status)

    def _parameters(self, document: Any, *lists: Node) -> dict[tuple[str, str], Node]:
        """Return the parameters by place and name."""
        nodes = [
            parameters[index].resolve(document)
            for parameters in lists
            for index in range(len(parameters.value))
        ]
        return {(node.value["in"], node.value["name"]): node for node in nodes}

    def _compare_body(self, name: str, old: Node, new: Node) -> None:
        if "requestBody" not in old.value:
            if new.value.get("requestBody", {}).get("required"):
                self.report(old, f"{name}: a body is new and required")
            return
        if "requestBody" not in new.value:
            self.report(old["requestBody"], f"{name}: the body is gone")
            return
        old_body = old["requestBody"].resolve(self.frozen)
        new_body = new["requestBody"].resolve(self.current)
        if new_body.value.get("required") and not old_body.value.get("required"):
            self.report(old_body, f"{name}: the body is newly required")
        self._compare_content(name, old_body["content"], new_body["content"], "in")

    def _compare_response(self, name: str, old: Node, new: Node, status: str) -> None:
        if status not in new.value:
            self.report(old[status], f"{name} is gone")
            return
        old_response = old[status].resolve(self.frozen)
        new_response = new[status].resolve(self.current)
        for header in old_response.value.get("headers", {}):
            if header not in new_response.value.get("headers", {}):
                self.report(old_response["headers"][header], f"{name}: header {header} is gone")
        if "content" in old_response.value:
            new_content = new_response.get("content", {})
            self._compare_content(name, old_response["content"], new_content, "out")

    def _compare_content(self, name: str, old: Node, new: Node, direction: Direction) -> None:
        for media_type in old.value:
            if media_type not in new.value:
                self.report(old[media_type], f"{name}: {media_type} is gone")
            elif "schema" in old[media_type].value:
                self.compare_schema(
                    name, old[media_type]["schema"], new[media_type]["schema"], direction
                )

    def compare_schema(self, name: str, old: Node, new: Node, direction: Direction) -> None:
        old, new = old.resolve(self.frozen), new.resolve(self.current)
        key = (old.pointer, new.pointer, direction)
        if key in self.visited or old.value is True or new.value is True:
            return
        self.visited.add(key)
        if _types(old) and _types(new) and _is_other_type(old, new, direction):
            self.report(old, f"{name}: the type was {_type_names(old)}, is {_type_names(new)}")
        self._compare_values(name, old, new, direction)
        self._compare_fields(name, old, new, direction)
        for part in ("items", "additionalProperties", "propertyNames"):
            if isinstance(old.value.get(part), dict) and isinstance(new.value.get(part), dict):
                self.compare_schema(f"{name}[]", old[part], new[part], direction)
        for part in VARIANTS:
            if part in old.value:
                self._compare_variants(name, old[part], new, part, direction)

    def _compare_values(self, name: str, old: Node, new: Node, direction: Direction) -> None:
        for value in _values(old):
            if _values(new) and value not in _values(new):
                self.report(old, f"{name}: value {value!r} is gone")
        if direction == "out":
            return
        if _values(new) and not _values(old):
            self.report(old, f"{name}: only {_values(new)} are allowed now")
        for bound in (*UPPER_BOUNDS, *LOWER_BOUNDS):
            before, after = old.value.get(bound), new.value.get(bound)
            sign = 1 if bound in UPPER_BOUNDS else -1
            if after is not None and (before is None or sign * after < sign * before):
                self.report(old, f"{name}: {bound} was {before}, is {after}")
        if new.value.get("pattern") not in (None, old.value.get("pattern")):
            self.report(old, f"{name}: another pattern")

    def _compare_fields(self, name: str, old: Node, new: Node, direction: Direction) -> None:
        old_fields, new_fields = old.get("properties", {}), new.get("properties", {})
        old_required = set(old.value.get("required", ()))
        new_required = set(new.value.get("required", ()))
        for name_of_field in old_fields.value:
            if name_of_field not in new_fields.value:
                self.report(old_fields[name_of_field], f"{name}: field `{name_of_field}` is gone")
            else:
                self.compare_schema(
                    f"{name}.{name_of_field}",
                    old_fields[name_of_field],
                    new_fields[name_of_field],
                    direction,
                )
        if direction == "in":
            for required in sorted(new_required - old_required):
                self.report(old, f"{name}: field `{required}` is newly required")
        else:
            for required in sorted((old_required - new_required) & new_fields.value.keys()):
                self.report(old, f"{name}: field `{required}` may be missing now")

    def _compare_variants(
        self, name: str, old: Node, new: Node, part: str, direction: Direction
    ) -> None:
        """Compare each variant with the one of the same constants that takes away least."""
        candidates = new.get(part, [])
        resolved = [candidates[i].resolve(self.current) for i in range(len(candidates.value))]
        for index in range(len(old.value)):
            variant = old[index].resolve(self.frozen)
            constants = _constants(variant)
            trials = []
            for candidate in resolved:
                if constants <= _constants(candidate):
                    trial = Comparison(self.frozen, self.current, visited=set(self.visited))
                    trial.compare_schema(name, variant, candidate, direction)
                    trials.append(trial)
                    if not trial.found:
                        break
            if not trials:
                label = ", ".join(f"{k}={v}" for k, v in sorted(constants)) or f"variant {index}"
                self.report(variant, f"{name}: {label} is gone")
                continue
            best = min(trials, key=lambda trial: len(trial.found))
            self.found += best.found
            self.visited |= best.visited


def _types(node: Node) -> set[str]:
    types = node.value.get("type", [])
    return {types} if isinstance(types, str) else set(types)


def _is_other_type(old: Node, new: Node, direction: Direction) -> bool:
    """Return whether an input may have fewer types than before, or an output more."""
    narrower, wider = (old, new) if direction == "in" else (new, old)
    return bool(_types(narrower) - _types(wider))


def _type_names(node: Node) -> str:
    return " or ".join(sorted(_types(node)))


def _values(node: Node) -> list[Any]:
    return [node.value["const"]] if "const" in node.value else list(node.value.get("enum", ()))


def _constants(node: Node) -> set[tuple[str, str]]:
    """Return the fields of an object that have one value only, and so tell it from others."""
    fields = node.value.get("properties", {})
    return {(name, str(schema["const"])) for name, schema in fields.items() if "const" in schema}


def _line_numbers(text: str) -> dict[Pointer, int]:
    """Return the line on which each part of a YAML document begins."""
    lines: dict[Pointer, int] = {(): 1}

    def visit(node: yaml.Node, pointer: Pointer) -> None:
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                number = key.tag.endswith(":int")
                place = (*pointer, int(key.value) if number else key.value)
                lines[place] = key.start_mark.line + 1
                visit(value, place)
        elif isinstance(node, yaml.SequenceNode):
            for index, value in enumerate(node.value):
                lines[*pointer, index] = value.start_mark.line + 1
                visit(value, (*pointer, index))

    visit(yaml.compose(text, yaml.CSafeLoader), ())
    return lines
