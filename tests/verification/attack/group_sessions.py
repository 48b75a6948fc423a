"""Random sessions of a group, most of them carried forward from the one before."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from random import Random
from uuid import UUID, uuid4

import msgspec

from engine.errors import RuleViolation
from engine.games.registry import GAMES
from ledger.groups import groups
from ledger.groups.groups import Group, GroupStore
from ledger.groups.member_name_erasure import erase_member_name
from ledger.groups.open_session import NewSession, open_session
from ledger.session import command_handlers
from ledger.store.append_request import Decision
from ledger.store.event_store import EventStore
from tests.support.engine.every_option import draw_options
from tests.support.player_names import FIVE_NAMES
from tests.verification.attack.stored_sessions import FOR_MONEY, Table, new_request, open_table

CHAIN_LENGTHS = (1, 2, 3)
WITH_BETS = ("polskt_pass",) * 4


class SimulatedGroup:
    """A group in the store whose members play at random."""

    def __init__(self, store: EventStore, die: Random) -> None:
        self.store, self.die, self.group_store = store, die, GroupStore(store.pool)
        reply = self.group_store.create(new_request(self.die), uuid4(), "Torsdagar", FIVE_NAMES)
        self.id = reply.group_id
        self.game = die.choice((*FOR_MONEY, *WITH_BETS))

    @property
    def group(self) -> Group:
        group = self.group_store.load(self.id)
        assert group is not None
        return group

    def open_session(self, *, carry: bool) -> Table:
        """Open a session of the group for some of the members who have a name."""
        named = [member for member, name in self.group.members.items() if name]
        game = GAMES[self.game]
        seats = self.die.choice([n for n in game.player_counts if n <= len(named)])
        seated = self.die.sample(named, seats)
        new_session = NewSession(
            group_id=self.id,
            game=game,
            options=msgspec.convert(draw_options(game.options_type, self.die), game.options_type),
            currency="SEK",
            seated=seated,
            first_dealer=self.die.choice(seated),
            title="Torsdag",
            carry=carry,
        )
        key = groups.session_creation_key(self.id, str(uuid4()))
        request = msgspec.structs.replace(new_request(self.die), key=key)
        opened = open_session(self.store, new_session, uuid4(), request)
        return Table(self.store, self.die, opened.session_id)

    def add_session(self, table: Table) -> None:
        """Add a session that was opened alone; some of its players become attendees."""
        players = table.session.table.players
        attendees = self.die.sample(
            players, min(len(players), self.die.randint(1, len(FIVE_NAMES)))
        )
        named = [member for member, name in self.group.members.items() if name]
        members = dict(zip(attendees, self.die.sample(named, len(named)), strict=False))
        self.group_store.add_session(self.id, table.id, new_request(self.die), members)

    def add_member(self) -> None:
        number = len(self.group.members) + 1
        self.group_store.add_member(self.id, new_request(self.die), f"Fia{number}")

    def erase_member(self) -> None:
        """Erase the name of a random member."""
        member = self.die.choice(list(self.group.members))
        erase_member_name(
            self.group_store,
            self.group,
            member,
            new_request(self.die),
            f"Medlem {member[1:]}",
            lambda player: f"Spelare {player[1:]}",
        )


def play_chain(store: EventStore, seed: str, max_sessions: int) -> list[UUID]:
    """Play at most `max_sessions` of one group, most of them carried forward."""
    played: list[UUID] = []
    for table in open_chain(store, seed, max_sessions):
        table.play(table.die.randint(20, 45))
        played.append(table.id)
    return played


def open_chain(store: EventStore, seed: str, max_sessions: int) -> Iterator[Table]:
    """Yield at most `max_sessions` tables of one group, one after another: each is closed before
    the next one opens, which usually carries forward what is left."""
    die = Random(seed)
    group = SimulatedGroup(store, die)
    for _ in range(min(max_sessions, die.choice(CHAIN_LENGTHS) + 1)):
        if die.random() < 0.2:
            group.add_member()
        if die.random() < 0.15:
            table = open_table(store, die, group.game)
            table.play(die.randint(0, 20))
            group.add_session(table)
        else:
            table = _open_next(group)
        yield table
        _close(table)
        if die.random() < 0.08:
            group.erase_member()


def _open_next(group: SimulatedGroup) -> Table:
    """Open the next session, carried forward unless the last one forbids it."""
    with suppress(RuleViolation, groups.UnknownMember):
        return group.open_session(carry=group.die.random() < 0.9)
    return group.open_session(carry=False)


def _close(table: Table) -> None:
    """Close the session, so that its pot can be carried forward, and settle the payments due."""
    table.store.settle(table.id)
    number = table.session.table.deal_number
    if table.session.table.deal_is_open:
        table.write(
            lambda session: Decision(
                events=command_handlers.void_open_deal(session, number), remark="felgiv"
            )
        )
    with suppress(RuleViolation):  # closed already, or leftovers are still played for
        table.write(
            lambda session: Decision(events=command_handlers.close_session(session, "carry"))
        )
    table.store.settle(table.id)
