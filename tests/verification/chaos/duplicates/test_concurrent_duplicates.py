"""A payment is settled once, however often its job is enqueued; a key has one effect."""

from tests.support.databases import valkey_url
from tests.verification.chaos.duplicates.payment_deliveries import run_payment_trials
from tests.verification.chaos.duplicates.same_key_rounds import run_rounds


def test_a_payment_enqueued_many_times_for_four_workers_is_one_event(urls, valkey):
    result = run_payment_trials(urls.app, valkey_url(valkey, 6), 16, "ci")
    assert result.faults == []
    assert result.counted["settled"] == 32
    assert result.counted["absorbed"] > 64


def test_a_hundred_requests_with_one_key_are_one_event_and_the_same_bytes(server_url):
    result = run_rounds(server_url, 8, "ci")
    assert result.faults == []
    assert result.counted == {"rounds": 8, "requests": 800, "events": 8, "replayed": 792}
