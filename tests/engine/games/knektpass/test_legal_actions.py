"""In Knektpass what may be done is what is accepted, at every point of an evening."""

from itertools import product
from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import commands as c
from engine import events as e
from engine.errors import RuleViolation
from engine.session.event_to_command import command_of
from tests.support.engine.knektpass_deals import KnektpassGiven
from tests.support.engine.random_walk import choose_hand, command

random_evenings = settings(max_examples=60, deadline=None, derandomize=True, database=None)
seeds = st.integers(0, 2**32)

TABLES = {
    "two": KnektpassGiven(players=2),
    "three": KnektpassGiven(players=3).agreed(must_trump_when_void=False, finish="exact"),
    "four": KnektpassGiven(players=4),
    "four, bound": KnektpassGiven(players=4).agreed(turn_up_commits=True, finish="clamp_zero"),
    "five": KnektpassGiven(players=5).agreed(
        reshuffle_discards=True, finish_tie="trick_order", start=40
    ),
    "nine": KnektpassGiven(players=9).agreed(all_pass_dealer="same", start=30),
    "ten": KnektpassGiven(players=10).agreed(reshuffle_discards=True, exchange_quota="last_round"),
}
every_table = pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
LIKELY = {"undo": 2, "all_pass": 1, "pass": 3, "hand": 2, "tricks": 1, "trick": 3, "exchange": 12}


def accepted(at, action):
    try:
        return bool(at.decide(action))
    except RuleViolation:
        return False


def sums(total, keys):
    """Every way to share out a total; who gets nothing is left out."""
    if not keys:
        return [{}] if total == 0 else []
    first, *rest = keys
    return [
        {first: part, **other_players} if part else other_players
        for part in range(total + 1)
        for other_players in sums(total - part, rest)
    ]


def values(allowed):
    """All that one field may be."""
    match allowed:
        case {"values": matches}:
            return matches
        case {"sum": total, "keys": keys}:
            return sums(total, keys)
        case {"min": least, "max": maximum}:
            return range(least, maximum + 1)
    raise AssertionError(allowed)


def written_out(action):
    names = [name for name in action.fields if name not in action.optional]
    for matches in product(*(values(action.fields[name]) for name in names)):
        yield command(action.type, dict(zip(names, matches, strict=True)))


def as_sent(action):
    return msgspec.json.encode(action, order="sorted")


def listed(actions, but=()):
    return [
        spoken_action
        for action in actions
        if action.type not in but
        for spoken_action in written_out(action)
    ]


def chosen(action, die):
    if action.type == "hand":
        (player,) = action.fields["player"]["values"]
        return command(
            "hand", {"player": player, "cards": choose_hand(action.fields["cards"], die)}
        )
    return die.choice(list(written_out(action)))


def next_action(at, die, but=()):
    ways = [action for action in at.legal if action.type not in but]
    return chosen(die.choices(ways, [LIKELY.get(a.type, 8) for a in ways])[0], die)


def walk(table, seed, steps, but=()):
    """Points of one random evening, one after the other, and another one when it is won."""
    die, at = Random(seed), table
    for _ in range(steps):
        yield at
        finished = not at.legal_types() - {*but, "undo"}
        at = table if finished else at.after(next_action(at, die, but))


def universe(at):
    """Everything that could be said, most of it nonsense; hands aside."""
    players = (*at.table_state.seats, "p11")
    cards = [rank + s for s in "CSHD" for rank in ("A", "K", "J", "10", "8", "6", "5", "2")]
    # a few players are enough to count tricks wrongly
    sample = (*players[:3], *players[-2:])
    return [
        *(c.OpenDeal(), c.Undo(), c.AllPass(), c.Finish(), c.Take(), c.NoSwap()),
        *(word(player=p) for p in players for word in (c.Stay, c.Pass, c.LaVola)),
        *(c.Exchange(player=p, turn_up=True) for p in players),
        *(c.Exchange(player=p, cards=n) for p in players for n in range(1, 6)),
        *(c.Trick(winner=p) for p in players),
        *(
            c.Tricks(taken=trick_winners)
            for total in (4, 5, 6)
            for trick_winners in sums(total, sample)
        ),
        *(c.TurnUp(card=card) for card in cards),
        *(c.Play(player=p, card=card) for p in players for card in cards),
    ]


@every_table
def test_an_action_is_accepted_if_and_only_if_it_is_listed(table):
    for seed in range(3):
        for at in walk(table, seed, steps=40):
            allowed = listed(at.legal, but=("hand",))
            assert all(accepted(at, action) for action in allowed)
            recorded = {as_sent(action) for action in allowed}
            for action in universe(at):
                assert accepted(at, action) == (as_sent(action) in recorded), action


@every_table
def test_every_hand_that_the_list_describes_is_accepted(table):
    for seed in range(6):
        die = Random(seed)
        for at in walk(table, seed, steps=40, but=("undo", "all_pass", "tricks", "trick")):
            can = [action for action in at.legal if action.type == "hand"]
            assert all(accepted(at, chosen(action, die)) for action in can)


@every_table
def test_until_the_game_is_won_something_other_than_undo_is_possible(table):
    for seed in range(10):
        for at in walk(table, seed, steps=60):
            assert at.sheet.winners or at.legal_types() - {"undo"}


@every_table
def test_the_view_of_a_deal_is_consistent(table):
    for at in walk(table, seed=5, steps=150):
        if at.view is None:
            assert not at.table_state.deal_is_open
            continue
        seats, view = at.table_state.seats, at.view
        assert not set(view.staying) & set(view.passed)
        assert {*view.staying, *view.passed, *view.exchanged} <= set(seats)
        if view.phase == "exchanging":
            assert 1 <= view.round <= 3
            assert view.talon >= 0
            assert len(view.staying) >= 2
        assert (view.turn is None) == (view.phase in ("exchanging", "playing") and not view.trump)


@random_evenings
@given(st.sampled_from(list(TABLES.values())), seeds)
def test_any_number_of_undos_goes_back_by_as_many_actions(table, seed):
    die, at, state_before = Random(seed), table, []
    for _ in range(die.randint(1, 60)):
        if not at.legal_types() - {"undo"}:
            break
        state_before.append(at.table_state.game_state)
        at = at.after(next_action(at, die, but=("undo",)))
    for before in reversed(state_before):
        at = at.after(c.Undo())
        assert at.table_state.game_state == before
    assert at.table_state.game_state == table.table_state.game_state


@every_table
def test_a_session_replayed_from_its_own_commands_is_the_same(table):
    *_, last = walk(table, seed=11, steps=60, but=("undo",))
    spoken = [fact for fact in last.history if isinstance(fact, e.InputEvent)]
    assert table.after(*map(command_of, spoken)).history == last.history
