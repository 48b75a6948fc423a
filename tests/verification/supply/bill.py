"""Vola's bill of materials as CycloneDX: every package of the lock with its accepted hashes, its
licence and its dependencies.

    python -m tests.verification.supply.bill sbom.json

Packages and hashes are the lock's; licences and dependencies are those of the installed packages,
so run it where the lock has been installed (`make sbom` does).
"""

import json
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from cyclonedx.schema import SchemaVersion
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[3]
LOCK = ROOT / "requirements.lock"


def main(file: Path) -> None:
    bill = make_bill(LOCK)
    file.write_text(json.dumps(bill, indent=2, sort_keys=True) + "\n", "utf-8")
    licensed = sum(bool(part.get("licenses")) for part in bill["components"])
    print(f"{file.name}: {len(bill['components'])} packages, {licensed} of them with a licence.")


def make_bill(lock: Path) -> dict[str, Any]:
    """Return the bill, valid by CycloneDX 1.6; the same lock gives the same bytes."""
    bill = list_packages(lock)
    components = {canonicalize_name(part["name"]): part for part in bill["components"]}
    for name, component in components.items():
        component["bom-ref"] = component["purl"]
        component["description"], licence = summary_and_licence(name)
        if not component["description"]:
            del component["description"]
        if licence:
            component["licenses"] = [{"license": {"name": licence}}]
    refs = {name: component["bom-ref"] for name, component in components.items()}
    root = bill["metadata"]["component"]
    bill["dependencies"] = [
        {"ref": ref, "dependsOn": sorted({refs[n] for n in list_requirements(name) if n in refs})}
        for ref, name in ((root["bom-ref"], "vola"), *((ref, name) for name, ref in refs.items()))
    ]
    # loads for two seconds, which every process that collects tests would wait
    from cyclonedx.validation.json import JsonStrictValidator

    wrong = JsonStrictValidator(SchemaVersion.V1_6).validate_str(json.dumps(bill))
    if wrong is not None:
        raise SystemExit(f"No valid CycloneDX: {wrong}")
    return bill


def list_packages(lock: Path) -> dict[str, Any]:
    """Return the bill of the lock alone: every package with its hashes."""
    run = subprocess.run(
        [
            *(sys.executable, "-W", "ignore", "-m", "cyclonedx_py", "requirements", str(lock)),
            *("--pyproject", str(ROOT / "pyproject.toml"), "--output-reproducible"),
            *("--spec-version", "1.6", "--output-format", "JSON", "--output-file", "-"),
            "--no-validate",  # make_bill validates it, with what it adds
        ],
        capture_output=True,
        check=True,
        text=True,
    )
    bill: dict[str, Any] = json.loads(run.stdout)
    return bill


def summary_and_licence(name: str) -> tuple[str | None, str | None]:
    """Return a package's own summary and licence; None for each if it is not installed."""
    try:
        metadata = distribution(name).metadata
    except PackageNotFoundError:
        return None, None
    classifiers = metadata.get_all("Classifier", [])
    licences = [text.rpartition(" :: ")[2] for text in classifiers if "License ::" in text]
    lines = (metadata.get("License") or "").strip().splitlines()
    licence = metadata.get("License-Expression") or " OR ".join(licences) or (lines or [None])[0]
    return metadata.get("Summary"), licence


def list_requirements(name: str) -> set[str]:
    """Return the names of the packages that this one requires, without extras."""
    try:
        required = distribution(name).requires or []
    except PackageNotFoundError:
        return set()
    requirements = [Requirement(text) for text in required]
    return {
        str(canonicalize_name(requirement.name))
        for requirement in requirements
        if requirement.marker is None or "extra" not in str(requirement.marker)
    }


if __name__ == "__main__":
    main(Path(sys.argv[1]))
