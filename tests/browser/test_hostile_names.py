"""Hostile names of players, phones and groups, and hostile texts: on every screen each of them is
only text, stays in its place, and fits.

One evening holds ten of them as players, a hundred as phones and twenty as join requests, so that
one look at a screen tests them all. tests/api tests which names are allowed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import pytest
from marshmallow import ValidationError
from playwright.sync_api import expect

from api.schemas.fields import Label
from ledger.store.name_matching import matching_key
from tests.support.api.hostile_names import TRICKS
from tests.support.api.http_client import ask
from tests.support.browser.layout_checks import TOO_WIDE, wait_until_drawn
from tests.support.browser.page_conditions import wait_until
from tests.support.browser.phone import Phone

PLAYERS = (
    "<img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)><style>*{',
    "' onmouseover='alert(1)' x='",
    "{name} {{7*7}} ${count} $& $1 $` \\",
    "אבג",
    "محمد <b>",
    "W" * 40,
    "﷽" * 40,
    "\u1e92" + "\u0327" * 19 + "\u0330" * 19,
    "𞤀𞤣𞤢𞤥",
)
"""Markup, placeholders of sentences, three scripts from right to left, the widest, the highest."""
TITLE = "</title><script>alert(1)</script>שלום"
REMARK = "<iframe srcdoc='<script>alert(1)</script>'> שלום 200 <b>kr</b>"

FOREIGN = """() => {
  const brought = 'iframe, object, embed, base, body style, body script, body link, body title, '
    + 'body meta, [srcdoc], img:not([src^="/"], [src^="data:"])';
  const runs = ({ name, value }) => name.startsWith('on') || /^\\s*javascript:/i.test(value);
  const wrong = [...document.querySelectorAll('*')]
    .filter((e) => e.matches(brought) || [...e.attributes].some(runs));
  return [...wrong.map((e) => e.outerHTML.slice(0, 120)), ...broken];
}"""
"""A script that returns the elements and attributes that only a name can have added, and what the
content security policy has blocked."""
WATCH = """
window.broken = [];
addEventListener('securitypolicyviolation', (e) => broken.push(e.violatedDirective));
"""
TEXT = """() => {
  const found = [...document.querySelectorAll('input')].map((e) => e.value);
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) found.push(walker.currentNode.data);
  return found;
}"""
EVERY_TEXT_SHOWN = f"""(all) => {{
  const told = ({TEXT})().join('\\n');
  return all.every((one) => told.includes(one));
}}"""
TURNED_ROUND = """(names) => {
  const plain = (text) => text.replace(/[.*+?^${}()|[\\]\\\\]/g, '\\\\$&');
  const token = new RegExp(`\\u2068?(?:${names.map(plain).join('|')})\\u2069?|\\\\S+`, 'gu');
  const blocks = new Map();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    let block = node.parentElement;
    if (!block.checkVisibility() || block.closest('svg, .visually-hidden, select')) continue;
    while (getComputedStyle(block).display.startsWith('inline')) block = block.parentElement;
    if (!blocks.has(block)) blocks.set(block, []);
    for (const { 0: text, index } of node.data.matchAll(token)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + text.length);
      const boxes = [...range.getClientRects()];
      const whole = boxes.every((one) => Math.abs(one.bottom - boxes[0].bottom) < 4);
      blocks.get(block).push({ text, box: whole ? range.getBoundingClientRect() : null });
    }
  }
  const sameLine = (one, other) => one && other
    && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 8;
  const wrong = [];
  for (const tokens of blocks.values()) {
    tokens.forEach(({ text, box }, place) => {
      const next = tokens[place + 1];
      if (!next || !sameLine(box, next.box) || next.box.left >= box.left - 1) return;
      wrong.push(`${text} | ${next.text}`);
    });
  }
  return wrong;
}"""
"""A script that returns the words that stand on one line but not in the order in which they were
written: a name from right to left moves the text after it to its other side, unless it is isolated.
Within a name this order is right."""

PUT_IN = "(html) => { broken.length = 0; document.querySelector('main').innerHTML = html; }"


def acceptable(candidates: Iterable[str]) -> list[str]:
    """Return the candidates that the server accepts as a name, each of them once."""
    labels: dict[str, str] = {}
    for name in candidates:
        try:
            label = Label().deserialize(name)
        except ValidationError:
            continue
        labels.setdefault(matching_key(label), label)
    return list(labels.values())


LABELS = acceptable((*PLAYERS, *TRICKS))[:99]


class Book:
    """A client that writes by HTTP what would take an evening of taps."""

    def __init__(self, url: str) -> None:
        self.url, self.id, self.right, self.scorer = url.rstrip("/"), "", "", ""

    def post(self, path: str, body: Any, method: str = "POST", right: str | None = None) -> Any:
        headers = {"Idempotency-Key": uuid4().hex, "If-Match": "*"}
        headers |= {"Authorization": f"Bearer {right or self.right}"} if right or self.right else {}
        answer = ask(f"{self.url}{path}", method, body, headers)
        assert answer.status < 300, (path, answer.raw)
        return answer.json

    def send(self, rest: str, body: Any, method: str = "POST", right: str | None = None) -> Any:
        return self.post(f"/v1/sessions/{self.id}{rest}", body, method, right)

    def open(self, game: str, names: Iterable[str]) -> Book:
        players = [{"name": name} for name in names]
        created = self.post("/v1/sessions", {"game": game, "players": players, "title": TITLE})
        self.id, self.right = created["id"], created["tokens"]["host"]
        self.scorer = created["tokens"]["scorer"]
        return self

    def door(self) -> str:
        return str(self.send("/join-code", {})["code"])

    def phone(self, label: str) -> str:
        return str(self.send("/devices", {"label": label})["token"])


class Eyes:
    """A check of one screen after another, which collects the faults of each."""

    def __init__(self, phone: Phone, names: Iterable[str]) -> None:
        self.phone, self.names = phone, sorted(names, key=len, reverse=True)
        self.wrong: dict[str, object] = {}
        self.dialogs: list[str] = []
        phone.page.add_init_script(WATCH)
        phone.page.on("dialog", self.dismiss_dialog)

    def dismiss_dialog(self, dialog: Any) -> None:
        self.dialogs.append(dialog.message)
        dialog.dismiss()

    def go(self, place: str, *texts: str) -> None:
        """Open a screen by its address, and check it."""
        self.phone.page.goto(f"{self.phone.url}/{place}")
        wait_until_drawn(self.phone)
        self.see(place, *texts)

    def see(self, name: str, *texts: str) -> None:
        """Check that a screen shows `texts`, that all is text in its order, and that nothing is too
        wide."""
        page = self.phone.page
        wait_until(page, EVERY_TEXT_SHOWN, texts)
        faults = page.evaluate(FOREIGN), page.evaluate(TOO_WIDE) > 0
        turned = page.evaluate(TURNED_ROUND, self.names)
        if faults != ([], False) or turned:
            self.wrong[name] = (*faults, turned)

    def texts(self) -> str:
        result: list[str] = self.phone.page.evaluate(TEXT)
        return "\n".join(result).replace("\u2068", "").replace("\u2069", "")

    def assert_nothing_wrong(self) -> None:
        assert self.wrong == {}
        assert self.dialogs == []


@pytest.fixture
def eyes(lend: Callable[..., Phone]) -> Callable[..., Eyes]:
    return lambda names: Eyes(lend(width=320, height=640), names)


def test_the_checks_for_hostile_names_find_each_fault(eyes: Callable[..., Eyes]) -> None:
    look = eyes(PLAYERS)
    page = look.phone.page
    page.goto(look.phone.url + "/")
    wait_until_drawn(look.phone)
    look.see("as it is")
    look.assert_nothing_wrong()
    traps = {
        "<p>Vinner: אבג 100 kr</p>": "אבג | 100",
        "<p>Vinner: <span>אבג</span> <span>100</span> kr</p>": "אבג | 100",
        "<p>𞤀𞤣𞤢𞤥 5 kr</p>": "𞤀𞤣𞤢𞤥 | 5",
        "<b onclick='x'>Bo</b>": "onclick",
        "<img src=x>": "src=",
        f"<pre>{'W' * 99}</pre>": "True",
    }
    for text, complaint in traps.items():
        page.evaluate(PUT_IN, text)
        look.wrong.clear()
        look.see(text)
        assert complaint in str(look.wrong), text
    for text in ("<p>Vinner: <bdi>אבג</bdi> 100 kr</p>", "<p>Vinner: \u2068אבג\u2069 100 kr</p>"):
        page.evaluate(PUT_IN, text)
        look.wrong.clear()
        look.see(text)
        assert look.wrong == {}, text


def test_hostile_labels_stay_text_in_join_requests_and_devices(
    eyes: Callable[..., Eyes], server_url: str
) -> None:
    book = Book(server_url).open("polskt_pass", PLAYERS[:5])
    deal = [{"type": "declare", "players": ["p2"]}, {"type": "result", "winner": "p3"}]
    for number, label in enumerate(LABELS, start=1):
        right = book.phone(label)
        if label in PLAYERS[:5]:
            actions = [{"type": "open_deal", "number": number}, *deal]
            book.send("/actions", {"actions": actions}, right=right)
    code = book.door()
    waits = ["𞤢𞤥", "𞤀𞤣", "ܐܒ", *LABELS[-17:]]  # the first three beside each other in a sentence
    for label in waits:
        book.post("/v1/join-requests", {"code": code, "label": label})
    look = eyes((*LABELS, *waits))
    route = f"#/s/{book.id}"
    look.phone.page.goto(f"{server_url}/{route}/{book.right}")
    look.phone.see_table()
    look.phone.page.locator(".join-requests-link").wait_for()
    look.see("a table with twenty at the door")
    assert sum(name in look.texts() for name in waits) == len(waits)
    for screen in ("deals", "deal/1", "deal/3", "deal/5"):
        look.go(f"{route}/{screen}", "Skrivet av")
    assert PLAYERS[4] in look.texts()
    look.go(f"{route}/share")
    expect(look.phone.page.locator(".join-request")).to_have_count(len(waits))
    expect(look.phone.page.locator("[data-phone]")).to_have_count(len(LABELS))
    look.see("who is in, and who wants to be")
    inside = look.phone.page.locator("[data-phone] bdi").all_text_contents()
    assert [name.strip("\u2068\u2069") for name in inside] == LABELS
    look.phone.tap("out-phone5")
    expect(look.phone.page.locator("dialog[open]")).to_be_visible()
    look.see("whether to shut out")
    look.assert_nothing_wrong()


def test_hostile_labels_stay_text_on_the_phone_that_joins(
    eyes: Callable[..., Eyes], server_url: str
) -> None:
    book = Book(server_url).open("polskt_pass", PLAYERS[:5])
    look = eyes(PLAYERS)
    page = look.phone.page
    code = book.door()
    for label in PLAYERS[:6]:
        page.goto(f"{server_url}/#/join")
        page.locator('[data-key="join-code-input"]').fill(code)
        page.locator('[data-key="device-name"]').fill(label)
        look.phone.tap("request-join")
        expect(page.locator(".waiting-for-host")).to_contain_text("Vänta, värden släpper in dig")
        look.see(f"{label} waits")
        look.phone.tap("give-up")
        expect(page.locator('[data-key="request-join"]')).to_be_visible()
    page.goto(f"{server_url}/#/s/{book.id}/{book.scorer}")
    expect(page.locator(".player-buttons")).to_be_visible()
    look.see("whose", *PLAYERS[:5])
    look.phone.tap("whose-p5")
    expect(page.locator(".player-buttons")).to_have_count(0)
    look.see("a phone with a name")
    look.assert_nothing_wrong()


SPADER = [
    {"type": "side_bid", "side": "p2+p4", "tricks": 5},
    {"type": "side_bid", "side": "p1+p3", "tricks": 5},
    {"type": "tricks", "taken": {"p1": 3, "p2": 4, "p3": 2, "p4": 4}},
]


@pytest.mark.parametrize(
    ("game", "seats", "deal"),
    [
        (
            "polskt_pass",
            (*PLAYERS[:2], *PLAYERS[4:7]),
            [
                {"type": "declare", "players": ["p3"]},
                {"type": "result", "la_vola": {"player": "p3", "won": True}},
            ],
        ),
        (
            "knektpass",
            PLAYERS,
            [
                *({"type": "stay", "player": f"p{n}"} for n in (2, 3, 4)),
                *({"type": "pass", "player": f"p{n}"} for n in (5, 6, 7, 8, 9, 10, 1)),
                {"type": "tricks", "taken": {"p2": 1, "p3": 0, "p4": 4}},
            ],
        ),
        ("spader", PLAYERS[4:8], SPADER),
        ("spader", ("Ada", "Bo", PLAYERS[4], PLAYERS[9]), SPADER),  # a score after each
    ],
)
def test_hostile_names_stay_text_in_an_evening_of_every_game(
    eyes: Callable[..., Eyes], server_url: str, game: str, seats: tuple[str, ...], deal: list[Any]
) -> None:
    book = Book(server_url).open(game, seats)
    book.send("/actions", {"actions": [{"type": "open_deal", "number": 1}, *deal]})
    book.send("/deals/1", {"actions": deal, "reason": REMARK}, "PUT")
    book.send("/actions", {"actions": [{"type": "open_deal", "number": 2}]})
    book.send(f"/deals/2?reason={quote(REMARK)}", None, "DELETE")
    look = eyes((*seats, TITLE))
    route = f"#/s/{book.id}"
    look.phone.page.goto(f"{server_url}/{route}/{book.right}")
    look.phone.see_table()
    look.see("table", *seats)
    for screen in (
        "record",
        "deals",
        "deal/1",
        "deal/2",
        "correct/1",
        "statement",
        "share",
        "rules",
    ):
        look.go(f"{route}/{screen}")
    look.go(f"{route}/close")
    if game == "polskt_pass":  # in games for points everybody stays
        look.go(f"{route}/players", *seats)
        look.go(f"{route}/settlement", *seats[:2])
    look.go("#/", TITLE)
    look.assert_nothing_wrong()


def test_hostile_names_stay_text_when_typed(eyes: Callable[..., Eyes]) -> None:
    look = eyes(PLAYERS)
    look.phone.begin_by_tapping(PLAYERS, game="knektpass")
    look.see("table", *PLAYERS)
    look.go("#/new/again", *PLAYERS)
    look.assert_nothing_wrong()


def test_hostile_names_stay_text_in_a_group(eyes: Callable[..., Eyes], server_url: str) -> None:
    book, name = Book(server_url), PLAYERS[5]
    members = LABELS[:60]
    body = {"name": name, "members": [{"name": member} for member in members]}
    created = book.post("/v1/groups", body)
    book.right = created["tokens"]["host"]
    seats = [f"m{LABELS.index(player) + 1}" for player in PLAYERS if player in members][:5]
    seated = {"game": "polskt_pass", "members": seats, "title": TITLE}
    evening = book.post(f"/v1/groups/{created['id']}/sessions", seated)
    book.id, group_token, book.right = evening["id"], book.right, evening["tokens"]["host"]
    deal = [{"type": "declare", "players": ["p2"]}, {"type": "result", "winner": "p3"}]
    book.send("/actions", {"actions": [{"type": "open_deal"}, *deal]})
    book.send("/closure", {})
    look = eyes((*members, TITLE))
    route = f"#/c/{created['id']}"
    look.phone.page.goto(f"{server_url}/{route}/{group_token}")
    expect(look.phone.page.locator("h1")).to_have_text(name)
    expect(look.phone.page.locator(".member-list")).to_be_visible()
    look.see("group", TITLE)
    texts = look.texts()
    assert [member for member in members if member not in texts] == []
    for screen in ("tonight", "members", "season", "statement", "share"):
        look.go(f"{route}/{screen}")
    look.go("#/", name)
    look.assert_nothing_wrong()
