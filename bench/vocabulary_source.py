"""The source of one program: its entry in ``vocabulary_programs.toml``, and its files, from a checkout or from git."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from fnmatch import fnmatch
from importlib import import_module
from pathlib import Path
from typing import Any

from msgspec import Struct, field

PROGRAMS = Path(__file__).with_name("vocabulary_programs.toml")
LARGEST = 4 << 20
"""Bytes of a source file that is still read: a larger one is data."""


class Program(Struct, frozen=True):
    """One entry of the table."""

    id: str
    name: str
    files: tuple[str, ...]
    language: str
    line: str
    exclude: tuple[str, ...] = ()
    calls: str = ""
    joined: str = ""
    streams: str = ""
    skip: str = ""
    levels: dict[str, str] = field(default_factory=dict)
    values: dict[str, str] = field(default_factory=dict)
    conversions: dict[str, str] = field(default_factory=dict)
    """Conversions that only this program's printf knows, and what they print."""
    raised: str = ""
    """Python: the line of an exception, where it looks other than a logger's."""
    asserts: bool = False
    """Python: is the text of an ``assert`` a message, too?"""
    base_names: bool = False
    """Does the line show a file's name without its folders?"""

    def wants(self, path: str) -> bool:
        """Is this path, below the checkout's root, one of the program's source files?"""
        if any(fnmatch("/" + path, pattern) or fnmatch(path, pattern) for pattern in self.exclude):
            return False
        return any(fnmatch(path, way) for pattern in self.files for way in {pattern, pattern.replace("**/", "")})


class SourceFile(Struct, frozen=True):
    """One file, with its path below the root."""

    path: str
    text: str


def programs() -> dict[str, Program]:
    """The table, by id."""
    toml = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    entries: dict[str, dict[str, Any]] = toml.loads(PROGRAMS.read_text(encoding="utf-8"))
    return {name: _program(name, entry) for name, entry in entries.items()}


def _program(name: str, entry: dict[str, Any]) -> Program:
    values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()}
    return Program(id=name, **values)


def source_files(place: Path, program: Program, ref: str = "") -> Iterator[SourceFile]:
    """The program's files in the checkout ``place``; of ``ref`` where one is named, or where there is no work tree."""
    if ref or (not any((place / name).exists() for name in (".git", "src", "README.md", "README")) and is_bare(place)):
        yield from _of_git(place, program, ref or "HEAD")
        return
    for path in sorted(place.rglob("*")):
        name = path.relative_to(place).as_posix()
        if not name.startswith(".git/") and program.wants(name) and path.is_file() and path.stat().st_size < LARGEST:
            yield SourceFile(name, path.read_text(encoding="utf-8", errors="replace"))


def is_bare(place: Path) -> bool:
    """Is this a git directory without a work tree?"""
    return (place / "objects").is_dir() and (place / "HEAD").is_file()


def _of_git(place: Path, program: Program, ref: str) -> Iterator[SourceFile]:
    if re.fullmatch(r"[\w./+@~^-]+", ref) is None or ref.startswith("-"):
        raise SystemExit(f"vocabulary: not a git revision: {ref}")
    missing = (
        *("**/*.tar.*", "**/*.spv", "**/*.gif", "blogs/**", "tests/assets/**", "deps/mpi/**", "testing/**"),
        "**/vendor/**",
    )  # a snapshot may lack its largest files
    without = [f":(exclude,glob){name}" for name in missing]
    command = ["git", "-C", str(place), "archive", "--format=tar", ref, "--", ":(top)", *without]
    packed = subprocess.run(command, check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        for member in archive:
            if member.isfile() and member.size < LARGEST and program.wants(member.name):
                file = archive.extractfile(member)
                assert file is not None
                yield SourceFile(member.name, file.read().decode("utf-8", "replace"))


def described(place: Path, ref: str) -> str:
    """The version of a checkout: the revision that was named, else what git calls it."""
    if ref:
        return ref
    said = subprocess.run(["git", "-C", str(place), "describe", "--tags", "--always"], check=False, capture_output=True)
    return said.stdout.decode().strip() or place.name
