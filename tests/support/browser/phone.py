"""A phone at the table, on a page of a browser: it taps, counts the taps, and reads the screen.

It waits for what should appear, never sleeps, and uses the program only through the screen, except
where a method says otherwise.
"""

import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Self
from uuid import uuid4

from playwright.sync_api import Locator, Page, expect

from tests.support.browser.form_sources import imported_module
from tests.support.player_names import FOUR_NAMES

SEATS = "ABCDE"

PATIENCE_SECONDS = 30
"""How long a phone waits for what should appear, so that a busy machine fails no test."""
expect.set_options(timeout=PATIENCE_SECONDS * 1000)

OPENING_BODIES: dict[tuple[str, int, str], dict[str, Any]] = {}
"""The request body with which the form opens a session, by game, number of players and language."""
REMEMBER = f"async (session) => (await {imported_module()}).rememberSession(...session)"


def deal_steps(declarers: str, tricks: str) -> Iterator[tuple[str, str]]:
    """Yield each step of recording a deal: the key of a button, or else the letter of a seat."""
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

    # --- taps --------------------------------------------------------------------------------

    def tap(self, key: str) -> Self:
        """Tap the element with this key."""
        self.taps += 1
        self.page.locator(f'[data-key="{key}"]').tap()
        return self

    def seat(self, letters: Iterable[str]) -> Self:
        """Tap each of these players; A is at the first seat."""
        for letter in letters:
            self.taps += 1
            self.page.locator(f'[data-seat="p{SEATS.index(letter) + 1}"]').tap()
        return self

    def mark(self, name: str, value: str) -> Self:
        """Tap a choice: the radio button or checkbox with this name and value."""
        self.taps += 1
        self.page.locator(f'input[name="{name}"][value="{value}"]').tap()
        return self

    def close_dialog(self) -> Self:
        """Press Escape once the dialog is open, since its module may have to be loaded first."""
        expect(self.page.locator("dialog[open]")).to_be_visible()
        self.page.keyboard.press("Escape")
        return self

    def wait_until(self, check: Callable[[], bool]) -> None:
        """Call `check` until it is true, as `expect` does for what is on the screen."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not check():
            assert time.monotonic() < deadline, "it has not come true"
            self.page.wait_for_timeout(50)  # polling, with a deadline

    # --- the evening -------------------------------------------------------------------------

    def begin(self, names: Sequence[str] = FOUR_NAMES, game: str = "polskt_pass") -> Self:
        """Open a session with the usual choices, and show its table. The first time this taps
        through the form and notes the request that it sends; later it sends that request, and skips
        the screens."""
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
        address = f"#/s/{state['id']}"
        self.page.goto(f"{self.url}/{address}")
        # the table of another session may still be on the screen
        expect(self.page.locator(f'body[data-at="{address}"]')).to_be_attached()
        self.see_table()
        self.page.evaluate(REMEMBER, [state["id"], state["title"], game])
        return self

    def begin_by_tapping(
        self,
        names: Sequence[str] = FOUR_NAMES,
        game: str = "polskt_pass",
        options: Mapping[str, str] | None = None,
        **typed: str,
    ) -> Self:
        """Tap from the front page to the table of a new session: 10 kr, and the usual choices.

        `options`: choices to tap; `typed`: the numbers that are not among the choices.
        """
        self.page.goto(self.url + "/")
        self.tap("new")
        self.choose_game(game)
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

    def choose_game(self, game: str) -> None:
        """Tap the picture of this game, unless it is chosen already."""
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
        """Check that everything recorded on this phone has been sent."""
        expect(self.page.locator("#head .sync.up-to-date")).to_be_visible()

    def play(self, number: int, declarers: str, tricks: str = "") -> int:
        """Record a whole deal and return the taps it took.

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

    def see_balances(self, kronor: Sequence[int]) -> None:
        """Check that the result screen shows exactly these, in seat order (settled la vola
        included)."""
        cells = self.page.locator("[data-balance]")
        expect(cells).to_have_text([format_kronor(amount) for amount in kronor])

    def see_points(self, scores: Mapping[str, int]) -> None:
        """Check that the sheet shows these, among others."""
        for contestant, points in scores.items():
            cell = self.page.locator(f'[data-contestant="{contestant}"] [data-points]')
            expect(cell).to_have_text(format_points(points))

    def bets(self) -> Locator:
        return self.page.locator(".bets li")

    def read(self, path: str) -> dict[str, object]:
        """Return a resource of the session from the server, read with this phone's own cookie once
        the phone has sent everything."""
        self.see_saved()
        session = self.page.evaluate("location.hash.split('/')[2]")
        answer = self.page.request.get(f"{self.url}/v1/sessions/{session}{path}")
        assert answer.ok, answer.text()
        document: dict[str, object] = answer.json()
        return document

    def table_url(self) -> str:
        """Return the address of the table."""
        place = self.page.evaluate("location.hash.split('/').slice(0, 3).join('/')")
        return f"{self.url}/{place}"

    def visit(self, screen: str) -> None:
        self.page.goto(f"{self.table_url()}/{screen}" if screen else self.table_url())


def format_points(points: int) -> str:
    return str(points).replace("-", "−")


def format_kronor(kronor: int) -> str:
    """Return kronor as the form writes them: with a real minus sign, or a plus for a gain."""
    sign = "−" if kronor < 0 else "+" if kronor > 0 else ""
    return f"{sign}{abs(kronor)} kr"
