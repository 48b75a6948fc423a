"""The WSGI environ that is made of an RSGI request."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from api.server.rsgi_adapter import wsgi_environ


def environ_with(name: str, value: str) -> dict[str, object]:
    return wsgi_environ(
        SimpleNamespace(
            method="GET",
            path="/",
            query_string="",
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
