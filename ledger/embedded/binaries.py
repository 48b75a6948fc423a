"""Find the programs of the embedded servers, inside two packages installed with Vola.

The packages are only located, never imported: their own Python would add system users and open up
private folders.
"""

import os
import platform
from importlib.util import find_spec
from pathlib import Path

from ledger.embedded.errors import ServerFailed


def package_folders(package: str) -> list[Path]:
    """Return the folders of an installed package; none if it is not installed."""
    spec = find_spec(package)
    return [Path(folder) for folder in (spec and spec.submodule_search_locations) or ()]


def find_binary(package: str, program: str, *, server: str, variable: str) -> Path:
    """Return the path of `program` in `package`. If it is missing, ServerFailed tells the user to
    set `variable` to a server instead."""
    for folder in package_folders(package):
        path = folder.joinpath(program).resolve()
        if os.access(path, os.X_OK):
            return path
    machine = f"{platform.system()} on {platform.machine()}"
    raise ServerFailed(
        f"Vola brings no {server} for this computer ({machine}): "
        f"set {variable} to a server of your own."
    )
