"""Behind a proxy that has the certificate, links lead to where phones came from."""

import pytest
from werkzeug.test import Client

from api.process import behind_https


@pytest.mark.parametrize(
    ("told", "scheme"),
    [(None, "http"), ("https", "https"), ("http", "http"), ("javascript", "http")],
)
def test_a_link_begins_as_the_proxy_was_spoken_to(app, table, told, scheme):
    headers = {"Authorization": f"Bearer {table.tokens['host']}", "Host": "vola.example"}
    headers |= {"X-Forwarded-Proto": told} if told else {}
    answer = Client(behind_https(app.wsgi_app)).get(f"{table.here}/links", headers=headers)
    assert answer.status_code == 200, answer.text
    for link in answer.json["links"]:
        assert link["url"].startswith(f"{scheme}://vola.example/#/s/"), link
