"""Parse and check an exported session that is to be imported."""

import re
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec
from marshmallow import ValidationError

from api.http.problems import InvalidFields
from api.i18n.field_errors import FieldError
from api.schemas.fields import Label
from api.schemas.session import is_currency
from api.schemas.struct_schema import AnyStruct, choices_of
from ledger.access.name_erasure import MAX_TEXT_CHARACTERS
from ledger.store.name_matching import MAX_LABEL_CHARACTERS
from ledger.transfer import import_check
from ledger.transfer.export_format import Export, InvalidExport
from ledger.transfer.import_check import CheckedExport

CHECK_SECONDS = 30
"""Of processor time, for the check and again for the audit: enough for any real session; a forged
one could take any time."""
MALFORMED = FieldError("pattern")
TYPE_ERRORS = {
    "object": FieldError("object"),
    "array": FieldError("list"),
    "int": FieldError("integer"),
    "str": FieldError("string"),
}


def parse_export(body: Any) -> Export:
    """Return the export that this JSON is. Raise InvalidFields."""
    export = convert_json(body, Export)
    check_labels(_labels(export))
    return export


def convert_json(body: Any, struct: type[AnyStruct]) -> AnyStruct:
    """Return the JSON as this struct, whose `format` has one value. Raise InvalidFields."""
    try:
        return msgspec.convert(body, struct)
    except msgspec.ValidationError as error:
        (format_name,) = choices_of(struct, "format")
        raise InvalidFields([_shape_error(str(error), format_name)]) from None


def time_limit(seconds: int) -> Callable[[], bool]:
    """Return a function that says whether this thread has computed for so many seconds since."""
    deadline = time.thread_time_ns() + seconds * 10**9
    return lambda: time.thread_time_ns() > deadline


def check_export_in_time(export: Export, seconds: int = CHECK_SECONDS) -> CheckedExport:
    """Return the session that the export proves. Raise InvalidExport, also when time runs out."""
    checked = import_check.check_export(export, time_limit(seconds))
    if not is_currency(checked.session.opening.currency):
        raise InvalidExport("event_impossible", 1)
    return checked


def check_labels(labels: Iterable[tuple[str, str, int]]) -> None:
    """Raise InvalidFields unless every name, title and remark is as we would have stored it: they
    are hashed or signed as they stand, so that one that loads as another text is refused. Each
    comes with its pointer and its longest length."""
    errors = []
    for pointer, text, max_characters in labels:
        detail: str = MALFORMED
        try:
            if Label(max_characters=max_characters, is_stored=True).deserialize(text) == text:
                continue
        except ValidationError as error:
            detail = error.messages[0]
        errors.append({"pointer": pointer, "detail": detail})
    if errors:
        raise InvalidFields(errors)


def _labels(export: Export) -> Iterator[tuple[str, str, int]]:
    """Yield the pointer of each text that people wrote, with the text and its longest length."""
    if export.title:
        yield "/title", export.title, MAX_LABEL_CHARACTERS
    for index, player in enumerate(export.names or ()):
        if player.name is not None:
            yield f"/names/{index}/name", player.name, MAX_LABEL_CHARACTERS
        for number, spelling in enumerate(player.spellings):
            yield f"/names/{index}/spellings/{number}/name", spelling.name, MAX_LABEL_CHARACTERS
    for index, remark in enumerate(export.remarks or ()):
        yield f"/remarks/{index}/remark", remark.remark, MAX_TEXT_CHARACTERS


def _shape_error(message: str, format_name: str) -> dict[str, str]:
    """Return msgspec's message as a JSON pointer and one of the sentences that we translate."""
    # the last one: what a client sent may stand before it, and a pattern would try each
    _, at, path = message.rpartition(" - at `$")
    pointer = re.sub(r"[.\[]([^.\[\]]*)]?", r"/\1", path.removesuffix("`") if at else "")
    missing = re.match(r"Object missing required field `(\w+)`", message)
    if missing:
        detail = FieldError("missing")
        return {"pointer": f"{pointer}/{missing[1]}", "detail": detail}
    unknown = re.match(r"Object contains unknown field `(.*?)`( - at |\Z)", message, re.DOTALL)
    if unknown:
        name = unknown[1].replace("~", "~0").replace("/", "~1")
        return {"pointer": f"{pointer}/{name}", "detail": FieldError("unknown")}
    if pointer == "/format":  # of another version of Vola, or of no Vola
        return {"pointer": pointer, "detail": FieldError("one_of", choices=format_name)}
    expected = re.match(r"Expected `(\w+)`, got", message)
    detail = TYPE_ERRORS.get(expected[1], MALFORMED) if expected else MALFORMED
    return {"pointer": pointer, "detail": detail}
