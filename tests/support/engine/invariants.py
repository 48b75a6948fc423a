"""What holds in every evening of every game, whatever was agreed and whoever says what.

Each promise looks at an evening as it stands in a book and leaves it as it was. None of them knows
which game it looks at.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import reduce
from random import Random
from typing import Any

from msgspec.structs import fields, replace

from api.state import state
from engine import commands as c
from engine import correcting
from engine import evening as evenings
from engine import events as e
from engine.errors import AmountTooLarge, NothingToUndo, RuleViolation
from engine.evening import Evening, Trail
from engine.recorded import action_of
from engine.revokes import revokes
from ledger import codec, handling
from ledger.entries import Entry
from ledger.envelope import record
from ledger.projections.deals import newest_first
from ledger.session import Session, applied, fold
from tests.engine.anyone import covers, every_edge
from tests.engine.nonsense import nonsense
from tests.ledger.book import ID, Book

POLICIES: tuple[e.Policy, ...] = ("carry", "refund_bets", "split_equal", "play_on")


def decided(book: Book, said: c.Command) -> tuple[e.Event, ...]:
    at = book.session
    return evenings.decide(at.game, at.options, at.table, said, at.funds)


def it_goes_on(book: Book) -> None:
    """Something else than undo can be done, until the game is won or the evening closed."""
    at, kinds = book.session, {action.type for action in book.legal}
    won = at.sheet is not None and bool(at.sheet.winners)
    if at.table.closed:
        assert kinds == set()
    elif won and not at.table.open:
        assert kinds == {"undo"}
    elif not kinds - {"undo"}:
        try:  # a pot too large to be kept exactly ends the evening; nothing else does
            decided(book, c.OpenDeal())
        except AmountTooLarge:
            pass
        else:
            raise AssertionError("a dead end")
    assert ("undo" in kinds) == (at.table.trail is not None and not at.table.closed)


def what_is_listed_is_accepted(book: Book, die: Random) -> int:
    tried = 0
    for action in book.legal:
        for said in every_edge(action, die):
            assert decided(book, said), said
            tried += 1
    return tried


def what_is_accepted_is_listed(book: Book, die: Random, times: int) -> int:
    """And everything else is refused by a rule, never by a fault."""
    legal, people, refused = book.legal, book.session.table.players, 0
    for _ in range(times):
        said = nonsense(people, die)
        try:
            decided(book, said)
        except RuleViolation:
            accepted = False
            refused += 1
        else:
            accepted = True
        # the list shows reseatings by one person only; any other order is accepted, too
        if not isinstance(said, c.Reseat):
            assert accepted == covers(legal, said), (said, accepted)
    return refused


def as_it_stands(evening: Evening[Any]) -> tuple[Any, ...]:
    """All of an evening but what undo walks."""
    return (
        *(evening.table, evening.seats, evening.dealer, evening.number),
        *(evening.open, evening.last, evening.closed),
    )


def undo_takes_exactly_back(book: Book, said: c.Command) -> None:
    """This action, and nothing else: it stands as before, and the same may be done."""
    at = book.session
    before = at.table
    after = reduce(lambda ev, fact: evenings.evolve(at.game, ev, fact), decided(book, said), before)
    if isinstance(said, c.Undo):
        return
    taken_back = evenings.decide(at.game, at.options, after, c.Undo(), at.funds)
    again = reduce(lambda ev, fact: evenings.evolve(at.game, ev, fact), taken_back, after)
    assert as_it_stands(again) == as_it_stands(before)
    assert again.trail is before.trail
    assert evenings.legal(at.game, at.options, again, at.funds) == book.legal


def stands(session: Session) -> tuple[Any, ...]:
    """Everything that is true of the table and of the money; what is due counts as paid."""
    funds = {p: session.funds(p) for p in session.table.players if session.funds(p)}
    return as_it_stands(session.table), session.pot, session.bets, session.sheet, funds


def a_misdeal_returns_everything(book: Book, before: Session) -> None:
    """`before`: as it stood when the open deal was opened. The number alone is used up."""
    at = book.session
    after = written(at, handling.misdeal(at, at.table.number))
    assert after.table.next_number == at.table.number + 1
    same_dealer = at.options.misdeal_policy == "same_dealer"
    seats, dealer = at.table.seats, at.table.dealer
    follows = dealer if same_dealer else seats[(seats.index(dealer) + 1) % len(seats)]
    assert after.table.dealer == follows
    (table, *money), (was, *had) = stands(after), stands(before)
    assert money == had
    assert (table[0], table[1], table[3:]) == (was[0], was[1], was[3:])


def written(session: Session, entries: Sequence[Entry]) -> Session:
    """As it would stand after these entries; a session asserts itself that all adds up."""
    more = record(
        ID,
        entries,
        version=session.version,
        before=session.hash,
        at=session.at + 1,
        by="host.0",
    )
    return fold(session, more)


def it_closes_by_every_policy(book: Book) -> None:
    """And nothing is lost: who shares, shares alike to the last unit."""
    at = book.session
    if at.table.open:
        try:
            handling.closure(at, None)
        except RuleViolation:
            return
        raise AssertionError("an open deal was left lying")
    left = at.pot + sum(bet.amount for bet in at.bets)
    for policy in (*POLICIES, None):
        agreed = policy or at.game.policy(at.options)
        try:
            facts = handling.closure(at, policy)
        except RuleViolation:
            assert (agreed, left > 0) == ("play_on", True)
            continue
        assert not (agreed == "play_on" and left)
        after = written(at, facts)
        assert after.status == "closed"
        assert evenings.legal(after.game, after.options, after.table, after.funds) == ()
        if agreed in ("refund_bets", "split_equal"):
            assert (after.pot, after.bets, after.table.table.pot if left else 0) == (0, (), 0)
        if agreed == "split_equal" and left and at.game.scoring is None:
            seats = at.table.last.seats if at.table.last else at.table.seats
            claims = {p: sum(b.each for b in at.bets if not b.paid and p in b.by) for p in seats}
            got = [after.balances[p] - at.balances[p] + claims[p] for p in seats]
            assert max(got) - min(got) <= 1
            assert sum(got) == left
        for said in (c.OpenDeal(), c.Undo()):
            try:
                handling.actions(after, (said,))
            except RuleViolation:
                continue
            raise AssertionError("the evening was closed")


def it_can_be_told(session: Session) -> bytes:
    """To clients, as one document."""
    return json.dumps(state(session, "Fredag", {}), allow_nan=False).encode()


def it_reads_back(book: Book, tellings: dict[int, bytes]) -> None:
    """From the stored bytes alone, as of any version: exactly what was told then."""
    session = Session(id=ID)
    for was in book.history:
        event = codec.decode(was.type, was.schema, was.data)
        assert event == was.event
        again = record(
            ID, (event,), version=session.version, before=session.hash, at=was.at, by=was.by
        )
        assert list(again) == [was]
        session = fold(session, again)
        if was.version in tellings:
            assert it_can_be_told(session) == tellings[was.version]
    assert stands(session) == stands(book.session)


def read_in_pieces_it_is_the_same(book: Book, die: Random) -> None:
    """Told as it happened an evening goes from event to event; read back it goes from deal to deal,
    from wherever the reading began. All that can be asked of it is the same, and the way back."""
    cut = die.randrange(len(book.history))
    session, lines = applied(Session(id=ID), book.history[:cut])
    session, more = applied(session, book.history[cut:])
    assert {(line.version, line.line): line for line in (*lines, *more)} == book.lines
    assert it_can_be_told(session) == it_can_be_told(book.session)
    for field in fields(session):
        if field.name not in ("evening", "deals", "standing"):
            assert getattr(session, field.name) == getattr(book.session, field.name), field.name
    told, as_told = newest_first(session.deals), newest_first(book.session.deals)
    assert list(told) == list(as_told)
    assert as_it_stands(session.table) == as_it_stands(book.session.table)
    for mine, other in zip(trails(session.table), trails(book.session.table), strict=True):
        assert (mine.deal, mine.facts) == (other.deal, other.facts)
        assert as_it_stands(mine.before) == as_it_stands(other.before)
    assert without_the_first(session) == without_the_first(book.session)


def without_the_first(session: Session) -> e.DealCorrected | type[RuleViolation]:
    """What comes of it if the first deal never counted, or why it cannot be."""
    try:
        return correcting.correct(
            session.game, session.options, session.table, 1, None, later="void"
        )
    except RuleViolation as refused:
        return type(refused)


def trails(evening: Evening[Any]) -> Iterator[Trail]:
    """The actions that stand, the last one first."""
    while evening.trail is not None:
        yield evening.trail
        evening = evening.trail.before


def told_again_it_is_the_same(book: Book) -> None:
    """What was said, said once more from the record, makes the same facts."""
    at = book.session
    actions = list(trails(at.table))[::-1]
    start = actions[0].before if actions else at.table
    again = reduce(evenings.joined, at.table.players[len(start.players) :], start)
    funds = dict.fromkeys(at.table.players, 0)
    options = at.options
    if hasattr(options, "credit_limit"):  # whoever had no credit was not asked to deal
        options = replace(options, credit_limit=None)
    for trail in actions:
        (spoken, *_) = trail.facts
        assert isinstance(spoken, e.Spoken)
        said = action_of(spoken)
        if isinstance(spoken, e.DealOpened) and spoken.number > again.next_number:
            # a misdeal has used the number up, and may have passed the deal on
            again = replace(again, voided=spoken.number - 1, dealer=spoken.dealer)
        facts = evenings.decide(at.game, options, again, said, funds.__getitem__)
        assert facts == trail.facts, said
        again = reduce(lambda ev, fact: evenings.evolve(at.game, ev, fact), facts, again)
    if at.table.voided >= again.next_number:
        again = replace(again, dealer=at.table.dealer)
    assert as_it_stands(again) == as_it_stands(at.table)


def undone_to_nothing(book: Book) -> None:
    """Undo after undo, until there is nothing to take back and nobody has won or lost."""
    at = book.session
    while at.table.trail is not None:
        at = written(at, handling.actions(at, (c.Undo(),)))
    try:
        handling.actions(at, (c.Undo(),))
    except NothingToUndo:
        pass
    else:
        raise AssertionError("there was nothing left")
    fresh = at.game.start(at.options, at.table.seats)
    assert at.table.table == fresh
    assert (at.pot, at.bets) == (0, ())
    assert at.sheet == at.game.sheet(fresh)


def nobody_revoked(book: Book) -> None:
    """Whoever played real cards by the rules is not accused afterwards."""
    at = book.session
    deal: list[e.Deed] = []
    for trail in list(trails(at.table))[::-1]:
        if isinstance(trail.facts[0], e.DealOpened):
            deal = []
        deal += trail.facts
        if isinstance(trail.facts[-1], e.DealClosed):
            assert not list(revokes(at.game, at.options, deal)), deal
            deal = []
