"""What an audit reports: one finding for each thing that is not as it should be."""

from collections.abc import Iterable
from typing import Literal

import msgspec


class Finding(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something that is not as it should be: a stable code, a sentence, and where it is.

    A finding about the book means that its data cannot be trusted. One about the play, such as a
    revoke, is correctly recorded.
    """

    code: str
    detail: str
    version: int | None = None
    deal: int | None = None
    about: Literal["book", "play"] = "book"


def is_clean(findings: Iterable[Finding]) -> bool:
    """Whether no finding is about the book."""
    return all(finding.about == "play" for finding in findings)
