"""Who has just been let in is not asked for again before he records; whoever may no longer record
does not, and hears no more than a stranger."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from api.app import create_app
from api.limits import Limits
from ledger import database
from ledger.cards import BELIEVED_NS, Cards
from tests.api.conftest import Table
from tests.conftest import Urls, app_over

OPEN, PASS = {"type": "open_deal"}, {"type": "all_pass"}
NONSENSE = {"type": "sing"}


@pytest.fixture
def apps(urls: Urls) -> Iterator[tuple[Any, Any]]:
    """Two processes, as it were, of one book."""
    with app_over(urls) as one, app_over(urls) as other:
        yield one, other


@pytest.fixture
def tables(apps: tuple[Any, Any]) -> tuple[Table, Table]:
    """The same evening at both; at the first somebody has recorded."""
    one, other = (app.test_client() for app in apps)
    body = {"game": "polskt_pass", "players": [{"name": name} for name in ("Ada", "Bo", "Cilla")]}
    made = one.post("/v1/sessions", json=body, headers={"Idempotency-Key": "open"}).json
    here = Table(one, made["id"], made["tokens"], role="scorer")
    assert record(here, OPEN, PASS).status_code == 201
    return here, Table(other, made["id"], dict(made["tokens"]))


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Every card that was read."""
    seen, card = list[Any](), Cards.card

    def counted(self: Cards, *asked: Any) -> Any:
        seen.append(asked)
        return card(self, *asked)

    monkeypatch.setattr(Cards, "card", counted)
    return seen


def record(table: Table, *actions: Any, **more: Any) -> Any:
    """Without looking at the evening before."""
    return table.write("/actions", {"actions": list(actions)}, match="*", **more)


def ends(table: Table, role: str) -> None:
    assert table.write(f"/links/{role}", method="DELETE").status_code == 200


def test_who_records_on_is_not_asked_for(tables: Any, looked: list[Any]) -> None:
    here, _ = tables
    assert record(here, OPEN).status_code == 201
    assert record(here, PASS).status_code == 201
    assert looked == []


def test_for_a_short_while(tables: Any, looked: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    here, _ = tables
    now = [0]
    monkeypatch.setattr("ledger.cards.time.monotonic_ns", lambda: now[0])
    here.get()
    now[0] += BELIEVED_NS
    looked.clear()
    assert record(here, OPEN).status_code == 201
    assert len(looked) == 1


@pytest.mark.parametrize("action", [OPEN, PASS, NONSENSE], ids=["allowed", "refused", "no action"])
def test_a_link_that_was_ended_elsewhere_records_nothing_and_hears_nothing(
    tables: Any, action: Any
) -> None:
    """Whatever it asks for: by what it hears it could learn how the evening stands."""
    here, elsewhere = tables
    ends(elsewhere, "scorer")
    refused = record(here, action)
    stranger = here.client.post(
        f"/v1/sessions/{'0' * 8}-0000-4000-8000-{'0' * 12}/actions",
        json={"actions": [action]},
        headers={"Idempotency-Key": "k", "Authorization": f"Bearer {here.tokens['scorer']}"},
    )
    assert refused.status_code == stranger.status_code == 404
    for told in ("code", "detail", "title"):
        assert refused.json[told] == stranger.json[told]
    assert elsewhere.state["version"] == 4


def test_nor_is_it_a_regular_any_more(tables: Any, urls: Urls) -> None:
    """What it tries from then on is a stranger's try."""
    _, elsewhere = tables
    limits, pool = Limits(), database.pool(urls.app, size=2)
    here = Table(create_app(pool, limits=limits).test_client(), elsewhere.id, elsewhere.tokens)
    assert record(here, OPEN, role="scorer").status_code == 201
    assert len(limits.regulars) == 1
    ends(elsewhere, "scorer")
    assert record(here, PASS, role="scorer").status_code == 404
    assert len(limits.regulars) == 0
    pool.close()


def test_an_ended_link_that_may_only_look_is_no_link(tables: Any) -> None:
    here, elsewhere = tables
    ends(elsewhere, "viewer")
    refused = record(here, OPEN, role="viewer")
    assert (refused.status_code, refused.json["code"]) == (404, "unknown_session")


def test_who_may_only_look_is_told_so(tables: Any) -> None:
    here, _ = tables
    refused = record(here, OPEN, role="viewer")
    assert (refused.status_code, refused.json["code"]) == (403, "role_too_low")


def test_a_new_link_is_good_at_once(tables: Any) -> None:
    here, elsewhere = tables
    links = elsewhere.write("/links/scorer", method="DELETE").json["links"]
    new = next(link["path"] for link in links if link["role"] == "scorer").rpartition("/")[2]
    here.tokens["scorer"] = new
    assert record(here, OPEN).status_code == 201


def test_what_an_answer_calls_people_is_what_they_are_called_now(tables: Any) -> None:
    here, elsewhere = tables
    assert elsewhere.write("/players/p2/name", method="DELETE").status_code == 200
    answered = record(here, OPEN)
    assert answered.status_code == 201
    assert "Bo" not in answered.text


def test_what_has_been_played_elsewhere_since_counts(tables: Any) -> None:
    here, elsewhere = tables
    assert record(elsewhere, OPEN).status_code == 201
    assert record(here, PASS).status_code == 201
    refused = record(here, PASS)
    assert (refused.status_code, refused.json["code"]) == (409, "no_open_deal")


def test_a_phone_is_asked_for_each_time(tables: Any, looked: list[Any]) -> None:
    """Its link says nothing of what it may."""
    here, elsewhere = tables
    made = elsewhere.write("/phones", {"label": "Bos"}).json
    here.tokens["phone"] = made["token"]
    looked.clear()
    assert record(here, OPEN, role="phone").status_code == 201
    assert len(looked) == 1
