"""Two short accidents to one server, whose clock jumps by ten years and whose stick is pulled."""

from pathlib import Path

import pytest

from tests.support.api.http_client import RemoteSession
from tests.verification.accidents.accident_run import audit_scene
from tests.verification.accidents.accidents import ACCIDENTS
from tests.verification.accidents.recording_phone import RecordingPhone
from tests.verification.accidents.scene import Scene, is_possible, new_scene

pytestmark = pytest.mark.skipif(
    not is_possible(), reason="needs root, Linux with loop devices, and cc"
)


def test_accidents_lose_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    with new_scene(tmp_path / "scene", seconds=1) as scene:
        scene.server.start()
        with RecordingPhone(RemoteSession(scene.server.url).open()) as phone:
            for name in ("clock + 10 y", "data folder pulled"):
                ACCIDENTS[name](scene)
                phone.wait_for_deals(2)
        result = audit_scene("both", scene, phone, 0.0, {})
    assert result.is_good(), result.row()


def test_a_scene_that_fails_stops_its_server(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), new_scene(tmp_path / "scene", seconds=1) as scene:
        start_and_fail(scene)
    assert not scene.server.is_running()


def start_and_fail(scene: Scene) -> None:
    scene.server.start()
    raise RuntimeError("the accident failed")
