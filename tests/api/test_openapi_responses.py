"""The contract and the running app say the same: addresses, roles, shapes, codes, examples.

`answers` holds one actual answer against what openapi.yaml promises of its operation; everything
else here compares the contract with the code that it was written from.
"""

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, get_args
from uuid import UUID

import msgspec
import pytest
import yaml
from flask.testing import FlaskClient
from msgspec import inspect
from openapi_schema_validator import OAS31Validator
from openapi_spec_validator import validate
from werkzeug.test import TestResponse

from api import shapes, streams, words
from api.sessions import ClosureSchema, SessionSchema
from engine import events as e
from engine.commands import Command, Vola
from engine.errors import RuleViolation
from engine.games import GAMES
from ledger import codec, handling
from ledger.servers import Postgres
from tests.conftest import app_over, copied

ROOT = Path(__file__).parents[2]
SPEC = yaml.safe_load((ROOT / "openapi.yaml").read_text("utf-8"))
SCHEMAS, PROBLEMS = SPEC["components"]["schemas"], SPEC["components"]["x-problems"]
METHODS = ("get", "post", "put", "delete")
WORDS = {"Accept-Language": "en"}

keys = (f"key-{number}" for number in count(1))


def operations() -> dict[str, dict[str, Any]]:
    found = [
        {"path": path, "method": method, **item[method]}
        for path, item in SPEC["paths"].items()
        for method in METHODS
        if method in item
    ]
    assert len({o["operationId"] for o in found}) == len(found)
    return {o["operationId"]: o for o in found}


OPERATIONS = operations()
ANYWHERE = {(p["code"], p["status"]) for p in PROBLEMS if p.get("anywhere")}
STATUS_OF = {(p["code"], p["status"]) for p in PROBLEMS}


def resolved(node: dict[str, Any]) -> dict[str, Any]:
    """The node with what its `$ref` points to laid under it."""
    if "$ref" not in node:
        return node
    target: Any = SPEC
    for part in node["$ref"].removeprefix("#/").split("/"):
        target = target[part]
    return {**resolved(target), **{k: v for k, v in node.items() if k != "$ref"}}


def errors(value: Any, schema: dict[str, Any]) -> list[str]:
    """What this value has wrong, by the 3.1 dialect; references are looked up in the contract."""
    checker = OAS31Validator({**schema, "components": SPEC["components"]})
    return [f"{list(x.absolute_path)}: {x.message[:300]}" for x in checker.iter_errors(value)]


def answers(operation: str, response: TestResponse) -> TestResponse:
    """Asserts that this answer is one that the contract promises of the operation."""
    promised = OPERATIONS[operation]
    status = str(response.status_code)
    assert status in promised["responses"] or response.status_code >= 400, (operation, status)
    said = resolved(promised["responses"].get(status, promised["responses"]["default"]))
    for name, header in said.get("headers", {}).items():
        header = resolved(header)
        if name in response.headers:
            assert not errors(response.headers[name], header["schema"]), (operation, name)
        else:
            assert not header.get("required"), (operation, response.status_code, name)
    if "content" not in said:
        assert response.data == b""
        return response
    media = said["content"][response.mimetype]
    value = response.data.decode("utf-8", "replace")  # a workbook is not text
    if "json" in response.mimetype:
        value = response.get_json()
    assert not errors(value, media["schema"]), (operation, response.status_code)
    if response.mimetype == "application/problem+json":
        told = (value["code"], value["status"])
        assert response.status_code == value["status"]
        assert told in ANYWHERE or value["code"] in promised["x-problems"], (operation, told)
        assert told in STATUS_OF
    return response


class Evening:
    """A client that holds every request and every answer against the contract."""

    def __init__(self, client: FlaskClient) -> None:
        self.client = client
        self.seen: set[tuple[str, int, str | None]] = set()
        self.path: dict[str, object] = {}
        self.tokens: dict[str, str] = {}
        self.version = 0

    def __call__(
        self, operation: str, body: Any = None, role: str | None = "host", **given: Any
    ) -> Any:
        """`headers` replace what would be sent, None leaves out; the rest goes into the address."""
        promised = OPERATIONS[operation]
        headers: dict[str, str | None] = dict(WORDS)
        if role and role in self.tokens:
            headers["Authorization"] = f"Bearer {self.tokens[role]}"
        if promised["method"] in ("post", "put", "delete"):
            headers |= {"Idempotency-Key": next(keys), "If-Match": f'"{self.version}"'}
        wanted = given.pop("headers", {})
        headers |= wanted
        raw, query = given.pop("raw", None), given.pop("query", None)
        response = self.client.open(
            promised["path"].format(**{**self.path, **given}),
            method=promised["method"].upper(),
            query_string=query,
            headers={name: value for name, value in headers.items() if value is not None},
            **({"data": raw} if raw is not None else {} if body is None else {"json": body}),
        )
        if body is not None and response.status_code < 300:
            media = promised["requestBody"]["content"]["application/json"]
            assert not errors(body, media["schema"]), operation
        answers(operation, response)
        self.seen.add((operation, response.status_code, response.mimetype))
        if "ETag" in response.headers and promised["method"] != "get":
            self.version = int(response.headers["ETag"].strip('"'))
        return response

    def begin(self, **more: Any) -> dict[str, Any]:
        names = [{"name": name} for name in ("Ada", "Bo", "Cilla", "Disa")]
        wanted = {"game": "polskt_pass", "players": names, **more}
        opened = self("openSession", wanted, headers={"If-Match": None}).get_json()
        self.path = {"session": opened["id"], "page": "Qm3xk9"}
        self.tokens = opened["tokens"]
        return dict(opened)

    def play(self, *actions: dict[str, Any], **given: Any) -> Any:
        return self("act", {"actions": list(actions)}, **given)


def act(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": kind, **fields}


@pytest.fixture(scope="module")
def app(cluster: Postgres) -> Iterator[Any]:
    """An evening that is brought from elsewhere is in a book once."""
    with app_over(copied(cluster, "vola_openapi")) as made:
        yield made


@pytest.fixture
def evening(app: Any) -> Evening:
    return Evening(app.test_client())


def test_the_contract_is_valid_openapi() -> None:
    validate(SPEC)
    assert {o["tags"][0] for o in OPERATIONS.values()} == {tag["name"] for tag in SPEC["tags"]}


def test_the_app_serves_what_the_contract_names_and_nothing_else(app: Any) -> None:
    served = {
        (re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule), method.lower())
        for rule in app.url_map.iter_rules()
        if not rule.rule.startswith(("/static", "/form/"))
        for method in rule.methods - {"HEAD", "OPTIONS"}
    }
    assert served == {(o["path"], o["method"]) for o in OPERATIONS.values()}


def test_every_operation_needs_the_role_that_the_contract_says(app: Any) -> None:
    for rule in app.url_map.iter_rules():
        path = re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule)
        for operation in OPERATIONS.values():
            if operation["path"] == path and operation["method"].upper() in rule.methods:
                needed = getattr(app.view_functions[rule.endpoint], "needs_role", None)
                assert operation.get("x-role") == needed, rule
                assert (operation.get("security") == []) == (needed is None), rule


def said_by_struct(kind: inspect.Type) -> tuple[frozenset[Any], Any]:
    """JSON types or exact values, and the type of a list's items."""
    match kind:
        case inspect.UnionType(types=types):
            parts = [said_by_struct(t) for t in types if "Unset" not in type(t).__name__]
            details = [p[1] for p in parts if p[1]]  # of one or both, what is said of the items
            return frozenset().union(*(p[0] for p in parts)), details[-1] if details else None
        case inspect.NoneType():
            return frozenset({None}), None
        case inspect.LiteralType(values=values):
            return frozenset(values), None
        case inspect.VarTupleType(item_type=item) | inspect.TupleType(item_types=(item, *_)):
            return frozenset({"array"}), said_by_struct(item)
        case inspect.StrType(pattern=pattern):
            return frozenset({"string"}), pattern
        case inspect.BoolType():
            return frozenset({"boolean"}), None
        case inspect.IntType():
            return frozenset({"integer"}), None
    return frozenset({"object"}), None


def said_by_schema(schema: dict[str, Any]) -> tuple[frozenset[Any], Any]:
    schema = resolved(schema)
    if "enum" in schema:
        return frozenset(schema["enum"]), None
    types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    kinds = frozenset(None if t == "null" else t for t in types)
    if "array" in kinds:
        return kinds, said_by_schema(schema["items"])
    return kinds, schema.get("pattern")


def same_fields(struct: type[msgspec.Struct], schema: dict[str, Any]) -> None:
    """Names, which are required, types and defaults."""
    info = inspect.type_info(struct)
    assert isinstance(info, inspect.StructType)
    said = {k: v for k, v in schema.get("properties", {}).items() if k != "type"}
    assert set(said) == {f.encode_name for f in info.fields}, struct
    required = {f.encode_name for f in info.fields if f.required}
    assert set(schema.get("required", [])) - {"type"} == required, struct
    assert schema["additionalProperties"] is False, struct
    for field in info.fields:
        spec = said[field.encode_name]
        kinds, detail = said_by_schema(spec)
        made, made_detail = said_by_struct(field.type)
        assert kinds == made, (struct, field.name)
        if "object" not in made and not (detail is None and field.name == "call"):
            assert detail == made_detail, (struct, field.name)
        if "default" in spec:
            assert spec["default"] == field.default, (struct, field.name)


def test_every_action_has_the_shape_that_the_engine_gives_it() -> None:
    variants = {v["$ref"].rpartition("/")[2] for v in SCHEMAS["Action"]["oneOf"]}
    commands = {kind.__name__: kind for kind in Command.__subclasses__()}
    assert variants == set(commands)
    tags = {str(k.__struct_config__.tag): f"#/components/schemas/{n}" for n, k in commands.items()}
    assert SCHEMAS["Action"]["discriminator"]["mapping"] == tags
    assert set(SCHEMAS["Evening"]["properties"]["legal_actions"]["items"]) == {"$ref"}
    assert set(SCHEMAS["LegalAction"]["properties"]["type"]["enum"]) == set(tags)
    for name, kind in commands.items():
        schema = SCHEMAS[name]
        assert schema["properties"]["type"] == {"const": kind.__struct_config__.tag}
        assert schema["required"][0] == "type"
        same_fields(kind, schema)
    same_fields(Vola, SCHEMAS["Vola"])


def by_game(schema: str) -> dict[str, dict[str, Any]]:
    """What a schema says of each game in particular."""
    variants = SCHEMAS[schema]["allOf"][0]["oneOf"]
    return {v["properties"]["game"]["const"]: v["properties"] for v in variants}


@pytest.mark.parametrize("key", GAMES)
def test_every_option_has_the_shape_and_the_bounds_that_the_game_gives_it(key: str) -> None:
    options, seats = GAMES[key].options, GAMES[key].seats
    asked, shown = by_game("NewSession")[key], by_game("Evening")[key]
    assert (asked["players"]["minItems"], asked["players"]["maxItems"]) == (seats[0], seats[-1])
    schema = resolved(asked["options"])
    said = schema["properties"]
    same_fields(options, schema)
    whole = resolved(shown["options"])
    assert by_game("SessionOpened")[key]["options"] == shown["options"]
    assert (whole["properties"], whole["required"]) == (said, list(options.__struct_fields__))
    plain = msgspec.to_builtins(options())
    assert {name: schema["default"] for name, schema in said.items()} == plain
    for name, schema in said.items():
        assert schema["description"]
        for value in schema.get("enum", []):
            shapes.load(options, {name: value})
        if "minimum" in schema:
            least, most = schema["minimum"], schema["maximum"]
            for value in (least, most):
                shapes.load(options, {name: value})
            for value in (least - 1, most + 1):
                with pytest.raises(Exception, match="Must be"):
                    shapes.load(options, {name: value})


def test_every_event_has_the_shape_that_history_keeps() -> None:
    variants = {
        v["properties"]["type"]["const"]: v["properties"]["data"]["$ref"].rpartition("/")[2]
        for v in SCHEMAS["Event"]["allOf"][0]["oneOf"]
    }
    assert variants == {tag: kind.__name__ for tag, kind in codec.TYPES.items()}
    deeds = {kind.__name__ for kind in get_args(e.Deed)}
    assert {v["$ref"].rpartition("/")[2] for v in SCHEMAS["Deed"]["oneOf"]} == deeds
    for kind in codec.TYPES.values():
        same_fields(kind, SCHEMAS[kind.__name__])


def test_small_lists_of_choices_are_the_ones_in_the_code() -> None:
    for schema, name in (("NewSession", "game"), ("Evening", "game"), ("Game", "key")):
        assert SCHEMAS[schema]["properties"][name]["enum"] == list(GAMES)
    for schema in ("NewSession", "Evening", "SessionOpened"):
        assert list(by_game(schema)) == list(GAMES)
    fields = SessionSchema().fields
    assert set(SCHEMAS["NewSession"]["properties"]) == set(fields)
    assert set(SCHEMAS["NewSession"]["required"]) == {n for n, f in fields.items() if f.required}
    policies = ClosureSchema().fields["leftover_policy"].values
    assert SCHEMAS["Closure"]["properties"]["leftover_policy"]["enum"] == [*policies, None]
    languages = SPEC["components"]["parameters"]["Lang"]["schema"]["examples"]
    assert languages == list(words.LANGUAGES)


def examples(node: Any, where: str = "") -> Iterator[tuple[str, dict[str, Any], Any]]:
    """Every example in the contract with the schema that it is an example of."""
    if isinstance(node, list):
        for place, inner in enumerate(node):
            yield from examples(inner, f"{where}/{place}")
    elif isinstance(node, dict):
        if "example" in node and "schema" in node:
            yield where, node["schema"], node["example"]
        if isinstance(node.get("examples"), list):
            for example in node["examples"]:
                yield where, node, example
        for key, inner in node.items():
            if key not in ("example", "examples"):
                yield from examples(inner, f"{where}/{key}")


def test_every_example_is_one() -> None:
    found = list(examples(SPEC))
    assert len(found) > 60
    assert [(where, errors(value, s)) for where, s, value in found if errors(value, s)] == []


def test_every_body_has_an_example_and_every_operation_is_described() -> None:
    for operation in OPERATIONS.values():
        assert operation["summary"], operation["operationId"]
        assert operation["description"], operation["operationId"]
        told = [operation.get("requestBody", {}), *operation["responses"].values()]
        for said in told:
            for media in resolved(said).get("content", {}).values():
                assert "example" in media, operation["operationId"]
        statuses = {int(s) for s in operation["responses"] if s not in ("default", "503")}
        possible = {s for c, s in STATUS_OF if c in operation["x-problems"] and s != 503}
        ambiguous = {404, 409} if "unknown_player" in operation["x-problems"] else set()
        assert {s for s in statuses if s >= 400} - possible == set(), operation["operationId"]
        assert possible - statuses <= ambiguous, operation["operationId"]


class Literal(msgspec.Struct, frozen=True):
    status: int
    code: str
    operands: frozenset[str]


@cache
def refusals() -> list[Literal]:
    """`Problem(409, "code", …)` and `response(409, "code", …)`, wherever the API makes them."""
    found = []
    for path in (ROOT / "api").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
                continue
            if node.func.id not in ("Problem", "response") or len(node.args) < 2:
                continue
            status, code = node.args[:2]
            if isinstance(status, ast.Constant) and isinstance(code, ast.Constant):
                operands = {k.arg for k in node.keywords if k.arg not in (None, "headers")}
                found.append(Literal(status.value, code.value, frozenset(map(str, operands))))
    assert len(found) > 20
    return found


def rules() -> dict[str, type[RuleViolation]]:
    def below(kind: type[RuleViolation]) -> Iterator[type[RuleViolation]]:
        for sub in kind.__subclasses__():
            yield sub
            yield from below(sub)

    assert handling.SamePlayer in RuleViolation.__subclasses__()
    return {kind.code: kind for kind in below(RuleViolation)}


def test_every_code_that_can_be_told_is_explained_and_no_other() -> None:
    told = {(r.code, r.status) for r in refusals()} | {(code, 409) for code in rules()}
    told |= {(code, status) for status, code in words.HTTP_CODES.items()}
    told.add(("refused", 416))  # the fallback of api/problems.py, whatever the status
    assert {p["code"] for p in PROBLEMS} == {code for code, _ in told}
    assert told == STATUS_OF
    assert SCHEMAS["Problem"]["properties"]["code"]["enum"] == list(
        dict.fromkeys(p["code"] for p in PROBLEMS)
    )


def test_every_code_is_explained_with_the_operands_that_it_carries() -> None:
    carried = {(r.code, r.status): set(r.operands) for r in refusals()}
    for code, kind in rules().items():
        if (code, 409) not in carried:
            carried[code, 409] = set(re.findall(r"{(\w+)}", kind.__doc__ or ""))
    carried["deal_taken", 409] = {"deal", "number"}  # api/actions.py answers with the deal itself
    for problem in PROBLEMS:
        operands = carried.get((problem["code"], problem["status"]), set())
        assert set(problem.get("operands", [])) == operands, problem["code"]


def test_every_refusal_by_rule_belongs_to_some_operation() -> None:
    reachable = {code for operation in OPERATIONS.values() for code in operation["x-problems"]}
    assert reachable | {code for code, _ in ANYWHERE} == {p["code"] for p in PROBLEMS}
    order = [p["code"] for p in PROBLEMS]
    for operation in OPERATIONS.values():
        assert len(set(operation["x-problems"])) == len(operation["x-problems"])
        assert set(operation["x-problems"]) <= set(order)


def deal(number: int, declarers: list[str], *winners: str, vola: str = "") -> list[dict[str, Any]]:
    tricks = [act("trick", winner=winner) for winner in winners]
    said = [act("la_vola", player=vola)] if vola else []
    return [
        act("open_deal", number=number),
        act("declare", players=declarers),
        *tricks[:2],
        *said,
        *tricks[2:],
    ]


def test_an_evening_answers_as_promised_from_the_first_request_to_the_last(
    app: Any, evening: Evening
) -> None:
    opened = evening.begin(title="Fredag", options={"stake": 1000})
    store, session = app.extensions["store"], UUID(opened["id"])
    again = evening.play(*deal(1, ["p2"], "p3", "p3", "p4", "p3", "p2"), headers={"If-Match": None})
    key = again.request.headers["Idempotency-Key"]
    replayed = evening.play(
        *deal(1, ["p2"], "p3", "p3", "p4", "p3", "p2"),
        headers={"If-Match": None, "Idempotency-Key": key},
    )
    assert replayed.headers["Idempotency-Replayed"] == "true"
    assert replayed.data == again.data
    evening.play(*deal(2, ["p3", "p4"], "p1", "p1", "p2", "p4", "p4"))  # dealt by p2: refused
    evening.play(act("open_deal"), act("all_pass"))
    evening.play(act("open_deal"), act("declare", players=["p2", "p3"]), act("result", winner="p1"))
    evening.play(act("merge"))
    evening.play(act("merge", together=False))
    evening.play(*deal(4, ["p1"], *["p3"] * 5, vola="p3"))
    for payment in evening("listPayments", role="viewer").get_json()["payments"]:
        store.settle(session, payment["id"])
    evening.version = store.read(session).version
    evening.play(act("undo"), act("undo"), act("trick", winner="p2"))  # la vola lost instead
    evening.play(
        *(act("open_deal"), act("cut", card="JC"), act("turn_up", card="9H")),
        *(act("discard", player="p4"), act("discard", player="p1", card="9H")),
        act("hand", player="p2", cards=["AC", "KH", "10H", "QS", "9S"]),
        act("play", player="p2", card="AC"),
    )
    evening("getSession")
    evening("voidDeal", deal=5, query={"reason": "A card fell face up"})
    evening.play(act("open_deal"), act("cut", card="9C"), act("turn_up", card="AS"))
    evening.play(act("decline"), act("bid", player="p2", call="pass"))
    evening.play(*[act("undo")] * 2, act("take"), act("undo"))
    evening("getDeal", deal=6)
    evening.play(*[act("undo")] * 3)
    assert evening("joinSession", {"name": "Emil"}, role="scorer").get_json()["id"] == "p5"
    evening.play(act("reseat", players=["p1", "p2", "p3", "p4", "p5"], dealer="p5"))
    evening.play(act("open_deal"), act("declare", players=["p1"]), act("result", winner=None))
    evening.play(
        act("open_deal"),
        act("declare", players=["p1"], trump="S"),
        act("result", la_vola={"player": "p1", "won": False}),
    )
    evening.play(
        *(act("open_deal"), act("declare", players=["p2"])),
        *[act("trick", winner="p2")] * 3,
        act("finish"),
    )
    payer = {"from": "p1", "to": "p2", "amount": 100, "method": "swish"}
    evening("recordTransfer", payer)
    passed = {"actions": [act("all_pass")], "reason": "Nobody declared"}
    evening("correctDeal", passed, deal=1, headers={"If-Match": f'"{evening.version}"'})
    evening("voidDeal", deal=1, query={"reason": "It never counted", "later": "void"})

    owes = evening("getSettlement", role="viewer", query={"through": "p1"}).get_json()["transfers"]
    line = next(t for t in owes if "pot" not in (t["from"], t["to"]))
    between = {"payer": line["from"], "payee": line["to"]}
    evening("getPaymentCode", **between, query={**CODE, "through": "p1"})
    for kind in ("listDeals", "getPot", "listBets", "listBalances", "listPayments"):
        evening(kind, role="viewer")
    evening("retryPayments")
    for kind in ("getSettlement", "audit", "listEvents"):
        assert evening(kind, role="viewer").get_json().get("findings", []) == []
    for number in range(1, 9):
        evening("getDeal", deal=number, query={"lang": "da"})
    evening("getSession", query={"at": 1})
    evening("getSession", headers={"If-None-Match": f'"{evening.version}"'})
    after, versions = 0, []
    while after is not None:
        page = evening("listEvents", query={"after": after, "limit": 7}).get_json()
        versions += [event["version"] for event in page["events"]]
        after = page["next"]
    assert versions == list(range(1, evening.version + 1))
    evening("getReceipt", version=evening.version)
    evening("getReceipt", role="viewer", version=3, query={"to": 5})
    evening("exportSession", role="viewer")
    evening("listDeals", query={"limit": 2})
    evening("listPayments", query={"limit": 1})
    taken = evening("exportSession", query={"names": "true"}).get_json()
    for asked in ("json", "csv", "html", "xlsx", "pdf", "hledger"):
        evening("getStatement", role="viewer", query={"format": asked})
        evening("getStatement", role="viewer", query={"format": asked, "player": "p1"})
    evening("getStatement", headers={"Accept": "text/html"})
    evening("listLinks")
    evening("keepCookie", role="viewer")
    evening("getPot", role=None)  # with that cookie
    let_others_in(evening)
    evening("closeSession", {"leftover_policy": "split_equal"})
    evening("getSession")
    with pytest.MonkeyPatch.context() as minute:
        minute.setattr(streams, "LISTEN_SECONDS", 0.5)
        evening("sayRecording", {"deal": 9}, headers=NO_KEY)
        told = evening("streamSession").text
        assert "event: version" in told
        assert "event: recording" in told
    evening("listEvents", query={"limit": 1000})
    evening("recordTransfer", payer)
    assert evening("eraseName", player="p2").get_json()["name"] == "Spelare 2"
    for kind in ("getKey", "verify", "verifier"):
        evening(kind, role=None)
    with store.pool.connection() as db:  # what other tests have left due, nobody settles here
        for (owing,) in db.execute(
            "SELECT session_id FROM projections.payments WHERE status = 'due'"
        ):
            store.settle(owing)
    for kind in ("alive", "ready", "metrics", "contract", "docs", "form", "listGames"):
        known = evening(kind, role=None).headers.get("ETag")
    evening("listGames", role=None, headers={"If-None-Match": known})
    kinds = {event["type"] for event in evening("listEvents").get_json()["events"]}
    assert len(kinds) > 20
    meet_again(evening)
    assert evening("importSession", taken, role=None, headers={"If-Match": None}).status_code == 409
    told = OPERATIONS["importSession"]["requestBody"]["content"]["application/json"]["example"]
    brought = evening("importSession", told, role=None, headers={"If-Match": None})
    assert brought.status_code == 201, brought.text

    promised = {
        (name, int(status), media)
        for name, operation in OPERATIONS.items()
        for status, said in operation["responses"].items()
        if status.startswith(("2", "3"))
        for media in (resolved(said).get("content") or {None: None})
    }
    seen = {(o, s, m if s not in (204, 304) else None) for o, s, m in evening.seen if s < 400}
    assert seen == promised


def let_others_in(evening: Evening) -> None:
    """A phone of one's own, a PIN, a code, and somebody at the door."""
    evening("setPin", {"pin": "4711"}, player="p1", role="scorer")
    evening("letPhoneIn", {"label": "Adas telefon", "player": "p1"})
    for _ in range(5):
        evening("letPhoneIn", {"label": "Adas telefon", "player": "p1", "pin": "1234"})
    evening("takePinAway", player="p1")
    evening("letPhoneIn", {"label": "Adas telefon", "player": "p1", "role": "scorer"})
    code = evening("openDoor", {}).get_json()["code"]
    evening("showCode")
    evening("sayRecording", {"deal": 9}, role="scorer", headers=NO_KEY)
    assert len(evening("listRecording", role="viewer").get_json()["recording"]) == 1
    evening("stopRecording", role="scorer", headers=NO_KEY)
    assert evening("stopRecording", page="<").status_code == 422
    for label in ("Bo", "Cilla", "Emil"):
        knocked = evening("knock", {"code": code, "label": label}, role=None).get_json()
        evening.tokens[label] = knocked["token"]
    evening("listKnocks")
    evening("answerKnock", {}, knock=1)
    evening("refuseKnock", knock=2)
    evening("answerKnock", {}, knock=2)
    evening("withdrawKnock", role="Emil")
    evening("answerKnock", {}, knock=3)
    evening("withdrawKnock", role="Bo")
    for label in ("Bo", "Cilla", "Emil"):
        evening("hearAnswer", role=label)
    evening("shutDoor")
    evening("knock", {"code": code, "label": "Disa"}, role=None)
    evening("listPhones", role="viewer")
    evening("shutPhoneOut", phone="phone1")
    evening("shutPhoneOut", phone="phone9")
    evening("rotateLink", link="viewer")
    evening("rotateLink", link="host")


def meet_again(evening: Evening) -> None:
    """The evening so far is the first of a circle, the next one goes on where another ended."""
    played, host = evening.path["session"], evening.tokens["host"]
    people = [{"name": name} for name in ("Ada", "Bo", "Cilla")]
    founded = evening("foundCircle", {"name": "Torsdagar", "members": people}, role=None)
    evening.path = {"circle": founded.get_json()["id"]}
    evening.tokens = rights = founded.get_json()["tokens"]
    known = {"token": host, "members": {"p1": "m1", "p3": "m2"}}
    evening("addEvening", known, session=played)
    assert evening("joinCircle", {"name": "Emil"}, role="scorer").get_json()["id"] == "m4"
    members = {"game": "polskt_pass", "members": ["m2", "m1", "m4"]}
    first = evening("gatherCircle", members, role="scorer").get_json()
    evening.path["session"], evening.tokens = first["id"], first["tokens"]
    evening.play(*deal(1, ["p2"], *["p3"] * 5))
    evening("closeSession", {})
    evening.tokens = rights
    assert evening("getCircle", role="viewer").get_json()["to_carry"]["ready"]
    second = evening("gatherCircle", {**members, "carry": True}).get_json()
    evening.tokens = first["tokens"]
    assert evening("getSession").get_json()["carried_to"] == second["id"]
    assert evening("getSettlement").get_json()["carried_to"] == second["id"]
    evening("listEvents")
    evening.path["session"], evening.tokens = second["id"], second["tokens"]
    evening.play(*deal(1, ["p1"], *["p1"] * 5))
    evening("listEvents")
    evening("getDeal", deal=1)
    evening("getStatement", query={"format": "json"})
    evening.tokens = rights
    for kind in ("getCircle", "getStandings"):
        tag = evening(kind, role="viewer").headers["ETag"]
        evening(kind, role="viewer", headers={"If-None-Match": tag})
    for asked in ("json", "csv", "html", "xlsx", "pdf", "hledger"):
        for whose in ({}, {"member": "m2"}):
            query = {"format": asked, "currency": "SEK", **whose}
            evening("getCircleStatement", role="viewer", query=query)
    evening("listCircleLinks")
    evening("rotateCircleLink", link="scorer", query={"evenings": "true"})
    evening("rotateCircleLink", link="bystander")
    evening("rotateCircleLink", link="scorer", query={"evenings": "some"})
    assert evening("eraseMember", member="m4").get_json()["name"] == "Medlem 4"
    evening("keepCircleCookie", role="viewer")
    evening("getStandings", role=None, query={"from": "2026-01-01"})  # with that cookie


def test_what_the_app_calls_misshapen_the_contract_does_too(evening: Evening) -> None:
    evening.begin()
    names = [{"name": name} for name in ("Ada", "Bo", "Cilla")]
    whole = {"game": "polskt_pass", "players": names}
    for operation, body in (
        ("openSession", {"game": "polskt_pass"}),
        ("openSession", {**whole, "game": "whist"}),
        ("openSession", {**whole, "players": names[:2]}),
        ("openSession", {**whole, "options": {"stake": 0}}),
        ("openSession", {**whole, "options": {"stake": "5"}}),
        ("openSession", {**whole, "options": {"bet_multiplier": 3}}),
        ("openSession", {**whole, "options": {"rake": 1}}),
        ("openSession", {**whole, "currency": "kronor"}),
        ("openSession", {**whole, "host": True}),
        ("act", {"actions": []}),
        ("act", {"actions": [act("undo")] * 101}),
        ("act", {"actions": [act("shuffle")]}),
        ("act", {"actions": [act("trick")]}),
        ("act", {"actions": [act("trick", winner="Ada")]}),
        ("act", {"actions": [act("trick", winner=None)]}),
        ("act", {"actions": [act("cut", card="1C")]}),
        ("act", {"actions": [act("declare", players=["p1"], trump="X")]}),
        ("act", {"actions": [act("undo", times=2)]}),
        ("act", {"actions": [act("result")]}),
        ("act", {"actions": [act("result", winner="p1", la_vola={"player": "p1", "won": True})]}),
        ("act", {"actions": [act("open_deal", number=1.5)]}),
        ("recordTransfer", {"from": "p1", "to": "p2", "amount": 0}),
        ("recordTransfer", {"from": "p1", "to": "p2", "amount": True}),
        ("joinSession", {"name": ""}),
        ("sayRecording", {"deal": 0}),
        ("sayRecording", {"deal": 1, "page": "<"}),
        ("closeSession", {"leftover_policy": "keep"}),
        ("closeSession", []),
    ):
        schema = OPERATIONS[operation]["requestBody"]["content"]["application/json"]["schema"]
        assert errors(body, schema), (operation, body)
        refused = evening(operation, body)
        assert refused.status_code == 422, (operation, body, refused.text)
        assert all(set(e) == {"pointer", "detail"} for e in refused.get_json()["errors"])


def test_refusals_are_problems_with_a_code_that_their_operation_names(evening: Evening) -> None:
    evening.begin()
    stale = {"headers": {"If-Match": '"9"'}}
    batch = {"actions": [act("open_deal")]}
    for status, code, refused in (
        (400, "malformed_json", evening("act", raw=b'{"a":NaN}', headers=JSON)),
        (400, "idempotency_key_missing", evening("act", batch, headers={"Idempotency-Key": None})),
        (400, "idempotency_key_malformed", evening("act", batch, headers=LONG_KEY)),
        (400, "if_match_malformed", evening("act", batch, headers={"If-Match": "3"})),
        (403, "role_too_low", evening("act", batch, role="viewer")),
        (403, "role_too_low", evening("listLinks", role="scorer")),
        (404, "unknown_session", evening("getPot", headers={"Authorization": "Bearer x"})),
        (404, "unknown_session", evening("getPot", session="nothing")),
        (404, "unknown_version", evening("getSession", query={"at": 99})),
        (404, "unknown_version", evening("getReceipt", version=99)),
        (404, "unknown_deal", evening("getDeal", deal=99)),
        (404, "unknown_player", evening("getStatement", query={"player": "p9"})),
        (404, "unknown_player", evening("getSettlement", query={"through": "p9"})),
        (404, "unknown_player", evening("eraseName", player="p9")),
        (403, "role_too_low", evening("eraseName", player="p1", role="scorer")),
        (404, "transfer_not_planned", evening("getPaymentCode", **BETWEEN, query=CODE)),
        (409, "wrong_currency", evening("getPaymentCode", **BETWEEN, query={"kind": "epc"})),
        (406, "not_acceptable", evening("getStatement", query={"format": "docx"})),
        (409, "no_open_deal", evening.play(act("all_pass"))),
        (409, "nothing_to_undo", evening.play(act("undo"))),
        (409, "same_player", evening("recordTransfer", {"from": "p1", "to": "p1", "amount": 1})),
        (409, "unknown_player", evening("recordTransfer", {"from": "p9", "to": "p1", "amount": 1})),
        (404, "unknown_deal", evening("voidDeal", deal=9)),
        (412, "stale_version", evening.play(act("undo"), **stale)),
        (413, "too_large", evening("act", raw=b" " * 200_000, headers=JSON)),
        (415, "unsupported_media_type", evening("act", raw=b"{}", headers=TEXT)),
        (422, "wrong_shape", evening("listEvents", query={"limit": 0})),
        (422, "wrong_shape", evening("getSession", query={"at": "now"})),
        (428, "version_required", evening.play(act("undo"), headers={"If-Match": None})),
    ):
        said = refused.get_json()
        assert (refused.status_code, said["code"]) == (status, code)
        assert refused.headers["Content-Language"] == "en"
    assert evening.play(*deal(1, ["p2"], *["p3"] * 5)).status_code == 201
    taken = evening.play(act("open_deal", number=1))
    assert taken.get_json()["code"] == "deal_taken"
    assert errors(taken.get_json()["deal"], SCHEMAS["DealRecord"]) == []
    key = taken.request.headers["Idempotency-Key"]
    assert evening.play(act("undo"), headers={"Idempotency-Key": key}).status_code == 201
    reused = evening.play(act("open_deal"), headers={"Idempotency-Key": key})
    assert (reused.status_code, reused.get_json()["code"]) == (422, "idempotency_key_reused")


NO_KEY = {"Idempotency-Key": None, "If-Match": None}
CODE = {"kind": "swish", "number": "0701234567"}
BETWEEN = {"payer": "p1", "payee": "p2"}
JSON = {"Content-Type": "application/json"}
TEXT = {"Content-Type": "text/plain"}
LONG_KEY = {"Idempotency-Key": "k" * 256}


def test_an_address_or_method_that_does_not_exist_is_a_problem_too(evening: Evening) -> None:
    for method, path, status in (
        ("GET", "/v1/nothing", 404),
        ("PUT", "/v1/sessions", 405),
        ("POST", "/healthz", 405),
    ):
        refused = evening.client.open(path, method=method)
        assert refused.status_code == status
        assert refused.mimetype == "application/problem+json"
        assert errors(json.loads(refused.data), SCHEMAS["Problem"]) == []
        assert (refused.get_json()["code"], status) in ANYWHERE
