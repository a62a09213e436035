"""Members of zip archives by their methods: read where the standard library can, else named as not read."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from pathlib import Path

import pytest
import zstandard
from opened_texts import texts

LINES = b"".join(b"node-%d: up\n" % number for number in range(3000))
AFTER = b"the member behind it\n"


def archive(method: int = zipfile.ZIP_DEFLATED, last: bytes = AFTER) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as packed:
        packed.writestr("a.log", LINES)
        packed.writestr("after.log", last)
    return out.getvalue()


def member(method: int, data: bytes, plain: bytes = LINES, flags: int = 0, name: bytes = b"a.log") -> bytes:
    """One member and no directory."""
    sizes = zlib.crc32(plain), len(data), len(plain)
    return struct.pack("<4sHHHHHIIIHH", b"PK\3\4", 20, flags, method, 0, 0, *sizes, 5, 0) + name + data


END = b"PK\5\6" + bytes(18)


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_what_python_packs_is_read(tmp_path: Path, method: int) -> None:
    (tmp_path / "a.zip").write_bytes(archive(method))
    assert texts(tmp_path / "a.zip") == {"!a.log": (LINES, None, False), "!after.log": (AFTER, None, False)}


def test_a_member_packed_with_zstd(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(member(93, zstandard.ZstdCompressor().compress(LINES)) + END)
    assert texts(tmp_path / "a.zip") == {"!a.log": (LINES, None, False)}


def test_an_lzma_member_without_its_mark_ends_at_its_length(tmp_path: Path) -> None:
    packed = archive(zipfile.ZIP_LZMA)
    assert packed[6] & 2
    (tmp_path / "a.zip").write_bytes(packed[:6] + b"\0" + packed[7:])
    assert texts(tmp_path / "a.zip")["!a.log"] == (LINES, None, False)


@pytest.mark.parametrize(
    ("method", "flags", "why"),
    [
        (8, 1, "encrypted, not read"),
        (99, 1, "encrypted, not read"),
        (9, 0, "packed with zip method 9 (deflate64), not read (unpack it first)"),
        (98, 0, "packed with zip method 98 (PPMd), not read (unpack it first)"),
        (77, 0, "packed with zip method 77, not read (unpack it first)"),
    ],
)
def test_what_cannot_be_read_is_said_and_the_next_member_is_read(
    tmp_path: Path, method: int, flags: int, why: str
) -> None:
    (tmp_path / "a.zip").write_bytes(member(method, b"\1" * 50, flags=flags, name=b"b.log") + archive())
    assert texts(tmp_path / "a.zip") == {
        "!b.log": (b"", why, True),
        "!a.log": (LINES, None, False),
        "!after.log": (AFTER, None, False),
    }


def test_a_wrong_checksum_is_said_and_the_next_member_is_read(tmp_path: Path) -> None:
    packed = archive(zipfile.ZIP_STORED)
    (tmp_path / "a.zip").write_bytes(packed.replace(b"node-7: up", b"node-7: UP", 1))
    assert texts(tmp_path / "a.zip") == {
        "!a.log": (LINES.replace(b"node-7: up", b"node-7: UP", 1), "damaged zip data: its checksum is another", True),
        "!after.log": (AFTER, None, False),
    }


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_cut_member_gives_what_it_holds(tmp_path: Path, method: int) -> None:
    (tmp_path / "a.zip").write_bytes(archive(method)[:120])
    data, problem, partial = texts(tmp_path / "a.zip")["!a.log"]
    assert (LINES.startswith(data), problem, partial) == (True, "truncated zip data", True)


def test_an_archive_behind_an_archive_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(END + archive() + bytes(512) + archive(last=b"of the second\n") + bytes(7))
    assert [data for data, _, _ in texts(tmp_path / "a.zip").values()] == [LINES, b"of the second\n"]


def test_anything_else_behind_an_archive_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(archive() + b"NCCL WARN and so on\n")
    assert texts(tmp_path / "a.zip") == {
        "!a.log": (LINES, None, False),
        "!after.log": (AFTER, None, False),
        "": (b"", "something else follows the archive; that part was not read", True),
    }
