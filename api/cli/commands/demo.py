"""`vola demo`: a believable session, recorded through the API as a phone would record it.

The players are the ones of every example. The same seed gives the same session.
"""

import random
import socket
import uuid
from contextlib import suppress
from typing import Any, NoReturn
from urllib.parse import urlsplit

import click
import psycopg
from flask import Flask

from api.app import create_app
from api.cli import startup_message
from api.cli.command_group import Command
from api.cli.error_output import print_error
from api.cli.refusal import Refusal
from api.i18n.catalog import LANGUAGES, text
from api.observability.logging_config import configure_logging
from api.representations.share_links import share_path
from api.server import supervisor
from api.settings import read_settings

NAMES = ("Ada", "Bo", "Cilla", "Disa")
STAKE = 1000
DATABASE_REFUSALS = (psycopg.errors.InsufficientPrivilege, psycopg.errors.ReadOnlySqlTransaction)
"""Errors that a server logs with the request, and that a command reports in one sentence."""


@click.command(cls=Command)
@click.option(
    "--deals",
    type=click.IntRange(1, 10_000),
    default=12,
    metavar="N",
    help="How many deals (12).",
)
@click.option("--seed", type=int, default=1774, metavar="N", help="Seed of the deals (1774).")
@click.option(
    "--lang",
    "language",
    type=click.Choice(LANGUAGES),
    default="sv",
    help="The language of what is printed (sv).",
)
def command(deals: int, seed: int, language: str) -> None:
    """Prints the outcome of each deal and the session's link."""
    settings = read_settings()
    configure_logging("text")  # without a line for each request
    with supervisor.open_app_pool(settings, must_exist=True) as pool:
        app = create_app(pool)
        app.config["PROPAGATE_EXCEPTIONS"] = True
        for error in DATABASE_REFUSALS:
            app.register_error_handler(error, _raise)
        path = record_session(app, deals=deals, seed=seed, language=language)
    url = startup_message.local_url(settings)
    click.echo(f"{url}{path}")
    if not _is_listening(url):
        hint = "Start `vola serve`, or put the port of the one that runs into the link."
        print_error(f"No server listens at {url}. {hint}")


def _raise(error: Exception) -> NoReturn:
    raise error


def _is_listening(url: str) -> bool:
    address = urlsplit(url)
    with suppress(OSError), socket.create_connection((address.hostname, address.port), timeout=1):
        return True
    return False


def record_session(app: Flask, *, deals: int, seed: int, language: str) -> str:
    """Open a session, record the deals, print their outcomes, and return the path of the host's
    link to it."""
    client = app.test_client()
    headers = {"Accept-Language": language}

    def send(method: str, path: str, body: Any = None) -> Any:
        key = {"Idempotency-Key": str(uuid.uuid4())}
        response = client.open(path, method=method, json=body, headers={**headers, **key})
        document: Any = response.json
        if response.status_code >= 400:
            raise Refusal(document["detail"])
        return document

    chance = random.Random(seed)  # noqa: S311  # cards, not secrets
    new_session = {
        "game": "polskt_pass",
        "title": text(language, "demo.title"),
        "players": [{"name": name} for name in NAMES],
        "options": {"stake": STAKE},
    }
    created = send("POST", "/v1/sessions", new_session)
    session_path, token = f"/v1/sessions/{created['id']}", created["tokens"]["host"]
    headers["Authorization"] = f"Bearer {token}"
    for number in range(1, deals + 1):
        state = send("GET", session_path)
        seats, dealer = state["seats"], state["deal"]["dealer"]
        actions = [{"type": "open_deal", "number": number}, *_random_actions(chance, seats, dealer)]
        receipt = send("POST", f"{session_path}/actions", {"actions": actions})
        deal = send("GET", f"{session_path}/deals/{number}")
        click.echo(f"{number:>3}  {deal['outcome']['text']}")
        assert receipt["session"]["status"] == "open"
    return share_path("s", created["id"], token)


def _random_actions(chance: random.Random, seats: list[str], dealer: str) -> list[dict[str, Any]]:
    """Return what the table might record in one deal."""
    luck = chance.random()
    if luck < 0.12:
        return [{"type": "all_pass"}]
    cutter = seats[seats.index(dealer) - 1]
    declarers = [cutter, dealer] if luck < 0.2 else [chance.choice(seats)]
    strength = [3 if player in declarers else 1 for player in seats]  # they hold better cards
    actions: list[dict[str, Any]] = [{"type": "declare", "players": declarers}]
    winners = chance.choices(seats, strength, k=5)
    announced = winners[0] == winners[1] and chance.random() < 0.4
    for place in range(5):
        if place == 2 and announced:
            actions.append({"type": "la_vola", "player": winners[0]})
            if chance.random() < 0.6:
                winners[2:] = [winners[0]] * 3
        actions.append({"type": "trick", "winner": winners[place]})
        if announced and place >= 2 and winners[place] != winners[0]:
            break
    return actions
