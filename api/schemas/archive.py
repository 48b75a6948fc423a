"""Parse the manifest of an archive and the groups in it."""

from collections.abc import Iterator

from api.http.json_body import decode_strict_json
from api.schemas.export import check_labels, convert_json
from api.schemas.fields import LABEL_CHARACTERS
from ledger.transfer.archive.archive_format import ExportedGroup, Manifest


def parse_manifest(content: bytes) -> Manifest:
    """Return the manifest. InvalidFields; Problem for what is no JSON."""
    manifest: Manifest = convert_json(decode_strict_json(content), Manifest)
    return manifest


def parse_group(content: bytes) -> ExportedGroup:
    """Return the group, with texts as this book would have stored them. InvalidFields; Problem for
    what is no JSON."""
    group: ExportedGroup = convert_json(decode_strict_json(content), ExportedGroup)
    check_labels(_labels(group))
    return group


def _labels(group: ExportedGroup) -> Iterator[tuple[str, str, int]]:
    yield "/name", group.name, LABEL_CHARACTERS
    for index, member in enumerate(group.members):
        if member.name is not None:
            yield f"/members/{index}/name", member.name, LABEL_CHARACTERS
