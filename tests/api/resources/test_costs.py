"""Shared costs over HTTP: recorded, corrected, voided, explained, settled, in every statement."""

from uuid import UUID

import psycopg
import pytest

from api.i18n.catalog import LANGUAGES
from ledger.audit.run import audit_session
from ledger.store.database_snapshot import database_snapshot
from tests.support.api import hledger_reader
from tests.support.api.session_client import create_session
from tests.support.api.statement_text import statement_text
from tests.support.player_names import FOUR_PLAYERS
from tests.support.proofs.verifier import verify

PIZZA = {"payer": "p4", "amount": 43_000, "purpose": "Pizza till Cilla"}
WORDS = {
    "sv": "Utgift 1: Disa betalade 430 kr; Ada står för 1 av 4 delar, 107,50 kr (§10.2)",
    "da": "Udgift 1: Disa betalte 430 kr.; Ada bærer 1 af 4 dele, 107,50 kr. (§10.2)",
    "en": "Cost 1: Disa paid 430 kr; Ada bears 1 of 4 parts, 107,50 kr (§10.2)",
    "de": "Ausgabe 1: Disa hat 430 kr bezahlt; Ada trägt 1 von 4 Teilen, 107,50 kr (§10.2)",
}
FORMATS = ("json", "csv", "html", "xlsx", "pdf", "hledger")


def record(session, **more):
    answer = session.write("/costs", {**PIZZA, **more})
    assert answer.status_code == 201, answer.json
    return answer


def correct(session, cost, **more):
    body = {**PIZZA, **more}
    return session.write(f"/costs/{cost}", body, method="PUT", match=f'"{session.version}"')


def void(session, cost):
    return session.write(f"/costs/{cost}", method="DELETE", match=f'"{session.version}"')


def list_costs(session, query=""):
    return session.get(f"/costs{query}").json["costs"]


def balances(session):
    return list(session.state["balances"].values())


def code(answer):
    return answer.status_code, answer.json["code"]


def test_a_cost_is_in_the_balances_and_in_no_result(session):
    state = record(session).json["session"]
    assert state["balances"] == {"p1": -10_750, "p2": -10_750, "p3": -10_750, "p4": 32_250}
    assert set(state["results"].values()) == {0}
    (cost,) = state["costs"]
    assert (cost["number"], cost["status"], len(cost["shares"])) == (1, "recorded", 4)
    assert "Pizza" not in str(state), "what it was for could name somebody"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_share_is_explained_by_its_rule(session, language):
    record(session)
    (cost,) = list_costs(session, f"?lang={language}")
    assert cost["purpose"] == PIZZA["purpose"]
    assert cost["postings"][0]["why"].replace("\xa0", " ") == WORDS[language]
    assert session.get(f"/costs/1?lang={language}").json == cost


def test_parts_say_who_bears_how_much(session):
    record(session, amount=100, parts={"p1": 2, "p2": 1, "p3": 0}, purpose=None)
    (cost,) = list_costs(session)
    assert cost["shares"] == [
        {"player": "p1", "parts": 2, "amount": 67},
        {"player": "p2", "parts": 1, "amount": 33},
    ]
    assert balances(session) == [-67, -33, 0, 100]


def test_the_settlement_pays_the_costs_with_the_play(session):
    record(session)
    plan = session.get("/settlement").json["transfers"]
    assert [(t["from"], t["to"], t["amount"]) for t in plan] == [
        ("p1", "p4", 10_750),
        ("p2", "p4", 10_750),
        ("p3", "p4", 10_750),
    ]


def test_a_correction_and_a_void_leave_no_trace_in_the_statement(session):
    record(session)
    assert correct(session, 1, amount=40_000, purpose="Pizza").status_code == 200
    record(session, amount=700)
    assert void(session, 2).status_code == 200
    lines = session.get("/statement?lang=en").json["lines"]
    assert [(line["kind"], line["amount"]) for line in lines] == [("cost_recorded", 10_000)] * 3
    statuses = [(cost["status"], len(cost["postings"])) for cost in list_costs(session)]
    assert statuses == [("recorded", 3), ("voided", 0)]
    types = [event["type"] for event in session.get("/events").json["events"]]
    assert types[1:] == [
        *("cost_recorded", "cost_voided", "cost_recorded"),
        *("cost_recorded", "cost_voided"),
    ]


def test_a_voided_cost_can_be_recorded_again(session):
    record(session)
    void(session, 1)
    assert code(void(session, 1)) == (409, "cost_does_not_count")
    assert correct(session, 1, amount=400).status_code == 200
    assert balances(session) == [-100, -100, -100, 300]


def test_a_cost_needs_no_version_but_a_correction_does(session):
    stale = session.write("/costs", PIZZA, match='"9"')
    assert code(stale) == (412, "stale_version")
    record(session)
    assert code(session.write("/costs/1", PIZZA, method="PUT")) == (428, "version_required")
    assert code(session.write("/costs/1", method="DELETE")) == (428, "version_required")


def test_the_same_key_records_one_cost(session):
    first = session.write("/costs", PIZZA, key="a pizza, once")
    again = session.write("/costs", PIZZA, key="a pizza, once")
    assert again.headers["Idempotency-Replayed"] == "true"
    assert again.data == first.data
    assert len(list_costs(session)) == 1


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"payer": "p9"}, (409, "no_such_player")),
        ({"parts": {"p9": 1}}, (409, "no_such_player")),
        ({"parts": {"p4": 1}}, (409, "cost_not_shared")),
        ({"parts": {}}, (409, "cost_not_shared")),
        ({"payer": "Disa"}, (422, "wrong_shape")),
        ({"amount": 0}, (422, "wrong_shape")),
        ({"amount": 12.5}, (422, "wrong_shape")),
        ({"amount": 10**12 + 1}, (422, "wrong_shape")),
        ({"parts": {"p1": -1}}, (422, "wrong_shape")),
        ({"parts": {"p1": 100}}, (422, "wrong_shape")),
        ({"parts": ["p1"]}, (422, "wrong_shape")),
        ({"purpose": ""}, (422, "wrong_shape")),
        ({"purpose": "x" * 61}, (422, "wrong_shape")),
        ({"purpose": "a\u202eb"}, (422, "wrong_shape")),
        ({"why": "hunger"}, (422, "wrong_shape")),
    ],
)
def test_a_cost_that_cannot_be_is_refused(session, change, expected):
    assert code(session.write("/costs", {**PIZZA, **change})) == expected
    assert session.version == 1


def test_an_unknown_cost_is_not_found(session):
    assert code(session.get("/costs/1")) == (404, "unknown_cost")
    assert code(correct(session, 1)) == (404, "unknown_cost")
    assert code(void(session, 1)) == (404, "unknown_cost")


def test_a_viewer_reads_costs_and_records_none(session):
    assert code(session.write("/costs", PIZZA, role="viewer")) == (403, "role_too_low")
    record(session)
    assert session.get("/costs", role="viewer").status_code == 200


def test_a_closed_session_takes_no_cost(session):
    session.write("/closure", {}, match="*")
    assert code(session.write("/costs", PIZZA)) == (409, "session_closed")


def test_a_game_for_points_takes_costs_if_points_are_money(client):
    for point_value, expected in ((None, (409, "played_for_points")), (50, (201, None))):
        options = {"point_value": point_value}
        body = {"game": "spader", "players": FOUR_PLAYERS, "options": options, "currency": "EUR"}
        answer = create_session(client, body).write("/costs", PIZZA)
        assert (answer.status_code, answer.json.get("code")) == expected


def test_the_list_is_read_in_pages(session):
    for amount in (100, 200, 300):
        record(session, amount=amount)
    first = session.get("/costs?limit=2").json
    rest = session.get(f"/costs?after={first['next']}").json
    amounts = [cost["amount"] for page in (first, rest) for cost in page["costs"]]
    assert (amounts, rest["next"]) == ([100, 200, 300], None)


def test_costs_are_shown_as_they_stood_at_a_version(session):
    record(session)
    void(session, 1)
    assert list_costs(session, "?at=2")[0]["status"] == "recorded"
    assert list_costs(session, "?at=1") == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("form", FORMATS)
def test_costs_are_in_every_form_of_the_statement(session, form, language):
    record(session, amount=43_001, parts={"p1": 1, "p2": 1, "p3": 2, "p4": 1})
    answer = session.get(f"/statement?format={form}&lang={language}")
    assert answer.status_code == 200, answer.text
    assert PIZZA["purpose"].replace(" ", "") in statement_text(answer)
    if form == "hledger":
        assert hledger_reader.parse_journal(answer.text), "read strictly, with its closing balances"
    if form == "json":
        assert all("(§10.2)" in line["why"] for line in answer.json["lines"])
        assert verify.verify_document(answer.data)[0] == 0


def test_the_curve_of_a_statement_leaves_costs_out(session):
    session.act({"type": "open_deal"}, {"type": "declare", "players": ["p2"]})
    record(session)
    session.act({"type": "trick", "winner": "p2"}, {"type": "trick", "winner": "p2"})
    page = session.get("/statement?format=html&lang=en&player=p4").text
    assert "322,50" in page
    chart = page.partition("<svg")[2].partition("</svg>")[0]
    assert "<path" in chart
    assert "322" not in chart


def test_an_export_with_costs_is_verified_and_audited(own_app, urls):
    session = create_session(
        own_app.test_client(), {"game": "polskt_pass", "players": FOUR_PLAYERS}
    )
    record(session)
    correct(session, 1, amount=500)
    record(session, amount=1)
    void(session, 2)
    assert verify.verify_document(session.get("/export?names=true").data)[0] == 0
    with psycopg.connect(urls.audit) as db, database_snapshot(db):
        assert audit_session(db, UUID(session.id)) == []


@pytest.mark.parametrize(
    ("statement", "finding"),
    [
        (
            "UPDATE vola.events SET data = replace(data, '10750', '10751')"
            " WHERE session_id = %s AND type = 'cost_recorded'",
            "hash_wrong",
        ),
        (
            "UPDATE projections.journal SET amount = amount + 1"
            " WHERE session_id = %s AND kind = 'cost_recorded' AND line = 1",
            "sum_wrong",
        ),
    ],
)
def test_the_audit_finds_a_cost_that_was_changed(own_app, urls, statement, finding):
    session = create_session(
        own_app.test_client(), {"game": "polskt_pass", "players": FOUR_PLAYERS}
    )
    record(session)
    with psycopg.connect(urls.super) as db:
        db.execute("SET session_replication_role = replica")
        assert db.execute(statement, [session.id]).rowcount == 1
    with psycopg.connect(urls.audit) as db, database_snapshot(db):
        codes = {found.code for found in audit_session(db, UUID(session.id))}
    assert finding in codes


def test_an_erased_name_is_gone_from_what_a_cost_was_for(session):
    record(session)
    assert session.write("/players/p3/name", method="DELETE").status_code == 200
    assert list_costs(session)[0]["purpose"] == "Pizza till Spelare 3"
