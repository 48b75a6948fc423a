"""Find Chromium for the browser tests, and install it where apt-get allows.

`python -m tests.support.browser.chromium` installs it with apt-get, as root, if it is missing.
Without it the browser tests are skipped; under CI=true a missing browser is a failure.
"""

import os
import shutil
import subprocess
import sys

NAMES = (
    "chromium-headless-shell",  # without windows: half of the CPU time for a test
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
MISSING = "No Chromium here: the browser tests will be skipped (apt-get install chromium)."


def path(*, with_clipboard: bool = False) -> str | None:
    """Return the browser to run, or None; `with_clipboard`: one that has a clipboard."""
    return next(filter(None, map(shutil.which, NAMES[with_clipboard:])), None)


def required() -> bool:
    """Return whether browser tests must run: under CI nothing is skipped."""
    return os.environ.get("CI") == "true"


def install() -> bool:
    """Install Chromium if apt-get exists and this is root. Return whether it is installed now."""
    apt = shutil.which("apt-get")
    if apt is None or os.geteuid() != 0:
        return False
    print("Installing Chromium for the browser tests (once) …", flush=True)
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for arguments in (["update"], *(["install", "-y", name] for name in NAMES[:2])):
        subprocess.run([apt, "-qq", *arguments], env=quiet, capture_output=True, check=False)
    return path(with_clipboard=True) is not None


def main() -> int:
    if path(with_clipboard=True) is not None or install():
        return 0
    print(MISSING)
    return 1 if required() else 0


if __name__ == "__main__":
    sys.exit(main())
