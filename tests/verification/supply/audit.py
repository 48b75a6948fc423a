"""Whether anything in the locks is known to be vulnerable, by the advisories that PyPI publishes.

    python -m tests.verification.supply.audit

Exit code 1 when something is. When nobody could be asked it says so and ends well: no answer is no
fault of the code, and no proof of anything either.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
LOCKS = ("requirements.lock", "requirements-dev.lock")
NOBODY = (
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
    code, said = judged(run.stdout, run.stderr)
    print(said)
    return code


def judged(out: str, errors: str) -> tuple[int, str]:
    """The exit code and what to say, of what pip-audit has said."""
    try:
        found: list[dict[str, Any]] = json.loads(out)["dependencies"]
    except (ValueError, KeyError):
        why = (errors.strip().splitlines() or ["pip-audit said nothing"])[-1]
        return 0, NOBODY.format(why=why[:200], count=locked())
    asked = [one for one in found if "vulns" in one]
    if not asked:
        why = "the registry that is used here has no advisories"
        return 0, NOBODY.format(why=why, count=len(found))
    bad = [(one, flaw) for one in asked for flaw in one["vulns"]]
    lines = [
        f"{one['name']} {one['version']}: {flaw['id']}, mended in "
        f"{', '.join(flaw['fix_versions']) or 'no version yet'}"
        for one, flaw in bad
    ]
    unknown = [f"{one['name']}: {one['skip_reason']}" for one in found if "vulns" not in one]
    told = f"{len(asked)} packages looked up, {len(bad)} known vulnerabilities in them."
    return int(bool(bad)), "\n".join([*lines, *unknown, told])


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
