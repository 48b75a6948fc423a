"""Every game holds together: whatever was agreed, whatever is legal, in whatever order.

An evening here is a random one, driven by the list of what may be done and by nothing else, at
every position of every option of every game.
"""

from random import Random

import pytest

from engine import commands as c
from engine.games.registry import GAMES
from tests.support.engine import invariants
from tests.support.engine.every_option import draw_options, every_position
from tests.support.engine.random_player import RandomPlayer
from tests.support.ledger.memory_store import Book

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
STEPS = 40


def an_evening(game, seed, **fixed):
    """A book and the one who acts in it: so many seats, a first dealer, some more at the wall."""
    die = Random(seed)
    seats = die.choice(game.player_counts)
    agreed = draw_options(game.options_type, die, **fixed)
    book = Book(seats, f"p{die.randint(1, seats)}", game, **agreed)
    if game.scoring is None and die.random() < 0.5:
        book.join()
    return book, RandomPlayer(die)


def evenings_of(game, but=()):
    """One at every position of every option."""
    for seed, (name, value) in enumerate(every_position(game.options_type)):
        book, random_player = an_evening(game, f"{game.key} {seed}", **{name: value})
        random_player.but = but
        yield book, random_player


def steps(book, random_player, maximum=STEPS):
    """Each time before something is done, what it will be. Payments are settled now and then, and
    some deals are misdealt."""
    for _ in range(maximum):
        command = random_player.choose_command(book.legal)
        if command is None:
            return
        yield command
        book.act(command)
        if book.due and random_player.die.random() < 0.3:
            book.settle(random_player.die.choice(book.due))
        if book.session.table.deal_is_open and random_player.die.random() < 0.02:
            book.misdeal()


@every_game
def test_there_is_no_dead_end(game):
    for book, random_player in evenings_of(game):
        for _ in steps(book, random_player, 2 * STEPS):
            invariants.check_play_can_go_on(book)
        invariants.check_play_can_go_on(book)


@every_game
def test_everything_listed_is_accepted(game):
    for book, random_player in evenings_of(game):
        for _ in steps(book, random_player):
            if random_player.die.random() < 0.2:
                invariants.check_listed_are_accepted(book, random_player.die)


@every_game
def test_everything_else_is_refused_by_a_rule(game):
    for book, random_player in evenings_of(game):
        for _ in steps(book, random_player):
            invariants.check_accepted_are_listed(book, random_player.die, times=10)


@every_game
def test_undo_takes_exactly_the_last_action_back(game):
    for book, random_player in evenings_of(game):
        for command in steps(book, random_player):
            invariants.check_undo(book, command)
        invariants.check_undo_to_start(book)


@every_game
def test_a_session_replayed_from_its_own_commands_is_the_same(game):
    for book, random_player in evenings_of(game):
        for _ in steps(book, random_player):
            pass
        invariants.check_repeated_commands(book)


@every_game
def test_a_session_folded_in_parts_is_the_same(game):
    for book, random_player in evenings_of(game):
        for command in steps(book, random_player):
            if isinstance(command, c.Undo) and random_player.die.random() < 0.2:
                invariants.check_reading_in_two_parts(book, random_player.die)
        invariants.check_reading_in_two_parts(book, random_player.die)


@every_game
def test_a_misdeal_returns_everything(game):
    for book, random_player in evenings_of(game):
        opened = book.session
        for _ in steps(book, random_player):
            if not book.session.table.deal_is_open:
                opened = book.session
            elif (
                random_player.die.random() < 0.2
                and book.session.table.deal_number > opened.table.deal_number
            ):
                invariants.check_misdeal(book, opened)


@every_game
def test_every_state_can_be_shown_and_decoded_from_its_bytes(game):
    for book, random_player in evenings_of(game):
        documents = {}
        for _ in steps(book, random_player):
            documents[book.session.version] = invariants.session_document(book.session)
        invariants.check_reading_back(book, documents)


@every_game
def test_a_session_closes_by_every_policy_and_adds_up(game):
    for book, random_player in evenings_of(game):
        for _ in steps(book, random_player):
            if random_player.die.random() < 0.1 or not book.session.table.deal_is_open:
                invariants.check_closing(book)


@every_game
def test_random_play_uses_every_action_of_the_game(game):
    """Every kind of action that the game has is done: else the other claims say little."""
    missing = set(game.commands)
    for seed in range(500):
        book, random_player = an_evening(game, seed)
        for command in steps(book, random_player):
            missing.discard(type(command))
        if not missing:
            return
    assert missing == set()
