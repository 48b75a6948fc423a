"""The form's files are small on the wire and revalidated; no file outside them is served."""

import gzip
import io
import json
import re
import shutil

import pytest

from api.web import assets
from api.web.assets import form_assets


def test_the_page_and_its_modules_come_compressed_to_who_can_read_that(client):
    plain = client.get("/form/0/static/app/main.js")
    packed = client.get("/form/0/static/app/main.js", headers={"Accept-Encoding": "gzip, br"})
    assert gzip.decompress(packed.data) == plain.data
    assert packed.headers["Content-Encoding"] == "gzip"
    assert plain.headers["Vary"] == packed.headers["Vary"] == "Accept-Encoding"
    assert plain.headers["ETag"] != packed.headers["ETag"]


@pytest.mark.parametrize(
    ("accept_language", "language"),
    [("da", "da"), ("de-AT,en;q=0.5", "de"), ("da;q=0", "sv"), ("fi", "sv"), ("", "sv")],
)
def test_the_page_begins_in_the_readers_tongue(client, accept_language, language):
    page = client.get("/", headers={"Accept-Language": accept_language})
    assert f'<html lang="{language}">' in page.text
    assert page.headers["Content-Language"] == language
    assert page.headers["Vary"] == "Accept-Encoding, Accept-Language"


def test_an_unchanged_file_is_not_sent_again(client):
    first = client.get("/form/0/translations/sv.json")
    response = client.get(
        "/form/0/translations/sv.json", headers={"If-None-Match": first.headers["ETag"]}
    )
    assert (response.status_code, response.data) == (304, b"")


@pytest.mark.parametrize(
    "path",
    [
        "/form/0/static/../__init__.py",
        "/form/0/static/%2e%2e/__init__.py",
        "/form/0/static/..%2f..%2faccess.py",
        "/form/0/static/",
        "/form/0/static/nothing.js",
        "/form/0/static/a%00b",
        "/form/0/static/" + "a" * 3000,
        "/form/0/translations/xx.json",
        "/form/0/translations/..%2fstatic%2fapp.json",
    ],
)
def test_nothing_outside_the_folder_is_served(client, path):
    assert client.get(path).status_code == 404


def test_the_rules_have_an_address_that_can_be_told(client):
    answer = client.get("/rules")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/#/rules")


@pytest.mark.parametrize(
    ("path", "location"),
    [
        ("/%23/s/1/host0.a-b_c", "/#/s/1/host0.a-b_c"),
        ("/%23//evil.example", "/#//evil.example"),
        ("/%23/a%0d%0ab%3f%23", "/#/a%0D%0Ab%3F#"),
    ],
)
def test_a_link_whose_hash_sign_is_encoded_leads_to_its_screen(client, path, location):
    answer = client.get(path, headers={"Accept": "text/html"})
    assert (answer.status_code, answer.headers["Location"]) == (302, location)
    assert client.get(path).status_code == 404


def test_files_are_kept_for_good_under_their_digest_alone(client):
    path = form_assets().url("static/app/main.js")
    assert path in client.get("/").text
    assert "immutable" in client.get(path).headers["Cache-Control"]
    older = client.get("/form/0123456789abcdef/static/app/main.js")
    assert older.data == client.get(path).data
    assert older.headers["Cache-Control"] == "no-cache"


def test_a_change_to_any_file_changes_every_address(tmp_path, monkeypatch):
    before = form_assets().digest
    copy = tmp_path / "web"
    shutil.copytree(assets.WEB_FOLDER, copy)
    (copy / "translations" / "da.json").write_text("{}")
    monkeypatch.setattr(assets, "WEB_FOLDER", copy)
    assert form_assets.__wrapped__().digest != before


def test_the_service_worker_keeps_every_file_that_the_page_can_ask_for(client):
    worker = client.get("/form/worker.js").text
    urls = json.loads(re.search(r"const FILES = (\[.*?\]);", worker)[1])
    assert urls[0] == "/"
    assert all(client.get(url).status_code == 200 for url in urls)
    assert form_assets().url("static/forecast/forecast.js") in urls


def test_the_installed_app_takes_shared_json_files_to_be_checked(client):
    target = client.get("/form/manifest.webmanifest").json["share_target"]
    assert (target["action"], target["method"]) == ("/verify", "POST")
    assert target["enctype"] == "multipart/form-data"
    assert target["params"] == {
        "files": [{"name": "file", "accept": ["application/json", ".json"]}]
    }
    assert client.get(target["action"]).status_code == 200


def test_a_file_shared_without_a_service_worker_is_refused(client):
    answer = client.post("/verify", data={"file": (io.BytesIO(b"{}"), "evening.json")})
    assert (answer.status_code, answer.json["code"]) == (405, "method_not_allowed")
    assert "GET" in answer.headers["Allow"]


def test_no_file_of_the_form_has_a_mark_of_an_unresolved_merge():
    """A browser silently skips such lines of a stylesheet, and the rule after each."""
    marks = re.compile(rb"^(<{7} |={7}$|>{7} )", re.MULTILINE)
    assert [path for path, file in form_assets().files.items() if marks.search(file.content)] == []


BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}


@pytest.mark.parametrize(
    ("language", "sentence", "way_out"),
    [
        ("sv", "Här finns ingenting.", "Till startsidan"),
        ("da", "Her er ingenting.", "Til forsiden"),
        ("en", "There is nothing here.", "To the start page"),
        ("de", "Hier ist nichts.", "Zur Startseite"),
    ],
)
def test_a_mistyped_address_leads_a_browser_to_the_start_page(client, language, sentence, way_out):
    answer = client.get("/kvall", headers={**BROWSER, "Accept-Language": language})
    assert (answer.status_code, answer.content_type) == (404, "text/html; charset=utf-8")
    assert answer.headers["Content-Language"] == language
    assert f"<h1>{sentence}</h1>" in answer.text
    assert f'<a href="/">{way_out}</a>' in answer.text


@pytest.mark.parametrize(
    ("path", "headers"), [("/kvall", {}), ("/kvall", {"Accept": "*/*"}), ("/v1/kvall", BROWSER)]
)
def test_a_program_gets_a_problem_for_an_unknown_address(client, path, headers):
    answer = client.get(path, headers=headers)
    assert (answer.status_code, answer.content_type) == (404, "application/problem+json")
    assert answer.json["code"] == "not_found"
