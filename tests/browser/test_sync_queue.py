"""The sync queue: the order of its writes, what each expects, and what may not stop it."""

import json
from urllib.parse import urlsplit

from playwright.sync_api import Route, expect

from tests.support.browser.connection import play_two_deals_unplugged, plug_in, see_all_sent, unplug
from tests.support.browser.form_sources import imported_module
from tests.support.browser.phone import Phone
from tests.support.browser.recorded_sessions import open_as_host, record_elsewhere

HOLD_FIRST_ANSWER = """
  const fetchNow = window.fetch;
  const expected = [];
  let release;
  const held = new Promise((resolve) => { release = resolve; });
  window.fetch = async (path, options) => {
    if (options.method === 'GET' || path.includes('/presence/')) return fetchNow(path, options);
    const isFirst = expected.push(options.headers['If-Match'] ?? null) === 1;
    const answer = await fetchNow(path, options);
    if (isFirst) await held;
    return answer;
  };
  window.requestAnimationFrame = () => 0; // nothing is painted: a write is stored after 100 ms
  const untilSent = async () => {
    while (expected.length === 0) await new Promise((resolve) => setTimeout(resolve));
  };
"""

UNDO_WHILE_THE_ANSWER_ARRIVES = f"""async () => {{
  const {{ recordActions }} = await {imported_module()};
  {HOLD_FIRST_ANSWER}
  const deal = recordActions([{{ type: 'open_deal', number: 1 }}, {{ type: 'all_pass' }}]);
  await untilSent();
  const undo = recordActions([{{ type: 'undo' }}]);
  release();
  const {{ session }} = await deal;
  const refusal = await undo.then(() => null, ({{ message }}) => message);
  return JSON.stringify({{ expected, version: session.version, refusal }});
}}"""

UNDO_BEHIND_AN_ERASURE = f"""async () => {{
  const {{ recordActions, writeToSession, onQueue }} = await {imported_module()};
  {HOLD_FIRST_ANSWER}
  let queued = 0;
  onQueue(() => {{ queued += 1; }});
  writeToSession('/players/p3/name', undefined, {{ method: 'DELETE', ifMatch: null }});
  await untilSent();
  const seen = queued;
  recordActions([{{ type: 'undo' }}]);
  while (queued === seen) await new Promise((resolve) => setTimeout(resolve));
  release();
}}"""

TAKE_BACK_BEHIND_A_WRITE = f"""async () => {{
  const main = await {imported_module()};
  const {{ answerOrForecast, onQueue, recordActions, sessionState, takeBackWrite }} = main;
  const fetchNow = window.fetch;
  window.fetch = (path, options) =>
    (options.method === 'POST' ? new Promise(() => {{}}) : fetchNow(path, options));
  let seen;
  onQueue(() => seen?.());
  const untilWaiting = async (count) => {{
    while (sessionState().waiting.length < count)
      await new Promise((resolve) => {{ seen = resolve; }});
  }};
  const allPass = (number) => [{{ type: 'open_deal', number }}, {{ type: 'all_pass' }}];
  recordActions(allPass(1));
  await untilWaiting(1);
  const {{ subscribed }} = window.listeners;
  const note = {{ number: 2 }};
  answerOrForecast(recordActions(allPass(2), note), note);
  await untilWaiting(2);
  const write = await takeBackWrite(sessionState().id);
  return [write.note.number, window.listeners.subscribed - subscribed];
}}"""
"""A script that takes back a deal behind one that is being sent, and counts the listeners left."""

FAIL_TO_DRAW = f"""async () => {{
  const {{ onQueue }} = await {imported_module()};
  onQueue(() => {{ throw new Error('this screen cannot be drawn'); }});
  window.reportError = ({{ message }}) => {{ window.reported = message; }};
}}"""

COUNT_LISTENERS = """{
  const { add, delete: remove } = Set.prototype;
  const { addEventListener, removeEventListener } = EventTarget.prototype;
  const once = new Set();
  window.listeners = { subscribed: 0, once: 0 };
  Set.prototype.add = function (value) {
    if (typeof value === 'function' && !this.has(value)) window.listeners.subscribed += 1;
    return add.call(this, value);
  };
  Set.prototype.delete = function (value) {
    if (typeof value === 'function' && this.has(value)) window.listeners.subscribed -= 1;
    return remove.call(this, value);
  };
  EventTarget.prototype.addEventListener = function (type, listener, options) {
    if (type === 'visibilitychange' && options?.once) {
      add.call(once, listener);
      window.listeners.once = once.size;
    }
    return addEventListener.call(this, type, listener, options);
  };
  EventTarget.prototype.removeEventListener = function (type, listener, options) {
    remove.call(once, listener);
    window.listeners.once = once.size;
    return removeEventListener.call(this, type, listener, options);
  };
}"""
"""A script that counts what is subscribed, and what waits for the page to be hidden once."""

WATCH_STORED_DRAFT = """{
  const { transaction } = IDBDatabase.prototype;
  IDBDatabase.prototype.transaction = function (...names) {
    const begun = transaction.apply(this, names);
    begun.addEventListener('complete', () => { window.isStored ||= begun === window.storing; });
    return begun;
  };
  const { put } = IDBObjectStore.prototype;
  IDBObjectStore.prototype.put = function (entry) {
    if (entry.note?.ahead) window.storing ??= this.transaction;
    return put.call(this, entry);
  };
  const { removeItem } = Storage.prototype;
  Storage.prototype.removeItem = function (name) {
    if (name.startsWith('vola.draft.')) window.wasStored = window.isStored === true;
    return removeItem.call(this, name);
  };
}"""
"""A script that notes whether the write of a deal, with the note that a person is asked if it is
refused, was stored when the draft of the deal was removed."""


def test_an_undo_tapped_while_an_answer_arrives_expects_its_version(phone: Phone) -> None:
    phone.begin()
    sent = json.loads(phone.page.evaluate(UNDO_WHILE_THE_ANSWER_ARRIVES))
    assert sent["refusal"] is None
    assert sent["expected"] == [None, f'"{sent["version"]}"']


def test_an_undo_follows_the_erasure_of_a_name(phone: Phone) -> None:
    """The answer to an erasure holds no session."""
    recorder = record_elsewhere(phone, [{"type": "open_deal"}, {"type": "all_pass"}])
    open_as_host(phone, recorder)
    phone.page.evaluate(UNDO_BEHIND_AN_ERASURE)
    see_all_sent(phone)
    expect(phone.page.locator(".seat .name")).to_have_text(["Ada", "Bo", "Spelare 3", "Disa"])
    assert recorder.state()["deal"]["number"] == 1


def test_a_screen_that_cannot_be_drawn_stops_no_write(phone: Phone) -> None:
    phone.begin()
    phone.page.evaluate(FAIL_TO_DRAW)
    phone.play(1, "B", "CCDCB")
    phone.tap("table").play(2, "")
    assert len(phone.read("/deals")["deals"]) == 2  # type: ignore[arg-type]
    assert phone.page.evaluate("window.reported") == "this screen cannot be drawn"


MAKE_ANOTHER_DATABASE = """() => new Promise((resolve) => {
  indexedDB.open('other').onsuccess = ({ target }) => { target.result.close(); resolve(); };
})"""
COUNT_STORED_WRITES = """async () => {
  const names = (await indexedDB.databases()).map(({ name }) => name);
  if (names.includes('other') || !names.includes('vola')) return 0;
  return new Promise((resolve) => {
    const opening = indexedDB.open('vola');
    opening.onupgradeneeded = () => opening.transaction.abort();  // cleared since
    opening.onerror = () => resolve(0);
    opening.onsuccess = () => {
      const transaction = opening.result.transaction('writes');
      const counting = transaction.objectStore('writes').count();
      transaction.oncomplete = () => resolve(counting.result);
      transaction.onabort = () => resolve(0);
      opening.result.close();
    };
  });
}"""
"""A script that counts the stored writes once the browser has cleared the other database."""


def clear_storage(phone: Phone) -> None:
    """Let the browser clear IndexedDB under the open page, as with little storage left."""
    address = urlsplit(phone.url)
    phone.page.context.new_cdp_session(phone.page).send(
        "Storage.clearDataForOrigin",
        {"origin": f"{address.scheme}://{address.netloc}", "storageTypes": "indexeddb"},
    )


def test_a_deal_that_waits_is_stored_again_after_the_storage_was_cleared(phone: Phone) -> None:
    phone.begin()
    unplug(phone)
    phone.play(1, "B", "CCDCB")
    phone.page.evaluate(MAKE_ANOTHER_DATABASE)
    clear_storage(phone)
    phone.wait_until(lambda: phone.page.evaluate(COUNT_STORED_WRITES) == 1)
    see_the_deal_sent_after_a_reload(phone)


def test_a_deal_survives_a_reload_after_the_browser_closed_the_store(phone: Phone) -> None:
    """iOS closes it after a while in the background."""
    phone.begin()
    clear_storage(phone)
    unplug(phone)
    phone.play(1, "B", "CCDCB")
    see_the_deal_sent_after_a_reload(phone)


def see_the_deal_sent_after_a_reload(phone: Phone) -> None:
    # the other way round, the deal could be sent in between
    phone.page.route("**/actions", lambda route: route.abort())
    phone.page.unroute("**/v1/**")
    phone.page.reload()
    expect(phone.page.locator(".sync")).to_contain_text("1 väntar")
    phone.page.unroute("**/actions")
    see_all_sent(phone)
    assert len(phone.read("/deals")["deals"]) == 1  # type: ignore[arg-type]


def test_recorded_deals_leave_no_listeners_behind(phone: Phone) -> None:
    phone.page.add_init_script(COUNT_LISTENERS)
    phone.begin()
    phone.play(1, "B", "CCDCB")
    phone.tap("table")
    phone.see_saved()
    # what runs once waits for the next frame
    phone.wait_until(lambda: phone.page.evaluate("window.listeners.once") == 0)
    counted = phone.page.evaluate("window.listeners")
    for number in (2, 3, 4):
        phone.play(number, "B", "CCDCB")
        phone.tap("table")
    phone.see_saved()
    phone.wait_until(lambda: phone.page.evaluate("window.listeners") == counted)


def test_a_deal_that_is_taken_back_leaves_no_listener_behind(phone: Phone) -> None:
    phone.page.add_init_script(COUNT_LISTENERS)
    phone.begin()
    assert phone.page.evaluate(TAKE_BACK_BEHIND_A_WRITE) == [2, 0]


def test_a_deal_waits_while_another_server_answers_for_ours(phone: Phone) -> None:
    """A network that asks for a login answers every request with a page of its own."""
    phone.begin()
    pages = [{"status": 403, "body": "<h1>Log in</h1>", "content_type": "text/html"}]
    phone.page.route(
        "**/actions",
        lambda route: route.fulfill(**pages.pop()) if pages else route.continue_(),
    )
    phone.play(1, "B", "CCDCB")
    see_all_sent(phone)
    assert not pages
    assert phone.read("/deals")["deals"][0]["status"] == "closed"


def test_a_draft_stays_until_the_deal_that_waits_is_stored(phone: Phone) -> None:
    """A tab that is closed in between would lose a deal that the server then refuses."""
    phone.page.add_init_script(WATCH_STORED_DRAFT)
    phone.begin()
    unplug(phone)
    phone.play(1, "B", "CCDCB")
    assert phone.page.evaluate("window.wasStored")


def test_answers_may_come_before_the_game_is_loaded(phone: Phone) -> None:
    """The page reports no error: what is forecast waits for the game."""
    phone.begin()
    play_two_deals_unplugged(phone)
    held: list[Route] = []
    phone.page.route("**/games/polskt_pass.js", lambda route: held.append(route))
    answered: list[int] = []
    phone.page.on(
        "response",
        lambda answer: answered.append(answer.status) if "/actions" in answer.url else None,
    )
    phone.page.reload()
    phone.wait_until(lambda: len(held) == 1)
    plug_in(phone)
    phone.wait_until(lambda: len(answered) == 2)
    held[0].continue_()
    see_all_sent(phone)
    expect(phone.page.locator(".verdict")).to_be_visible()
