"""A payment is settled once however often it is rung for; a key has one effect and one answer."""

from tests.support.databases import valkey_url
from tests.verification.chaos.payment_deliveries import payments
from tests.verification.chaos.same_key_rounds import rounds


def test_a_payment_rung_for_many_times_by_four_workers_is_one_event(urls, bell):
    came = payments(urls.app, valkey_url(bell, 6), 16, "ci")
    assert came.faults == []
    assert came.counted["settled"] == 32
    assert came.counted["absorbed"] > 64


def test_a_hundred_requests_with_one_key_are_one_event_and_the_same_bytes(server_url):
    came = rounds(server_url, 8, "ci")
    assert came.faults == []
    assert came.counted == {"rounds": 8, "requests": 800, "events": 8, "given_again": 792}
