"""The table of conflicts: the case that the facts make, the possible answers, and their effects."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page

from tests.support.browser.form_sources import imported_module

Write = dict[str, Any]

READ_TABLE = f"""async ([waiting, refusal, session, record, mayWrite, answer]) => {{
  await (await {imported_module()}).loadGame(session.game);
  const {{ ANSWERS, CASES, answersTo, caseOf, refusalFacts }} =
    await {imported_module("domain/conflict.js")};
  const write = waiting.find(({{ refused }}) => refused);
  const facts = refusalFacts({{ write, waiting, refusal, session, record, mayWrite }});
  const offered = answersTo(facts);
  const left = answer && waiting.map(ANSWERS[answer](facts)).filter(Boolean);
  return [caseOf(facts), CASES[caseOf(facts)].shows ?? null, offered, left];
}}"""

READ_DRAFT = f"""async ([draft, answer]) => {{
  await (await {imported_module()}).loadGame(draft.session.game);
  const {{ ANSWERS, CASES, OPENS, answersTo, caseOf, draftFacts }} =
    await {imported_module("domain/conflict.js")};
  const facts = draftFacts(draft);
  const left = answer && ANSWERS[answer](facts)(facts.write)?.note;
  const {{ shows }} = CASES[caseOf(facts)];
  return [caseOf(facts), shows, answersTo(facts), OPENS[facts.source], left ?? null];
}}"""

TAKEN = {"code": "deal_taken", "body": {}}
USED_UP = {"code": "not_next_deal", "body": {"next": 5}}
REFUSED = {"code": "not_seated", "body": {}}
BO_WINS = [{"type": "declare", "players": ["p2"]}, {"type": "result", "winner": "p2"}]
CILLA_WINS = [{"type": "declare", "players": ["p2"]}, {"type": "result", "winner": "p3"}]


def new_deal(number: int, *, refused: bool = False, taps: list[Any] = BO_WINS) -> Write:
    """Return the write of a whole deal that this device has recorded."""
    actions = [{"type": "open_deal", "number": number}, *taps]
    note = {"number": number, "base": 0, "taps": taps}
    return {"body": {"actions": actions}, "note": note, "ifMatch": None, "refused": refused}


def rest_of_deal(number: int, *, refused: bool = False) -> Write:
    """Return the write of the rest of a deal that the server has opened."""
    note = {"number": number, "base": 1, "heard": BO_WINS[:1], "taps": BO_WINS[1:]}
    return {"body": {"actions": BO_WINS[1:]}, "note": note, "ifMatch": 7, "refused": refused}


def undo_of(number: int, *, refused: bool = False) -> Write:
    body = {"actions": [{"type": "undo"}]}
    return {"body": body, "note": {"undoes": number}, "ifMatch": 7, "refused": refused}


def undo_in(number: int) -> Write:
    """Return the refused undo of an action in an open deal."""
    body = {"actions": [{"type": "undo"}]}
    note = {"number": number, "heard": BO_WINS, "what": "Ångra"}
    return {"body": body, "note": note, "ifMatch": 7, "refused": True}


def transfer(*, refused: bool = False) -> Write:
    note = {"what": "Bo → Ada, 5 kr"}
    return {"body": {"amount": 500}, "note": note, "ifMatch": 7, "refused": refused}


def session(number: int, phase: str = "waiting", status: str = "open") -> dict[str, Any]:
    """Return the confirmed state of a session in which this deal is next, or open."""
    return {
        "game": "polskt_pass",
        "seats": ["p1", "p2", "p3", "p4"],
        "options": {},
        "status": status,
        "version": 9,
        "deal": {"number": number, "phase": phase, "dealer": "p1"},
    }


def recorded(winner: str, status: str = "closed") -> dict[str, Any]:
    """Return the deal as the server has it."""
    outcome = {"type": "won", "declarers": ["p2"], "winner": winner, "tricks": [], "la_vola": None}
    return {"status": status, "outcome": outcome, "actions": []}


def read_table(
    page: Page,
    waiting: list[Write],
    trouble: dict[str, Any],
    state: dict[str, Any],
    record: dict[str, Any] | None = None,
    *,
    may_write: bool = True,
    answer: str | None = None,
) -> tuple[str, str | None, list[str], list[Write]]:
    result = page.evaluate(READ_TABLE, [waiting, trouble, state, record, may_write, answer])
    case, shows, answers, left = result
    return case, shows, answers, left


FIRST = new_deal(3, refused=True)
PAIR = [{"type": "declare", "players": ["p1", "p4"]}, {"type": "result", "winner": "p1"}]
WRONG_PAIR = [{"type": "declare", "players": ["p1", "p2"]}, {"type": "result", "winner": "p1"}]


def dealers_exchange(player: str) -> Write:
    """Return a deal in which this player, as the dealer, exchanged a card for the turn-up."""
    swap = {"type": "exchange", "player": player, "turn_up": True}
    return new_deal(3, refused=True, taps=[swap, {"type": "stay", "player": "p2"}])


ROWS = [
    ("the same deal", [FIRST], TAKEN, session(4), recorded("p2"), "recorded_alike", None, []),
    (
        "another's deal between deals", [FIRST, new_deal(4)], TAKEN, session(4), recorded("p3"),
        "number_taken", "taken", ["give_up", "correct_recorded", "use_next_number"],
    ),
    (
        "another's deal, its successor open", [FIRST], TAKEN, session(4, "playing"),
        recorded("p3"), "number_taken", "taken", ["give_up", "correct_recorded"],
    ),
    (
        "another's open deal", [FIRST], TAKEN, session(3, "playing"), recorded("p3", "open"),
        "number_taken", "taken", ["give_up"],
    ),
    (
        "another's deal of a closed session", [FIRST], TAKEN, session(4, status="closed"),
        recorded("p3"), "number_taken", "taken", ["give_up", "use_next_number"],
    ),
    (
        "a deal of the next dealer with the cutter", [new_deal(3, refused=True, taps=PAIR)], TAKEN,
        session(4), recorded("p3"), "number_taken", "taken",
        ["give_up", "correct_recorded", "use_next_number"],
    ),
    (
        "a deal of another dealer with the cutter", [new_deal(3, refused=True, taps=WRONG_PAIR)],
        TAKEN, session(4), recorded("p3"), "number_taken", "taken",
        ["give_up", "correct_recorded"],
    ),
    (
        "an exchange of the next dealer", [dealers_exchange("p1")], USED_UP, session(5), None,
        "number_used_up", "refusal", ["give_up", "use_next_number"],
    ),
    (
        "an exchange of another dealer", [dealers_exchange("p4")], USED_UP, session(5), None,
        "number_used_up", "refusal", ["give_up"],
    ),
    (
        "a number below the next", [FIRST], USED_UP, session(5), None,
        "number_used_up", "refusal", ["give_up", "use_next_number"],
    ),
    (
        "an undo of the last deal", [undo_of(3, refused=True)], REFUSED, session(4), None,
        "undo", "refusal", ["give_up", "try_again"],
    ),
    (
        "an undo of an earlier deal", [undo_of(3, refused=True)], REFUSED, session(6), None,
        "undo", "refusal", ["give_up"],
    ),
    (
        "a transfer", [transfer(refused=True)], REFUSED, session(4), None,
        "other_write", "refusal", ["give_up", "try_again"],
    ),
    (
        "a deal that the rules refuse", [FIRST], REFUSED, session(3), None,
        "new_deal", "refusal", ["give_up", "try_again"],
    ),
    (
        "a deal behind one that is open", [FIRST], REFUSED, session(2, "playing"), None,
        "new_deal", "refusal", ["give_up", "void_earlier", "try_again"],
    ),
    (
        "a deal after one that was taken back", [FIRST], REFUSED, session(2), None,
        "new_deal", "refusal", ["give_up", "use_next_number", "try_again"],
    ),
    (
        "a deal after one taken back, the evening over", [FIRST], REFUSED,
        session(2, status="closed"), None, "new_deal", "refusal", ["give_up", "try_again"],
    ),
    (
        "the rest of a deal that is open", [rest_of_deal(3, refused=True)], REFUSED,
        session(3, "playing"), None, "open_deal", "refusal", ["give_up", "try_again"],
    ),
    (
        "an undo in a deal that went on elsewhere", [undo_in(3)], REFUSED, session(3, "playing"),
        None, "open_deal", "refusal", ["give_up"],
    ),
    (
        "the rest of a deal that was taken back", [rest_of_deal(3, refused=True)], REFUSED,
        session(3), None, "open_deal", "refusal", ["give_up", "begin_again"],
    ),
    (
        "the rest of a misdeal", [rest_of_deal(3, refused=True)], REFUSED, session(4),
        recorded("p3", "voided"), "open_deal", "refusal", ["give_up", "begin_again"],
    ),
    (
        "the rest of a misdeal, its successor open", [rest_of_deal(3, refused=True)], REFUSED,
        session(4, "playing"), recorded("p3", "voided"), "open_deal", "refusal", ["give_up"],
    ),
    (
        "the rest of a deal that is over", [rest_of_deal(3, refused=True)], REFUSED, session(4),
        recorded("p3"), "open_deal", "refusal", ["give_up", "correct_recorded"],
    ),
    (
        "the rest of a deal that is over alike", [rest_of_deal(3, refused=True)], REFUSED,
        session(4), recorded("p2"), "recorded_alike", None, [],
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("waiting", "trouble", "state", "record", "case", "shows", "answers"),
    [row[1:] for row in ROWS],
    ids=[row[0] for row in ROWS],
)
def test_each_refusal_is_one_case_with_its_answers(
    form_page: Page,
    waiting: list[Write],
    trouble: dict[str, Any],
    state: dict[str, Any],
    record: dict[str, Any] | None,
    case: str,
    shows: str | None,
    answers: list[str],
) -> None:
    result = read_table(form_page, waiting, trouble, state, record)
    assert result[:3] == (case, shows, answers)


def test_a_device_that_only_looks_on_corrects_nothing(form_page: Page) -> None:
    _, _, answers, _ = read_table(
        form_page, [FIRST], TAKEN, session(4), recorded("p3"), may_write=False
    )
    assert answers == ["give_up", "use_next_number"]


GONE_PLAYER = [{"type": "declare", "players": ["p9"]}]
UNDECLARED = [{"type": "trick", "winner": "p2"}]
ALL_ANSWERS = ["give_up", "correct_recorded", "use_next_number"]


def draft(
    taps: list[Any] = BO_WINS,
    record: dict[str, Any] | None = None,
    state: dict[str, Any] | None = None,
    **facts: bool,
) -> dict[str, Any]:
    """Return a draft of deal 3, which another device has recorded."""
    return {
        "number": 3,
        "taps": taps,
        "record": record or recorded("p3"),
        "session": state or session(4),
        "mayWrite": True,
        "isOlder": False,
        **facts,
    }


DRAFTS = [
    ("the same deal", draft(record=recorded("p2")), "draft_alike", "alike", []),
    ("the beginning of the same deal", draft(taps=BO_WINS[:1]), "draft_alike", "alike", []),
    ("another deal", draft(), "draft_taken", "taken", ALL_ANSWERS),
    (
        "another deal, its successor open", draft(state=session(4, "playing")),
        "draft_taken", "taken", ["give_up", "correct_recorded"],
    ),
    (
        "another deal that is open", draft(record=recorded("p3", "open")),
        "draft_taken", "taken", ["give_up", "use_next_number"],
    ),
    (
        "another deal of a closed session", draft(state=session(4, status="closed")),
        "draft_taken", "taken", ["give_up"],
    ),
    ("a device that may not write", draft(mayWrite=False), "draft_taken", "taken",
     ["give_up", "use_next_number"]),
    (
        "an older draft", draft(isOlder=True, isNextBegun=False),
        "draft_taken", "taken", ALL_ANSWERS,
    ),
    (
        "an older draft, the next deal's begun", draft(isOlder=True, isNextBegun=True),
        "draft_taken", "taken", ["give_up", "correct_recorded"],
    ),
    ("the dealer with the cutter", draft(taps=PAIR), "draft_taken", "taken", ALL_ANSWERS),
    (
        "a pair that may not declare next", draft(taps=WRONG_PAIR),
        "draft_taken", "taken", ["give_up", "correct_recorded"],
    ),
    (
        "a declarer who has left", draft(taps=GONE_PLAYER),
        "draft_taken", "taken", ["give_up", "correct_recorded"],
    ),
    (
        "a deal without declarers", draft(taps=UNDECLARED),
        "draft_taken", "taken", ["give_up", "correct_recorded"],
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("facts", "case", "shows", "answers"),
    [row[1:] for row in DRAFTS],
    ids=[row[0] for row in DRAFTS],
)
def test_each_draft_is_one_case_with_its_answers(
    form_page: Page, facts: dict[str, Any], case: str, shows: str, answers: list[str]
) -> None:
    assert form_page.evaluate(READ_DRAFT, [facts, None])[:3] == [case, shows, answers]


@pytest.mark.parametrize(
    ("answer", "left"),
    [
        ("drop", None),
        ("give_up", None),
        ("correct_recorded", None),
        ("use_next_number", {"number": 4, "base": 0, "taps": BO_WINS}),
    ],
)
def test_an_answer_drops_or_renumbers_a_draft(
    form_page: Page, answer: str, left: dict[str, Any] | None
) -> None:
    assert form_page.evaluate(READ_DRAFT, [draft(), answer])[4] == left


@pytest.mark.parametrize(
    ("is_older", "opens"),
    [
        (
            False,
            {
                "drop": "recorded_deal", "give_up": "table", "correct_recorded": "correction",
                "use_next_number": "recorder", "put_off": "table",
            },
        ),
        (
            True,
            {
                "drop": "nothing", "give_up": "same_screen", "correct_recorded": "correction",
                "use_next_number": "recorder", "put_off": "nothing",
            },
        ),
    ],
)  # fmt: skip
def test_each_answer_about_a_draft_opens_a_screen(
    form_page: Page, is_older: bool, opens: dict[str, str]
) -> None:
    assert form_page.evaluate(READ_DRAFT, [draft(isOlder=is_older), None])[3] == opens


def test_every_answer_and_closing_the_dialog_open_a_screen(form_page: Page) -> None:
    table = f"""async () => {{
      const {{ ANSWERS, CASES, OPENS }} = await {imported_module("domain/conflict.js")};
      const offered = Object.values(CASES).flatMap(({{ answers, resolvedBy }}) =>
        [resolvedBy, ...Object.keys(answers ?? {{}})]).filter(Boolean);
      return [Object.keys(ANSWERS), offered, Object.keys(OPENS.write)];
    }}"""
    effects, offered, opens = form_page.evaluate(table)
    assert set(offered) == set(effects)
    assert set(opens) == {*effects, "put_off"}


def numbers(writes: list[Write]) -> list[tuple[int | None, int | None]]:
    """Return the number of the deal that each write records, by its note and by its first
    action."""
    first_actions = [(write["body"].get("actions") or [{}])[0] for write in writes]
    notes = [write["note"].get("number") for write in writes]
    return list(zip(notes, [action.get("number") for action in first_actions], strict=True))


EFFECTS = [
    ("give_up", TAKEN, session(4), [(4, 4), (None, None)]),
    ("correct_recorded", TAKEN, session(4), [(4, 4), (None, None)]),
    ("use_next_number", TAKEN, session(4), [(4, 4), (5, 5), (None, None)]),
    ("give_up", REFUSED, session(3), [(3, 3), (None, None)]),
    ("try_again", REFUSED, session(3), [(3, 3), (4, 4), (None, None)]),
    ("drop", TAKEN, session(4), [(4, 4), (None, None)]),
]


@pytest.mark.parametrize(("answer", "trouble", "state", "left"), EFFECTS)
def test_an_answer_drops_keeps_or_renumbers_what_waits(
    form_page: Page,
    answer: str,
    trouble: dict[str, Any],
    state: dict[str, Any],
    left: list[tuple[int | None, int | None]],
) -> None:
    waiting = [FIRST, new_deal(4, taps=CILLA_WINS), transfer()]
    *_, writes = read_table(form_page, waiting, trouble, state, recorded("p3"), answer=answer)
    assert numbers(writes) == left


def test_a_write_that_is_given_up_takes_its_undo_along(form_page: Page) -> None:
    waiting = [FIRST, undo_of(3), transfer()]
    *_, writes = read_table(form_page, waiting, TAKEN, session(4), recorded("p3"), answer="give_up")
    assert writes == [transfer()]


def test_a_deal_without_its_beginning_is_opened_again(form_page: Page) -> None:
    waiting = [rest_of_deal(3, refused=True), new_deal(4), transfer()]
    *_, writes = read_table(
        form_page, waiting, REFUSED, session(4), recorded("p3", "voided"), answer="begin_again"
    )
    first, second, third = writes
    assert first["body"]["actions"] == [{"type": "open_deal", "number": 4}, *BO_WINS]
    assert (first["ifMatch"], first["note"]["heard"]) == (None, [])
    assert numbers([second, third]) == [(5, 5), (None, None)]


def test_a_write_sent_again_expects_the_newest_version(form_page: Page) -> None:
    refused = rest_of_deal(3, refused=True)
    *_, writes = read_table(
        form_page, [refused, transfer()], REFUSED, session(3, "playing"), answer="try_again"
    )
    assert [write["ifMatch"] for write in writes] == [9, 7]
