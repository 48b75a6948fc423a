"""The WSGI environ that is made of an RSGI request."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from werkzeug import Request

from api.server.rsgi_adapter import wsgi_environ


def environ_with(name: str, value: str, query: str = "") -> dict[str, Any]:
    return wsgi_environ(
        SimpleNamespace(
            method="GET",
            path="/",
            query_string=query,
            scheme="http",
            http_version="1.1",
            server="127.0.0.1:8080",
            client="127.0.0.1:50000",
            headers={name: value},
        )
    )


@pytest.mark.parametrize("spaces", [" " * 16_000, "\t", " \t" * 8000])
@pytest.mark.parametrize("name", ["accept", "cookie", "if-none-match"])
def test_spaces_in_a_header_are_parsed_as_one(name: str, spaces: str) -> None:
    """Werkzeug takes seconds for thousands of them in Accept or Cookie."""
    environ = environ_with(name, f"a/{spaces}b; c")
    assert environ[f"HTTP_{name.upper().replace('-', '_')}"] == "a/ b; c"


@pytest.mark.parametrize("query", ["message=Łódź", "message=%C5%81%C3%B3d%C5%BA"])
def test_a_query_is_read_with_and_without_percent_signs(query: str) -> None:
    assert Request(environ_with("accept", "*/*", query)).args["message"] == "Łódź"
