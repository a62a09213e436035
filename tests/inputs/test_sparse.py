"""Sparse members of tar archives, in each format that GNU tar has written them in."""

from __future__ import annotations

import io
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowlink.inputs.stream import Budget, ByteStream, DamagedError, Share
from slowlink.inputs.tar import tar_members

FIRST, SECOND, HOLE = b"node-1: up\n" * 3, b"node-1: gone\n", 1 << 20
WHOLE = FIRST + bytes(HOLE - len(FIRST)) + SECOND
AFTER = b"the member behind it\n"


def members(data: bytes, budget: Budget | None = None) -> dict[str, bytes | str]:
    """Name -> bytes, or why they could not be read."""
    found: dict[str, bytes | str] = {}
    for name, _, body in tar_members(ByteStream(iter([data])), budget or Budget()):
        try:
            found[name] = b"".join(body)
        except DamagedError as broken:
            found[name] = str(broken)
    return found


def archive(*members: tuple[tarfile.TarInfo, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for member, data in (*members, (tarfile.TarInfo("after.log"), AFTER)):
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return out.getvalue()


def pax_member(headers: dict[str, str], data: bytes) -> bytes:
    member = tarfile.TarInfo("GNUSparseFile.7/a.log")
    member.pax_headers = headers
    return archive((member, data))


def in_data(text: bytes) -> bytes:
    """A member of version 1.0, whose data begins with the map ``text``."""
    headers = {
        "GNU.sparse.major": "1",
        "GNU.sparse.minor": "0",
        "GNU.sparse.name": "a.log",
        "GNU.sparse.realsize": str(len(WHOLE)),
    }
    return pax_member(headers, text + bytes(-len(text) % 512) + FIRST + SECOND)


MAP = [(0, len(FIRST)), (HOLE, len(SECOND)), (len(WHOLE), 0)]
IN_DATA = b"".join(b"%d\n" % number for number in (len(MAP), *(number for pair in MAP for number in pair)))


@pytest.mark.skipif(shutil.which("tar") is None, reason="no tar")
@pytest.mark.parametrize(
    "words",
    [
        ["--format=gnu"],
        ["--format=posix"],
        ["--format=posix", "--sparse-version=0.1"],
        ["--format=posix", "--sparse-version=0.0"],
    ],
)
def test_what_gnu_tar_writes_is_read_as_it_was(tmp_path: Path, words: list[str]) -> None:
    with (tmp_path / "a.log").open("wb") as file:
        for place in range(0, 40 * HOLE, HOLE):  # more pieces than a header has room for
            file.seek(place)
            file.write(b"at %d\n" % place)
    (tmp_path / "after.log").write_bytes(AFTER)
    argv = ["tar", *words, "-C", str(tmp_path), "-cSf", "-", "a.log", "after.log"]
    done = subprocess.run(argv, capture_output=True, check=False)
    if done.returncode:
        pytest.skip("this tar knows no sparse files")
    assert len(done.stdout) < HOLE
    assert members(done.stdout) == {"a.log": (tmp_path / "a.log").read_bytes(), "after.log": AFTER}


def test_the_map_in_the_data() -> None:
    assert members(in_data(IN_DATA)) == {"a.log": WHOLE, "after.log": AFTER}


def test_the_map_in_the_extended_header() -> None:
    headers = {
        "GNU.sparse.size": str(len(WHOLE)),
        "GNU.sparse.name": "a.log",
        "GNU.sparse.map": ",".join(str(number) for pair in MAP for number in pair),
    }
    assert members(pax_member(headers, FIRST + SECOND)) == {"a.log": WHOLE, "after.log": AFTER}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b"1\n0\n9999999999\n", "damaged map of a sparse file"),
        (b"2\n5000\n3\n20\n3\n", "damaged map of a sparse file"),
        (b"one\n", "damaged map of a sparse file"),
        (b"1" * 512, "damaged map of a sparse file"),
        (b"1\n0\n11\n", "damaged map of a sparse file"),
        (b"99999999\n", "holds a sparse file in more than 50000 pieces"),
    ],
    ids=["beyond the end", "backwards", "words", "no end", "data is left", "pieces"],
)
def test_a_map_that_cannot_be_is_said_and_the_next_member_is_read(text: bytes, why: str) -> None:
    assert members(in_data(text)) == {"a.log": why, "after.log": AFTER}


def test_holes_are_bounded() -> None:
    bomb = in_data(IN_DATA)
    budget = Budget(share_of_holes=Share(1 << 18, 10, 10), packed=len(bomb))
    assert members(bomb, budget)["a.log"] == "stopped reading: the archive unpacks to more than 0 MiB of NUL bytes"


@given(st.binary(max_size=1200))
def test_any_map_is_harmless(text: bytes) -> None:
    found = members(in_data(text), Budget(total_bytes=1 << 22))
    assert set(found) == {"a.log", "after.log"}


def test_no_name_of_a_member_fills_the_memory() -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for kind in (tarfile.REGTYPE, tarfile.SYMTYPE):
            info = tarfile.TarInfo("d/" + "x" * 1_000_000)
            info.type = kind
            archive.addfile(info, io.BytesIO())
    passed: list[str] = []
    stream = ByteStream(iter([out.getvalue()]))
    names = [name for name, _, _ in tar_members(stream, Budget(), lambda name, _: passed.append(name))]
    assert names == passed == ["d/" + "x" * 1022]
