"""A host who lets other phones in by a join code, and phones that send join requests."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import expect

from tests.support.browser.layout_checks import wait_until_drawn
from tests.support.browser.phone import Phone


def unfold_other_ways(host: Phone) -> Phone:
    """Open the screen for more phones, with the other ways of joining unfolded."""
    host.visit("share")
    wait_until_drawn(host)
    if not host.page.locator('details:has(> [data-key="another-way"])').evaluate("it => it.open"):
        host.tap("another-way")
    return host


def unfold_link(host: Phone, role: str) -> Phone:
    """Unfold the link of this role, under the other ways of joining."""
    unfold_other_ways(host).page.locator(f'.share-code[data-role="{role}"] summary').tap()
    return host


def create_join_code(host: Phone) -> str:
    """Create a join code on the host's phone, and return it."""
    unfold_other_ways(host).tap("join-code")
    code = host.page.locator(".spoken-code").get_attribute("data-code")
    assert code is not None
    return code


def send_join_request(phone: Phone, code: str, label: str = "Bos telefon") -> None:
    phone.page.goto(phone.url + "/#/join")
    phone.page.locator('[data-key="join-code-input"]').fill(code)
    phone.page.locator('[data-key="device-name"]').fill(label)
    phone.tap("request-join")
    expect(phone.page.locator(".waiting-for-host")).to_be_visible()


def host_and_requester(lend: Callable[..., Phone]) -> tuple[Phone, Phone]:
    """Return the host's phone, and Bo's phone with a join request."""
    host, bo = lend(), lend()
    host.begin()
    send_join_request(bo, create_join_code(host))
    return host, bo


def answer_join_request(host: Phone, button: str = "let-in") -> None:
    host.page.locator(f'[data-key^="{button}-"]').tap()
    expect(host.page.locator(".join-request")).to_have_count(0)


def join_by_code(host: Phone, phone: Phone, label: str = "Bos telefon") -> None:
    """Let a phone in by a join code; the host's phone stays on the screen of the join request."""
    send_join_request(phone, create_join_code(host), label)
    answer_join_request(host)
    phone.see_table()


HOLD_COOKIE_RESPONSE = """() => {
  const real = window.fetch;
  window.fetch = async (path, how) => {
    const answer = await real(path, how);
    if (String(path).endsWith('/cookie')) await new Promise((go) => { window.answered = go; });
    return answer;
  };
}"""


def read_link(host: Phone, role: str = "scorer") -> str:
    host.visit("share")
    field = host.page.locator(f'.share-code[data-role="{role}"] input')
    address: str = field.input_value()
    return address
