"""Results of earlier evenings in a group: preview a file, import it, list, show, void."""

from datetime import datetime
from hashlib import sha256
from typing import Any, NamedTuple

from flask import Blueprint, Response, g, request

from api.auth.access import requires
from api.http.app_state import group_store
from api.http.idempotency import append_request
from api.http.problems import register_refusal
from api.http.query_parameters import read_period
from api.http.responses import content_tagged_response, json_response, reply_response, set_language
from api.http.session_request import append_to_group
from api.i18n.translator import Translator, request_translator
from api.rate_limit.policy import PREVIEWS, Policy
from api.representations.group import load_own_events
from api.representations.group_money.imports import (
    import_summary,
    import_view,
    preview_view,
    same_day_view,
    table_problem,
    unlikely_view,
)
from api.schemas.group_money.imports import MAX_REQUEST_BYTES, ImportPreviewSchema, NewImportSchema
from api.schemas.strict import load_body
from ledger.groups.attendance import check_members
from ledger.groups.stored_replies import read_reply
from ledger.transfer.csv_table.refusals import TableRefusal
from ledger.transfer.csv_table.table import CsvTable, read_table
from ledger.transfer.earlier_evenings.balance_import import (
    BalanceImport,
    EveningsDoNotAddUp,
    NewImport,
    NothingToImport,
    UnknownImport,
    decide_import,
    decide_void,
    find_import,
    list_imports,
    same_file,
)
from ledger.transfer.earlier_evenings.evenings import (
    Choices,
    EarlierEvenings,
    names_in,
    read_evenings,
)
from ledger.transfer.earlier_evenings.mapping import ColumnMapping, propose_mapping, propose_members
from ledger.transfer.earlier_evenings.same_days import find_same_days, sessions_by_day
from ledger.transfer.earlier_evenings.unlikely_evenings import find_unlikely_evenings

blueprint = Blueprint("group_imports", __name__, url_prefix="/v1/groups")
register_refusal(blueprint, UnknownImport, 404, "unknown_import", "number")
blueprint.register_error_handler(TableRefusal, table_problem)


class _InterpretedFile(NamedTuple):
    """A file as a request reads it."""

    table: CsvTable
    mapping: ColumnMapping
    content: EarlierEvenings
    digest: str


@blueprint.get("/<group>/imports")
@requires("viewer")
def list_group_imports() -> Response:
    """Return all imports, the first one first, voided ones among them."""
    return content_tagged_response({"imports": [import_summary(i) for i in _imports()]})


@blueprint.get("/<group>/imports/<int:number>")
@requires("viewer")
def show_import(number: int) -> Response:
    """Return one import with the results of every evening."""
    return content_tagged_response(import_view(find_import(_imports(), number)))


@blueprint.post("/<group>/imports/preview")
@Policy(pool="imports", max_bytes=MAX_REQUEST_BYTES, address_quota=PREVIEWS)
@requires("host", has_body=True)
def preview_import() -> Response:
    """Return what a file would be imported as. Writes nothing."""
    choices = load_body(ImportPreviewSchema)
    translator = request_translator()
    file = _interpret(choices)
    imports = _imports()
    number = same_file(imports, file.digest)
    view = {
        "sha256": file.digest,
        "imported_as": number,
        **preview_view(file.table, file.mapping, file.content, translator),
        "warnings": _warnings(file, imports, choices["currency"], translator),
        "ready": file.content.is_ready and number is None,
    }
    return set_language(json_response(view), translator.language)


@blueprint.post("/<group>/imports")
@Policy(pool="imports", max_bytes=MAX_REQUEST_BYTES, address_quota=PREVIEWS)
@requires("host", writes=True)
def import_file() -> Response:
    """Record the results that a file shows, once all of them are read and add up."""
    choices, write_request = load_body(NewImportSchema), append_request("any")
    with group_store().pool.connection() as db:
        # before the file is read: names may have changed, and be taken for other members
        reply = read_reply(db, g.group.id, write_request)
    if reply is None:
        new_import = _read_import(choices)
        reply = append_to_group(
            lambda db, group: decide_import(db, group, new_import), write_request
        )
    newest = _imports(reply.moment.events)[-1]
    return reply_response(reply, import_view(newest), f"/imports/{newest.event.number}")


@blueprint.delete("/<group>/imports/<int:number>")
@requires("host", writes=True)
def delete_import(number: int) -> Response:
    """Void an import: it never counted, and keeps its number."""
    reply = append_to_group(lambda db, group: decide_void(db, group, number))
    return reply_response(reply, import_view(find_import(_imports(reply.moment.events), number)))


def _imports(event_count: int | None = None) -> tuple[BalanceImport, ...]:
    """Return the group's imports, of its first events only if they are counted."""
    return list_imports(load_own_events(g.group.id)[:event_count])


def _warnings(
    file: _InterpretedFile,
    imports: tuple[BalanceImport, ...],
    currency: str,
    translator: Translator,
) -> list[dict[str, Any]]:
    """Return the evenings whose days the group has already or that are unlikely, with the days in
    the time zone of `?tz=`. Raise InvalidFields."""
    zone, evenings = read_period(request.args).zone, file.content.evenings
    with group_store().pool.connection() as db:
        sessions = sessions_by_day(db, g.group, zone)
    today = datetime.now(zone).date()
    same_days = find_same_days(evenings, sessions, imports)
    unlikely_evenings = find_unlikely_evenings(file.table, file.mapping, evenings, currency, today)
    return [
        *(same_day_view(same_day, translator) for same_day in same_days),
        *(unlikely_view(evening, currency, translator) for evening in unlikely_evenings),
    ]


def _read_import(choices: dict[str, Any]) -> NewImport:
    """Return what a file shows, once all of it is read and adds up. Raise TableRefusal,
    UnknownMember, EveningsDoNotAddUp or NothingToImport."""
    file = _interpret(choices)
    if file.content.faults:
        raise file.content.faults[0]
    rows = [evening.rows[0] for evening in file.content.evenings if evening.difference]
    if rows:
        raise EveningsDoNotAddUp(rows=rows)
    evenings = file.content.as_imported()
    if not evenings:
        raise NothingToImport
    return NewImport(
        sha256=file.digest,
        currency=choices["currency"],
        settled=choices["settled"],
        evenings=evenings,
    )


def _interpret(choices: dict[str, Any]) -> _InterpretedFile:
    """Read the file as chosen, with proposals for the rest. Raise TableRefusal or UnknownMember."""
    members, differences = g.group.members, choices["differences"]
    check_members(g.group, *choices["members"].values(), *(each["member"] for each in differences))
    table = read_table(choices["file"])
    mapping = propose_mapping(table, choices["mapping"], members)
    evening_choices = Choices(
        members={**propose_members(names_in(table, mapping), members), **choices["members"]},
        omitted_rows=frozenset(choices["omitted_rows"]),
        differences={each["row"]: each["member"] for each in differences},
    )
    content = read_evenings(table, mapping, choices["currency"], evening_choices)
    return _InterpretedFile(table, mapping, content, sha256(choices["file"]).hexdigest())
