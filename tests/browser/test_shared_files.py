"""Files that another app shares with the installed form: the service worker takes them, the page
/verify checks them, and the server sees none."""

from collections.abc import Callable
from random import Random

import pytest
from playwright.sync_api import expect

from api.i18n.catalog import catalog
from tests.support.browser.connection import load_offline_form
from tests.support.browser.page_conditions import wait_until
from tests.support.browser.phone import Phone
from tests.support.browser.verify_page_files import read_file_names
from tests.support.proofs.exported_files import SignedBook, encode_document

BOOK = SignedBook(Random(5), 12)
SHARE = """async (files) => {
  const form = new FormData();
  for (const [name, text] of files) form.append('file', new File([text], name));
  const response = await fetch('/verify', { method: 'POST', body: form });
  return [response.status, response.redirected, new URL(response.url).pathname];
}"""
SUBMIT = """([name, text]) => {
  const form = document.createElement('form');
  Object.assign(form, { method: 'post', enctype: 'multipart/form-data', action: '/verify' });
  const input = Object.assign(document.createElement('input'), { type: 'file', name: 'file' });
  const transfer = new DataTransfer();
  transfer.items.add(new File([text], name));
  input.files = transfer.files;
  form.append(input);
  document.body.append(form);
  form.submit();
}"""
CACHES = "async () => (await caches.keys()).sort()"


@pytest.fixture
def phone(lend: Callable[..., Phone]) -> Phone:
    phone = lend(installed=True)
    load_offline_form(phone)
    return phone


def test_a_shared_file_is_checked_at_once_and_kept_nowhere(phone: Phone) -> None:
    cache_names = phone.page.evaluate(CACHES)
    sent: list[str] = []
    phone.page.context.on("request", lambda request: sent.append(request.method))
    phone.page.evaluate(SUBMIT, ["Fredag ♠.json", encode_document(BOOK.export()).decode()])
    heading = phone.page.get_by_role("status").get_by_role("heading")
    expect(heading).to_contain_text("till och med version 12 den 31 januari 2024 håller.")
    assert phone.page.url == f"{phone.url}/verify"
    assert read_file_names(phone) == ["Fredag ♠.json", None, None]
    assert phone.page.evaluate(CACHES) == cache_names
    phone.page.reload()
    expect(phone.page.locator("button")).to_be_enabled()
    expect(phone.page.get_by_role("status")).to_be_empty()
    assert read_file_names(phone) == [None, None, None]


def test_the_worker_answers_with_a_redirect_and_stores_what_the_page_reads(phone: Phone) -> None:
    statement = encode_document(BOOK.true_statement()).decode()
    export = encode_document(BOOK.export()).decode()
    shared = [["export.json", export], ["statement.json", statement]]
    assert phone.page.evaluate(SHARE, shared) == [200, True, "/verify"]
    assert "shared-files" in phone.page.evaluate(CACHES)
    phone.page.goto(f"{phone.url}/verify")
    expect(phone.page.get_by_role("status").locator("p").first).to_have_text(
        catalog("sv")["verify"]["said"]["remade"].format(version=12)
    )
    assert read_file_names(phone) == ["statement.json", "export.json", None]
    assert "shared-files" not in phone.page.evaluate(CACHES)


def test_a_later_file_takes_the_place_of_one_that_was_never_read(phone: Phone) -> None:
    for name in ("first.json", "second.json"):
        phone.page.evaluate(SHARE, [[name, encode_document(BOOK.export()).decode()]])
    phone.page.goto(f"{phone.url}/verify")
    expect(phone.page.get_by_role("status")).not_to_be_empty()
    assert read_file_names(phone) == ["second.json", None, None]


def test_a_share_without_a_file_only_opens_the_page(phone: Phone) -> None:
    assert phone.page.evaluate(SHARE, []) == [200, True, "/verify"]
    broken = """async () => (await fetch('/verify',
      { method: 'POST', body: '{', headers: { 'Content-Type': 'application/json' } })).status"""
    assert phone.page.evaluate(broken) == 200
    phone.page.goto(f"{phone.url}/verify")
    expect(phone.page.locator("button")).to_be_enabled()
    expect(phone.page.get_by_role("status")).to_be_empty()


def test_a_new_version_of_the_worker_leaves_shared_files_alone(phone: Phone) -> None:
    """It deletes the caches of other versions as soon as it is active, but for the one before."""
    phone.page.evaluate(SHARE, [["first.json", encode_document(BOOK.export()).decode()]])
    phone.page.evaluate(
        """async () => {
          await caches.open('vola-of-long-before');
          await caches.open('vola-of-before');
          const registration = await navigator.serviceWorker.getRegistration('/');
          await registration.unregister();
        }"""
    )
    load_offline_form(phone)
    wait_until(phone.page, "async () => !await caches.has('vola-of-long-before')")
    assert {"shared-files", "vola-of-before"} <= {*phone.page.evaluate(CACHES)}


def test_without_a_worker_the_server_refuses_the_file(lend: Callable[..., Phone]) -> None:
    phone = lend()
    phone.page.goto(f"{phone.url}/verify")
    assert phone.page.evaluate(SHARE, [["a.json", "{}"]]) == [405, False, "/verify"]
