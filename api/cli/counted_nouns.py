"""Counts with their nouns, for the lines that a command prints."""


def counted_nouns(**counts: int) -> str:
    """Return `1 session, 2 events` for `session=1, event=2`: nouns whose plural ends with an s."""
    return ", ".join(
        f"{count} {noun}" if count == 1 else f"{count} {noun}s" for noun, count in counts.items()
    )
