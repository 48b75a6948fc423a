"""Who has access to a session: devices, join codes and requests, and who is entering a deal."""

from collections.abc import Iterable

from msgspec.structs import asdict

from ledger.access.devices import Device
from ledger.access.join_requests import JoinCode, JoinRequest
from ledger.access.stream_heads import Presence
from ledger.events.timestamps import format_timestamp


def device_view(device: Device) -> dict[str, object]:
    """Return the representation of a device; its token is not in it."""
    return {
        "id": device.id,
        "label": device.label,
        "role": device.role,
        "player": device.player,
        "created_at": format_timestamp(device.created_at),
        "ended_at": None if device.ended_at is None else format_timestamp(device.ended_at),
    }


def join_code_view(code: JoinCode) -> dict[str, object]:
    return {"code": code.code, "expires_at": format_timestamp(code.expires_at)}


def join_request_view(join_request: JoinRequest) -> dict[str, object]:
    return {
        "number": join_request.number,
        "label": join_request.label,
        "role": join_request.role,
        "created_at": format_timestamp(join_request.created_at),
    }


def presence_view(presences: Iterable[Presence]) -> dict[str, object]:
    """Return the representation that the resource and the change feed share."""
    views = [{**asdict(p), "started_at": format_timestamp(p.started_at)} for p in presences]
    return {"presence": views}
