"""In Spader, too, what is listed and what is accepted are the same, and undo takes it all back."""

from itertools import combinations
from random import Random

import msgspec
import pytest

from engine import commands as c
from engine import events as e
from engine.errors import RuleViolation
from engine.games.spader import decider as spader
from engine.games.spader.state import PACK
from engine.session.event_to_command import command_of
from engine.table_view import OpenDealView
from tests.support.engine.given_when_then import EMIL, without_history
from tests.support.engine.random_walk import command
from tests.support.engine.spader_deals import SEATS, E, N, spader_with

TABLES = {
    "as agreed when nothing is said": spader_with(),
    "always blind": spader_with(
        blind_nil_deficit=0, blind_nil_partner_zero=True, double_blind_nil=True, target=100
    ),
    "the next one deals": spader_with(redeal_dealer="next", court_cards="JQKA"),
    "under nought": spader_with(
        blind_nil_deficit_mode="absolute", loss_floor=-200, bag_points_removed=True
    ),
}
every_table = pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
LIKELY = {"undo": 1, "redeal": 1, "tricks": 1, "trick": 3, "hand": 3, "play": 40}


# A small walker: it reads only the list of legal actions, as any client does


def allowed_value(allowed, die):
    """One of the values that a field may have."""
    match allowed:
        case {"values": values}:
            return die.choice(values)
        case {"sum": total, "keys": keys}:
            takers = [die.choice(keys) for _ in range(total)]
            return {key: takers.count(key) for key in keys if key in takers or die.random() < 0.5}
        case {"min": size, "keys": keys, "including": must}:
            return must + die.sample([card for card in keys if card not in must], size - len(must))
        case {"min": least, "max": maximum}:
            return die.randint(least, maximum)
    raise AssertionError(allowed)


def step(actions, die):
    weights = [LIKELY.get(action.type, 8) for action in actions]
    (action,) = die.choices(actions, weights)
    names = [n for n in action.fields if n not in action.optional or die.random() < 0.5]
    return command(action.type, {name: allowed_value(action.fields[name], die) for name in names})


def walk(table, seed, steps):
    die, at = Random(seed), table
    for _ in range(steps):
        yield at
        at = at.after(step(at.legal, die))


def random_tables(seed, steps=150):
    """Every table, at every point of a random evening."""
    for name, table in TABLES.items():
        yield from walk(table, f"{name} {seed}", steps)


# What is accepted


def allows(allowed, value):
    match allowed:
        case {"values": values}:
            if isinstance(value, tuple):  # two partners, in either order
                return sorted(value) in [sorted(v) for v in values if isinstance(v, list)]
            return value in values
        case {"sum": total, "keys": keys}:
            return sum(value.values()) == total and set(value) <= set(keys)
        case {"min": size, "max": maximum, "keys": keys, "including": must}:
            return set(must) <= set(value) <= set(keys) and size <= len(set(value)) <= maximum
        case {"min": least, "max": maximum}:
            return least <= value <= maximum
    raise AssertionError(allowed)


def listed(actions, spoken_action):
    setup = msgspec.to_builtins(spoken_action)
    kind = setup.pop("type")
    fields = {name: value for name, value in setup.items() if value is not None}
    if fields.get("joint_nil") is False:
        del fields["joint_nil"]
    return any(
        action.type == kind
        and set(action.fields) - set(action.optional) <= set(fields) <= set(action.fields)
        and all(allows(action.fields[name], value) for name, value in fields.items())
        for action in actions
    )


def side_bids():
    seated_player = (*SEATS, EMIL)
    for side in (N, E, "p1+p2", "p3+p1"):
        for tricks in (1, 5, 13):
            yield c.SideBid(side=side, tricks=tricks)
            yield from (c.SideBid(side=side, tricks=tricks, nil=p) for p in seated_player)
            yield from (c.SideBid(side=side, tricks=tricks, blind_nil=p) for p in seated_player)
        yield c.SideBid(side=side, joint_nil=True)
        yield from (
            c.SideBid(side=side, blind_nil=p, nil=q) for p in seated_player for q in seated_player
        )
        yield from (
            c.SideBid(side=side, blind_nil=(p, q)) for p in seated_player for q in seated_player
        )


def countings():
    yield from (c.Tricks(taken={p: count}) for p in (*SEATS, EMIL) for count in (0, 12, 13))
    for first, second in combinations((*SEATS, EMIL), 2):
        yield from (c.Tricks(taken={first: 6, second: count}) for count in (6, 7, 8))
    yield c.Tricks(taken={})


EVERYTHING = [
    *(c.OpenDeal(number=number) for number in (None, 0, 1, 2, 3, 4)),
    *side_bids(),
    *countings(),
    *(
        c.Redeal(player=p, reason=reason)
        for p in (*SEATS, EMIL)
        for reason in ("no_spade", "no_court", "long_suit")
    ),
    *(c.Trick(winner=p) for p in (*SEATS, EMIL)),
    *(c.Play(player=p, card=card) for p in (*SEATS, EMIL) for card in PACK),
    *(c.Hand(player=p, cards=PACK[i : i + n]) for p in SEATS for i in (0, 9) for n in (1, 13)),
    *(c.Swap(), c.NoSwap(), c.Undo(), c.AllPass(), c.Finish(), c.Take(), c.Decline(), c.Merge()),
    *(c.Result(winner=SEATS[0]), c.Cut(card="JC"), c.TurnUp(card="AS"), c.Stay(player=SEATS[0])),
    *(c.Discard(player=SEATS[0], card="2C"), c.Exchange(player=SEATS[0], cards=1)),
    c.Reseat(players=SEATS[::-1]),
]
"""Everything that could be said in such an evening, most of it nonsense."""


def accepted(at, action):
    try:
        return bool(at.decide(action))
    except RuleViolation:
        return False


@every_table
@pytest.mark.parametrize("seed", range(3))
def test_an_action_is_accepted_if_and_only_if_it_is_listed(table, seed):
    for at in walk(table, seed, steps=150):
        now = at.legal
        for action in EVERYTHING:
            assert accepted(at, action) == listed(now, action), action


def test_the_walks_come_to_everything():
    """Else the test before this one proves little."""
    kinds, phases, facts = set(), set(), set()
    for seed in range(6):
        for at in random_tables(seed, steps=400):
            kinds |= at.legal_types()
            view = at.table_state.game_state.phase.view() or OpenDealView(phase="waiting")
            phases.add((view.phase, view.broken))
        facts |= {type(fact) for fact in at.history}
    tags = {kind.__struct_config__.tag for kind in spader.GAME.commands}
    assert kinds == tags | {"open_deal", "undo"}
    assert {("swapping", None), ("waiting", None), ("bidding", None)} <= phases
    assert {("playing", known_cards) for known_cards in (True, False, None)} <= phases
    assert {e.GameWon, e.TrickWon, e.HandShown, e.SideBidMade, e.ActionUndone} <= facts


def test_until_the_game_is_won_something_other_than_undo_is_possible():
    for at in random_tables(9, steps=300):
        assert at.legal_types() - {"undo"} or at.table_state.game_state.sheet.winners


@pytest.mark.parametrize("seed", range(4))
def test_undo_goes_back_by_one_action_down_to_the_first(seed):
    for name, table in TABLES.items():
        past, die, at = [], Random(f"{name} {seed}"), table
        for _ in range(150):
            action = step(at.legal, die)
            state_before = without_history(at.table_state)
            at = at.after(action)
            if isinstance(action, c.Undo):
                assert without_history(at.table_state) == past.pop()
            else:
                past.append(state_before)
        while past:
            at = at.after(c.Undo())
            assert without_history(at.table_state) == past.pop()
        assert without_history(at.table_state) == without_history(table.table_state)


@pytest.mark.parametrize("seed", range(3))
def test_a_session_replayed_from_its_own_commands_is_the_same(seed):
    """As it was said, and as its facts are written down and read again."""
    for name, table in TABLES.items():
        die, at = Random(f"{name} {seed}"), table
        for _ in range(150):
            action = step(at.legal, die)
            at = at if isinstance(action, c.Undo) else at.after(action)
        spoken = [fact for fact in at.history if isinstance(fact, e.InputEvent)]
        assert table.after(*map(command_of, spoken)).history == at.history
        written = msgspec.json.encode(at.history)
        read = msgspec.json.decode(written, type=tuple[e.Event, ...])
        assert without_history(table.given(*read).table_state) == without_history(at.table_state)
