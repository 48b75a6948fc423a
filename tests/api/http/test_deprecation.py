"""An operation that will be removed is announced in its responses and in the contract."""

from __future__ import annotations

from datetime import date

from flask import Flask, Response

from api.http.responses import deprecated
from tests.support.api.openapi_contract import OPERATIONS

ANNOUNCED = date(2027, 1, 15)


def response_of(sunset: date | None) -> Response:
    app = Flask(__name__)
    view = deprecated(ANNOUNCED, "/docs#old", sunset)(lambda: Response("still here"))
    app.add_url_rule("/old", "old", view)
    return app.test_client().get("/old")


def test_a_deprecated_operation_says_since_when_and_where_it_is_announced() -> None:
    response = response_of(sunset=None)
    assert response.data == b"still here"
    assert response.headers["Deprecation"] == "@1799971200"  # 2027-01-15T00:00:00Z
    assert response.headers["Link"] == '</docs#old>; rel="deprecation"'
    assert "Sunset" not in response.headers


def test_an_operation_that_will_end_says_when() -> None:
    response = response_of(sunset=date(2028, 1, 15))
    assert response.headers["Sunset"] == "Sat, 15 Jan 2028 00:00:00 GMT"


def test_the_contract_marks_what_the_app_announces(app: Flask) -> None:
    announced = {
        (str(rule), method.lower())
        for rule in app.url_map.iter_rules()
        for method in rule.methods or ()
        if getattr(app.view_functions[rule.endpoint], "is_deprecated", False)
    }
    marked = {
        (operation["path"].replace("{", "<").replace("}", ">"), operation["method"])
        for operation in OPERATIONS.values()
        if operation.get("deprecated")
    }
    assert announced == marked
