"""Evenings of a circle that go on where another ended, as an attacker finds them in the book."""

from __future__ import annotations

from contextlib import suppress
from hashlib import sha256
from random import Random
from uuid import UUID, uuid4

import msgspec

from api.http.responses import encode_json
from api.representations.group import group_view
from engine.errors import RuleViolation
from engine.games.registry import GAMES
from ledger.groups import groups as circles
from ledger.groups.groups import Group, GroupStore
from ledger.groups.member_name_erasure import erase_member_name
from ledger.groups.open_session import NewSession, open_session
from ledger.session import command_handlers as handling
from ledger.store.append_request import AppendRequest, Decision
from ledger.store.event_store import EventStore
from tests.support.engine.every_option import drawn
from tests.verification.attack.stored_sessions import FOR_MONEY, Table, told

MEMBERS = ("Ada", "Bo", "Cilla", "Disa", "Emil")
CHAIN = (1, 2, 3)
WITH_BETS = ("polskt_pass",) * 4


class Company:
    """A circle in the store, and a die that decides who comes and what is played."""

    def __init__(self, store: EventStore, die: Random) -> None:
        self.store, self.die, self.book = store, die, GroupStore(store.pool)
        made = self.book.create(self._asked(), uuid4(), "Torsdagar", MEMBERS, self._view)
        self.id = made.group_id
        self.game = die.choice((*FOR_MONEY, *WITH_BETS))

    @property
    def circle(self) -> Group:
        found = self.book.load(self.id)
        assert found is not None
        return found

    def meets(self, *, carry: bool) -> Table:
        """An evening of its own, opened by some of those whose names are known."""
        named = [member for member, name in self.circle.members.items() if name]
        game = GAMES[self.game]
        seats = self.die.choice([n for n in game.player_counts if n <= len(named)])
        seated = self.die.sample(named, seats)
        tonight = NewSession(
            group_id=self.id,
            game=game,
            options=msgspec.convert(drawn(game.options_type, self.die), game.options_type),
            currency="SEK",
            seated=seated,
            first_dealer=self.die.choice(seated),
            title="Torsdag",
            carry=carry,
        )
        key = circles.session_creation_key(self.id, str(uuid4()))
        asked = msgspec.structs.replace(self._asked(), key=key)
        made = open_session(
            self.store, tonight, uuid4(), asked, lambda session, _: told(session, ())
        )
        return Table(self.store, self.die, id=made.session_id)

    def adds(self, table: Table) -> None:
        """An evening that was opened by itself: some of it are members, whatever they are called.

        The answer tells of the evenings as the book does."""
        players = table.session.table.players
        some = self.die.sample(players, min(len(players), self.die.randint(1, len(MEMBERS))))
        named = [member for member, name in self.circle.members.items() if name]
        who = dict(zip(some, self.die.sample(named, len(named)), strict=False))
        known = {e.session_id: self.store.load(e.session_id) for e in self.circle.sessions}
        known[table.id] = table.session
        self.book.add_session(
            self.id,
            table.id,
            self._asked(),
            who,
            lambda circle: encode_json(group_view(circle, known.__getitem__)),
        )

    def joined(self) -> None:
        """Somebody new."""
        number = len(self.circle.members) + 1
        answer = encode_json({"id": f"m{number}", "name": f"Fia{number}"})
        self.book.add_member(self.id, self._asked(), f"Fia{number}", lambda _: answer)

    def forgets(self) -> None:
        """One of the members."""
        member = self.die.choice(list(self.circle.members))
        instead = f"Medlem {member[1:]}", lambda player: f"Spelare {player[1:]}"
        answer = encode_json({"id": member, "name": instead[0]})
        erase_member_name(self.book, self.circle, member, self._asked(), instead, lambda _: answer)

    def _asked(self) -> AppendRequest:
        digest = sha256(self.die.randbytes(8)).digest()
        return AppendRequest(key=str(uuid4()), digest=digest, by="host.0", expected_version="any")

    @staticmethod
    def _view(circle: Group) -> bytes:
        return encode_json({"id": str(circle.id), "name": circle.name, "members": [
            {"id": member, "name": name} for member, name in circle.members.items()
        ], "evenings": [], "to_carry": None})  # fmt: skip


def play_chain(store: EventStore, seed: str, most: int) -> list[UUID]:
    """At most so many evenings of one circle; most of them go on where another ended."""
    die = Random(seed)
    company = Company(store, die)
    played: list[UUID] = []
    for _ in range(min(most, die.choice(CHAIN) + 1)):
        if die.random() < 0.2:
            company.joined()
        if die.random() < 0.15:
            table = Table(store, die, game=company.game)
            table.play(die.randint(0, 20))
            company.adds(table)
        else:
            table = _next(company)
        table.play(die.randint(20, 45))
        _ended(table)
        played.append(table.id)
        if die.random() < 0.08:
            company.forgets()
    return played


def _next(company: Company) -> Table:
    """Where the last one ended, if it can be: it may be open still, or have a stranger's money."""
    with suppress(RuleViolation, circles.UnknownMember):
        return company.meets(carry=company.die.random() < 0.9)
    return company.meets(carry=False)


def _ended(table: Table) -> None:
    """Closed with what lies there, everything that was due settled."""
    table.store.settle(table.id)
    number = table.session.table.deal_number
    if table.session.table.deal_is_open:
        table.write(lambda s: Decision(events=handling.void_open_deal(s, number), remark="felgiv"))
    with suppress(RuleViolation):  # it is closed already, or plays on for what is left
        table.write(lambda s: Decision(events=handling.close_session(s, "carry")))
    table.store.settle(table.id)
