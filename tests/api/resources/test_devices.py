"""Each device has a token of its own: events name the device, and one can be revoked alone."""

from __future__ import annotations

from typing import Any

import pytest

from ledger.access import devices as phones
from ledger.access import pins
from ledger.store import metadata_write as beside
from ledger.store.snapshot_cache import SnapshotCache
from tests.support.api.session_client import SessionClient, add_device

DEAL = [
    {"type": "open_deal"},
    {"type": "declare", "players": ["p2"]},
    {"type": "result", "winner": "p2"},
]


def test_an_event_names_the_device_that_wrote_it(session: SessionClient) -> None:
    device = add_device(session, "Bos telefon", role="scorer", player="p2")
    session.act(*DEAL, role="Bos telefon")
    authors = {e["by"] for e in session.get("/events").json["events"][1:]}
    assert authors == {device["id"]}
    listed = session.get("/phones", role="viewer").json["phones"]
    assert [(p["id"], p["label"], p["player"]) for p in listed] == [
        (device["id"], "Bos telefon", "p2")
    ]
    assert session.get("/audit").json["findings"] == []


def test_a_revoked_device_is_refused_at_once_and_its_events_stay(
    session: SessionClient,
) -> None:
    add_device(session, "one", role="scorer")
    add_device(session, "two", role="scorer")
    session.act(*DEAL, role="one")
    revoked = session.write("/phones/phone1", method="DELETE").json
    assert revoked["ended_at"] is not None
    assert session.act({"type": "undo"}, role="one", match="*").status_code == 404
    assert session.get(role="one").status_code == 404
    assert session.act(*DEAL, role="two").status_code == 201
    assert session.get("/audit").json["findings"] == []


def test_a_revoked_device_gets_the_same_answer_as_an_unknown_one(
    session: SessionClient, client: Any
) -> None:
    add_device(session, "one", role="scorer")
    session.write("/phones/phone1", method="DELETE")
    revoked = session.get(role="one")
    unknown = session.client.get(
        session.path, headers={"Authorization": f"Bearer phone2.{'A' * 43}"}
    )
    assert (revoked.status_code, revoked.data) == (unknown.status_code, unknown.data)


def test_a_device_revoked_while_it_waits_for_the_lock_writes_nothing(
    session: SessionClient, app: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Access was granted before; the lock came later."""
    add_device(session, "one", role="scorer")
    store, write = app.extensions["store"], type(app.extensions["store"]).append

    def append_after_revocation(self: Any, *args: Any, **more: Any) -> Any:
        with self.pool.connection() as db:
            phones.revoke_device(db, args[0], 1)
        return write(self, *args, **more)

    monkeypatch.setattr(type(store), "append", append_after_revocation)
    before = session.version
    assert session.act(*DEAL, role="one").status_code == 404
    assert session.version == before


METADATA_WRITES: dict[str, tuple[str, str, Any]] = {
    "another phone": ("POST", "/phones", {"label": "again", "role": "host"}),
    "another link": ("DELETE", "/links/scorer", None),
    "a name": ("DELETE", "/players/p1/name", None),
    "a PIN": ("PUT", "/players/p1/pin", {"pin": "1234"}),
    "the door": ("POST", "/code", {}),
}


@pytest.mark.parametrize("case", METADATA_WRITES)
def test_a_device_revoked_meanwhile_writes_no_metadata_either(
    session: SessionClient, app: Any, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    add_device(session, "one", role="host")
    write_metadata = beside.write_metadata

    def write_after_revocation(pool: Any, session_id: Any, *rest: Any) -> Any:
        with pool.connection() as db:
            phones.revoke_device(db, session_id, 1)
        return write_metadata(pool, session_id, *rest)

    monkeypatch.setattr(beside, "write_metadata", write_after_revocation)
    method, path, body = METADATA_WRITES[case]
    assert session.write(path, body, method=method, role="one").status_code == 404
    assert [phone["id"] for phone in session.get("/phones").json["phones"]] == ["phone1"]


@pytest.mark.parametrize("role", ["host", "scorer"])
@pytest.mark.parametrize("cached", [True, False])
def test_a_link_ended_meanwhile_writes_nothing(
    session: SessionClient, app: Any, monkeypatch: pytest.MonkeyPatch, role: str, cached: bool
) -> None:
    """Whether this process has the session in its cache, or has to load it."""
    add_device(session, "still in", role="host")
    store, write = app.extensions["store"], type(app.extensions["store"]).append

    def append_after_rotation(self: Any, *args: Any, **more: Any) -> Any:
        with self.pool.connection() as db:
            phones.rotate_link(db, args[0], ("host", "scorer").index(role))
        if not cached:
            self._known = SnapshotCache()
        return write(self, *args, **more)

    monkeypatch.setattr(type(store), "append", append_after_rotation)
    before = session.get(role="still in").json["version"]
    assert session.act(*DEAL, role=role).status_code == 404
    assert session.get(role="still in").json["version"] == before


def test_a_device_gets_no_higher_role_than_its_creator(session: SessionClient) -> None:
    refused = session.write("/phones", {"label": "x", "role": "host"}, role="scorer")
    assert (refused.status_code, refused.json["code"]) == (403, "role_too_low")
    assert add_device(session, "x", by="scorer")["role"] == "scorer"
    assert session.write("/phones", {"label": "y"}, role="viewer").status_code == 403


def test_one_key_adds_one_device_with_one_token(session: SessionClient) -> None:
    first = session.write("/phones", {"label": "Ada"}, key="again")
    second = session.write("/phones", {"label": "Ada"}, key="again")
    assert first.data == second.data
    assert second.headers["Idempotency-Replayed"] == "true"
    assert len(session.get("/phones").json["phones"]) == 1


def test_a_hosts_key_gives_a_scorer_no_host_device(session: SessionClient) -> None:
    """The same body asks for something else: a missing role means that of the caller."""
    assert session.write("/phones", {"label": "Ada"}, key="phone 1").json["role"] == "host"
    refused = session.write("/phones", {"label": "Ada"}, key="phone 1", role="scorer")
    assert (refused.status_code, refused.json["code"]) == (422, "idempotency_key_reused")
    assert "token" not in refused.json


def test_the_number_of_active_devices_is_limited(
    session: SessionClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(phones, "MAX_ACTIVE_DEVICES", 2)
    add_device(session, "one")
    add_device(session, "two")
    refused = session.write("/phones", {"label": "three"})
    assert (refused.status_code, refused.json["code"]) == (409, "too_many_phones")
    session.write("/phones/phone1", method="DELETE")
    assert add_device(session, "three")["id"] == "phone3"  # a number is never used again


@pytest.mark.parametrize("device_id", ["phone9", "phone0", "p1", "phone1x", "phone99999"])
def test_an_unknown_device_is_not_found(session: SessionClient, device_id: str) -> None:
    refused = session.write(f"/phones/{device_id}", method="DELETE")
    assert (refused.status_code, refused.json["code"]) == (404, "unknown_phone")


def test_ending_the_link_of_a_role_keeps_its_devices(session: SessionClient) -> None:
    add_device(session, "inside", role="scorer")
    answer = session.write("/links/scorer", method="DELETE")
    new_link = next(link for link in answer.json["links"] if link["role"] == "scorer")
    assert session.get(role="scorer").status_code == 404
    assert session.get(role="inside").status_code == 200
    session.tokens["new"] = new_link["path"].rpartition("/")[2]
    assert session.act(*DEAL, role="new").status_code == 201
    assert session.get("/events?after=1").json["events"][0]["by"] == "scorer.1"
    assert session.get("/audit").json["findings"] == []


def test_the_host_link_cannot_end_itself(session: SessionClient) -> None:
    refused = session.write("/links/host", method="DELETE")
    assert (refused.status_code, refused.json["code"]) == (409, "own_link")
    add_device(session, "Adas telefon", role="host")
    assert session.write("/links/host", method="DELETE", role="Adas telefon").status_code == 200
    assert session.get("/links", role="host").status_code == 404
    assert session.get("/links", role="Adas telefon").status_code == 200


def test_a_cookie_with_a_device_token_acts_as_that_device(session: SessionClient) -> None:
    add_device(session, "Bo", role="scorer")
    session.client.put(
        f"{session.path}/cookie", headers={"Authorization": f"Bearer {session.tokens['Bo']}"}
    )
    session.client.post(
        f"{session.path}/actions",
        json={"actions": DEAL},
        headers={"Idempotency-Key": "by cookie", "If-Match": "*"},
    )
    assert session.get("/events?after=1").json["events"][0]["by"] == "phone1"


def test_a_device_of_a_player_with_a_pin_needs_the_pin(session: SessionClient) -> None:
    assert session.write("/players/p1/pin", {"pin": "4711"}, method="PUT").status_code == 200
    assert session.get("/phones").json["pins"] == ["p1"]
    needed = session.write("/phones", {"label": "x", "player": "p1"})
    assert (needed.status_code, needed.json["code"]) == (403, "pin_needed")
    wrong = session.write("/phones", {"label": "x", "player": "p1", "pin": "0000"})
    assert (wrong.status_code, wrong.json["code"], wrong.json["left"]) == (403, "wrong_pin", 4)
    assert add_device(session, "x", player="p1", pin="4711")["player"] == "p1"


def test_after_five_wrong_pins_even_the_right_one_is_locked_out(
    session: SessionClient,
) -> None:
    session.write("/players/p1/pin", {"pin": "4711"}, method="PUT")
    for left in (4, 3, 2, 1):
        wrong = session.write("/phones", {"label": "x", "player": "p1", "pin": "0000"})
        assert wrong.json["left"] == left
    for pin in ("0000", "4711"):
        locked = session.write("/phones", {"label": "x", "player": "p1", "pin": pin})
        assert (locked.status_code, locked.json["code"]) == (429, "pin_locked")
        assert 0 < int(locked.headers["Retry-After"]) <= pins.WAIT_SECONDS
    assert session.write("/players/p1/pin", method="DELETE").status_code == 200
    add_device(session, "x", player="p1")


def test_a_clock_set_back_does_not_prolong_the_lock(session: SessionClient, app: Any) -> None:
    session.write("/players/p1/pin", {"pin": "4711"}, method="PUT")
    for _ in range(5):
        session.write("/phones", {"label": "x", "player": "p1", "pin": "0000"})
    pool = app.extensions["store"].pool
    with pool.connection() as db:  # what the lock looks like after the clock is set back by a year
        db.execute("UPDATE vola.pins SET retry_at = retry_at + interval '1 year'")
    for _ in range(2):
        locked = session.write("/phones", {"label": "x", "player": "p1", "pin": "4711"})
        assert (locked.status_code, locked.json["code"]) == (429, "pin_locked")
        assert 0 < int(locked.headers["Retry-After"]) <= pins.WAIT_SECONDS
    with pool.connection() as db:
        left = db.execute("SELECT retry_at - clock_timestamp() < interval '15 min' FROM vola.pins"
                          " WHERE session_id = %s", [session.id]).fetchone()  # fmt: skip
    assert left == (True,)


def test_the_right_pin_resets_the_count_of_wrong_ones(session: SessionClient) -> None:
    session.write("/players/p1/pin", {"pin": "4711"}, method="PUT")
    for _ in range(3):
        for _ in range(4):
            session.write("/phones", {"label": "x", "player": "p1", "pin": "0000"})
        add_device(session, "x", player="p1", pin="4711")


def test_a_pin_is_changed_with_the_current_one_or_by_the_host(session: SessionClient) -> None:
    session.write("/players/p1/pin", {"pin": "4711"}, method="PUT", role="scorer")
    new = {"pin": "1234"}
    assert session.write("/players/p1/pin", new, method="PUT", role="scorer").status_code == 403
    with_current = {**new, "current": "4711"}
    assert (
        session.write("/players/p1/pin", with_current, method="PUT", role="scorer").status_code
        == 200
    )
    assert session.write("/players/p1/pin", {"pin": "9999"}, method="PUT").status_code == 200


def test_setting_a_pin_can_be_repeated_with_the_same_key(session: SessionClient) -> None:
    """By then the player has a PIN, which the request does not name as the current one."""
    first, second = (
        session.write("/players/p1/pin", {"pin": "4711"}, method="PUT", role="scorer", key="k")
        for _ in range(2)
    )
    assert (first.status_code, second.data) == (200, first.data)
    assert second.headers["Idempotency-Replayed"] == "true"


def test_a_pin_is_stored_only_as_a_slow_hash(session: SessionClient, app: Any) -> None:
    session.write("/players/p1/pin", {"pin": "83619274"}, method="PUT")
    add_device(session, "x", player="p1", pin="83619274")
    with app.extensions["store"].pool.connection() as db:
        rows = db.execute(
            "SELECT salt || digest FROM vola.pins WHERE session_id = %(id)s UNION ALL"
            " SELECT request || body FROM vola.stored_replies WHERE session_id = %(id)s",
            {"id": session.id},
        ).fetchall()
    assert len(rows) == 1 + 3  # opened, set, let in
    assert not any(b"83619274" in bytes(row[0]) for row in rows)


def test_an_erased_name_is_removed_from_labels(session: SessionClient) -> None:
    add_device(session, "Bos telefon", player="p2")
    add_device(session, "Disas telefon", player="p4")
    session.write("/players/p2/name", method="DELETE")
    labels = [p["label"] for p in session.get("/phones").json["phones"]]
    assert labels == ["Spelare 2s telefon", "Disas telefon"]
    added = session.write("/phones", {"label": "Bos telefon", "player": "p2"}, key="other")
    assert added.status_code == 201  # a new request may use the name again


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
def test_an_invalid_device_is_refused(session: SessionClient, body: Any) -> None:
    assert session.write("/phones", body).status_code == 422
    assert session.get("/phones").json["phones"] == []
