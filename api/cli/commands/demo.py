"""`vola demo`: a believable session, recorded through the API as a phone would record it.

The players are the ones of every example. The same seed gives the same session.
"""

import random
from typing import Any

import click

from api import settings
from api.cli import startup_message
from api.cli.command_group import Command
from api.cli.http_client import get, post
from api.cli.refusal import Refusal
from api.i18n.catalog import LANGUAGES, text

NAMES = ("Ada", "Bo", "Cilla", "Disa")
STAKE = 1000


@click.command(cls=Command)
@click.option("--url", help="The server; by default the one that HOST, PORT and TLS_CERT name.")
@click.option("--deals", type=click.IntRange(1, 10_000), default=12, help="How many deals (12).")
@click.option("--seed", type=int, default=1774, help="Another seed, other deals (1774).")
@click.option(
    "--lang",
    "language",
    type=click.Choice(LANGUAGES),
    default="sv",
    help="The language of what is printed (sv).",
)
def command(url: str | None, deals: int, seed: int, language: str) -> None:
    """Prints the outcome of each deal and the session's link."""
    server_url = url or startup_message.local_url(settings.read_settings())
    record_session(server_url, deals=deals, seed=seed, language=language)


def record_session(url: str, *, deals: int, seed: int, language: str = "sv") -> None:
    """Open a session on that server, record the deals, and print the host's link to it."""
    url = url.rstrip("/")
    chance = random.Random(seed)  # noqa: S311  # cards, not secrets
    created = post(
        f"{url}/v1/sessions",
        {
            "game": "polskt_pass",
            "title": text(language, "demo.title"),
            "players": [{"name": name} for name in NAMES],
            "options": {"stake": STAKE},
        },
        language,
    )
    if "id" not in created or "tokens" not in created:
        raise Refusal(f"No Vola answers at {url}.")
    session_url, token = f"{url}/v1/sessions/{created['id']}", created["tokens"]["host"]
    for number in range(1, deals + 1):
        state = get(session_url, language, token)
        seats, dealer = state["seats"], state["deal"]["dealer"]
        actions = [{"type": "open_deal", "number": number}, *_random_actions(chance, seats, dealer)]
        receipt = post(f"{session_url}/actions", {"actions": actions}, language, token)
        deal = get(f"{session_url}/deals/{number}", language, token)
        print(f"{number:>3}  {deal['outcome']['text']}", flush=True)
        assert receipt["session"]["status"] == "open"
    print(f"{url}/#/s/{created['id']}/{token}")


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
