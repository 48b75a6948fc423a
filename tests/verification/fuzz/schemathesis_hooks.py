"""The hooks between Schemathesis and the app, and what Schemathesis cannot know of tokens.

A wrong or missing token gives 404 here, the same as a resource that does not exist, so that no
client learns what exists. Schemathesis takes an operation to be guarded if a request without its
token gives 401 or 403. So the answers to its own requests without a token, and to no others, are
shown to it as 401 if they are byte for byte the answer for an id that does not exist. Every other
answer is shown unchanged, and then is a fault.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import requests
from schemathesis.core.transport import Response
from schemathesis.transport.requests import REQUESTS_TRANSPORT
from schemathesis.transport.wsgi import WSGI_TRANSPORT

from tests.verification.fuzz.request_preparation import RequestPreparer, uninstall

SendCase = Callable[..., Response]


@contextmanager
def installed_hooks(preparer: RequestPreparer) -> Iterator[None]:
    """Send all requests through the hooks until the `with` ends."""
    preparer.install()
    transports = (WSGI_TRANSPORT, REQUESTS_TRANSPORT)
    for transport in transports:
        transport.send = _wrap_send(preparer, transport.send)  # type: ignore[method-assign]
    try:
        yield
    finally:
        for transport in transports:
            del transport.send  # type: ignore[method-assign]
        uninstall()


def _wrap_send(preparer: RequestPreparer, original_send: SendCase) -> SendCase:
    def send(case: Any, *, session: Any = None, **kwargs: Any) -> Response:
        # Schemathesis 4.32 sends its access probes without a session, and then fails in process on
        # its own network settings; with a session it omits them.
        with_session = session or (requests.Session() if "app" in kwargs else None)
        preparer.authorize(case)
        response = original_send(case, session=with_session, **kwargs)
        if not preparer.has_sent(case):
            preparer.record_answer(case, response)
            if response.status_code == 404:
                mark_as_unauthorized(preparer, case, response)
        return response

    return send


def mark_as_unauthorized(preparer: RequestPreparer, case: Any, response: Response) -> None:
    """Set `response` to 401 if a request for an id that does not exist gets the same answer."""
    url = urlsplit(str(response.request.url))
    unknown_path = re.sub(r"(/v1/\w+/)[^/]+", rf"\g<1>{uuid4()}", url.path, count=1)
    headers = {name: str(value) for name, value in response.request.headers.items()}
    headers.pop("Authorization", None)
    body = response.request.body
    raw = body.encode() if isinstance(body, str) else body
    target = unknown_path + (f"?{url.query}" if url.query else "")
    status, _, answer_body = preparer.send(str(response.request.method), target, headers, raw)
    if status == 404 and answer_body == response.content:
        response.status_code = 401
