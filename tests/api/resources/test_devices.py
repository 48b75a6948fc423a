"""Each device has a token of its own: events name the device, and one can be revoked alone."""

from __future__ import annotations

from typing import Any

import pytest

from ledger.access import devices
from ledger.access.session_metadata import rotate_link
from ledger.store import metadata_write
from ledger.store.read_stream import SnapshotCache
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
    listed = session.get("/devices", role="viewer").json["devices"]
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
    revoked = session.write("/devices/phone1", method="DELETE").json
    assert revoked["ended_at"] is not None
    assert session.act({"type": "undo"}, role="one", match="*").status_code == 404
    assert session.get(role="one").status_code == 404
    assert session.act(*DEAL, role="two").status_code == 201
    assert session.get("/audit").json["findings"] == []


def test_a_revoked_device_gets_the_same_answer_as_an_unknown_one(
    session: SessionClient, client: Any
) -> None:
    add_device(session, "one", role="scorer")
    session.write("/devices/phone1", method="DELETE")
    revoked = session.get(role="one")
    unknown = session.client.get(
        session.path, headers={"Authorization": f"Bearer phone2.{'A' * 43}"}
    )
    assert (revoked.status_code, revoked.data) == (unknown.status_code, unknown.data)


def test_a_device_revoked_while_it_waits_for_the_lock_writes_nothing(
    session: SessionClient, app: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Access was granted before the revocation, and the lock after it."""
    add_device(session, "one", role="scorer")
    store, write = app.extensions["store"], type(app.extensions["store"]).append

    def append_after_revocation(self: Any, *args: Any, **more: Any) -> Any:
        with self.pool.connection() as db:
            devices.revoke_device(db, args[0], 1)
        return write(self, *args, **more)

    monkeypatch.setattr(type(store), "append", append_after_revocation)
    before = session.version
    assert session.act(*DEAL, role="one").status_code == 404
    assert session.version == before


METADATA_WRITES: dict[str, tuple[str, str, Any]] = {
    "another phone": ("POST", "/devices", {"label": "again", "role": "host"}),
    "another link": ("POST", "/links/scorer/rotation", {}),
    "a name": ("DELETE", "/players/p1/name", None),
    "the door": ("POST", "/join-code", {}),
}


@pytest.mark.parametrize("case", METADATA_WRITES)
def test_a_device_revoked_meanwhile_writes_no_metadata_either(
    session: SessionClient, app: Any, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    add_device(session, "one", role="host")
    write_metadata = metadata_write.write_metadata

    def write_after_revocation(pool: Any, session_id: Any, *rest: Any) -> Any:
        with pool.connection() as db:
            devices.revoke_device(db, session_id, 1)
        return write_metadata(pool, session_id, *rest)

    monkeypatch.setattr(metadata_write, "write_metadata", write_after_revocation)
    method, path, body = METADATA_WRITES[case]
    assert session.write(path, body, method=method, role="one").status_code == 404
    assert [phone["id"] for phone in session.get("/devices").json["devices"]] == ["phone1"]


@pytest.mark.parametrize("role", ["host", "scorer"])
@pytest.mark.parametrize("cached", [True, False])
def test_a_link_ended_meanwhile_writes_nothing(
    session: SessionClient, app: Any, monkeypatch: pytest.MonkeyPatch, role: str, cached: bool
) -> None:
    """This holds whether this process has the session in its cache or has to load it."""
    add_device(session, "still in", role="host")
    store, write = app.extensions["store"], type(app.extensions["store"]).append

    def append_after_rotation(self: Any, *args: Any, **more: Any) -> Any:
        with self.pool.connection() as db:
            rotate_link(db, args[0], ("host", "scorer").index(role))
        if not cached:
            self._snapshots = SnapshotCache()
        return write(self, *args, **more)

    monkeypatch.setattr(type(store), "append", append_after_rotation)
    before = session.get(role="still in").json["version"]
    assert session.act(*DEAL, role=role).status_code == 404
    assert session.get(role="still in").json["version"] == before


def test_a_device_gets_no_higher_role_than_its_creator(session: SessionClient) -> None:
    refused = session.write("/devices", {"label": "x", "role": "host"}, role="scorer")
    assert (refused.status_code, refused.json["code"]) == (403, "role_too_low")
    assert add_device(session, "x", by="scorer")["role"] == "scorer"
    assert session.write("/devices", {"label": "y"}, role="viewer").status_code == 403


def test_one_key_adds_one_device_with_one_token(session: SessionClient) -> None:
    first = session.write("/devices", {"label": "Ada"}, key="again")
    second = session.write("/devices", {"label": "Ada"}, key="again")
    assert first.data == second.data
    assert second.headers["Idempotency-Replayed"] == "true"
    assert len(session.get("/devices").json["devices"]) == 1


def test_a_hosts_key_gives_a_scorer_no_host_device(session: SessionClient) -> None:
    """The same body asks for something else: a missing role means that of the caller."""
    assert session.write("/devices", {"label": "Ada"}, key="phone 1").json["role"] == "host"
    refused = session.write("/devices", {"label": "Ada"}, key="phone 1", role="scorer")
    assert (refused.status_code, refused.json["code"]) == (422, "idempotency_key_reused")
    assert "token" not in refused.json


def test_the_number_of_active_devices_is_limited(
    session: SessionClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(devices, "MAX_ACTIVE_DEVICES", 2)
    add_device(session, "one")
    add_device(session, "two")
    refused = session.write("/devices", {"label": "three"})
    assert (refused.status_code, refused.json["code"]) == (409, "too_many_devices")
    session.write("/devices/phone1", method="DELETE")
    assert add_device(session, "three")["id"] == "phone3"  # a number is never used again


@pytest.mark.parametrize("device_id", ["phone9", "phone0", "p1", "phone1x", "phone99999"])
def test_an_unknown_device_is_not_found(session: SessionClient, device_id: str) -> None:
    refused = session.write(f"/devices/{device_id}", method="DELETE")
    assert (refused.status_code, refused.json["code"]) == (404, "unknown_device")


def test_ending_the_link_of_a_role_keeps_its_devices(session: SessionClient) -> None:
    add_device(session, "inside", role="scorer")
    answer = session.write("/links/scorer/rotation", {})
    new_link = next(link for link in answer.json["links"] if link["role"] == "scorer")
    assert session.get(role="scorer").status_code == 404
    assert session.get(role="inside").status_code == 200
    session.tokens["new"] = new_link["path"].rpartition("/")[2]
    assert session.act(*DEAL, role="new").status_code == 201
    assert session.get("/events?after=1").json["events"][0]["by"] == "scorer.1"
    assert session.get("/audit").json["findings"] == []


def test_the_host_link_cannot_end_itself(session: SessionClient) -> None:
    refused = session.write("/links/host/rotation", {})
    assert (refused.status_code, refused.json["code"]) == (409, "own_link")
    add_device(session, "Adas telefon", role="host")
    assert session.write("/links/host/rotation", {}, role="Adas telefon").status_code == 201
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


def test_an_erased_name_is_removed_from_labels(session: SessionClient) -> None:
    add_device(session, "Bos telefon", player="p2")
    add_device(session, "Disas telefon", player="p4")
    session.write("/players/p2/name", method="DELETE")
    labels = [p["label"] for p in session.get("/devices").json["devices"]]
    assert labels == ["Spelare 2s telefon", "Disas telefon"]
    added = session.write("/devices", {"label": "Bos telefon", "player": "p2"}, key="other")
    assert added.status_code == 201  # a new request may use the name again


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"label": ""},
        {"label": "x", "role": "owner"},
        {"label": "x", "role": None},
        {"label": "x", "player": "p9"},
        {"label": "x", "player": "p1", "pin": "4711"},
        {"label": "x\u202e"},
        {"label": "x", "extra": 1},
    ],
)
def test_an_invalid_device_is_refused(session: SessionClient, body: Any) -> None:
    assert session.write("/devices", body).status_code == 422
    assert session.get("/devices").json["devices"] == []


def test_a_device_is_shown_until_its_access_ends(session: SessionClient) -> None:
    added = session.write("/devices", {"label": "Bos telefon"})
    path = added.headers["Location"].removeprefix(session.path)
    assert path == f"/devices/{added.json['id']}"
    shown = session.get(path).json
    assert shown == {name: value for name, value in added.json.items() if name != "token"}
    session.write(path, method="DELETE")
    assert session.get(path).json["code"] == "unknown_device"
    assert [device["id"] for device in session.get("/devices").json["devices"]] == [shown["id"]]
