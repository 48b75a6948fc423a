"""A phone says the result of a deal aloud once its owner wants it to, in the words on the screen.

Chromium without a screen has no voices, so these tests read what the page hands to the browser.
"""

from collections.abc import Callable
from typing import Any

from playwright.sync_api import expect

from tests.support.browser.appearance import languages
from tests.support.browser.page_conditions import wait_until
from tests.support.browser.phone import Phone

Lend = Callable[..., Phone]

LOCALES = {"sv": "sv-SE", "da": "da-DK", "en": "en-GB", "de": "de-DE"}
KEEP_SPOKEN = """
window.spoken = [];
const {speak} = SpeechSynthesis.prototype;
SpeechSynthesis.prototype.speak = function (utterance) {
  spoken.push([utterance.lang, utterance.text]);
  speak.call(this, utterance);
};"""
ONLY_ITALIAN = "SpeechSynthesis.prototype.getVoices = () => [{lang: 'it-IT'}];"


def keep_spoken(phone: Phone, language: str = "sv") -> None:
    phone.page.add_init_script(KEEP_SPOKEN)
    phone.page.add_init_script(f"localStorage.setItem('vola.language', '\"{language}\"')")


def spoken(phone: Phone) -> list[Any]:
    result: list[Any] = phone.page.evaluate("spoken")
    return result


def switch_speech(phone: Phone) -> None:
    phone.tap("menu")
    phone.tap("speech")
    phone.page.keyboard.press("Escape")


@languages(LOCALES)
def test_the_phone_that_records_says_the_sentence_on_the_screen(
    phone: Phone, language: str
) -> None:
    keep_spoken(phone, language)
    phone.begin()
    switch_speech(phone)
    expect(phone.page.locator("dialog")).to_have_count(0)
    phone.play(1, "B", "CCDCB")
    verdict = phone.page.locator(".verdict").inner_text()
    wait_until(phone.page, "() => spoken.length === 2")
    sample, result = spoken(phone)
    assert result == [LOCALES[language], verdict]
    assert sample[0] == LOCALES[language]


def test_a_phone_that_looks_on_says_each_new_result_once(lend: Lend) -> None:
    first, second = lend(), lend()
    keep_spoken(second)
    first.begin()
    first.visit("share")
    second.page.goto(
        first.page.locator(".share-code", has_text="Skriva in").locator("input").input_value()
    )
    second.see_table()
    switch_speech(second)
    for number in (1, 2):
        first.visit("")
        first.play(number, "B", "CCDCB")
        shown = second.page.locator('[data-key="last"]')
        expect(shown.locator(".overline")).to_have_text(f"Giv {number}")
        wait_until(second.page, f"() => spoken.length === {number + 1}")
        assert spoken(second)[-1][1] == shown.locator(".sentence").inner_text()


def test_a_phone_says_nothing_before_it_is_asked_to(phone: Phone) -> None:
    keep_spoken(phone)
    phone.begin()
    phone.play(1, "B", "CCDCB")
    expect(phone.page.locator(".verdict")).to_be_visible()
    phone.tap("table")
    switch_speech(phone)
    switch_speech(phone)
    phone.play(2, "C", "CCDCB")
    assert len(spoken(phone)) == 1  # the sample that the switch speaks


def test_a_phone_without_a_voice_for_the_language_says_what_to_do(phone: Phone) -> None:
    phone.page.add_init_script(ONLY_ITALIAN)
    phone.begin()
    phone.tap("menu")
    phone.tap("speech")
    expect(phone.page.locator("dialog .toggle")).to_contain_text("ingen svensk röst")
