"""A stick with a file system of its own, which a test pulls while files on it are open.

Only root can use it, on a Linux with loop devices and ext4. Pulling shuts the file system down and
unmounts it: each later read and write of an open file fails (EIO), and nothing more reaches the
stick. Plugged in again, it is another device for the kernel.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
from pathlib import Path

EXT4_SHUTDOWN = 0x8004587D
WITHOUT_FLUSHING = (2).to_bytes(4, "little")


class Stick:
    """A stick that is plugged in at `place`; the file `image` holds its contents."""

    def __init__(self, image: Path, place: Path, mebibytes: int) -> None:
        self.image, self.place = image, place
        self._devices: list[str] = []
        with image.open("wb") as file:
            file.truncate(mebibytes << 20)
        _run("mkfs.ext4", "-q", "-F", "-m", "0", str(image))
        place.mkdir()
        self.plug_in()
        place.chmod(0o755)

    @staticmethod
    def is_possible() -> bool:
        return os.geteuid() == 0 and Path("/dev/loop-control").exists()

    def plug_in(self) -> None:
        device = _run("losetup", "--find", "--show", str(self.image)).strip()
        self._devices.append(device)
        _run("mount", "-t", "ext4", device, str(self.place))

    def pull(self) -> None:
        folder = os.open(self.place, os.O_RDONLY)
        try:
            fcntl.ioctl(folder, EXT4_SHUTDOWN, WITHOUT_FLUSHING)
        finally:
            os.close(folder)
        _run("umount", "--lazy", str(self.place))

    def remove(self) -> None:
        """Unmount the stick and detach its devices; its files disappear with `image`."""
        if self.place.is_mount():
            _run("umount", "--lazy", str(self.place))
        for device in self._devices:
            subprocess.run(["losetup", "--detach", device], check=False)


def _run(*command: str) -> str:
    environment = {**os.environ, "PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin"}
    return subprocess.run(
        command, check=True, capture_output=True, text=True, env=environment
    ).stdout
