"""A believable evening, recorded through the API as a phone would: for a first look around.

The players are the ones of every example. The same seed gives the same evening.
"""

import http.client
import json
import random
import re
import sys
import time
import urllib.error
import urllib.request
import uuid
from typing import Any

from api.settings import BadSetting

NAMES = ("Ada", "Bo", "Cilla", "Disa")
STAKE = 1000
LONGEST_WAIT = 60
"""Seconds: a server that is busy for longer, or over and over, is told of to whoever looks on."""
MOST_TRIES = 10


def play(url: str, *, deals: int, seed: int) -> None:
    """Open an evening on that server, record the deals, and print its address. BadSetting."""
    url = url.rstrip("/")
    chance = random.Random(seed)  # noqa: S311  # cards, not secrets
    made = _post(
        f"{url}/v1/sessions",
        {
            "game": "polskt_pass",
            "title": "Exempelkväll",
            "players": [{"name": name} for name in NAMES],
            "options": {"stake": STAKE},
        },
    )
    if "id" not in made or "tokens" not in made:
        raise BadSetting(f"No Vola answers at {url}.")
    here, token = f"{url}/v1/sessions/{made['id']}", made["tokens"]["host"]
    for number in range(1, deals + 1):
        state = _get(here, token)
        seats, dealer = state["seats"], state["deal"]["dealer"]
        actions = [{"type": "open_deal", "number": number}, *_deal(chance, seats, dealer)]
        said = _post(f"{here}/actions", {"actions": actions}, token)
        told = _get(f"{here}/deals/{number}", token)
        print(f"{number:>3}  {told['outcome']['text']}", flush=True)
        assert said["session"]["status"] == "open"
    print(f"{url}/#/s/{made['id']}/{token}")


def _deal(chance: random.Random, seats: list[str], dealer: str) -> list[dict[str, Any]]:
    """What the table might say in one deal."""
    luck = chance.random()
    if luck < 0.12:
        return [{"type": "all_pass"}]
    cutter = seats[seats.index(dealer) - 1]
    declarers = [cutter, dealer] if luck < 0.2 else [chance.choice(seats)]
    # who declares holds the better cards
    strength = [3 if player in declarers else 1 for player in seats]
    actions: list[dict[str, Any]] = [{"type": "declare", "players": declarers}]
    tricks = chance.choices(seats, strength, k=5)
    announced = tricks[0] == tricks[1] and chance.random() < 0.4
    for place in range(5):
        if place == 2 and announced:
            actions.append({"type": "la_vola", "player": tricks[0]})
            if chance.random() < 0.6:
                tricks[2:] = [tricks[0]] * 3
        actions.append({"type": "trick", "winner": tricks[place]})
        if announced and place >= 2 and tricks[place] != tricks[0]:
            break
    return actions


def _get(url: str, token: str) -> Any:
    return _ask(url, _headers(token))


def _post(url: str, body: Any, token: str | None = None) -> Any:
    headers = {**_headers(token), "Idempotency-Key": str(uuid.uuid4())}
    data = json.dumps(body).encode()
    return _ask(url, headers, data)


def _headers(token: str | None) -> dict[str, str]:
    right = {"Authorization": f"Bearer {token}"} if token else {}
    return {"Content-Type": "application/json", "Accept-Language": "sv", **right}


def _ask(url: str, headers: dict[str, str], data: bytes | None = None) -> Any:
    """Answers with JSON; a POST if there is `data`. A server that is busy is asked again when it
    says so, under the same key."""
    if not url.startswith(("http://", "https://")):
        raise BadSetting(f"Not a web address: {url}.")
    for tries in range(1, MOST_TRIES + 1):
        try:
            request = urllib.request.Request(url, data, headers)  # noqa: S310
            with urllib.request.urlopen(request, timeout=20) as answer:  # noqa: S310
                said = json.load(answer)
            break
        except urllib.error.HTTPError as error:
            wait = _told_to_wait(error)
            if wait is None or tries == MOST_TRIES:
                raise BadSetting(f"The server refused: {error.read().decode()[:300]}") from error
            print(f"The server is busy; asking again in {wait} s.", file=sys.stderr, flush=True)
            time.sleep(wait)
        except (urllib.error.URLError, OSError) as error:
            reason = getattr(error, "reason", error)
            raise BadSetting(f"No server answers at {url}: {reason}.") from error
        except (ValueError, http.client.HTTPException) as error:
            raise BadSetting(f"No Vola answers at {url}.") from error
    if not isinstance(said, dict):
        raise BadSetting(f"No Vola answers at {url}.")
    return said


def _told_to_wait(error: urllib.error.HTTPError) -> int | None:
    """The seconds after which the server wants to be asked again; none if it did not say so, or is
    not to be waited for."""
    told = error.headers.get("Retry-After", "")
    if error.code not in (429, 503) or not re.fullmatch("[0-9]{1,9}", told):
        return None
    return int(told) if int(told) <= LONGEST_WAIT else None
