"""The shared costs of a session, by number: what counts, and what was voided."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType

import msgspec
from msgspec.structs import replace

from ledger.events.event_types import CostRecorded, CostVoided
from ledger.events.recorded_event import RecordedEvent


class Cost(msgspec.Struct, frozen=True, kw_only=True):
    """A cost as it was recorded last."""

    fact: CostRecorded
    version: int  # of that event
    at: int  # microseconds, UTC
    voided: bool = False

    @property
    def number(self) -> int:
        return self.fact.cost


Costs = Mapping[int, Cost]

NO_COSTS: Costs = MappingProxyType({})


def apply(costs: Costs, recorded: RecordedEvent) -> Costs:
    """Return the costs after this event. AssertionError unless the shares of a cost add up to its
    amount, and its number is the next one or that of a voided cost."""
    match recorded.event:
        case CostRecorded(cost=number, amount=amount, shares=shares) as fact:
            assert sum(share.amount for share in shares) == amount, "the shares add up"
            earlier = costs.get(number)
            assert earlier.voided if earlier else number == len(costs) + 1, "numbers have no holes"
            cost = Cost(fact=fact, version=recorded.version, at=recorded.at)
            return {**costs, number: cost}
        case CostVoided(cost=number, recorded_version=version, took_back=took_back):
            cost = costs[number]
            assert not cost.voided, "a cost is voided once"
            assert (version, took_back) == (cost.version, (cost.fact,)), "what it takes back"
            return {**costs, number: replace(cost, voided=True)}
    return costs


def counted_costs(costs: Costs) -> Iterator[Cost]:
    """Yield the costs that count, in the order of their numbers."""
    return (cost for cost in costs.values() if not cost.voided)
