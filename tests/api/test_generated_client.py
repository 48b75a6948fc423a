"""A client that a generator makes from openapi.yaml plays an evening: the contract is enough.

The client contains no code of Vola's. Its requests, and the responses and refusals that it can
read, come from the contract alone.
"""

from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from api.representations.openapi_document import encode_document
from tests.support.api.http_client import new_key
from tests.support.api.openapi_contract import OPERATIONS
from tests.support.player_names import FOUR_NAMES
from tests.support.polling import wait_until
from tests.support.worked_evenings import E1, Line, lines

SETTINGS = {
    "content_type_overrides": {
        "application/yaml": "text/plain",
        "application/pdf": "application/octet-stream",
    },
    "post_hooks": [],
}


class GeneratedClient:
    """A generated package: `models` has its classes; a call returns the module of an operation."""

    def __init__(self, package: ModuleType, operations: dict[str, str]) -> None:
        self.package, self.operations = package, operations
        self.models = importlib.import_module(f"{package.__name__}.models")

    def __call__(self, operation: str) -> Any:
        return importlib.import_module(self.operations[operation])


def snake(operation: str) -> str:
    return re.sub("([A-Z])", r"_\1", operation).lower()


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GeneratedClient]:
    folder = tmp_path_factory.mktemp("generated")
    settings, document = folder / "settings.json", folder / "openapi.yaml"
    settings.write_text(json.dumps(SETTINGS))
    document.write_text(encode_document(), "utf-8")
    run = subprocess.run(
        [
            *(str(Path(sys.executable).with_name("openapi-python-client")), "generate"),
            *("--path", str(document), "--config", str(settings)),
            *("--meta", "none", "--output-path", str(folder / "vola_client")),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    output = (run.stdout + run.stderr).split()
    assert (run.returncode, output[:1], len(output)) == (0, ["Generating"], 2), (
        run.stdout + run.stderr
    )
    operations = {
        path.stem: ".".join(path.relative_to(folder).with_suffix("").parts)
        for path in (folder / "vola_client" / "api").rglob("*.py")
        if path.stem != "__init__"
    }
    sys.path.insert(0, str(folder))
    yield GeneratedClient(
        importlib.import_module("vola_client"),
        {name: operations[snake(name)] for name in OPERATIONS},
    )
    sys.path.remove(str(folder))


def actions(generated: GeneratedClient, line: Line) -> list[Any]:
    """Return the actions of a deal as objects of the generated classes."""
    kinds = {
        "open_deal": generated.models.OpenDeal,
        "all_pass": generated.models.AllPass,
        "declare": generated.models.Declare,
        "trick": generated.models.Trick,
        "la_vola": generated.models.LaVola,
    }
    return [
        kinds[action["type"]](**{"type_" if k == "type" else k: v for k, v in action.items()})
        for action in line.actions()
    ]


def settled(generated: GeneratedClient, client: Any, session: Any) -> Any:
    """Return the state once no payment is due."""

    def settled_state() -> Any:
        state = generated("getSession").sync(session, client=client)
        is_settled = all(payment.status.value != "due" for payment in state.payments)
        return state if is_settled else None

    return wait_until(settled_state)


def test_a_generated_client_has_every_operation_and_plays_an_evening(
    generated: GeneratedClient, server_url: str
) -> None:
    models = generated.models
    new = models.NewSession(
        game=models.GameKey.POLSKT_PASS,
        players=[models.NewPlayer(name=name) for name in FOUR_NAMES],
        options=models.NewSessionOptions.from_dict({"stake": 10}),
    )
    with generated.package.Client(base_url=server_url) as stranger:
        opened = generated("openSession").sync(client=stranger, body=new, idempotency_key=new_key())
        unknown = generated("getSession").sync(opened.id, client=stranger)
        assert (unknown.status, unknown.code) == (404, "unknown_session")
    with generated.package.AuthenticatedClient(server_url, opened.tokens.host) as host:
        play(generated, host, opened.id)


def play(generated: GeneratedClient, host: Any, session: Any) -> None:
    for line in lines(E1):
        batch = generated.models.Batch(actions=actions(generated, line))
        sent = {"client": host, "body": batch, "idempotency_key": new_key()}
        first = generated("recordActions").sync_detailed(session, **sent)
        assert first.status_code == 201, first.content
        assert first.headers["ETag"] == f'"{first.parsed.session.version}"'
        state = settled(generated, host, session)
        assert list(state.balances.to_dict().values()) == line.balances
        assert state.pot == line.pot
        assert [(bet.by[0], bet.amount) for bet in state.bets] == line.bets
        assert generated("recordActions").sync_detailed(session, **sent).content == first.content

    event, *_ = generated("listEvents").sync(session, client=host, after=1).events
    assert (event.type_, event.by) == ("deal_opened", "host.0")
    plan = generated("getSettlement").sync(session, client=host)
    assert sum(transfer.amount for transfer in plan.transfers) == 150
    assert generated("auditSession").sync(session, client=host).clean

    undo = generated.models.Batch(actions=[generated.models.Undo(type_="undo")])
    stale = generated("recordActions").sync(
        session, client=host, body=undo, idempotency_key=new_key(), if_match='"1"'
    )
    assert (stale.status, stale.code, stale["actual"]) == (412, "stale_version", state.version)
