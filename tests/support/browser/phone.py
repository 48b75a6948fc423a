"""A phone at the table: taps like a thumb, counts the taps, reads what the screen says.

Waits for what should appear; never sleeps, never asks the program anything but through the screen.
"""

import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Self
from uuid import uuid4

from playwright.sync_api import Locator, Page, expect

from tests.support.browser.form_sources import imported_module

FOUR = ("Ada", "Bo", "Cilla", "Disa")
SEATS = "ABCDE"
PATIENCE_SECONDS = 30
OPENING_BODIES: dict[tuple[str, int, str], dict[str, Any]] = {}
"""What the form says to open an evening, by game, number of players and language."""
REMEMBER = f"async (session) => (await {imported_module()}).rememberSession(...session)"


def deal_steps(declarers: str, tricks: str) -> Iterator[tuple[str, str]]:
    """Each step of recording a deal: the key of a button, or else the letter of a seat."""
    if len(declarers) == 1:
        yield "", declarers
    else:
        yield ("both" if declarers else "all-pass"), ""
    for sign in tricks:
        key = {"!": "vola", "*": "all-five", ".": "finish"}.get(sign, "")
        yield key, "" if key else sign


class Phone:
    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.url = url.rstrip("/")
        self.taps = 0

    # --- the thumb ---------------------------------------------------------------------------

    def tap(self, key: str) -> Self:
        """One tap on the thing with this key."""
        self.taps += 1
        self.page.locator(f'[data-key="{key}"]').tap()
        return self

    def seat(self, letters: Iterable[str]) -> Self:
        """A tap on each of these players: A is at the first seat."""
        for letter in letters:
            self.taps += 1
            self.page.locator(f'[data-seat="p{SEATS.index(letter) + 1}"]').tap()
        return self

    def mark(self, name: str, value: str) -> Self:
        """One tap on a pill."""
        self.taps += 1
        self.page.locator(f'input[name="{name}"][value="{value}"]').tap()
        return self

    def close_dialog(self) -> Self:
        """Escape, once the dialog is there: what opens it may have to be loaded first."""
        expect(self.page.locator("dialog[open]")).to_be_visible()
        self.page.keyboard.press("Escape")
        return self

    def wait_until(self, check: Callable[[], bool]) -> None:
        """Ask again and again, as `expect` does for what stands on the screen."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not check():
            assert time.monotonic() < deadline, "it has not come true"
            self.page.wait_for_timeout(50)  # polling, with a deadline

    # --- the evening -------------------------------------------------------------------------

    def begin(self, names: Sequence[str] = FOUR, game: str = "polskt_pass") -> Self:
        """A new evening's table, everything as usual: asked for in the form's own words, which it
        is heard to say the first time, and without its screens. What is tested comes after."""
        language = self.page.evaluate("navigator.language")
        body = OPENING_BODIES.get((game, len(names), language))
        if body is None:
            with self.page.expect_request(lambda it: it.url.endswith("/v1/sessions")) as request:
                self.begin_by_tapping(names, game)
            OPENING_BODIES[game, len(names), language] = json.loads(request.value.post_data or "")
            return self
        server, sessions = self.page.context.request, f"{self.url}/v1/sessions"
        body = {**body, "players": [{"name": name} for name in names]}
        state = server.post(sessions, data=body, headers={"Idempotency-Key": f"{uuid4()}"}).json()
        right = {"Authorization": f"Bearer {state['tokens']['host']}"}
        assert server.put(f"{sessions}/{state['id']}/cookie", headers=right).ok
        self.page.goto(f"{self.url}/#/s/{state['id']}")
        self.see_table()
        self.page.evaluate(REMEMBER, [state["id"], state["title"], game])
        return self

    def begin_by_tapping(
        self,
        names: Sequence[str] = FOUR,
        game: str = "polskt_pass",
        options: Mapping[str, str] | None = None,
        **typed: str,
    ) -> Self:
        """From the front page to a new evening's table: 10 kr, everything as usual.

        `options`: pills to choose; `typed`: the numbers of those that are not among the pills.
        """
        self.page.goto(self.url + "/")
        self.tap("new")
        self.choose(game)
        fields = self.page.locator(".lineup input")
        for place, name in enumerate(names):
            if place >= fields.count():
                self.tap("add")
            fields.nth(place).fill(name)
        for name, value in (options or {}).items():
            self.mark(name, value)
        for name, number in typed.items():
            self.page.locator(f"#free-{name}").fill(number)
        self.tap("open")
        self.see_table()
        return self

    def choose(self, game: str) -> None:
        """A tap on the picture of this game, unless it is chosen already."""
        card = self.page.locator(f'.game input[value="{game}"]')
        expect(card).to_be_attached()
        if not card.is_checked():
            self.taps += 1
            card.tap()

    def see_table(self) -> None:
        expect(self.page.locator("body.table .felt")).to_be_visible()

    def see_result(self, number: int) -> None:
        expect(self.page.locator("h1")).to_have_text(re.compile(rf"\b{number}$"))
        expect(self.page.locator(".verdict")).to_be_visible()

    def see_saved(self) -> None:
        """Nothing that was recorded on this phone still waits to be sent."""
        expect(self.page.locator("#head .sync.well")).to_be_visible()

    def play(self, number: int, declarers: str, tricks: str = "") -> int:
        """Records a whole deal and returns the taps it took.

        `tricks` in order; `!` is the announcement of la vola, `*` its five tricks in one tap, `.` a
        finish in advance. No declarers: all pass.
        """
        taps = self.taps
        self.tap("record")
        for key, seat in deal_steps(declarers, tricks):
            self.tap(key) if key else self.seat(seat)
        self.see_result(number)
        return self.taps - taps

    # --- the screen --------------------------------------------------------------------------

    def balances(self, kronor: Sequence[int]) -> None:
        """The result screen shows exactly these, in seat order (settled la vola included)."""
        cells = self.page.locator("[data-balance]")
        expect(cells).to_have_text([written(amount) for amount in kronor])

    def points(self, scores: Mapping[str, int]) -> None:
        """The sheet shows these, among others."""
        for keeper, points in scores.items():
            cell = self.page.locator(f'[data-keeper="{keeper}"] [data-points]')
            expect(cell).to_have_text(minus(points))

    def bets(self) -> Locator:
        return self.page.locator(".bets li")

    def read(self, path: str) -> dict[str, object]:
        """What the server has, asked with this phone's own cookie, once this phone has sent all."""
        self.see_saved()
        session = self.page.evaluate("location.hash.split('/')[2]")
        answer = self.page.request.get(f"{self.url}/v1/sessions/{session}{path}")
        assert answer.ok, answer.text()
        document: dict[str, object] = answer.json()
        return document

    def home(self) -> str:
        """The address of the table."""
        place = self.page.evaluate("location.hash.split('/').slice(0, 3).join('/')")
        return f"{self.url}/{place}"

    def visit(self, screen: str) -> None:
        self.page.goto(f"{self.home()}/{screen}" if screen else self.home())


def minus(points: int) -> str:
    return str(points).replace("-", "−")


def written(kronor: int) -> str:
    """As the form writes kronor: a real minus sign, a plus when somebody is ahead."""
    sign = "−" if kronor < 0 else "+" if kronor > 0 else ""
    return f"{sign}{abs(kronor)} kr"
