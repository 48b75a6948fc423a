"""Look up known vulnerabilities of the locked packages, by the advisories that PyPI publishes.

    python -m tests.verification.supply.audit

The exit code is 1 if there is one. If PyPI does not answer, the command says so and the exit code
is 0: a missing answer is no fault of the code, and proves nothing either.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
LOCKS = ("requirements.lock", "requirements-dev.lock")
NOT_LOOKED_UP = (
    "Nothing was looked up: {reason}. Whether the {count} packages are vulnerable is not known."
)


def main() -> int:
    run = subprocess.run(
        [
            *(sys.executable, "-m", "pip_audit", "--no-deps", "--disable-pip"),
            *("--format", "json", "--progress-spinner", "off"),
            *(word for lock in LOCKS for word in ("-r", str(ROOT / lock))),
        ],
        capture_output=True,
        check=False,
        text=True,
    )
    code, sentence = judge_report(run.stdout, run.stderr)
    print(sentence)
    return code


def judge_report(output: str, errors: str) -> tuple[int, str]:
    """Return the exit code and the text to print for what pip-audit printed."""
    try:
        packages: list[dict[str, Any]] = json.loads(output)["dependencies"]
    except (ValueError, KeyError):
        reason = (errors.strip().splitlines() or ["pip-audit said nothing"])[-1]
        return 0, NOT_LOOKED_UP.format(reason=reason[:200], count=count_locked_packages())
    audited = [package for package in packages if "vulns" in package]
    if not audited:
        reason = "the registry that is used here has no advisories"
        return 0, NOT_LOOKED_UP.format(reason=reason, count=len(packages))
    vulnerable = [(package, flaw) for package in audited for flaw in package["vulns"]]
    lines = [
        f"{package['name']} {package['version']}: {flaw['id']}, fixed in "
        f"{', '.join(flaw['fix_versions']) or 'no version yet'}"
        for package, flaw in vulnerable
    ]
    unknown = [
        f"{package['name']}: {package['skip_reason']}"
        for package in packages
        if "vulns" not in package
    ]
    summary = f"{len(audited)} packages looked up, {len(vulnerable)} known vulnerabilities in them."
    return int(bool(vulnerable)), "\n".join([*lines, *unknown, summary])


def count_locked_packages() -> int:
    names = {
        line.split("==")[0]
        for lock in LOCKS
        for line in (ROOT / lock).read_text("utf-8").splitlines()
        if "==" in line and not line.startswith(" ")
    }
    return len(names)


if __name__ == "__main__":
    sys.exit(main())
