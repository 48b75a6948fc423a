"""openapi.yaml is valid and complete: it names what the app serves, with examples."""

import re
import tomllib
from collections.abc import Iterator
from typing import Any

import yaml
from openapi_spec_validator import validate

from api.representations.openapi_document import encode_document
from tests.support.api.openapi_contract import (
    DOCUMENTED_PROBLEMS,
    OPERATIONS,
    ROOT,
    SPEC,
    find_errors,
    resolve,
)


def test_the_contract_is_valid_openapi() -> None:
    validate(SPEC)
    assert {o["tags"][0] for o in OPERATIONS.values()} == {tag["name"] for tag in SPEC["tags"]}


def test_every_file_of_the_contract_is_short_and_in_use() -> None:
    root = yaml.safe_load((ROOT / "openapi.yaml").read_text("utf-8"))
    used = {node["$ref"] for node in root["paths"].values()}
    files = sorted((ROOT / "openapi").rglob("*.yaml"))
    written = {
        f"openapi/paths/{file.name}#/{name}"
        for file in files
        if file.parent.name == "paths"
        for name in yaml.safe_load(file.read_text("utf-8"))
    }
    assert written == used
    assert [file.name for file in files if len(file.read_text("utf-8").splitlines()) > 300] == []


def test_a_wheel_has_the_files_of_the_contract() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    included = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert (included["openapi.yaml"], included["openapi"]) == ("api/openapi.yaml", "api/openapi")


def test_the_contract_is_served_as_one_document(app: Any) -> None:
    document = yaml.safe_load(app.test_client().get("/openapi.yaml").text)
    assert document == SPEC
    references = set(re.findall(r"\$ref: '?([^'\n]*)'?", encode_document()))
    assert [name for name in references if not name.startswith("#/components/")] == []
    for reference in references:
        assert resolve({"$ref": reference})


def test_the_app_serves_what_the_contract_names_and_nothing_else(app: Any) -> None:
    served = {
        (re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule), method.lower())
        for rule in app.url_map.iter_rules()
        if not rule.rule.startswith(("/static", "/form/"))
        for method in rule.methods - {"HEAD", "OPTIONS"}
    }
    promised = {(o["path"], o["method"]) for o in OPERATIONS.values()}
    assert served == promised, "the app is on the left, openapi.yaml and openapi/paths on the right"


def test_every_operation_needs_the_role_that_the_contract_says(app: Any) -> None:
    for rule in app.url_map.iter_rules():
        path = re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule)
        for operation in OPERATIONS.values():
            if operation["path"] == path and operation["method"].upper() in rule.methods:
                needed = getattr(app.view_functions[rule.endpoint], "needs_role", None)
                assert operation.get("x-role") == needed, rule
                assert (operation.get("security") == []) == (needed is None), rule


def test_if_match_accepts_every_etag_of_a_session() -> None:
    components = SPEC["components"]
    for tag in ("ETag", "VariantTag"):
        for name in ("IfMatch", "OptionalIfMatch"):
            schema = components["parameters"][name]["schema"]
            assert find_errors(components["headers"][tag]["example"], schema) == [], (tag, name)


def test_the_page_shows_each_command_with_ids_to_fill_in(app: Any) -> None:
    page = app.test_client().get("/docs").text
    commands = re.findall(r"curl (?:-|&#34;)[^<]*", page)
    assert len(commands) >= len(OPERATIONS)
    for parameter in ("Session", "Group"):
        example = SPEC["components"]["parameters"][parameter]["example"]
        assert not any(example in command for command in commands), parameter


def examples(node: Any, pointer: str = "") -> Iterator[tuple[str, dict[str, Any], Any]]:
    """Yield the pointer, the schema and the value of each example in the contract."""
    if isinstance(node, list):
        for place, inner in enumerate(node):
            yield from examples(inner, f"{pointer}/{place}")
    elif isinstance(node, dict):
        if "example" in node and "schema" in node:
            yield pointer, node["schema"], node["example"]
        if isinstance(node.get("examples"), list):
            for example in node["examples"]:
                yield pointer, node, example
        for key, inner in node.items():
            if key not in ("example", "examples"):
                yield from examples(inner, f"{pointer}/{key}")


def test_every_example_fits_its_schema() -> None:
    listed = list(examples(SPEC))
    assert len(listed) > 60
    assert [
        (pointer, find_errors(value, s)) for pointer, s, value in listed if find_errors(value, s)
    ] == []


def test_results_in_examples_leave_out_payments_and_carried_money() -> None:
    shown = [value.get("session", value) for _, _, value in examples(SPEC) if type(value) is dict]
    states = [s for s in shown if type(s) is dict and {"results", "legal_actions"} <= s.keys()]
    begun = [s["results"] for s in states if "carried_from" in s and s["deal"]["number"] == 1]
    assert begun == [{"p1": 0, "p2": 0, "p3": 0}]
    paid = [s for s in states if s["version"] >= 71]  # its event is Disa's payment of 6000
    assert len(paid) == 6
    for state in paid:
        differences = {p: b - state["results"][p] for p, b in state["balances"].items()}
        assert differences == dict.fromkeys(differences, 0) | {"p3": -6000, "p4": 6000}


def test_examples_show_what_the_write_did() -> None:
    for operation, event_type in (("correctDeal", "deal_corrected"), ("voidDeal", "deal_voided")):
        content = resolve(OPERATIONS[operation]["responses"]["200"])["content"]
        events = content["application/json"]["example"]["events"]
        assert [event["type"] for event in events] == [event_type]


def test_a_deal_in_examples_may_be_entered_from_paper() -> None:
    shown = [value.get("session", value) for _, _, value in examples(SPEC) if type(value) is dict]
    actions = [action for state in shown for action in _legal_actions(state)]
    openings = [action for action in actions if action["type"] == "open_deal"]
    assert len(openings) >= 10
    for opening in openings:
        assert opening["fields"].keys() == {"number", "late_entry"} == set(opening["optional"])


def _legal_actions(state: Any) -> list[dict[str, Any]]:
    return state.get("legal_actions", []) if type(state) is dict else []


def test_every_body_has_an_example_and_every_operation_is_described() -> None:
    for operation in OPERATIONS.values():
        assert operation["summary"], operation["operationId"]
        assert operation["description"], operation["operationId"]
        bodies = [operation.get("requestBody", {}), *operation["responses"].values()]
        for response in bodies:
            for media in resolve(response).get("content", {}).values():
                assert "example" in media, operation["operationId"]
        coded = {
            s for s, response in operation["responses"].items() if has_code(response) or s < "3"
        }
        statuses = {int(s) for s in coded - {"default", "503"}}
        possible = {s for c, s in DOCUMENTED_PROBLEMS if c in operation["x-problems"] and s != 503}
        assert {s for s in statuses if s >= 400} - possible == set(), operation["operationId"]
        assert possible <= statuses, operation["operationId"]


def test_an_optional_field_of_a_request_has_or_describes_its_default() -> None:
    for name, operation in OPERATIONS.items():
        for media in operation.get("requestBody", {}).get("content", {}).values():
            schema = resolve(media["schema"])
            for field in schema.get("properties", {}).keys() - set(schema.get("required", ())):
                assert {"default", "description"} & resolve(schema["properties"][field]).keys(), (
                    f"{name}: {field}"
                )


def has_code(response: dict[str, Any]) -> bool:
    """Return whether a response is a problem with a code. An HTML page has none."""
    return "application/problem+json" in resolve(response).get("content", {})
