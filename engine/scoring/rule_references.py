"""Which paragraph of the rules stands behind each reason that something was paid or scored.

A reference is a paragraph, followed by the options that the table changed from their defaults.
Does not know the sentences.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any


def reference_rules(
    reasons: Mapping[str, str],
    option_ids: Mapping[str, str],
    requires: Mapping[str, str] | None = None,
) -> Callable[[Any], Mapping[str, str]]:
    """Return a function from the options of a session to the reference of each reason.

    `reasons`: the paragraph of each, followed by the options that change it; `option_ids`: the id
    of each option in docs/rules.md §7; `requires`: for a reason that exists only when an option is
    changed, that option.
    """

    @cache
    def rules(options: Any) -> Mapping[str, str]:
        usual = type(options)()
        fields = options.__struct_fields__
        changed = {name for name in fields if getattr(options, name) != getattr(usual, name)}
        references = {}
        for reason, source in reasons.items():
            if (requires or {}).get(reason, reason) not in {reason, *changed}:
                continue
            paragraph, *names = source.split()
            ids = dict.fromkeys(option_ids[name] for name in names if name in changed)
            references[reason] = ", ".join((paragraph, *ids))
        return references

    return rules
