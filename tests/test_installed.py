"""An installed slowlink has everything that its sources have: it works without the checkout."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

ROOT = Path(__file__).resolve().parent.parent
LOG = ROOT / "demo" / "logs"


def built(directory: Path) -> Path:
    """The wheel of a copy of the sources, unpacked."""
    sources = directory / "sources"
    shutil.copytree(ROOT / "src", sources / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, sources / name)
    wheel = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir"]
    subprocess.run([*wheel, directory, sources], check=True, timeout=300)
    with ZipFile(next(directory.glob("*.whl"))) as archive:
        archive.extractall(directory / "installed")
    return directory / "installed"


def test_a_wheel_has_every_file_and_answers(tmp_path: Path) -> None:
    installed = built(tmp_path)
    files = {path.relative_to(ROOT / "src").as_posix() for path in (ROOT / "src" / "slowlink").rglob("*.*")}
    wanted = {
        name for name in files if "__pycache__" not in name and not name.endswith(".so")
    }  # built for this machine
    assert sorted(wanted - {path.relative_to(installed).as_posix() for path in installed.rglob("*")}) == []
    log = next(path for path in sorted(LOG.rglob("*")) if path.is_file())
    environment = {**os.environ, "PYTHONPATH": str(installed), "PYTHONSAFEPATH": "1"}
    for arguments in (["analyze", "-q", str(log)], ["snapshot", "--help"]):
        done = subprocess.run(
            [sys.executable, "-m", "slowlink", *arguments],
            env=environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert (done.returncode <= 3, done.stderr) == (True, "")


def test_an_installation_without_sources_or_with_a_damaged_index_answers_alike(tmp_path: Path) -> None:
    installed = tmp_path / "installed"
    # With what was compiled before, where it is: each answer would compile all sources anew.
    shutil.copytree(ROOT / "src", installed, ignore=shutil.ignore_patterns("*.egg-info"))
    log = next(path for path in sorted(LOG.rglob("*")) if path.is_file())

    def answer() -> tuple[int, str]:
        done = subprocess.run(
            [sys.executable, "-m", "slowlink", "analyze", "-q", str(log)],
            env={**os.environ, "PYTHONPATH": str(installed), "PYTHONSAFEPATH": "1", "PYTHONDONTWRITEBYTECODE": "1"},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    whole = answer()
    assert whole[0] == 1
    for name in ("parsers/index.json", "parsers/literals.json", "rules/index.json"):
        path = installed / "slowlink" / name
        text = path.read_text()
        for damaged in ("", text[: len(text) // 2], "[]"):
            path.write_text(damaged)
            assert answer() == whole, name
        path.write_text(text)
    subprocess.run([sys.executable, "-m", "compileall", "-q", "-b", str(installed)], check=True, timeout=120)
    assert answer() == whole
    for source in installed.rglob("*.py"):
        source.unlink()
    assert answer() == whole
