"""JSON over HTTP for `vola demo`: a busy server is tried again after the time that it names."""

import http.client
import json
import re
import sys
import time
import urllib.error
import urllib.request
import uuid
from typing import Any

from api.cli.refusal import Refusal

LONGEST_WAIT_SECONDS = 60
"""A server that asks for a longer wait than this has refused."""
MOST_TRIES = 10


def get(url: str, language: str, token: str) -> Any:
    return _request(url, _headers(language, token))


def post(url: str, body: Any, language: str, token: str | None = None) -> Any:
    """Post JSON; every try has the same idempotency key."""
    headers = {**_headers(language, token), "Idempotency-Key": str(uuid.uuid4())}
    return _request(url, headers, json.dumps(body).encode())


def _headers(language: str, token: str | None) -> dict[str, str]:
    authorization = {"Authorization": f"Bearer {token}"} if token else {}
    return {"Content-Type": "application/json", "Accept-Language": language, **authorization}


def _request(url: str, headers: dict[str, str], data: bytes | None = None) -> Any:
    """Return the JSON object that the server sends, or raise Refusal. With `data` a POST."""
    if not url.startswith(("http://", "https://")):
        raise Refusal(f"Not a web address: {url}.")
    for tries in range(1, MOST_TRIES + 1):
        try:
            request = urllib.request.Request(url, data, headers)  # noqa: S310
            with urllib.request.urlopen(request, timeout=20) as response:  # noqa: S310
                document = json.load(response)
            break
        except urllib.error.HTTPError as error:
            seconds = _retry_after(error)
            if seconds is None or tries == MOST_TRIES:
                raise Refusal(f"The server refused: {error.read().decode()[:300]}") from error
            print(f"The server is busy; trying again in {seconds} s.", file=sys.stderr, flush=True)
            time.sleep(seconds)
        except (urllib.error.URLError, OSError) as error:
            reason = getattr(error, "reason", error)
            raise Refusal(f"No server answers at {url}: {reason}.") from error
        except (ValueError, http.client.HTTPException) as error:
            raise Refusal(f"No Vola answers at {url}.") from error
    if not isinstance(document, dict):
        raise Refusal(f"No Vola answers at {url}.")
    return document


def _retry_after(error: urllib.error.HTTPError) -> int | None:
    """Return the seconds that a busy server asks for, if it does and they are few enough."""
    header = error.headers.get("Retry-After", "")
    if error.code not in (429, 503) or not re.fullmatch("[0-9]{1,9}", header):
        return None
    return int(header) if int(header) <= LONGEST_WAIT_SECONDS else None
