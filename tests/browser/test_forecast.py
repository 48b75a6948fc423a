"""The phone forecasts a deal as the server records it.

The engine and the ledger decide every deal, the API's own views show the evening before and after
it, and the form in a real browser forecasts it. `FORECAST_DEALS=20000` is meant for a run
overnight, `FORECAST_SEED` for other evenings.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import msgspec
import pytest
from flask import Flask

from api.i18n import translator
from api.representations.deal import deal_view
from api.representations.session import session_view
from api.web.assets import form_assets
from engine import commands as c
from engine import events as e
from engine.errors import RuleViolation
from engine.games.registry import GAMES
from engine.session.legal import legal_actions
from engine.table_view import LegalAction
from engine.values import MAX_AMOUNT, right_of
from ledger.events.event_types import LedgerEvent
from ledger.events.recorded_event import record_events
from ledger.projections.deals import Deal, newest_first
from ledger.reporting import posting_reasons as why
from ledger.session import command_handlers as handling
from ledger.session.session_state import SessionState, apply_event
from tests.support import worked_evenings as worked
from tests.support.api import point_games
from tests.support.browser.form_sources import imported_module
from tests.support.browser.phone import Phone
from tests.support.engine import knektpass_deals, spader_deals
from tests.support.engine.every_option import draw_options
from tests.support.engine.random_player import RandomPlayer
from tests.support.engine.random_walk import command
from tests.support.ledger.memory_store import ID, SECOND, Book
from tests.support.player_names import FIVE_NAMES

Action = dict[str, Any]

DEALS = int(os.environ.get("FORECAST_DEALS", "400"))
SEED = int(os.environ.get("FORECAST_SEED", "1"))
FIRST = int(os.environ.get("FORECAST_FIRST", "1"))  # the first evening, such as one that has failed
CASES_PER_BATCH = 4000  # cases that the browser gets at a time

CARDS = ("cut", "turn_up", "take", "decline", "bid", "discard", "play", "hand")
NAMES = dict(zip(knektpass_deals.TEN_PLAYERS, FIVE_NAMES, strict=False))

LOAD_FORECAST = f"""async (argument) => {{
  const loadForecast = async () => {{
    const main = await {imported_module()};
    await Promise.all([main.loadAllSentences(), ...main.GAMES.map(main.loadGame)]);
    const {{ forecastInWords: ahead }} = await {imported_module("core/session_forecast.js")};
    const {{ settlePayments: settled }} = await {imported_module("forecast/forecast.js")};
    return {{ ...main, ahead, settled }};
  }};
  return ("""

ASK = (
    LOAD_FORECAST
    + """async (text) => {
  const { ahead, settled } = await loadForecast();
  const frozen = (it) => (it !== null && typeof it === 'object'
    ? Object.freeze((Object.values(it).forEach(frozen), it)) : it);
  let last = null;
  return JSON.stringify(JSON.parse(text).map(({ before, actions, follows }) => {
    const told = ahead(frozen(before), frozen(actions));
    if (follows === null) return { told };
    last = follows ? last && ahead(last, actions)?.state : told?.state;
    return { told, chained: last, settled: told && settled(frozen(told.state)) };
  }));
})(argument); }"""
)


@dataclass
class Case:
    """An evening, a deal as a phone sends it, and the evening after it, or None after a refusal."""

    before: SessionState
    actions: list[Action]
    after: SessionState | None
    follows: bool | None = None  # True continues a chain, False begins one; None is in no chain
    seed: str = ""

    def as_request(self) -> dict[str, Any]:
        return {
            "before": server_view(self.before),
            "actions": self.actions,
            "follows": self.follows,
        }


# --- the server's side ---------------------------------------------------------------------------


def append_events(session: SessionState, *entries: LedgerEvent) -> SessionState:
    at = (session.version + 1) * SECOND
    written = record_events(
        ID, entries, version=session.version, previous_hash=session.hash, at=at, by="host.0"
    )
    for recorded in written:
        session, _ = apply_event(session, recorded)
    return session


def record_batch(session: SessionState, actions: Sequence[Action]) -> SessionState:
    """Record the whole batch or nothing, as the API does."""
    batch = [
        command(action["type"], {k: v for k, v in action.items() if k != "type"})
        for action in actions
    ]
    return append_events(session, *handling.record_actions(session, batch))


def settle_payments(session: SessionState, legs: int | None = None) -> SessionState:
    """Settle payments as the workers do: the first `legs` of those due, or all of them."""
    book = Book()
    book.session = session
    book.settle(*book.due[:legs])
    return book.session


def legal(session: SessionState) -> tuple[LegalAction, ...]:
    return legal_actions(session.table, session.funds)


def server_view(session: SessionState) -> dict[str, Any]:
    """Return `GET /v1/sessions/{id}` without legal actions, which the phone does not read."""
    return {**session_view(session, None, NAMES), "legal_actions": []}


def newest_deal(session: SessionState) -> Deal:
    return next(deal for deal in newest_first(session.deals) if not deal.voided)


def server_deal(session: SessionState) -> dict[str, Any]:
    """Return the newest deal as the server answers a reader of Swedish."""
    with Flask(__name__).test_request_context():
        return deal_view(session, newest_deal(session), NAMES)


def open_deal(session: SessionState) -> Action:
    return {"type": "open_deal", "number": session.table.next_number}


# --- evenings at random --------------------------------------------------------------------------


@dataclass
class Evening:
    """One table with random options, deal after deal, where players join and leave."""

    seed: str
    cases: list[Case] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.die = die = Random(self.seed)
        self.anyone = RandomPlayer(die, but=(*CARDS, "undo", "reseat"))
        game = die.choice(list(GAMES.values()))
        seats = die.choice((*game.player_counts, *game.player_counts[-1:]))
        dealer = f"p{die.randint(1, seats)}"
        self.now = Book(seats, dealer, game, **draw_options(game.options_type, die)).session
        if not game.scoring and die.random() < 0.3:
            self.now = append_events(self.now, self.carried_forward(seats))
        self.goes_on = False

    def carried_forward(self, seats: int) -> e.BroughtForward:
        """Return what an earlier evening left open: a pot, bets paid and owed, a player ahead."""
        die, stacked = self.die, self.now.opening.game == "polskt_pass"
        sizes = sorted(die.randint(1, 4) * 10 for _ in range(die.randint(0, 3) if stacked else 0))
        bets = tuple(
            e.CarriedBet(
                bet=n, by=(f"p{die.randint(1, seats)}",), each=stake, paid=die.random() < 0.7
            )
            for n, stake in enumerate(sizes, start=1)
        )
        pot = die.choice((die.randint(1, 50), die.randint(1, 50), MAX_AMOUNT // 2))
        lying = pot + sum(bet.each for bet in bets if bet.paid)
        return e.BroughtForward(
            session="", version=9, hash="", pot=pot, bets=bets, balances={"p1": -lying - 7, "p2": 7}
        )

    def play(self, deals: int) -> list[Case]:
        for _ in range(deals):
            if not any(action.type == "open_deal" for action in legal(self.now)):
                self.refuse([open_deal(self.now), {"type": "all_pass"}])
                if not self.somebody_else_deals():
                    break
            self.deal()
            if self.die.random() < 0.15:
                self.undo_and_replay()
            self.between()
        return self.cases

    def deal(self) -> None:
        """Add three cases: the batch; the rest of it once the deal is open; the batch with a
        fault."""
        before, opening = self.now, open_deal(self.now)
        self.anyone.change_mood()
        on_the_way = self.to_the_end(record_batch(before, [opening]))
        batch = [opening, *(action for action, _ in on_the_way[1:])]
        after = on_the_way[-1][1]
        self.add(before, batch, after, follows=self.goes_on)
        _, halfway = self.die.choice(on_the_way[:-1])
        if halfway.table.deal_is_open:
            self.add(halfway, batch[1:], after)
        self.spoil(batch)
        self.now, self.goes_on = after, True

    def to_the_end(self, now: SessionState) -> list[tuple[Action | None, SessionState]]:
        """Return the actions until the deal is over, with the evening after each of them."""
        steps: list[tuple[Action | None, SessionState]] = [(None, now)]
        winners = (
            list(now.table.seats) if self.die.random() < 0.3 and len(now.table.seats) == 5 else []
        )
        self.die.shuffle(winners)
        while now.table.deal_is_open or (self.may_merge(now) and self.die.random() < 0.5):
            ways = [w for w in legal(now) if now.table.deal_is_open or w.type == "merge"]
            spoken = self.anyone.choose_command(ways)
            assert spoken is not None
            action = as_action(spoken)
            if action["type"] == "declare" and self.die.random() < 0.3:  # two if two may declare
                (declare,) = (way for way in ways if way.type == "declare")
                pair = declare.fields["players"]["values"][-1]
                action["players"] = self.die.sample(pair, len(pair))
            if winners and action["type"] == "trick" and not now.game.scoring:
                action["winner"] = winners.pop()
            now = record_batch(now, [action])
            steps.append((action, now))
            if action["type"] == "merge":
                break
        return steps

    def may_merge(self, now: SessionState) -> bool:
        return any(action.type == "merge" for action in legal(now))

    def undo_and_replay(self) -> None:
        """Undo the last action, and let the deal continue differently."""
        now = record_batch(self.now, [{"type": "undo"}])
        if now.table.deal_is_open:
            after = self.to_the_end(now)[-1][1]
            view = server_deal(after)
            self.add(now, view["actions"][1:], after)
            self.now, self.goes_on = after, False

    def spoil(self, batch: list[Action]) -> None:
        """Add a case with something wrong in the batch, which the rules may or may not allow."""
        actions = [dict(action) for action in batch]
        place = self.die.randrange(1, len(actions))
        match self.die.randrange(7):
            case 0:
                del actions[place]
            case 1:
                actions.insert(place, actions[place])
            case 2:
                actions[place - 1 : place + 1] = actions[place], actions[place - 1]
            case 3:
                stray = dict(self.die.choice(STRAY))
                if "player" in stray:  # as if the winner of the last trick had said it
                    stray["player"] = actions[place - 1].get("winner") or stray["player"]
                actions.insert(place + self.die.randrange(2), stray)
            case 4 if len(actions[place]) > 1:
                del actions[place][self.die.choice([k for k in actions[place] if k != "type"])]
            case 5:
                self.go_too_far(actions)
            case _:
                actions[place] = self.changed(actions[place])
        self.refuse(actions)

    def changed(self, action: Action) -> Action:
        """Return the action with one change: another player or none, another number, true for
        false, a nil that may not be bid."""
        text, die = json.dumps(action), self.die
        ways = [text.replace("true", "false"), text.replace("false", "true")]
        for player in re.findall(r"p\d+", text):
            ways.append(text.replace(player, f"p{die.randint(1, len(self.now.table.players))}"))
            ways.append(re.sub(f'"{player}"(?!:)', "null", text))
        for number in re.findall(r": \d+", text):
            ways.append(re.sub(rf"{number}(?!\d)", f": {die.randint(0, 7)}", text, count=1))
        if action["type"] == "trick":
            ways.append('{"type": "finish"}')
        if action["type"] == "declare":
            seats, dealer = self.now.table.seats, self.now.table.dealer
            ways.append(json.dumps({**action, "players": [right_of(dealer, seats), dealer]}))
        return dict(json.loads(die.choice(ways)))

    def go_too_far(self, actions: list[Action]) -> None:
        """Change actions to what only some options allow: merged or split bets, no winner, two
        nils, any number."""
        for action in actions:
            match action:
                case {"type": "result"} if self.die.random() < 0.5:
                    action["winner"] = None
                case {"type": "side_bid", "side": side}:
                    player, partner = side.split("+")
                    two_blind: Action = {"blind_nil": [player, partner]}
                    nils = self.die.choice(
                        (two_blind, {"blind_nil": player, "nil": partner}, dict(action))
                    )
                    action.clear()
                    action.update({"type": "side_bid", "side": side, **nils})
        if self.die.random() < 0.3:
            actions[0] = {"type": "open_deal", "number": self.die.randint(1, 9)}
        elif self.now.opening.game == "polskt_pass":
            actions.append({"type": "merge", "together": self.die.choice((True, False))})

    def refuse(self, actions: list[Action]) -> None:
        """Add a case: accepted if the server accepts the batch and the deal is over, refused
        otherwise."""
        try:
            after: SessionState | None = record_batch(self.now, actions)
        except (RuleViolation, msgspec.ValidationError):
            after = None
        if after and (after.table.deal_is_open or any(a["type"] in CARDS for a in actions)):
            after = None
        self.add(self.now, actions, after)

    def between(self) -> None:
        """Settle payments, let players join and leave, void a deal."""
        before, die = self.now, self.die
        if die.random() < 0.3:
            self.now = settle_payments(self.now, die.choice((1, None)))
        if die.random() < 0.1 and not self.now.game.scoring and len(self.now.table.players) < 7:
            self.now = append_events(
                self.now, *handling.join_player(handling.next_player_id(self.now), "0" * 64)
            )
        changes = [action for action in legal(self.now) if action.type == "reseat"]
        if changes and die.random() < 0.2:
            self.now = record_batch(self.now, [as_action(self.anyone.say(die.choice(changes)))])
        if die.random() < 0.05 and any(action.type == "open_deal" for action in legal(self.now)):
            opened = record_batch(self.now, [open_deal(self.now)])
            self.now = append_events(
                opened, *handling.void_open_deal(opened, opened.table.deal_number)
            )
        self.goes_on = self.goes_on and self.now is before

    def somebody_else_deals(self) -> bool:
        changes = [action for action in legal(self.now) if action.type == "reseat"]
        if not changes:
            return False
        self.now = record_batch(self.now, [as_action(self.anyone.say(self.die.choice(changes)))])
        self.goes_on = False
        return any(action.type == "open_deal" for action in legal(self.now))

    def add(
        self,
        before: SessionState,
        actions: list[Action],
        after: SessionState | None,
        *,
        follows: Any = None,
    ) -> None:
        self.cases.append(Case(before, actions, after, follows, self.seed))


STRAY: tuple[Action, ...] = (
    {"type": "finish"},
    {"type": "all_pass"},
    {"type": "merge"},
    {"type": "merge", "together": False},
    {"type": "swap"},
    {"type": "redeal", "player": "p1", "reason": "no_spade"},
    {"type": "la_vola", "player": "p1"},
    {"type": "vole", "player": "p2"},
    {"type": "result", "winner": None},
    {"type": "trick", "winner": "p1"},
    {"type": "exchange", "player": "p1", "cards": 1},
    {"type": "turn_up", "card": "AS"},
    {"type": "hand", "player": "p1", "cards": ["AS"]},
)


def as_action(spoken: c.Command) -> Action:
    fields: dict[str, Any] = msgspec.to_builtins(spoken)
    return {"type": spoken.__struct_config__.tag, **fields}


def some_cases(deals: int) -> Iterator[Case]:
    played, number = 0, FIRST - 1
    while played < deals:
        number += 1
        cases = Evening(f"ahead {SEED}:{number}").play(Random(number).randint(1, 12))
        played += sum(case.follows is not None for case in cases)
        yield from cases


# --- what must be the same -----------------------------------------------------------------------


def expected(case: Case) -> dict[str, Any] | None:
    """Return the server's result, with the names that the phone gives to new bets and payments."""
    if case.after is None:
        return None
    number = newest_deal(case.after).number
    view = server_deal(case.after)
    codes = [
        reason.code
        for reason in why.explain_deal(case.after.rule_references, newest_deal(case.after))
    ]
    bet_names = names_of_bets(newest_deal(case.after))
    postings = [
        {
            **{k: posting[k] for k in ("amount", "unit")},
            "from": bet_names.get(posting["from"], posting["from"]),
            "to": bet_names.get(posting["to"], posting["to"]),
            "code": code,
            "why": spaced(re.sub(r" \([^()]*\)$", "", posting["why"])),
        }
        for posting, code in zip(view["postings"], codes, strict=True)
    ]
    outcome = {**view["outcome"], "text": spaced(view["outcome"]["text"])}
    after = as_forecast(case, server_view(case.after), number, bet_names)
    paid = as_forecast(case, server_view(settle_payments(case.after)), number, bet_names)
    return as_json({"state": after, "postings": postings, "outcome": outcome, "settled": paid})


def as_json(value: Any) -> Any:
    return json.loads(json.dumps(value))


def as_forecast(
    case: Case, after: dict[str, Any], number: int, bet_names: dict[str, str]
) -> dict[str, Any]:
    payment_ids = {payment["id"] for payment in server_view(case.before)["payments"]}
    for payment in after["payments"]:
        if payment["id"] not in payment_ids:
            payment["id"] = f"forecast-{number}-{payment['from']}-{payment['to']}"
    for bet in after["bets"] or ():
        account = f"bet:{bet['id'][1:]}"
        bet["id"] = f"b{bet_names.get(account, account)[4:]}"
    return {**after, "version": case.before.version, "provisional": True}


def names_of_bets(deal: Deal) -> dict[str, str]:
    """Return the phone's account of each bet that this deal laid, by the server's account of it."""
    laid = [r.event.bet for r in deal.facts if isinstance(r.event, e.BetLaid)]
    bet_names = {f"bet:{bet}": f"bet:{deal.number}.{n}" for n, bet in enumerate(laid, start=1)}
    parted = [r.event.parted for r in deal.facts if isinstance(r.event, e.BetsParted)]
    return {**bet_names, **{f"bet:{bet}": f"bet:{deal.number}.2" for bet in parted}}


def spaced(text: str) -> str:
    """Return the text with plain spaces: only one side writes thousands with narrow spaces."""
    return re.sub(r"\s", " ", text)


def forecast_of(answer: dict[str, Any]) -> dict[str, Any] | None:
    forecast = answer["told"]
    if forecast is None:
        return None
    forecast["outcome"]["text"] = spaced(forecast["outcome"]["text"])
    for posting in forecast["postings"]:
        posting["why"] = spaced(posting["why"])
    return {**forecast, "settled": answer["settled"]} if "settled" in answer else dict(forecast)


def without_ids(evening: dict[str, Any]) -> dict[str, Any]:
    """Return the evening without version and ids: those of a chain are given by the phone alone."""
    view = dict(evening)
    for kind in ("bets", "payments"):
        listed = view[kind] or ()
        view[kind] = [{k: v for k, v in item.items() if k != "id"} for item in listed]
    return {key: view[key] for key in view if key != "version"}


def differences(case: Case, answer: dict[str, Any]) -> list[str]:
    """Return the parts in which the phone and the server differ."""
    server, phone = expected(case), forecast_of(answer)
    if server is None or phone is None:
        return [] if server == phone else [f"phone {phone}\nserver {server}"]
    if case.follows is None:
        del server["settled"]
    wrong = [
        compare(part, phone[part], value) for part, value in server.items() if phone[part] != value
    ]
    chained = answer.get("chained")
    if case.follows is not None and (
        chained is None or without_ids(chained) != without_ids(server["state"])
    ):
        wrong.append(compare("chained", chained, server["state"]))
    return wrong


def compare(part: str, phone: Any, server: Any) -> str:
    """Return both values of a part; of two objects only the fields that differ."""
    if isinstance(phone, dict) and isinstance(server, dict):
        fields = [name for name in phone | server if phone.get(name) != server.get(name)]
        phone, server = ({name: side.get(name) for name in fields} for side in (phone, server))
    return f"{part}: phone {phone}\n{part}: server {server}"


@pytest.fixture
def ask(phone: Phone) -> Callable[[Sequence[Case]], list[dict[str, Any]]]:
    """A function that returns the browser's forecasts, by the modules that the server serves."""
    to_the_start(phone)

    def answers(cases: Sequence[Case]) -> list[dict[str, Any]]:
        result = phone.page.evaluate(ASK, json.dumps([case.as_request() for case in cases]))
        answered: list[dict[str, Any]] = json.loads(result)
        return answered

    return answers


def to_the_start(phone: Phone) -> None:
    """Open the front page, and wait until the form has drawn it."""
    phone.page.goto(phone.url + "/")
    phone.page.locator('[data-key="new"]').wait_for()


def batches(cases: Iterator[Case]) -> Iterator[list[Case]]:
    """Yield batches of about CASES_PER_BATCH cases that split no chain."""
    batch: list[Case] = []
    for case in cases:
        if len(batch) >= CASES_PER_BATCH and case.follows is False:
            yield batch
            batch = []
        batch.append(case)
    yield batch


Ask = Callable[[Sequence[Case]], list[dict[str, Any]]]


def test_the_forecast_equals_what_the_server_says(ask: Ask) -> None:
    reached: Counter[str] = Counter()
    wrong = []
    for cases in batches(some_cases(DEALS)):
        for case, answer in zip(cases, ask(cases), strict=True):
            forecast = answer["told"]
            reached["deals, each sent whole"] += case.follows is not None
            reached["of these reckoned from the deal before, reckoned itself"] += bool(case.follows)
            reached[
                f"{case.before.opening.game} {forecast['outcome']['type'] if forecast else 'null'}"
            ] += 1
            if parts := differences(case, answer):
                options = msgspec.to_builtins(case.before.options)
                wrong.append("\n".join((case.seed, f"{options}", f"{case.actions}", *parts)))
    print("\n".join(f"{label} {count}" for label, count in sorted(reached.items())))
    print(f"{len(wrong)} differences", *wrong[:3], sep="\n\n")
    assert not wrong


@pytest.mark.parametrize("tie", ["play_on", "shared"])
def test_two_sides_at_the_target_with_as_much(ask: Ask, tie: str) -> None:
    before = Book(4, "p1", GAMES["spader"], target=20, bag_penalty=0, tie_at_target=tie).session
    actions = [
        open_deal(before),
        {"type": "side_bid", "side": "p2+p4", "tricks": 1},
        {"type": "side_bid", "side": "p1+p3", "tricks": 2},
        {"type": "tricks", "taken": {"p1": 2, "p2": 11}},
    ]
    case = Case(before, actions, record_batch(before, actions), follows=False)
    (answer,) = ask([case])
    assert differences(case, answer) == []
    assert answer["told"]["state"]["winner"] == (["p1+p3", "p2+p4"] if tie == "shared" else None)


def test_the_bet_of_a_lost_la_vola_is_not_parted(ask: Ask) -> None:
    before = Book(4, "p1", failed_vola_declarer_bet="bet").session
    lost = [
        open_deal(before),
        {"type": "declare", "players": ["p4", "p1"]},
        {"type": "result", "la_vola": {"player": "p1", "won": False}},
    ]
    parted = [*lost, {"type": "merge", "together": False}]
    cases = [Case(before, lost, record_batch(before, lost)), Case(before, parted, None)]
    with pytest.raises(RuleViolation):
        record_batch(before, parted)
    for case, answer in zip(cases, ask(cases), strict=True):
        assert differences(case, answer) == []


# --- the worked evenings of docs/rules.md §8, from their first state on ---

CHAIN = (
    LOAD_FORECAST
    + """async ([state, deals]) => {
  const { ahead, settled } = await loadForecast();
  return deals.map((actions) => {
    const told = ahead(state, actions);
    state = settled(told.state);
    return { state, text: told.outcome.text };
  });
})(argument); }"""
)


def forecast_states(
    phone: Phone, game: str, seats: int, deals: list[list[Action]], **options: Any
) -> list[Any]:
    """Return the phone's forecast of the evening after each of these deals."""
    to_the_start(phone)
    state_now = server_view(Book(seats, "p1", GAMES[game], **options).session)
    result = phone.page.evaluate(CHAIN, [state_now, deals])
    return [forecast["state"] for forecast in result]


@pytest.mark.parametrize(("table", "seats"), [(worked.E1, 4), (worked.E3, 5)], ids=["E1", "E3"])
def test_an_evening_of_polskt_pass_without_the_server(phone: Phone, table: str, seats: int) -> None:
    lines = list(worked.lines(table))
    for line, after in zip(
        lines,
        forecast_states(phone, "polskt_pass", seats, [line.actions() for line in lines]),
        strict=True,
    ):
        assert list(after["balances"].values()) == line.balances
        assert after["pot"] == line.pot
        laid = [(by, bet["amount"] // len(bet["by"])) for bet in after["bets"] for by in bet["by"]]
        assert laid == line.bets
        assert after["deal"]["dealer"] == f"p{line.number % seats + 1}"


@pytest.mark.parametrize("depth", ["actions", "result"])
def test_e5_an_evening_of_polskpas_without_the_server(phone: Phone, depth: str) -> None:
    lines = list(worked.polskpas_lines(worked.E5))
    deals = [getattr(line, depth)() for line in lines]
    for line, after in zip(
        lines, forecast_states(phone, "polskpas", 4, deals, stake=5), strict=True
    ):
        assert (list(after["balances"].values()), after["pot"]) == (line.balances, line.pot)


@pytest.mark.parametrize("record", [point_games.count_tricks, spader_deals.trick_commands])
def test_e7_an_evening_of_spader_without_the_server(
    phone: Phone, record: Callable[[str], list[c.Command]]
) -> None:
    lines = list(spader_deals.parse_e7())
    deals = [
        point_games.spader_deal(number, n, e_, tricks, record)
        for number, (n, e_, tricks, *_) in enumerate(lines, start=1)
    ]
    for (*_, points, overtricks), after in zip(
        lines, forecast_states(phone, "spader", 4, deals), strict=True
    ):
        assert list(after["scores"].values()) == points
        assert list(after["overtricks"].values()) == overtricks
        assert after["winner"] is None


@pytest.mark.parametrize("record", [knektpass_deals.count_command, knektpass_deals.trick_commands])
def test_e8_an_evening_of_knektpass_without_the_server(
    phone: Phone, record: Callable[[str], list[c.Command]]
) -> None:
    lines = list(knektpass_deals.parse_deals(knektpass_deals.E8))
    deals = [
        point_games.knektpass_deal(number, exchanges, tricks, record)
        for number, (exchanges, tricks, *_) in enumerate(lines, start=1)
    ]
    for (*_, scores, winners), after in zip(
        lines, forecast_states(phone, "knektpass", 4, deals), strict=True
    ):
        assert list(after["scores"].values()) == scores
        assert tuple(after["winner"] or ()) == winners


# --- the sentences ------------------------------------------------------------------------------


@pytest.mark.parametrize("language", translator.LANGUAGES)
def test_the_phone_says_it_in_the_words_of_the_server(language: str) -> None:
    """A forecast that comes true keeps its words."""
    sentences = json.loads(form_assets().files[f"translations/{language}.more.json"].content)
    ours = {key: text for key, text in sentences.items() if key.startswith("forecast.")}
    theirs = translator.catalog(language)
    assert ours
    for key, sentence in ours.items():
        _, kind, *code = key.split(".")
        if kind in ("outcome", "why"):
            assert sentence == theirs[kind][code[0]], key
    assert ours["forecast.score"] == theirs["score"]


DRAWN = (
    LOAD_FORECAST
    + """async ([state, actions]) => {
  const { ahead, buildElement, postingLines, sessionMoneyWriter } = await loadForecast();
  const told = ahead(state, actions);
  const lines = postingLines(told.state, told, sessionMoneyWriter(told.state), 0);
  document.querySelector('#main').replaceChildren(buildElement(lines));
  return told.outcome.text;
})(argument); }"""
)


def test_forecast_postings_are_drawn_like_confirmed_ones(phone: Phone) -> None:
    to_the_start(phone)
    line = next(worked.lines(worked.E1))
    before = server_view(Book(4, "p1", stake=1000).session)
    text = phone.page.evaluate(DRAWN, [before, line.actions()])
    assert spaced(text) == "Cilla vann 10 kr. Bo var spelförare och satte bet."
    rows = [spaced(item) for item in phone.page.locator(".postings li").all_inner_texts()]
    assert [item.split()[0] for item in rows] == ["A", "Pott", "B"]
    assert "Cilla vinner giv 1 och tar potten på 10 kr" in rows[1]
