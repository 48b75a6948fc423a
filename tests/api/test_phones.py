"""Everybody's phone has a right of its own: one sees who wrote what, and shuts out one alone."""

from __future__ import annotations

from typing import Any

import pytest

from ledger import beside, phones, pins
from ledger.known import Known
from tests.api.conftest import Table

DEAL = [
    {"type": "open_deal"},
    {"type": "declare", "players": ["p2"]},
    {"type": "result", "winner": "p2"},
]


def let_in(table: Table, label: str, by: str | None = None, **more: Any) -> Any:
    made = table.write("/phones", {"label": label, **more}, role=by)
    assert made.status_code == 201, made.json
    table.tokens[label] = made.json["token"]
    return made.json


def test_an_event_says_which_phone_wrote_it(table: Table) -> None:
    phone = let_in(table, "Bos telefon", role="scorer", player="p2")
    table.act(*DEAL, role="Bos telefon")
    written = {e["by"] for e in table.get("/events").json["events"][1:]}
    assert written == {phone["id"]}
    listed = table.get("/phones", role="viewer").json["phones"]
    assert [(p["id"], p["label"], p["player"]) for p in listed] == [
        (phone["id"], "Bos telefon", "p2")
    ]
    assert table.get("/audit").json["findings"] == []


def test_a_phone_that_is_shut_out_is_out_at_once_and_what_it_wrote_stands(table: Table) -> None:
    let_in(table, "one", role="scorer")
    let_in(table, "two", role="scorer")
    table.act(*DEAL, role="one")
    gone = table.write("/phones/phone1", method="DELETE").json
    assert gone["ended_at"] is not None
    assert table.act({"type": "undo"}, role="one", match="*").status_code == 404
    assert table.get(role="one").status_code == 404
    assert table.act(*DEAL, role="two").status_code == 201
    assert table.get("/audit").json["findings"] == []


def test_it_looks_from_outside_as_if_it_had_never_been_let_in(table: Table, client: Any) -> None:
    let_in(table, "one", role="scorer")
    table.write("/phones/phone1", method="DELETE")
    shut_out = table.get(role="one")
    never = table.client.get(table.here, headers={"Authorization": f"Bearer phone2.{'A' * 43}"})
    assert (shut_out.status_code, shut_out.data) == (never.status_code, never.data)


def test_who_was_shut_out_while_he_waited_for_the_evening_writes_nothing(
    table: Table, app: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Access was given before, the evening's lock came after."""
    let_in(table, "one", role="scorer")
    store, write = app.extensions["store"], type(app.extensions["store"]).write

    def late(self: Any, *args: Any, **more: Any) -> Any:
        with self.pool.connection() as db:
            phones.shut_out(db, args[0], 1)
        return write(self, *args, **more)

    monkeypatch.setattr(type(store), "write", late)
    before = table.version
    assert table.act(*DEAL, role="one").status_code == 404
    assert table.version == before


BESIDE: dict[str, tuple[str, str, Any]] = {
    "another phone": ("POST", "/phones", {"label": "again", "role": "host"}),
    "another link": ("DELETE", "/links/scorer", None),
    "a name": ("DELETE", "/players/p1/name", None),
    "a PIN": ("PUT", "/players/p1/pin", {"pin": "1234"}),
    "the door": ("POST", "/code", {}),
}


@pytest.mark.parametrize("what", BESIDE)
def test_nor_does_he_change_anything_beside_it(
    table: Table, app: Any, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    let_in(table, "one", role="host")
    honest = beside.write

    def late(pool: Any, session_id: Any, *more: Any) -> Any:
        with pool.connection() as db:
            phones.shut_out(db, session_id, 1)
        return honest(pool, session_id, *more)

    monkeypatch.setattr(beside, "write", late)
    method, path, body = BESIDE[what]
    assert table.write(path, body, method=method, role="one").status_code == 404
    assert [phone["id"] for phone in table.get("/phones").json["phones"]] == ["phone1"]


@pytest.mark.parametrize("role", ["host", "scorer"])
@pytest.mark.parametrize("remembers", [True, False])
def test_a_link_that_was_ended_meanwhile_writes_nothing_either(
    table: Table, app: Any, monkeypatch: pytest.MonkeyPatch, role: str, remembers: bool
) -> None:
    """Whether this process remembers the evening, or has to take it."""
    let_in(table, "still in", role="host")
    store, write = app.extensions["store"], type(app.extensions["store"]).write

    def late(self: Any, *args: Any, **more: Any) -> Any:
        with self.pool.connection() as db:
            phones.rotate(db, args[0], ("host", "scorer").index(role))
        if not remembers:
            self._known = Known()
        return write(self, *args, **more)

    monkeypatch.setattr(type(store), "write", late)
    before = table.get(role="still in").json["version"]
    assert table.act(*DEAL, role=role).status_code == 404
    assert table.get(role="still in").json["version"] == before


def test_a_phone_may_be_given_no_more_than_one_has_oneself(table: Table) -> None:
    refused = table.write("/phones", {"label": "x", "role": "host"}, role="scorer")
    assert (refused.status_code, refused.json["code"]) == (403, "role_too_low")
    assert let_in(table, "x", by="scorer")["role"] == "scorer"
    assert table.write("/phones", {"label": "y"}, role="viewer").status_code == 403


def test_the_same_request_lets_in_one_phone_with_one_token(table: Table) -> None:
    first = table.write("/phones", {"label": "Ada"}, key="again")
    second = table.write("/phones", {"label": "Ada"}, key="again")
    assert first.data == second.data
    assert second.headers["Idempotency-Replayed"] == "true"
    assert len(table.get("/phones").json["phones"]) == 1


def test_a_host_s_key_gives_a_scorer_no_host_s_phone(table: Table) -> None:
    """The same words ask for something else: a role that is left out is the asker's own."""
    assert table.write("/phones", {"label": "Ada"}, key="phone 1").json["role"] == "host"
    refused = table.write("/phones", {"label": "Ada"}, key="phone 1", role="scorer")
    assert (refused.status_code, refused.json["code"]) == (422, "idempotency_key_reused")
    assert "token" not in refused.json


def test_a_hundred_phones_are_enough(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(phones, "MOST_PHONES", 2)
    let_in(table, "one")
    let_in(table, "two")
    refused = table.write("/phones", {"label": "three"})
    assert (refused.status_code, refused.json["code"]) == (409, "too_many_phones")
    table.write("/phones/phone1", method="DELETE")
    assert let_in(table, "three")["id"] == "phone3"  # a number is never used again


@pytest.mark.parametrize("phone", ["phone9", "phone0", "p1", "phone1x", "phone99999"])
def test_an_unknown_phone_is_not_there(table: Table, phone: str) -> None:
    refused = table.write(f"/phones/{phone}", method="DELETE")
    assert (refused.status_code, refused.json["code"]) == (404, "unknown_phone")


def test_the_link_of_a_role_ends_and_phones_stay(table: Table) -> None:
    let_in(table, "inside", role="scorer")
    made = table.write("/links/scorer", method="DELETE")
    new = next(link for link in made.json["links"] if link["role"] == "scorer")
    assert table.get(role="scorer").status_code == 404
    assert table.get(role="inside").status_code == 200
    table.tokens["new"] = new["path"].rpartition("/")[2]
    assert table.act(*DEAL, role="new").status_code == 201
    assert table.get("/events?after=1").json["events"][0]["by"] == "scorer.1"
    assert table.get("/audit").json["findings"] == []


def test_the_host_does_not_lock_himself_out(table: Table) -> None:
    refused = table.write("/links/host", method="DELETE")
    assert (refused.status_code, refused.json["code"]) == (409, "own_link")
    let_in(table, "Adas telefon", role="host")
    assert table.write("/links/host", method="DELETE", role="Adas telefon").status_code == 200
    assert table.get("/links", role="host").status_code == 404
    assert table.get("/links", role="Adas telefon").status_code == 200


def test_a_cookie_of_a_phone_is_that_phone(table: Table) -> None:
    let_in(table, "Bo", role="scorer")
    table.client.put(
        f"{table.here}/cookie", headers={"Authorization": f"Bearer {table.tokens['Bo']}"}
    )
    table.client.post(
        f"{table.here}/actions",
        json={"actions": DEAL},
        headers={"Idempotency-Key": "by cookie", "If-Match": "*"},
    )
    assert table.get("/events?after=1").json["events"][0]["by"] == "phone1"


def test_only_who_knows_the_pin_says_that_a_phone_is_adas(table: Table) -> None:
    assert table.write("/players/p1/pin", {"pin": "4711"}, method="PUT").status_code == 200
    assert table.get("/phones").json["pins"] == ["p1"]
    needed = table.write("/phones", {"label": "x", "player": "p1"})
    assert (needed.status_code, needed.json["code"]) == (403, "pin_needed")
    wrong = table.write("/phones", {"label": "x", "player": "p1", "pin": "0000"})
    assert (wrong.status_code, wrong.json["code"], wrong.json["left"]) == (403, "wrong_pin", 4)
    assert let_in(table, "x", player="p1", pin="4711")["player"] == "p1"


def test_after_five_misses_nobody_tries_for_a_while_not_even_with_the_right_one(
    table: Table,
) -> None:
    table.write("/players/p1/pin", {"pin": "4711"}, method="PUT")
    for left in (4, 3, 2, 1):
        wrong = table.write("/phones", {"label": "x", "player": "p1", "pin": "0000"})
        assert wrong.json["left"] == left
    for pin in ("0000", "4711"):
        locked = table.write("/phones", {"label": "x", "player": "p1", "pin": pin})
        assert (locked.status_code, locked.json["code"]) == (429, "pin_locked")
        assert 0 < int(locked.headers["Retry-After"]) <= pins.WAIT_SECONDS
    assert table.write("/players/p1/pin", method="DELETE").status_code == 200
    let_in(table, "x", player="p1")


def test_a_miss_is_forgiven_when_the_right_one_comes(table: Table) -> None:
    table.write("/players/p1/pin", {"pin": "4711"}, method="PUT")
    for _ in range(3):
        for _ in range(4):
            table.write("/phones", {"label": "x", "player": "p1", "pin": "0000"})
        let_in(table, "x", player="p1", pin="4711")


def test_a_pin_is_changed_by_who_knows_it_or_by_the_host(table: Table) -> None:
    table.write("/players/p1/pin", {"pin": "4711"}, method="PUT", role="scorer")
    new = {"pin": "1234"}
    assert table.write("/players/p1/pin", new, method="PUT", role="scorer").status_code == 403
    known = {**new, "current": "4711"}
    assert table.write("/players/p1/pin", known, method="PUT", role="scorer").status_code == 200
    assert table.write("/players/p1/pin", {"pin": "9999"}, method="PUT").status_code == 200


def test_who_has_set_a_pin_and_not_heard_so_may_ask_again(table: Table) -> None:
    """By then the player has one, and it is not what was said to be the one before."""
    first, second = (
        table.write("/players/p1/pin", {"pin": "4711"}, method="PUT", role="scorer", key="k")
        for _ in range(2)
    )
    assert (first.status_code, second.data) == (200, first.data)
    assert second.headers["Idempotency-Replayed"] == "true"


def test_a_pin_is_kept_only_stretched(table: Table, app: Any) -> None:
    table.write("/players/p1/pin", {"pin": "83619274"}, method="PUT")
    let_in(table, "x", player="p1", pin="83619274")
    with app.extensions["store"].pool.connection() as db:
        kept = db.execute(
            "SELECT salt || digest FROM vola.pins WHERE session_id = %(id)s UNION ALL"
            " SELECT request || body FROM vola.replies WHERE session_id = %(id)s",
            {"id": table.id},
        ).fetchall()
    assert len(kept) == 1 + 3  # opened, set, let in
    assert not any(b"83619274" in bytes(row[0]) for row in kept)


def test_an_erased_name_is_gone_from_labels(table: Table) -> None:
    let_in(table, "Bos telefon", player="p2")
    let_in(table, "Disas telefon", player="p4")
    table.write("/players/p2/name", method="DELETE")
    labels = [p["label"] for p in table.get("/phones").json["phones"]]
    assert labels == ["Spelare 2s telefon", "Disas telefon"]
    again = table.write("/phones", {"label": "Bos telefon", "player": "p2"}, key="other")
    assert again.status_code == 201  # whoever writes it anew has written it anew


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"label": ""},
        {"label": "x", "role": "owner"},
        {"label": "x", "role": None},
        {"label": "x", "player": "p9"},
        {"label": "x", "pin": "4711"},
        {"label": "x", "player": "p1", "pin": "471"},
        {"label": "x", "player": "p1", "pin": 4711},
        {"label": "x", "player": "p1", "pin": "４７１１"},
        {"label": "x\u202e"},
        {"label": "x", "extra": 1},
    ],
)
def test_what_is_not_a_phone_is_refused(table: Table, body: Any) -> None:
    assert table.write("/phones", body).status_code == 422
    assert table.get("/phones").json["phones"] == []
