"""Which paragraph of the rules stands behind each reason that something was paid or scored.

A reason rests on a paragraph, and on what the table agreed differently from the usual.
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
    """From the options of an evening to the paragraph of each reason.

    `reasons`: the paragraph of each, and after it the options that change it; `option_ids`: where
    docs/rules.md §7 has them; `requires`: the option without which there is no such reason.
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
