"""Where the browser is that the browser tests drive; fetches one where that is possible.

`python -m tests.support.browser.chromium` installs it with apt-get when it is missing and may be.
Where it
may not, the browser tests are skipped, except under CI=true: there a missing browser is a failure.
"""

import os
import shutil
import subprocess
import sys

NAMES = (
    "chromium-headless-shell",  # the same without windows: half of the CPU for a test
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
    """The browser to run, or None; `whole`: one that has a clipboard, too."""
    return next(filter(None, map(shutil.which, NAMES[with_clipboard:])), None)


def required() -> bool:
    """Under CI nothing is skipped."""
    return os.environ.get("CI") == "true"


def install() -> bool:
    """Asks apt-get for it; only as root, and only where there is an apt-get."""
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
