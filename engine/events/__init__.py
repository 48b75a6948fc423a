"""What happens at the table, in one vocabulary for all games.

An `InputEvent` is what somebody recorded, and begins an action; every other event follows from the
input event before it. In code a single event is mostly called a `fact`, because `events` is this
package. The name of a stored event never gets another meaning: `tests/golden` holds one line for
each. Events carry ids and amounts, never names of people.
"""

from engine.events.amounts import *  # noqa: F403
from engine.events.bidding import *  # noqa: F403
from engine.events.closing import *  # noqa: F403
from engine.events.deal import *  # noqa: F403
from engine.events.event import *  # noqa: F403
from engine.events.event_types import *  # noqa: F403
