"""What an auditor has to say: one sentence for each thing that is not as it should be."""

from collections.abc import Iterable
from typing import Literal

import msgspec


class Finding(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something that is not as it should be: a stable code, where, and a sentence.

    About the book, which is then not clean; or about the play, which the book only tells of.
    """

    code: str
    detail: str
    version: int | None = None
    deal: int | None = None
    about: Literal["book", "play"] = "book"


def clean(findings: Iterable[Finding]) -> bool:
    """Whether the book can be trusted."""
    return all(finding.about == "play" for finding in findings)


def finding(code: str, version: int | None, detail: str) -> Finding:
    return Finding(code=code, version=version, detail=detail)
