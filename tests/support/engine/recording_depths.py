"""The same session recorded card by card, trick by trick and by its results, and compared."""

import json
from random import Random

import msgspec

from engine import commands as c
from tests.support.engine import invariants
from tests.support.engine.card_dealer import Croupier
from tests.support.engine.every_option import draw_options
from tests.support.engine.shorter_recording import DEPTHS, deals_of, summarize
from tests.support.ledger.memory_store import Book

DEALS = 5


def play_at_every_depth(game, seed, **fixed):
    """Play a session at three depths. Return the number of compared deals, and the croupier."""
    die = Random(seed)
    agreed = draw_options(game.options_type, die, **fixed)
    seats = die.choice(game.player_counts)
    books = {depth: Book(seats, "p1", game, **agreed) for depth in ("cards", *DEPTHS)}
    croupier = Croupier(books["cards"], agreed, die)
    try:
        return compare_depths(books, croupier, agreed, die), croupier
    except Exception as fault:
        actions = [msgspec.to_builtins(action) for action in croupier.commands]
        facts = {"game": game.key, "players": seats, "options": agreed, "actions": actions}
        fault.add_note(json.dumps(facts))
        raise


def compare_depths(books, croupier, agreed, die):
    cards, dealt = books["cards"], 0
    while dealt < DEALS and any(action.type == "open_deal" for action in cards.legal):
        croupier.deal()
        dealt += 1
        *_, facts = deals_of(cards)
        for depth, retell in DEPTHS.items():
            books[depth].act(*retell(facts, die))
        merges = [action for action in cards.legal if action.type == "merge"]
        if merges and die.random() < 0.5:
            merged = merges[0].fields["together"]["values"][0]
            for book in books.values():
                book.act(c.Merge(together=merged))
        for depth in DEPTHS:
            first, second = summarize(cards.session), summarize(books[depth].session)
            assert not differ_by_depth(agreed, depth, first, second), (depth, first, second)
    invariants.check_no_revoke(cards)
    return dealt


def differ_by_depth(agreed, depth, first, second):
    """Return whether two depths differ. They may differ in one thing only: which of several players
    came to 0 first is known only from the order of the tricks, so with the result alone the lowest
    wins (docs/rules.md §7, finish_tie)."""
    if depth == "result" and agreed.get("finish_tie") == "trick_order":
        assert bool(first["winners"]) == bool(second["winners"])
        return first | {"winners": ()} != second | {"winners": ()}
    return first != second
