"""A release has the same bytes in every build, and its wheel alone can record an evening."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from hashlib import sha256
from pathlib import Path

import pytest

from tests.support.api.http_client import ask
from tests.support.server_process import ServerProcess
from tests.verification.supply.bill import LOCK, ROOT

VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
UV = str(Path(sys.executable).with_name("uv"))
SOURCE_FOLDERS = {"engine", "ledger", "workers", "api", "migrations"}
PAGES = ("/", "/verify", "/verify.py", "/rules", "/docs", "/openapi.yaml", "/v1/key")


def build(source: Path, target: Path) -> dict[str, bytes]:
    """Build the sdist and the wheel of a source tree; return their bytes by file name."""
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(target)]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    return {file.name: file.read_bytes() for file in target.iterdir()}


@pytest.fixture(scope="module")
def dist_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the sdist and the wheel of this tree."""
    target = tmp_path_factory.mktemp("dist")
    build(ROOT, target)
    return target


@pytest.fixture
def programs(dist_folder: Path, tmp_path: Path) -> Path:
    """The programs of an environment with nothing but the wheel and the packages of the lock."""
    venv = tmp_path / "venv"
    python = venv / "bin" / "python"
    install = [UV, "pip", "install", "-q", "--python", str(python)]
    subprocess.run([UV, "venv", "-q", "--python", sys.executable, str(venv)], check=True)
    subprocess.run([*install, "--require-hashes", "-r", str(LOCK)], check=True)
    [wheel] = dist_folder.glob("*.whl")
    subprocess.run([*install, "--no-deps", str(wheel)], check=True)
    return venv / "bin"


def test_two_builds_give_the_same_bytes(dist_folder: Path, tmp_path: Path) -> None:
    """The second is built from the first one's sdist: in another folder, at another time."""
    with tarfile.open(dist_folder / f"vola-{VERSION}.tar.gz") as sdist:
        sdist.extractall(tmp_path, filter="data")
    source = tmp_path / f"vola-{VERSION}"
    for file in source.rglob("*"):
        os.utime(file, (86_400, 86_400))
    second = build(source, tmp_path / "dist")
    digests = {name: sha256(content).hexdigest() for name, content in second.items()}
    assert len(digests) == 2
    assert digests == {
        file.name: sha256(file.read_bytes()).hexdigest() for file in dist_folder.iterdir()
    }


def test_the_wheel_holds_the_product_and_its_licences(dist_folder: Path) -> None:
    [wheel] = dist_folder.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    licences = f"vola-{VERSION}.dist-info/licenses"
    assert {f"{licences}/LICENSE", f"{licences}/THIRD-PARTY-LICENCES.txt"} <= set(names)
    assert {name.partition("/")[0] for name in names} == {
        *SOURCE_FOLDERS,
        f"vola-{VERSION}.dist-info",
    }
    files = {
        str(file.relative_to(ROOT))
        for folder in SOURCE_FOLDERS
        for file in ROOT.joinpath(folder).rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }
    assert files - set(names) == set()


def test_the_wheel_alone_can_record_an_evening(programs: Path, tmp_path: Path) -> None:
    environment = {"VOLA_DATA": str(tmp_path / "data"), "DATABASE_URL": "", "REDIS_URL": ""}
    server = ServerProcess(environment, tmp_path / "server.log")
    server.command = [str(programs / "vola"), "serve"]
    server.start()
    try:
        assert {path: ask(server.url + path).status for path in PAGES} == dict.fromkeys(PAGES, 200)
        assert f"Vola {VERSION}\n" == run_vola(programs, environment, "--version")
        run_vola(programs, environment, "demo", "--deals", "10")
        assert "no findings" in run_vola(programs, environment, "audit")
    finally:
        assert server.stop() == 0, server.log.read_text()


def run_vola(programs: Path, environment: dict[str, str], *arguments: str) -> str:
    run = subprocess.run(
        [str(programs / "vola"), *arguments],
        env={**os.environ, **environment},
        cwd="/",
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout
