"""Which paragraph of the rules stands behind each reason that something was paid or scored.

A reason rests on a paragraph, and on what the table agreed differently from the usual.
Does not know the sentences.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import msgspec


def reference_rules(
    usual: Mapping[str, str],
    agreed: Mapping[str, Mapping[str, str]] | None = None,
    requires: Mapping[str, str] | None = None,
) -> Callable[[Any], Mapping[str, str]]:
    """From the options of an evening to the paragraph of each reason.

    `usual`: the paragraph by reason; `agreed`: by reason the options that change it, each with its
    id in docs/rules.md §7; `requires`: the option without which there is no such reason.
    """

    @cache
    def rules(options: Any) -> Mapping[str, str]:
        changed = _changed(options)
        references = {}
        for reason, paragraph in usual.items():
            if (requires or {}).get(reason, reason) not in {reason, *changed}:
                continue
            by_option = (agreed or {}).get(reason, {})
            ids = dict.fromkeys(id_ for option, id_ in by_option.items() if option in changed)
            references[reason] = ", ".join((paragraph, *ids))
        return references

    return rules


def _changed(options: Any) -> set[str]:
    usual = type(options)()
    names = msgspec.structs.fields(options)
    return {f.name for f in names if getattr(options, f.name) != getattr(usual, f.name)}
