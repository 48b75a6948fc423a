"""All kinds of corruption, in the order in which they are tried and printed."""

from __future__ import annotations

from tests.verification.attack import (
    brought_forward,
    carry_forward,
    edited_events,
    groups,
    heads_and_projections,
    moved_events,
    names_and_replies,
    rewritten_chains,
    tail_and_inserts,
)

EVENT_ATTACKS = (
    edited_events.ATTACKS
    | moved_events.ATTACKS
    | tail_and_inserts.ATTACKS
    | brought_forward.ATTACKS
    | carry_forward.ATTACKS
    | rewritten_chains.ATTACKS
)
"""Attacks on the stored events."""

OTHER_ATTACKS = groups.ATTACKS | heads_and_projections.ATTACKS | names_and_replies.ATTACKS
"""Attacks on heads, projections and the other tables."""
