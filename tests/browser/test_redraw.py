"""A redraw changes the existing elements, so that focus, folds and typed text stay."""

from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.support.browser.form_sources import imported_module
from tests.support.browser.phone import Phone

SAME_ELEMENT = "document.activeElement === window.focusedElement"


def test_the_recorder_keeps_the_focused_element_through_a_deal(phone: Phone) -> None:
    phone.begin().tap("record")
    for letter in "BBABA":
        seat = phone.page.locator(f'[data-seat="p{"ABCD".index(letter) + 1}"]')
        seat.focus()
        phone.page.evaluate("window.focusedElement = document.activeElement")
        phone.page.keyboard.press("Enter")
        assert phone.page.evaluate(SAME_ELEMENT)
    phone.tap("undo-tap")
    expect(phone.page.locator(".slot.hue0")).to_have_count(1)


NEWS_OF_A_WRITE = f"""async () => {{
  const {{ loadForecast, recordActions, subscribe }} = await {imported_module()};
  await loadForecast();
  const news = [];
  subscribe((session, {{ reply }}) => news.push([session.version, reply !== undefined]));
  await recordActions([{{ type: 'open_deal', number: 1 }}, {{ type: 'all_pass' }}]);
  return news;
}}"""


def test_an_answer_is_announced_once_with_the_state_in_it(phone: Phone) -> None:
    """Each announcement draws the screen again, while the tap waits for the next one."""
    phone.begin()
    assert phone.page.evaluate(NEWS_OF_A_WRITE) == [[1, False], [4, True]]


def middle(button: Locator, finger: int) -> dict[str, float]:
    """Return where this finger touches a button."""
    area = button.bounding_box()
    assert area is not None
    x, y = area["x"] + area["width"] / 2, area["y"] + area["height"] / 2
    return {"x": x, "y": y, "id": finger}


@pytest.mark.parametrize("end", ["touchEnd", "touchCancel"])
def test_a_button_shows_the_press_while_the_finger_rests(phone: Phone, end: str) -> None:
    phone.page.goto(phone.url + "/")
    button = phone.page.locator('[data-key="new"]')
    touch = phone.page.context.new_cdp_session(phone.page)
    points = [middle(button, 0)]
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": points})
    expect(button).to_have_css("transform", "matrix(1, 0, 0, 1, 0, 1)")
    touch.send("Input.dispatchTouchEvent", {"type": end, "touchPoints": []})
    expect(phone.page.locator("[data-pressed]")).to_have_count(0)


def test_no_button_stays_pressed_after_two_fingers(phone: Phone) -> None:
    phone.begin().tap("record")
    touch = phone.page.context.new_cdp_session(phone.page)
    points = [middle(phone.page.locator(f'[data-seat="p{n + 1}"]'), n) for n in range(2)]
    for count in (1, 2):
        start = {"type": "touchStart", "touchPoints": points[:count]}
        touch.send("Input.dispatchTouchEvent", start)
        expect(phone.page.locator("[data-pressed]")).to_have_count(count)
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    expect(phone.page.locator("[data-pressed]")).to_have_count(0)


@pytest.fixture
def redraw(phone: Phone) -> Any:
    """Draw content, let a person change it, draw other content; return the HTML and `note`."""
    phone.page.goto(phone.url + "/")
    expect(phone.page.locator('[data-key="new"]')).to_be_visible()

    def draw(first: str, second: str, person: str = "", note: str = "null") -> tuple[str, Any]:
        html, noted = phone.page.evaluate(f"""async () => {{
            const {{h, patchChildren}} = await {imported_module()};
            const place = document.querySelector('#main');
            place.replaceChildren();
            patchChildren(place, {first});
            const before = [...place.childNodes];
            {person};
            patchChildren(place, {second});
            return [place.innerHTML, {note}];
        }}""")
        return html, noted

    return draw


def test_a_redraw_keeps_equal_elements_and_replaces_the_rest(redraw: Any) -> None:
    html, is_kept = redraw(
        "[h('p', {}, 'old'), h('button', {'data-key': 'a', disabled: true}, 'A'), 'x']",
        "[h('button', {'data-key': 'a', title: 'b'}, 'B'), h('i', {}), 'y']",
        note="before[1] === place.firstChild",
    )
    assert html == '<button data-key="a" title="b">B</button><i></i>y'
    assert is_kept


def test_a_key_tells_buttons_apart(redraw: Any) -> None:
    first, second = (
        f"[h('button', {{'data-key': '{key}'}}), h('button', {{'data-key': 'b'}})]" for key in "ac"
    )
    kept_flags = "[...place.children].map((node) => before.includes(node))"
    assert redraw(first, second, note=kept_flags)[1] == [False, True]


def test_only_the_latest_listener_runs(redraw: Any) -> None:
    first, second = (
        f"[h('button', {{onclick: () => {{ window.heard = '{word}'; }}}})]"
        for word in ("first", "second")
    )
    what_was_heard = "(place.firstChild.click(), window.heard)"
    assert redraw(first, second, note=what_was_heard)[1] == "second"


@pytest.mark.parametrize(
    ("content", "person", "note"),
    [
        ("h('details', {})", "place.firstChild.open = true", "place.firstChild.open"),
        ("h('details', {open: true})", "place.firstChild.open = false", "!place.firstChild.open"),
        (
            "h('input', {type: 'text'})",
            "place.firstChild.value = 'typed'",
            "place.firstChild.value === 'typed'",
        ),
    ],
)
def test_a_redraw_keeps_user_changes(redraw: Any, content: str, person: str, note: str) -> None:
    assert redraw(f"[{content}]", f"[{content}]", person, note)[1]


@pytest.mark.parametrize(
    ("content", "person", "note"),
    [
        (
            "h('input', {type: 'text', value: 'drawn'})",
            "place.firstChild.value = 'typed'",
            "place.firstChild.value === 'drawn'",
        ),
        (
            "h('input', {type: 'checkbox', checked: false})",
            "place.firstChild.checked = true",
            "!place.firstChild.checked",
        ),
        (
            "h('button', {disabled: false})",
            "place.firstChild.disabled = true",
            "!place.firstChild.disabled",
        ),
    ],
)
def test_a_redraw_restores_drawn_values(redraw: Any, content: str, person: str, note: str) -> None:
    assert redraw(f"[{content}]", f"[{content}]", person, note)[1]


def test_a_redraw_of_an_equal_element_changes_nothing(redraw: Any) -> None:
    same = "[h('button', {disabled: true, class: 'a', title: 1, hidden: false}, 'A')]"
    watch = """window.changes = new MutationObserver(() => {});
        changes.observe(place, {subtree: true, childList: true, attributes: true})"""
    assert redraw(same, same, watch, note="changes.takeRecords().length")[1] == 0


def test_an_element_with_code_of_its_own_is_replaced_whole(redraw: Any) -> None:
    own = f"(await {imported_module()}).buildElement(h('div', {{}}, 'own'))"
    assert redraw(f"[{own}]", f"[{own}]", note="before[0] !== place.firstChild")[1]
