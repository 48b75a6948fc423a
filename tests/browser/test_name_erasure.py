"""Only the host erases a name, after two questions, and it disappears from every phone for good."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.support.browser.form_sources import FORM, imported_module
from tests.support.browser.group_screens import create_season
from tests.support.browser.javascript_engine import JavaScriptEngine, run_engine
from tests.support.browser.join_requests import unfold_other_ways
from tests.support.browser.layout_checks import wait_until_drawn
from tests.support.browser.phone import Phone, format_kronor
from tests.support.browser.recorded_sessions import (
    ALL_PASS,
    open_as_host,
    record_and_open,
    record_elsewhere,
)

KEEP_DETAILS = f"""async (session) => {{
  const {{ keepTypedEntry, savePaymentReceiver, writeItem }} = await {imported_module()};
  savePaymentReceiver(session, 'p3', {{ number: '0701234567' }});
  writeItem('names', ['Ada', 'Cilla']);
  keepTypedEntry('group', {{ name: '', members: ['Ada', 'Cilla'] }});
}}"""

TASKS = """
import { sendRequest } from './static/core/api_client.js';
import { isNameErased, loadLanguage } from './static/core/translator.js';

globalThis.document = { documentElement: {} };
const answerWith = (body) => { globalThis.fetch = async () => Response.json(body); };

export async function receive(_, { catalog, body }) {
  answerWith(catalog);
  await loadLanguage('de');
  answerWith(body);
  return (await sendRequest('GET', '/v1/anything')).body;
}

export const erased = (_, people) => people.filter(isNameErased).map(({ id }) => id);
"""


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JavaScriptEngine]:
    tasks = tmp_path_factory.mktemp("erasure") / "tasks.js"
    tasks.write_text(TASKS)
    with run_engine(tasks) as running:
        yield running


def receive(engine: JavaScriptEngine, body: object) -> object:
    """Return the server's answer as a German phone takes it over."""
    catalog = json.loads(Path(FORM, "translations/de.json").read_text("utf-8"))
    return engine.run("receive", {"catalog": catalog, "body": body})


@pytest.mark.parametrize(
    ("person", "sent", "shown"),
    [
        ("p3", "Spelare 3", "Spieler 3"),
        ("m12", "Medlem 12", "Mitglied 12"),
        ("e2.p3", "Spelare 3", "Spieler 3"),
    ],
)
def test_only_a_person_whose_name_is_erased_becomes_a_number(
    engine: JavaScriptEngine, person: str, sent: str, shown: str
) -> None:
    received = receive(engine, {"balances": [{"id": person, "name": sent, "amount": -5}]})
    assert received == {"balances": [{"id": person, "name": shown, "amount": -5}]}


def test_what_a_person_has_typed_stays_as_it_was_typed(engine: JavaScriptEngine) -> None:
    typed = {
        "id": "3f2c",
        "name": "Medlem 3",
        "title": "Spelare 3",
        "players": [{"id": "p1", "name": "Spelare 3"}, {"id": "p3", "name": "Medlem 3"}],
        "reason": "Spelare 3 said so",
        "label": None,
    }
    assert receive(engine, typed) == typed


def test_a_name_is_erased_if_it_is_the_number_of_its_own_person(engine: JavaScriptEngine) -> None:
    names = ["Spieler 1", "Spieler 3", "Spelare 3", "Mitglied 4"]
    receive(engine, {})
    people = [{"id": f"p{place}", "name": name} for place, name in enumerate(names, 1)]
    assert engine.run("erased", people) == ["p1"]
    assert engine.run("erased", [{"id": "m4", "name": "Mitglied 4"}]) == ["m4"]


def test_a_name_erased_by_the_host_disappears_everywhere(lend: Callable[..., Phone]) -> None:
    host, viewer = lend(), lend()
    record_and_open(host, title="Kvällen hos Cilla")
    host.play(1, "B", "CCDCB")
    unfold_other_ways(host)
    link = host.page.locator(".share-code", has_text="Titta").locator("input").input_value()
    viewer.page.goto(link)
    viewer.see_table()
    expect(viewer.page.locator(".last-deal")).to_contain_text("Cilla")
    host.page.locator('[data-key="forgetting"] summary').tap()
    host.tap("forget-p3")
    expect(host.page.locator("dialog")).to_contain_text("går inte att ångra")
    host.tap("sure-no")
    expect(host.page.locator("dialog")).to_have_count(0)
    host.tap("forget-p3").tap("sure")
    for phone in (host, viewer):
        expect(phone.page.locator(".seat .name")).to_have_text(["Ada", "Bo", "Spelare 3", "Disa"])
        expect(phone.page.locator(".last-deal")).to_contain_text("Spelare 3")
        expect(phone.page.locator(".sum")).to_have_text(
            [format_kronor(k) for k in (-10, -10, 10, 0)]
        )
    for screen in ("deals", "deal/1", "statement", "settlement", "players"):
        host.visit(screen)
        wait_until_drawn(host)
        assert "Cilla" not in host.page.locator("body").inner_text(), screen
    for phone in (host, viewer):
        assert "Cilla" not in phone.page.evaluate("JSON.stringify(localStorage)")
    host.visit("players")
    host.tap("forget")
    expect(host.page.locator('[data-key^="forget-p"]')).to_have_count(3)
    assert host.read("/audit")["clean"]


@pytest.mark.parametrize("role", ["scorer", "viewer"])
def test_only_the_host_can_erase_a_name(phone: Phone, role: str) -> None:
    recorder = record_elsewhere(phone, ALL_PASS)
    recorder.token = recorder.tokens[role]
    open_as_host(phone, recorder)
    for screen in ("share", "players", "settlement", "statement"):
        phone.visit(screen)
        wait_until_drawn(phone)
        expect(phone.page.locator('[data-key="forgetting"], [href*="/share"]')).to_have_count(0)


@pytest.mark.parametrize(
    ("language", "player", "member"),
    [("da", "Spiller 3", "Medlem nr. 3"), ("de", "Spieler 3", "Mitglied 3")],
)
def test_an_erased_name_is_a_number_in_the_language_of_each_phone(
    lend: Callable[..., Phone], language: str, player: str, member: str
) -> None:
    """The API gives every client the Swedish words."""
    phone = lend(language=language)
    group, evening = create_season(phone), phone.table_url()
    names = phone.page.locator(".seat .name")
    phone.page.goto(f"{phone.url}/#/c/{group}/members")
    phone.page.locator('[data-key="forgetting"] summary').tap()
    phone.tap("forget-m3")
    expect(phone.page.locator("dialog")).to_contain_text(member)
    phone.tap("sure")
    expect(phone.page.locator('[data-key="forgotten"]')).to_contain_text(member)
    phone.page.goto(f"{phone.url}/#/c/{group}")
    expect(phone.page.locator(".member-list")).to_contain_text(member)
    phone.page.goto(evening)
    expect(names).to_have_text(["Ada", "Bo", player, "Disa"])
    phone.visit("players")
    phone.tap("forget")
    expect(phone.page.locator('[data-key^="forget-p"]')).to_have_count(3)
    phone.tap("forget-p2")
    expect(phone.page.locator("dialog")).to_contain_text(player.replace("3", "2"))


def test_where_a_name_stays_is_said_in_an_evening_of_a_group(phone: Phone) -> None:
    create_season(phone)
    phone.visit("share/forget")
    phone.tap("forget-p2")
    expect(phone.page.locator("dialog")).to_contain_text("I sällskapet Torsdagarna")
    expect(phone.page.locator("dialog")).not_to_contain_text("överallt")


@pytest.mark.parametrize(("language", "number"), [("sv", "Spelare 3"), ("en", "Player 3")])
def test_an_erased_name_takes_its_payment_details_along(
    lend: Callable[..., Phone], language: str, number: str
) -> None:
    phone = lend(language=language)
    recorder = record_elsewhere(phone, ALL_PASS)
    open_as_host(phone, recorder)
    phone.page.evaluate(KEEP_DETAILS, recorder.id)
    recorder.write("/players/p3/name", None, method="DELETE")
    expect(phone.page.locator(".seat .name")).to_have_text(["Ada", "Bo", number, "Disa"])
    stored = phone.page.evaluate("JSON.stringify(localStorage)")
    assert "0701234567" not in stored
    assert phone.page.evaluate("localStorage.getItem('vola.names')") == '["Ada",""]'
    assert "Cilla" not in stored


def test_who_changes_the_language_sees_the_number_change(phone: Phone) -> None:
    recorder = record_elsewhere(phone, ALL_PASS)
    recorder.write("/players/p3/name", None, method="DELETE")
    open_as_host(phone, recorder)
    names = phone.page.locator(".seat .name")
    expect(names).to_have_text(["Ada", "Bo", "Spelare 3", "Disa"])
    phone.tap("menu")
    phone.page.locator('[data-key="language"]').select_option("de")
    expect(names).to_have_text(["Ada", "Bo", "Spieler 3", "Disa"])
