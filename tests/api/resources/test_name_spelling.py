"""A misspelt name can be corrected, and hashes, audit and exported files stay valid."""

import json
from uuid import UUID

import psycopg
import pytest

from api.app import create_app
from api.schemas.export import check_export_in_time, parse_export
from ledger.audit.run import audit_session
from ledger.store import connection_pool as database
from ledger.store.database_snapshot import database_snapshot
from ledger.transfer.export_format import InvalidExport
from tests.support.api.session_client import SessionClient, create_session
from tests.support.proofs.verifier import verify

SESSION_BODY = {
    "game": "polskt_pass",
    "players": [{"name": name} for name in ("Ada", "Bo", "Cilllla", "Disa")],
    "options": {"stake": 10},
}
WRONG, RIGHT = "Cilllla", "Cilla"
DEAL = [
    {"type": "open_deal", "number": 1},
    {"type": "declare", "players": ["p3"]},
    *[{"type": "trick", "winner": "p2"}] * 5,
]


@pytest.fixture
def session(own_app):
    return create_session(own_app.test_client(), SESSION_BODY)


def correct_name(session, name=RIGHT, player="p3", **more):
    return session.write(f"/players/{player}/name", {"name": name}, method="PUT", **more)


def erase_name(session, player="p3", **more):
    return session.write(f"/players/{player}/name", method="DELETE", **more)


def audit_findings(own_app, session):
    with own_app.extensions["auditor"].connection() as db, database_snapshot(db):
        return audit_session(db, UUID(session.id))


def full_export(session, names="true"):
    answer = session.get(f"/export?names={names}")
    assert answer.status_code == 200, answer.text
    return answer.data


def player_names(session):
    return [player["name"] for player in session.state["players"]]


def test_the_corrected_name_replaces_the_misspelt_one_everywhere(session):
    session.act(*DEAL, match=None)
    answer = correct_name(session)
    assert answer.status_code == 200, answer.text
    assert answer.json == {"id": "p3", "name": RIGHT, "version": session.version}
    assert player_names(session) == ["Ada", "Bo", RIGHT, "Disa"]
    for address in ("/deals/1", "/deals", "/statement?format=html&player=p3", "/settlement"):
        assert WRONG not in session.get(address).text, address


def test_events_sums_and_receipts_stay_and_the_audit_is_clean(session, own_app):
    session.act(*DEAL, match=None)
    before = [session.get(a).data for a in ("/events", "/balances", "/receipts/1")]
    correct_name(session)
    assert [session.get(a).data for a in ("/events", "/balances", "/receipts/1")] == before
    assert audit_findings(own_app, session) == []


def test_a_correction_changes_the_answer_without_an_event(session):
    tag = session.get().headers["ETag"]
    assert session.get(**{"If-None-Match": tag}).status_code == 304
    correct_name(session)
    answer = session.get(**{"If-None-Match": tag})
    assert (answer.status_code, answer.headers["ETag"]) == (200, tag)
    assert answer.json["players"][2]["name"] == RIGHT


def test_a_replayed_answer_and_a_label_have_the_corrected_name(session):
    session.write("/devices", {"label": f"{WRONG}s telefon"})
    first = session.act(*DEAL, match=None, key="dealt")
    correct_name(session)
    replay = session.act(*DEAL, match=None, key="dealt")
    assert replay.headers["Idempotency-Replayed"] == "true"
    assert replay.text == first.text.replace(WRONG, RIGHT)
    assert session.get("/devices").json["devices"][0]["label"] == f"{RIGHT}s telefon"


def test_who_corrected_a_name_and_when_is_recorded(session, urls):
    correct_name(session)
    correct_name(session, "Cilla B")
    with psycopg.connect(urls.audit) as db:
        rows = db.execute("SELECT number, name, replaced_by FROM vola.spellings ORDER BY number")
        assert rows.fetchall() == [(1, WRONG, "host.0"), (2, RIGHT, "host.0")]


def test_spellings_stay_in_order_when_the_clock_was_ahead(session, own_app, urls):
    correct_name(session)
    with psycopg.connect(urls.super) as db:
        db.execute("UPDATE vola.spellings SET replaced_at = replaced_at + 3600000000")
    correct_name(session, "Cecilia")
    assert audit_findings(own_app, session) == []


def test_all_spellings_are_erased_together(session, own_app, urls):
    correct_name(session, "Cillllla")
    session.write("/devices", {"label": "Cilllllas telefon"})
    correct_name(session)
    session.write("/devices", {"label": f"{WRONG}s padda"})
    session.write("/devices", {"label": "Cilllllas dator"})
    assert erase_name(session).status_code == 200
    assert player_names(session)[2] == "Spelare 3"
    with psycopg.connect(urls.super) as db:
        assert db.execute("SELECT count(*) FROM vola.spellings").fetchone() == (0,)
        operands = db.execute("SELECT operands::text FROM vola.stored_replies").fetchall()
        labels = [
            label
            for (label,) in db.execute("SELECT label FROM vola.devices ORDER BY device_number")
        ]
    assert labels == ["Spelare 3s telefon", "Spelare 3s padda", "Spelare 3s dator"]
    assert not [text for (text,) in operands if text and "Cill" in text]
    assert audit_findings(own_app, session) == []
    assert correct_name(session).json["code"] == "name_is_erased"


def test_a_longer_spelling_leaves_no_part_of_itself(session):
    correct_name(session, "Cilla Ek")
    correct_name(session)
    session.write("/devices", {"label": "Cilla Eks telefon"})
    erase_name(session)
    assert session.get("/devices").json["devices"][0]["label"] == "Spelare 3s telefon"


def test_an_export_with_a_corrected_name_verifies_and_lists_spellings(session):
    session.act(*DEAL, match=None)
    correct_name(session)
    file = full_export(session)
    assert verify.verify_document(file)[:2] == (0, "export")
    (entry,) = [name for name in json.loads(file)["names"] if "spellings" in name]
    assert (entry["name"], [past["name"] for past in entry["spellings"]]) == (RIGHT, [WRONG])
    assert verify.verify_document(full_export(session, "false"))[:2] == (0, "export")


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda player: player.update(name="Eva"), "labels_wrong"),
        (lambda player: player["spellings"][0].update(name="Eva"), "names_wrong"),
        (lambda player: player["spellings"][0].update(until=1), "labels_wrong"),
        (lambda player: player["spellings"][0].update(by="phone9"), "labels_wrong"),
        (lambda player: player.pop("spellings"), "names_wrong"),
        (lambda player: player["spellings"].append(player["spellings"][0]), "names_wrong"),
        (lambda player: player.update(name=None, salt=None), "names_wrong"),
    ],
)
def test_no_changed_spelling_verifies(session, change, code):
    correct_name(session)
    document = json.loads(full_export(session))
    change(document["names"][2])
    raw = json.dumps(document).encode()
    assert verify.verify_document(raw)[:2] == (1, code)
    with pytest.raises(InvalidExport) as refused:
        # as another server checks it: this one already has the session
        check_export_in_time(parse_export(document))
    assert refused.value.reason == code


def test_a_session_with_a_corrected_name_can_be_imported(session, cluster):
    from tests.support.databases import copy_database

    session.act(*DEAL, match=None)
    correct_name(session)
    pool = database.open_pool(copy_database(cluster, "vola_elsewhere").app, size=2)
    try:
        other_app = create_app(pool)
        client = other_app.test_client()
        answer = client.post(
            "/v1/imports", data=full_export(session), content_type="application/json",
            headers={"Idempotency-Key": "a secret key for this import"},
        )  # fmt: skip
        assert answer.status_code == 201, answer.text
        imported_session = SessionClient(client, answer.json["id"], answer.json["tokens"])
        assert player_names(imported_session) == ["Ada", "Bo", RIGHT, "Disa"]
        assert audit_findings(other_app, imported_session) == []
        original, imported = (
            json.loads(full_export(source))["names"] for source in (session, imported_session)
        )
        assert original == imported
    finally:
        pool.close()


def test_a_name_that_another_player_has_or_had_is_refused(session):
    correct_name(session, "Emil", "p2")
    for name in ("Ada", "ada", "Bo", "BO"):
        refused = correct_name(session, name)
        assert refused.status_code == 422, name
        assert refused.json["errors"][0]["pointer"] == "/name"
    assert correct_name(session, "Bo", "p2").status_code == 200, (
        "a former name of one's own is allowed"
    )


def test_names_of_another_session_are_free(session, own_app):
    other = create_session(own_app.test_client(), SESSION_BODY)
    names = ("Emil", RIGHT)
    assert [correct_name(other, name, "p2").status_code for name in names] == [200, 200]
    assert [correct_name(session, name).status_code for name in names] == [200, 200]


def test_nobody_joins_under_a_name_that_another_player_had(session):
    correct_name(session)
    joining = session.write("/players", {"name": WRONG.upper()}, match="*")
    assert (joining.status_code, joining.json["errors"][0]["code"]) == (422, "was_called")
    assert len(player_names(session)) == len(SESSION_BODY["players"])
    erase_name(session)
    assert session.write("/players", {"name": WRONG}, match="*").status_code == 201


def test_only_the_host_corrects_names_of_known_players(session):
    for role in ("scorer", "viewer"):
        assert correct_name(session, role=role).json["code"] == "role_too_low"
    assert correct_name(session, player="p9").json["code"] == "unknown_player"
    for name in ("", " ", "\u202eBo", "x" * 41, 7, None):
        assert correct_name(session, name).status_code == 422, name
    assert player_names(session)[2] == WRONG


def test_a_correction_to_the_same_name_changes_nothing(session, urls):
    assert correct_name(session, WRONG).status_code == 200
    with psycopg.connect(urls.audit) as db:
        assert db.execute("SELECT count(*) FROM vola.spellings").fetchone() == (0,)


def test_the_number_of_spellings_is_limited(session):
    correct_name(session, "Emil", "p2")
    for number in range(20):
        assert correct_name(session, f"Cilla {number}").status_code == 200
    assert correct_name(session).json["code"] == "too_many_spellings"


def test_a_name_can_be_corrected_in_a_closed_session(session):
    assert session.write("/closure", {}, match='"1"').status_code == 201
    assert correct_name(session).status_code == 200
    assert player_names(session)[2] == RIGHT


def test_a_correction_leaves_the_members_name_in_the_group(own_app):
    client = own_app.test_client()
    group = client.post(
        "/v1/groups",
        json={"name": "Torsdagar", "members": [{"name": n} for n in ("Ada", "Bo", WRONG)]},
        headers={"Idempotency-Key": "a secret key for this circle"},
    ).json
    host = {"Authorization": f"Bearer {group['tokens']['host']}"}
    answer = client.post(
        f"/v1/groups/{group['id']}/sessions",
        json={"game": "polskt_pass", "members": ["m1", "m2", "m3"]},
        headers={**host, "Idempotency-Key": "a secret key for this evening"},
    )
    assert answer.status_code == 201, answer.text
    evening = SessionClient(client, answer.json["id"], answer.json["tokens"])
    assert correct_name(evening).status_code == 200
    assert player_names(evening) == ["Ada", "Bo", RIGHT]
    members = client.get(f"/v1/groups/{group['id']}", headers=host).json["members"]
    assert [member["name"] for member in members] == ["Ada", "Bo", WRONG]
    assert audit_findings(own_app, evening) == []
