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
UNREACHABLE = (
    "Nobody could be asked: {why}. {count} packages were not looked up; nothing is known of them."
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
    code, sentence = judged(run.stdout, run.stderr)
    print(sentence)
    return code


def judged(output: str, errors: str) -> tuple[int, str]:
    """Return the exit code and the text to print for what pip-audit printed."""
    try:
        packages: list[dict[str, Any]] = json.loads(output)["dependencies"]
    except (ValueError, KeyError):
        reason = (errors.strip().splitlines() or ["pip-audit said nothing"])[-1]
        return 0, UNREACHABLE.format(why=reason[:200], count=locked())
    audited = [package for package in packages if "vulns" in package]
    if not audited:
        reason = "the registry that is used here has no advisories"
        return 0, UNREACHABLE.format(why=reason, count=len(packages))
    bad = [(package, flaw) for package in audited for flaw in package["vulns"]]
    lines = [
        f"{package['name']} {package['version']}: {flaw['id']}, mended in "
        f"{', '.join(flaw['fix_versions']) or 'no version yet'}"
        for package, flaw in bad
    ]
    unknown = [
        f"{package['name']}: {package['skip_reason']}"
        for package in packages
        if "vulns" not in package
    ]
    summary = f"{len(audited)} packages looked up, {len(bad)} known vulnerabilities in them."
    return int(bool(bad)), "\n".join([*lines, *unknown, summary])


def locked() -> int:
    names = {
        line.split("==")[0]
        for lock in LOCKS
        for line in (ROOT / lock).read_text("utf-8").splitlines()
        if "==" in line and not line.startswith(" ")
    }
    return len(names)


if __name__ == "__main__":
    sys.exit(main())
