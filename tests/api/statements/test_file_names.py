"""Files have names that people recognise, valid on every system."""

import re

import pytest
from werkzeug.http import parse_options_header

from api.statements.file_names import content_disposition, file_name
from tests.support.api.group_client import create_group
from tests.support.api.hostile_names import list_hostile_names as hostile
from tests.support.api.two_sessions import play_two_sessions
from tests.support.player_names import FIVE_NAMES

FORMATS = {
    "json": ("inline", ".json"),
    "csv": ("attachment", ".csv"),
    "html": ("inline", ".html"),
    "xlsx": ("attachment", ".xlsx"),
    "pdf": ("inline", ".pdf"),
    "hledger": ("attachment", ".journal"),
}


def sent_name(answer):
    """Return the disposition, and the name under which a browser saves the file."""
    assert answer.status_code == 200, answer.text
    kind, parameters = parse_options_header(answer.headers["Content-Disposition"])
    return kind, parameters["filename"]


@pytest.fixture
def session(open_session):
    players = [{"name": name} for name in ("Åsa", "Bo", "Cilla")]
    return open_session(players=players, title="Fredag hos Bo")


@pytest.fixture
def day(session):
    return session.get("/events").json["events"][0]["at"][:10]


@pytest.mark.parametrize("form", FORMATS)
def test_a_statement_is_named_by_title_day_and_game(session, day, form):
    kind, ending = FORMATS[form]
    base = f"Fredag hos Bo - {day} - Polskt pass"
    assert sent_name(session.get(f"/statement?format={form}&tz=UTC")) == (kind, f"{base}{ending}")
    own_statement = session.get(f"/statement?format={form}&player=p1&tz=UTC")
    assert sent_name(own_statement) == (kind, f"{base} - Åsa{ending}")


def test_an_old_client_gets_the_name_in_ascii(session, day):
    answer = session.get("/statement?format=pdf&player=p1&tz=UTC")
    assert answer.headers["Content-Disposition"] == (
        f'inline; filename="Fredag hos Bo - {day} - Polskt pass - Asa.pdf"; '
        f"filename*=UTF-8''Fredag%20hos%20Bo%20-%20{day}%20-%20Polskt%20pass%20-%20%C3%85sa.pdf"
    )


def test_without_a_title_the_day_comes_first(open_session):
    session = open_session()
    day = session.get("/events").json["events"][0]["at"][:10]
    assert sent_name(session.get("/statement?format=csv&tz=UTC"))[1] == f"{day} - Polskt pass.csv"


def test_the_day_is_that_of_the_readers_time_zone(session):
    west, east = (
        sent_name(session.get(f"/statement?format=csv&tz={zone}"))[1]
        for zone in ("Etc/GMT%2B12", "Etc/GMT-14")
    )
    assert west < east


def test_an_erased_player_is_named_by_number(session):
    assert session.write("/players/p1/name", method="DELETE").status_code == 200
    for language, name in (("sv", "Spelare 1"), ("da", "Spiller 1"), ("de", "Spieler 1")):
        answer = session.get(f"/statement?format=pdf&player=p1&lang={language}")
        assert sent_name(answer)[1].endswith(f" - {name}.pdf")


@pytest.mark.parametrize(
    ("language", "export", "receipt"),
    [
        ("sv", "export", "kvitto 1"),
        ("da", "eksport", "kvittering 1"),
        ("de", "Export", "Quittung 1"),
    ],
)
def test_an_export_and_a_receipt_are_named_as_such(session, language, export, receipt):
    begins = "Fredag hos Bo - "
    kind, name = sent_name(session.get(f"/export?lang={language}"))
    assert kind == "attachment"
    assert name.startswith(begins)
    assert name.endswith(f" - Polskt pass - {export}.json")
    kind, name = sent_name(session.get(f"/receipts/1?lang={language}"))
    assert kind == "inline"
    assert name.startswith(begins)
    assert name.endswith(f" - Polskt pass - {receipt}.json")


@pytest.mark.parametrize("form", FORMATS)
def test_a_group_statement_is_named_by_the_group_and_its_days(app, form):
    group = play_two_sessions(create_group(app.test_client(), *FIVE_NAMES))
    day = group.get("/statement").json["sessions"][0]["created_at"][:10]
    _, ending = FORMATS[form]
    sent = sent_name(group.get(f"/statement?format={form}&tz=UTC"))
    assert sent == (FORMATS[form][0], f"Torsdagar - {day}{ending}")
    own_statement = sent_name(group.get(f"/statement?format={form}&member=m2&tz=UTC"))
    assert own_statement[1] == f"Torsdagar - {day} - Bo{ending}"


def test_no_name_makes_a_folder_or_a_header():
    for name in hostile(300):
        base = file_name(name, "2026-11-21", name + name, "Polskt pass")
        assert len(f"{base}.journal".encode()) < 255
        assert not set('/\\:*?"<>|%;\r\n\t\0') & set(base)
        assert base.strip(" .-") == base != ""
        disposition = content_disposition("attachment", f"{base}.pdf")
        assert disposition.isascii()
        assert disposition.isprintable()
        kind, parameters = parse_options_header(disposition)
        assert (kind, parameters) == ("attachment", {"filename": f"{base}.pdf"})


def test_letters_that_ascii_lacks_are_transliterated():
    disposition = content_disposition("inline", "Torsdag – Ærø, København.pdf")
    assert disposition.startswith('inline; filename="Torsdag - Aero, Kobenhavn.pdf"; ')
    assert file_name("אבג", "2026-11-21") == "אבג - 2026-11-21"
    assert content_disposition("inline", "אבג - 2026.pdf").startswith(
        'inline; filename="2026.pdf"; '
    )


@pytest.mark.parametrize("sign", "℀℁℅℆")
def test_no_sign_becomes_a_folder_in_the_name_in_ascii(sign):
    disposition = content_disposition("inline", f"{file_name(sign, '2026-11-21')}.pdf")
    plain = re.search('filename="([^"]*)"', disposition)[1]
    assert plain.endswith(" - 2026-11-21.pdf")
    assert "/" not in plain


@pytest.mark.parametrize(("name", "expected"), [("***", "Vola"), ("金曜会", "金曜会")])
def test_a_file_has_a_name_and_a_suffix_for_every_client(app, name, expected):
    """A group without sessions: nothing but its name is in that of the file."""
    group = create_group(app.test_client(), *FIVE_NAMES, name=name)
    answer = group.get("/statement?format=csv")
    assert sent_name(answer)[1] == f"{expected}.csv"
    assert 'filename="Vola.csv"' in answer.headers["Content-Disposition"]
