"""`vola play`: an evening in the terminal, against opponents who are machines.

Reads the arguments, starts the book, and says at the end where the evening is kept.
"""

import argparse
import contextlib
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from marshmallow import ValidationError

from api import access, play, serving, shapes, words
from api.addresses import EVERYWHERE
from api.play.opponents import OPPONENTS
from api.play.table import Table
from api.play.telling import Telling
from api.play.terminal import Leaves, Person
from api.play.told import Silent, Told
from api.play.voice import Voice
from api.settings import BadSetting, Settings
from engine.game import Game
from engine.games import GAMES
from ledger import database
from ledger.cards import Cards
from ledger.session import Session
from ledger.store import Store
from ledger.writing import Stale


def run(chosen: Settings, given: argparse.Namespace) -> int:
    """Play so many evenings; the exit code. BadSetting for what cannot be played."""
    game = _one_of(GAMES, given.game, "game")
    agreed = _agreed(game, given.option)
    players = given.players or play.usual(game)
    if players not in game.seats:
        least, most = game.seats[0], game.seats[-1]
        so_many = f"{least}" if least == most else f"{least} to {most}"
        raise BadSetting(f"{game.name} takes {so_many} players, not {players}.")
    _one_of(dict.fromkeys(play.DEPTHS), given.depth, "depth")
    _one_of(OPPONENTS, given.opponents, "kind of opponent")
    _one_of(dict.fromkeys(words.LANGUAGES), given.lang, "language")
    if not given.watch and (given.quiet or given.depth != play.DEPTHS[0]):
        raise BadSetting("A person plays card by card: --quiet and --depth go with --watch.")
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]  # it is a text file
    try:
        with serving.addresses(chosen) as found, _store(found.app) as store:
            return _evenings(chosen, given, store, game, agreed, players)
    except Stale:
        raise BadSetting("Somebody else has written to this evening; it cannot go on.") from None
    except BrokenPipeError:  # whoever was reading has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


@contextlib.contextmanager
def _store(url: str) -> Iterator[Store]:
    pool = database.pool(url, size=2, name="vola play")
    try:
        yield Store(pool)
    finally:
        pool.close()


def _one_of(known: dict[str, Any], name: str, what: str) -> Any:
    if name not in known:
        raise BadSetting(f"There is no {what} {name}; choose one of {', '.join(known)}.")
    return known[name]


def _agreed(game: Game[Any, Any], given: list[str]) -> Any:
    """The table's options; a stake that nobody names is ten kronor."""
    known = game.options.__struct_fields__
    wanted: dict[str, Any] = {"stake": play.STAKE} if "stake" in known else {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise BadSetting(f"Say --option NAME=VALUE, not {text}.")
        if name not in known:
            raise BadSetting(f"{game.name} has no option {name}; it has {', '.join(known)}.")
        try:
            wanted[name] = json.loads(value)
        except ValueError:
            wanted[name] = value
    try:
        return shapes.load(game.options, wanted)
    except ValidationError as error:
        name, said = next(iter(error.messages_dict.items()))
        raise BadSetting(f"{name}={json.dumps(wanted.get(name))} will not do: {said[0]}") from None


def _evenings(
    chosen: Settings,
    given: argparse.Namespace,
    store: Store,
    game: Game[Any, Any],
    agreed: Any,
    players: int,
) -> int:
    begun, deals, events = time.monotonic_ns(), 0, 0
    voice = Voice(given.lang, game, play.seated(players), signs=sys.stdout.isatty())
    show: Callable[[str], None] = partial(print, flush=True)
    for evening in range(1, given.evenings + 1):
        told: Told = Silent() if given.quiet else Telling(voice, show)
        table = play.table(
            store,
            game,
            agreed,
            players=players,
            deals=given.deals,
            seed=f"{given.seed}.{evening}",
            opponents=given.opponents,
            depth=given.depth,
            title=voice("title", game=game.name),
            told=told,
            hidden=given.hidden,
            **({} if given.watch else _person(voice, agreed, show)),
        )
        ended = _sit(table)
        if isinstance(told, Telling):
            if ended is None:
                told.end(table.session)
            _kept(chosen, voice, store, table.session, show)
        if ended is not None:
            return ended
        deals += table.session.table.number
        events += table.session.version
    if given.quiet:
        _rate(voice, given.evenings, deals, events, time.monotonic_ns() - begun)
    return 0


def _person(voice: Voice, agreed: Any, show: Callable[[str], None]) -> dict[str, Any]:
    """Ada is the one at the keyboard."""
    person = Person(voice, agreed, show=show)
    first = next(iter(voice.names))
    return {"minds": {first: person}, "person": first, "between": person.waits}


def _sit(table: Table) -> int | None:
    """To the end; an exit code if somebody got up before it."""
    try:
        table.play()
    except Leaves:
        print()
        return 0
    except KeyboardInterrupt:
        print()
        return 130
    return None


def _kept(
    chosen: Settings, voice: Voice, store: Store, session: Session, show: Callable[[str], None]
) -> None:
    """Where the evening can be seen: the host's own link, once the page is served."""
    right = access.tokens(Cards(store.pool).secret, session.id)["host"]
    scheme = "https" if chosen.tls_cert else "http"
    host = "127.0.0.1" if chosen.host in EVERYWHERE else chosen.host
    show(voice("kept", id=session.id))
    address = f"{scheme}://{host}:{chosen.port}/#/s/{session.id}/{right}"
    show(voice("shown", address=address))


def _rate(voice: Voice, evenings: int, deals: int, events: int, nanoseconds: int) -> None:
    seconds = max(nanoseconds, 1) / 10**9
    print(
        voice(
            "rate",
            evenings=evenings,
            deals=deals,
            events=events,
            seconds=f"{seconds:.1f}",
            deals_a_second=f"{deals / seconds:.1f}",
            events_a_second=f"{events / seconds:.0f}",
        )
    )
