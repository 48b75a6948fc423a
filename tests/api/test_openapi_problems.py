"""openapi.yaml explains every problem code of the code, and no other."""

import ast
import re
from functools import cache

import msgspec

from api.http.problems import HTTP_CODES
from tests.support.api.openapi_contract import (
    COMMON_PROBLEMS,
    DOCUMENTED_PROBLEMS,
    OPERATIONS,
    PROBLEMS,
    ROOT,
    SCHEMAS,
    resolve,
    rule_violations_by_code,
)


class Literal(msgspec.Struct, frozen=True):
    status: int
    code: str
    operands: frozenset[str]


@cache
def refusals() -> list[Literal]:
    """Return each `Problem(409, "code", …)` and `problem_response(409, "code", …)` of the API, and
    each `register_refusal(views, error, 409, "code", "operand", …)`."""
    literals = []
    for path in (ROOT / "api").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
                continue
            match node.func.id, node.args:
                case (("Problem" | "problem_response"), [status, code, *_]):
                    names = []
                case "register_refusal", [_, _, status, code, *names]:
                    pass
                case _:
                    continue
            if isinstance(status, ast.Constant) and isinstance(code, ast.Constant):
                operands = {k.arg for k in node.keywords if k.arg not in (None, "headers")}
                operands |= {ast.literal_eval(name) for name in names}
                literals.append(Literal(status.value, code.value, frozenset(map(str, operands))))
    assert len(literals) > 20
    return literals


def test_every_code_that_can_be_told_is_explained_and_no_other() -> None:
    coded = {(r.code, r.status) for r in refusals()} | {
        (code, 409) for code in rule_violations_by_code()
    }
    coded |= {(code, status) for status, code in HTTP_CODES.items()}
    explained = {p["code"] for p in PROBLEMS}
    assert explained == {code for code, _ in coded}, "openapi/problems.yaml is on the left"
    assert coded == DOCUMENTED_PROBLEMS
    assert resolve(SCHEMAS["Problem"]["properties"]["code"])["enum"] == [
        p["code"] for p in PROBLEMS
    ]


def test_a_code_has_one_status() -> None:
    codes = [p["code"] for p in PROBLEMS]
    assert len(set(codes)) == len(codes)


def test_every_code_is_explained_with_the_operands_that_it_carries() -> None:
    carried = {(r.code, r.status): set(r.operands) for r in refusals()}
    for code, kind in rule_violations_by_code().items():
        if (code, 409) not in carried:
            carried[code, 409] = set(re.findall(r"{(\w+)}", kind.__doc__ or ""))
    carried["deal_taken", 409] = {
        "deal",
        "number",
    }  # api/resources/actions.py answers with the deal itself
    for problem in PROBLEMS:
        operands = carried.get((problem["code"], problem["status"]), set())
        assert set(problem.get("operands", [])) == operands, problem["code"]


def test_every_refusal_by_rule_belongs_to_some_operation() -> None:
    reachable = {code for operation in OPERATIONS.values() for code in operation["x-problems"]}
    assert reachable | {code for code, _ in COMMON_PROBLEMS} == {p["code"] for p in PROBLEMS}
    order = [p["code"] for p in PROBLEMS]
    for operation in OPERATIONS.values():
        assert len(set(operation["x-problems"])) == len(operation["x-problems"])
        assert set(operation["x-problems"]) <= set(order)


def test_an_operation_lists_the_problems_of_its_body_and_of_its_role() -> None:
    of_body = {"unsupported_media_type", "too_large", "malformed_json", "wrong_shape"}
    for operation in OPERATIONS.values():
        of_role = {"role_too_low"} if operation.get("x-role") in ("scorer", "host") else set()
        needed = of_role | (of_body if "requestBody" in operation else set())
        assert needed <= set(operation["x-problems"]), operation["operationId"]


def test_a_preview_lists_the_problems_of_the_correction() -> None:
    of_writes = {
        *("idempotency_key_missing", "idempotency_key_malformed", "idempotency_key_reused"),
        *("if_match_malformed", "version_required", "stale_version", "still_running"),
    }
    problems = {o["operationId"]: set(o["x-problems"]) for o in OPERATIONS.values()}
    corrections = problems["correctDeal"] | problems["voidDeal"]
    assert corrections - of_writes <= problems["previewCorrection"]
