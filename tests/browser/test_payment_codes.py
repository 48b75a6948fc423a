"""The payment code on the screen is the server's, and the text beside it can be copied."""

import re
from collections.abc import Callable

import pytest
import segno
from playwright.sync_api import Page, expect

from tests.support.browser.phone import Phone
from tests.support.browser.recorded_sessions import (
    open_as_host,
    open_e1,
    record_elsewhere,
    record_transfer,
)
from tests.support.browser.settlement_screen import NUMBER

IBAN = "FI21 1234 5600 0007 85"


MODULES = """async (modules) => {
  const image = document.querySelector('.payment-code img');
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = modules * 8;
  const paper = canvas.getContext('2d');
  paper.drawImage(image, 0, 0, canvas.width, canvas.height);
  const dark = (x, y) => paper.getImageData(x * 8 + 4, y * 8 + 4, 1, 1).data[0] < 128 ? 1 : 0;
  return Array.from({length: modules}, (_, y) => Array.from({length: modules}, (_, x) => dark(x, y)));
}"""  # noqa: E501
QUIET = 3  # modules around the code


def shown_code(page: Page, text: str) -> None:
    """Assert that the picture on the screen is the code of this text, module by module."""
    code = segno.make(text.encode(), error="m")
    drawn = page.evaluate(MODULES, code.symbol_size(border=QUIET)[0])
    inside = [row[QUIET:-QUIET] for row in drawn[QUIET:-QUIET]]
    assert inside == [[int(module) for module in row] for row in code.matrix]
    margin = [*drawn[:QUIET], *drawn[-QUIET:], *(row[:QUIET] + row[-QUIET:] for row in drawn)]
    assert not any(any(row) for row in margin)


def test_the_receiver_shows_a_swish_code_of_what_is_paid(phone: Phone) -> None:
    open_e1(phone).visit("settlement/p1-p3")
    phone.mark("method", "swish")
    phone.page.locator('[data-key="code-number"]').fill("12")
    phone.tap("code-show")
    expect(phone.page.locator(".payee-details .wrong")).to_be_visible()
    phone.page.locator('[data-key="code-number"]').fill(NUMBER)
    phone.tap("code-show")
    payment_code = phone.page.locator(".payment-code")
    expect(payment_code).to_contain_text("Cilla")
    expect(payment_code.locator(".sum")).to_have_text(re.compile("^50.kr$"))
    query = "?kind=swish&number=0701234567&amount="
    code_text = phone.read(f"/settlement/p1/p3/qr{query}5000")["text"]
    assert code_text == "C0701234567;50,00;Vola;0"
    shown_code(phone.page, str(code_text))

    phone.page.locator('[data-key="amount"]').fill("12,50")  # the code follows what is paid
    expect(payment_code.locator(".sum")).to_have_text(re.compile("^12,50.kr$"))
    shown_code(phone.page, str(phone.read(f"/settlement/p1/p3/qr{query}1250")["text"]))
    phone.page.locator('[data-key="amount"]').fill("1000")
    expect(payment_code.locator("img")).to_be_hidden()  # and is gone when there is nothing to pay
    phone.page.locator('[data-key="amount"]').fill("50")
    phone.tap("receipt")
    expect(phone.page.locator(".transfer .why")).to_contain_text("Swish")


def test_the_code_follows_a_plan_that_another_phone_changes(lend: Callable[..., Phone]) -> None:
    phone = lend()
    recorder = record_elsewhere(phone)
    record_transfer(recorder, "p3", "p1", 5_000)
    open_as_host(phone, recorder).visit("settlement/p1-p3")
    phone.mark("method", "swish")
    phone.page.locator('[data-key="code-number"]').fill(NUMBER)
    phone.tap("code-show")
    amount_in_code = phone.page.locator(".payment-code .sum")
    expect(amount_in_code).to_have_text(re.compile("^50.kr$"))
    record_transfer(recorder, "p1", "p3", 2_000)
    expect(amount_in_code).to_have_text(re.compile("^30.kr$"))
    phone.page.locator('[data-key="amount"]').fill("12,50")
    expect(amount_in_code).to_have_text(re.compile("^12,50.kr$"))


def test_a_number_is_asked_for_once_and_kept_in_this_phone_alone(
    lend: Callable[..., Phone],
) -> None:
    phone, other_phone = lend(), lend()
    recorder = record_elsewhere(phone)
    for player in ("p1", "p2"):
        record_transfer(recorder, "p3", player, 5_000)
    open_as_host(phone, recorder).visit("settlement/p1-p3")
    phone.mark("method", "swish")
    expect(phone.page.locator(".payee-details")).to_contain_text("Sparas bara i den här telefonen")
    phone.page.locator('[data-key="code-number"]').fill(NUMBER)
    phone.tap("code-show")
    expect(phone.page.locator(".payment-code")).to_be_visible()
    phone.visit("settlement/p2-p3")
    expect(phone.page.locator(".payment-code")).to_be_visible()
    open_as_host(other_phone, recorder).visit("settlement/p2-p3")
    other_phone.mark("method", "swish")
    expect(other_phone.page.locator('[data-key="code-number"]')).to_have_value("")
    phone.tap("code-forget")
    expect(phone.page.locator('[data-key="code-number"]')).to_have_value("")
    stored = phone.page.evaluate("JSON.stringify(localStorage).replace(/[0-9a-f-]{36}/g, 'id')")
    assert "123" not in stored


def test_in_euro_the_code_is_a_transfer_to_an_account(phone: Phone) -> None:
    recorder = record_elsewhere(phone, currency="EUR", title="Fredag")
    record_transfer(recorder, "p3", "p1", 1_234)
    open_as_host(phone, recorder).visit("settlement/p1-p3")
    phone.mark("method", "bank")
    expect(phone.page.locator('[data-key="code-name"]')).to_have_value("Cilla")
    phone.page.locator('[data-key="code-iban"]').fill(IBAN)
    phone.tap("code-show")
    expect(phone.page.locator(".payment-code .sum")).to_contain_text("12,34")
    query = f"?kind=epc&name=Cilla&iban={IBAN.replace(' ', '')}"
    code_text = str(phone.read(f"/settlement/p1/p3/qr{query}")["text"])
    assert code_text.split("\n")[5:8] == ["Cilla", IBAN.replace(" ", ""), "EUR12.34"]
    shown_code(phone.page, code_text)
    expect(phone.page.locator('[data-key="copy-message-text"]')).to_have_value("Fredag")


@pytest.mark.parametrize(("currency", "methods"), [("DKK", 4), ("chips", 0)])
def test_where_no_bank_reads_a_code_there_is_none(
    phone: Phone, currency: str, methods: int
) -> None:
    recorder = record_elsewhere(phone, currency=currency)
    record_transfer(recorder, "p3", "p1", 100)
    open_as_host(phone, recorder).visit("settlement/p1-p3")
    pills = phone.page.locator("input[name=method]")
    expect(pills).to_have_count(methods)
    for pill in pills.all():
        pill.tap()
        expect(phone.page.locator(".payee-details")).to_have_count(0)


def test_a_number_is_copied_over_plain_http_too(clipboard_phone: Phone) -> None:
    """`navigator.clipboard` is missing; what is pasted is what stood in the field."""
    phone = clipboard_phone
    phone.page.add_init_script("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    open_e1(phone).visit("settlement/p1-p3")
    assert phone.page.evaluate("navigator.clipboard === undefined")
    phone.mark("method", "swish")
    phone.page.locator('[data-key="code-number"]').fill(NUMBER)
    phone.tap("code-show")
    phone.page.evaluate(
        "document.body.append(Object.assign(document.createElement('input'), {id: 'elsewhere'}))"
    )
    for field, text in (("number", NUMBER), ("amount", "50"), ("message", "Vola")):
        button = phone.page.locator(f'[data-key="copy-{field}"]')
        button.tap()
        expect(button).to_contain_text("Kopierad")
        assert phone.page.evaluate("getSelection().toString()") == text
        elsewhere = phone.page.locator("#elsewhere")  # a field of the form would draw the code anew
        elsewhere.fill("")
        elsewhere.press("Control+V")
        expect(elsewhere).to_have_value(text)
