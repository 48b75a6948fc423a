"""What a path names has one address."""

from __future__ import annotations

import pytest

from tests.support.api.session_client import SessionClient


@pytest.mark.parametrize("spelling", ["01", "%D9%A1", "\u0967", "+1", "1.0"])
def test_a_number_in_a_path_has_one_spelling(session: SessionClient, spelling: str) -> None:
    """So a deal has one address; `%D9%A1` and `\u0967` are the digit 1 in other scripts."""
    session.act({"type": "open_deal"}, {"type": "all_pass"})
    version = session.version
    for method, path in (("GET", "/deals/"), ("GET", "/receipts/"), ("DELETE", "/deals/")):
        refused = session.write(path + spelling, method=method, match="*")
        assert (refused.status_code, refused.json["code"]) == (404, "not_found")
    assert session.version == version
    assert session.get("/deals/1").status_code == 200
