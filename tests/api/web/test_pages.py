"""The form's files: small on the wire, asked for again, and nothing outside their folder."""

import gzip

import pytest


def test_the_page_and_its_modules_come_compressed_to_who_can_read_that(client):
    plain = client.get("/form/static/app/main.js")
    packed = client.get("/form/static/app/main.js", headers={"Accept-Encoding": "gzip, br"})
    assert gzip.decompress(packed.data) == plain.data
    assert packed.headers["Content-Encoding"] == "gzip"
    assert plain.headers["Vary"] == packed.headers["Vary"] == "Accept-Encoding"
    assert plain.headers["ETag"] != packed.headers["ETag"]


@pytest.mark.parametrize(
    ("accept_language", "language"),
    [("da", "da"), ("de-AT,en;q=0.5", "de"), ("fi", "sv"), ("", "sv")],
)
def test_the_page_begins_in_the_readers_tongue(client, accept_language, language):
    page = client.get("/", headers={"Accept-Language": accept_language})
    assert f'<html lang="{language}">' in page.text
    assert page.headers["Content-Language"] == language
    assert page.headers["Vary"] == "Accept-Encoding, Accept-Language"


def test_an_unchanged_file_is_not_sent_again(client):
    first = client.get("/form/translations/sv.json")
    response = client.get(
        "/form/translations/sv.json", headers={"If-None-Match": first.headers["ETag"]}
    )
    assert (response.status_code, response.data) == (304, b"")


@pytest.mark.parametrize(
    "path",
    [
        "/form/static/../__init__.py",
        "/form/static/%2e%2e/__init__.py",
        "/form/static/..%2f..%2faccess.py",
        "/form/static/",
        "/form/static/nothing.js",
        "/form/static/a%00b",
        "/form/static/" + "a" * 3000,
        "/form/translations/xx.json",
        "/form/translations/..%2fstatic%2fapp.json",
    ],
)
def test_nothing_outside_the_folder_is_served(client, path):
    assert client.get(path).status_code == 404


def test_the_rules_have_an_address_that_can_be_told(client):
    answer = client.get("/rules")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/#/rules")
