"""Devices with access to a session, each with a token of its own."""

import msgspec
from flask import Blueprint, Response, g
from marshmallow import ValidationError

from api.auth.access import requires
from api.auth.roles import check_role
from api.auth.tokens import derive_numbered_token, device_number
from api.http import pagination
from api.http.app_state import event_store, token_secret
from api.http.problems import register_refusal
from api.http.responses import json_response, reply_response
from api.http.session_request import change_metadata
from api.i18n.field_errors import FieldError
from api.representations.access import device_view
from api.schemas.access import DeviceSchema
from api.schemas.strict import load_body
from ledger.access import devices
from ledger.access.devices import Device
from ledger.store.append_request import KeyReused

blueprint = Blueprint("devices", __name__, url_prefix="/v1/sessions")
register_refusal(blueprint, devices.UnknownDevice, 404, "unknown_device", "device")


@blueprint.get("/<session>/devices")
@requires("viewer")
def list_devices() -> Response:
    """Return a page of the devices that ever had access, the oldest first."""
    listed = devices.list_devices(event_store().pool, g.session_id)
    page, next_page = pagination.paginate("devices", listed, lambda _, device: device.number)
    return json_response({"devices": [device_view(device) for device in page], **next_page})


@blueprint.post("/<session>/devices")
@requires("scorer", writes=True)
def add_device() -> Response:
    """Give one device a token of its own, so that each event shows which device recorded it."""
    device = load_body(DeviceSchema)
    role, player = device["role"] or g.role, device["player"]
    check_role(g.role, role)
    if player is not None and player not in g.names:
        raise ValidationError({"player": [FieldError("a_player")]})

    label = device["label"]
    reply = change_metadata(
        lambda db: {"device": devices.add_device(db, g.session_id, role, label, player).id}
    )
    added = _read_device(device_number(reply.operands["device"]))
    if added.role != role:
        raise KeyReused  # without `role` it is the requester's, and the first one had another
    view = device_view(msgspec.structs.replace(added, ended_at=None))  # as it was added
    token = derive_numbered_token(token_secret(), "phone", g.session_id, added.number)
    return reply_response(reply, {**view, "token": token}, f"/devices/{added.id}")


@blueprint.get("/<session>/devices/<device>")
@requires("viewer")
def show_device(device: str) -> Response:
    """Return one device with access."""
    active_device = _read_device(device_number(device))
    if active_device.ended_at is not None:
        raise devices.UnknownDevice
    return json_response(device_view(active_device))


@blueprint.delete("/<session>/devices/<device>")
@requires("host", writes=True)
def revoke_device(device: str) -> Response:
    """End the token of a device; what it has written stands."""
    number = device_number(device)
    reply = change_metadata(lambda db: devices.revoke_device(db, g.session_id, number))
    return reply_response(reply, device_view(_read_device(number)))


def _read_device(number: int) -> Device:
    for device in devices.list_devices(event_store().pool, g.session_id):
        if device.number == number:
            return device
    raise devices.UnknownDevice
