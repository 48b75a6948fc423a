"""What a phone fetches before it shows anything: one page, one script, one style, one catalog."""

import re
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, expect

from api.web.assets import START_MODULE, STYLES, STYLESHEET, form_assets
from tests.support.browser.form_sources import FORM, STATIC, imported_module
from tests.support.browser.phone import Phone
from tests.support.browser.server_and_phones import SAVING

PAGE = (FORM / "templates" / "form.html").read_text("utf-8")
NAMED = re.compile(r"url\('(static/(?!icons/)[^']+)'\)")
"""The files that the page names besides its script and style; only an installed form fetches
`icons/`."""
MAX_BYTES = 60_000  # compressed
MAX_REQUESTS = 20
MAX_REQUESTS_LATER = 3
SHORT_TIMEOUT = """{
  const { timeout } = AbortSignal;
  AbortSignal.timeout = () => timeout.call(AbortSignal, 500);
}"""
CHANGE_LANGUAGE_MEANWHILE = f"""async () => {{
  const {{ chooseLanguage, loadAllSentences, t }} = await {imported_module()};
  const fetchNow = window.fetch;
  let release;
  const held = new Promise((resolve) => {{ release = resolve; }});
  window.fetch = async (url) => {{
    if (String(url).endsWith('/en.json')) await held;
    return fetchNow(url);
  }};
  const changed = chooseLanguage('en');
  await loadAllSentences();
  release();
  await changed;
  return [t('page.back'), t('erasure.back')];
}}"""


def test_the_first_load_is_small() -> None:
    files = form_assets().files
    catalogs = [f"translations/{language}.json" for language in ("sv", "en", "da", "de")]
    longest = max(catalogs, key=lambda path: len(files[path].content))
    paths = {START_MODULE, STYLESHEET, longest, *NAMED.findall(PAGE)}
    size = len(PAGE.encode()) + sum(len(files[path].compressed or b"") for path in paths)
    print(f"first load: {size} bytes compressed")
    assert size <= MAX_BYTES


RULES_OF = r"""(text) => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  return [...sheet.cssRules].map((rule) => rule.cssText.replace(/,\s+/g, ','));
}"""
"""The rules as the browser understands them, which keeps the spaces of custom properties alone."""


def test_the_stylesheet_without_spaces_has_the_same_rules(phone: Phone) -> None:
    written = "".join((STATIC / "styles" / f"{name}.css").read_text("utf-8") for name in STYLES)
    served = form_assets().files[STYLESHEET].content.decode()
    assert len(served) < len(written)
    assert phone.page.evaluate(RULES_OF, served) == phone.page.evaluate(RULES_OF, written)


def requested_paths(context: BrowserContext, url: str) -> list[str]:
    """Return the paths that a visit to the front page requests."""
    page = context.new_page()
    inside = page.context.new_cdp_session(page)
    inside.send("Network.enable")
    asked: dict[str, str] = {}
    kept: set[str] = set()

    def note_response(event: dict[str, Any]) -> None:
        asked[event["requestId"]] = urlsplit(event["response"]["url"]).path
        if event["response"]["fromDiskCache"]:
            kept.add(event["requestId"])

    inside.on("Network.responseReceived", note_response)
    inside.on("Network.requestServedFromCache", lambda event: kept.add(event["requestId"]))
    page.goto(url)
    expect(page.locator('[data-key="new"]')).to_be_visible()
    page.wait_for_load_state("networkidle")
    page.close()
    return [path for request, path in asked.items() if request not in kept]


def test_a_second_visit_over_plain_http_asks_for_the_page_alone(
    browser: Browser, server_url: str
) -> None:
    context = browser.new_context(service_workers="block", locale="sv-SE")
    context.add_init_script(SAVING)
    first, second = (requested_paths(context, server_url) for _ in range(2))
    context.close()
    assert "/" in first
    print(f"first visit: {len(first)} requests; second: {len(second)}")
    assert len(first) <= MAX_REQUESTS, first
    assert "/" in second
    assert len(second) <= MAX_REQUESTS_LATER, second


def test_the_page_needs_nothing_that_the_policy_forbids() -> None:
    assert not re.search(r"<script(?![^>]*\bsrc=)", PAGE)
    assert not re.search(r"<style|\sstyle=|\son\w+=", PAGE)
    assert "//" not in re.sub(r"<!--.*?-->", "", PAGE, flags=re.DOTALL)
    for script in STATIC.rglob("*.js"):
        text = script.read_text("utf-8")
        assert "innerHTML" not in text, script
        assert "insertAdjacentHTML" not in text, script
        assert not re.search(r"\beval\(|new Function", text), script


def test_a_busy_server_leaves_no_page_without_sentences(phone: Phone) -> None:
    phone.page.route(
        "**/translations/sv.json",
        lambda route: route.fulfill(status=503, json={"code": "overloaded"}),
        times=1,
    )
    phone.page.goto(phone.url + "/")
    expect(phone.page.locator('[data-key="new"]')).to_have_text("Ny kväll")


def test_sentences_that_do_not_come_are_asked_for_again(phone: Phone) -> None:
    phone.page.add_init_script(SHORT_TIMEOUT)
    phone.page.route("**/translations/sv.json", lambda route: None, times=1)  # unanswered
    phone.page.goto(phone.url + "/")
    expect(phone.page.locator('[data-key="new"]')).to_have_text("Ny kväll")


def test_a_language_chosen_while_sentences_load_has_all_of_them(phone: Phone) -> None:
    phone.page.goto(phone.url + "/")
    expect(phone.page.locator('[data-key="new"]')).to_be_visible()
    sentences = phone.page.evaluate(CHANGE_LANGUAGE_MEANWHILE)
    assert sentences == ["Back", "Keep the name"]
