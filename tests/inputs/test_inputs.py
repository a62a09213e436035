"""Files, directories, pipes and archives as texts; hostile ones too."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import random
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from slowlink.errors import SlowlinkError
from slowlink.inputs import open_inputs
from slowlink.inputs.stream import SMALL_BYTES, Budget, ByteStream, DamagedError, Share
from slowlink.inputs.tar import tar_members
from slowlink.inputs.text import binary_kind, text_of
from slowlink.inputs.unpack import unpacked
from slowlink.inputs.zip import zip_members

TEXT = b"".join(b"node-%d: line %d of a log\n" % (number % 7, number) for number in range(3000))
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": lambda data: zstandard.ZstdCompressor().compress(data),
}


def tar_of(members: dict[str, bytes], kind: int = tarfile.PAX_FORMAT) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=kind) as archive:
        for name, data in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return out.getvalue()


def zip_of(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


ELF = "a program or library (ELF), not a log"


def texts(*paths: Path | str) -> dict[str, tuple[bytes, str | None]]:
    """Name -> (bytes, problem)."""
    found = {}
    for item in open_inputs([str(path) for path in paths]):
        data = b"".join(item.chunks())
        found[item.name] = data, item.problem
    return found


def test_a_binary_file_has_its_bytes_for_a_reader_of_its_format(tmp_path: Path) -> None:
    data = b"\x7fELF" + bytes(range(256)) * 4
    (tmp_path / "core").write_bytes(data)
    (item,) = open_inputs([str(tmp_path)])
    assert (item.problem, item.start, list(item.chunks())) == (ELF, data[:64], [])
    assert b"".join(item.binary()) == data
    assert item.problem is None
    (tmp_path / "core").write_bytes(b"text\n")
    (item,) = open_inputs([str(tmp_path)])
    assert (item.start, list(item.binary()), b"".join(item.chunks())) == (b"", [], b"text\n")


def test_a_directory_is_read_in_order_and_what_is_odd_in_it_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "2.log").write_bytes(b"two\n")
    (tmp_path / "a.log").write_bytes(b"one\n")
    (tmp_path / "core").write_bytes(b"\x7fELF\x02\x01\x01\0\0\0\0")
    (tmp_path / "gone").symlink_to(tmp_path / "nowhere")
    (tmp_path / "round").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    found = texts(tmp_path)
    assert found == {
        f"{tmp_path}/a.log": (b"one\n", None),
        f"{tmp_path}/core": (b"", ELF),
        f"{tmp_path}/gone": (b"", "a symbolic link, not read"),
        f"{tmp_path}/round": (b"", "a symbolic link, not read"),
        f"{tmp_path}/pipe": (b"", "a named pipe, not read"),
        f"{tmp_path}/b/2.log": (b"two\n", None),
    }


def test_a_missing_path_is_the_users_error(tmp_path: Path) -> None:
    with pytest.raises(SlowlinkError) as caught:
        open_inputs([str(tmp_path / "nowhere.log")])
    assert caught.value.slug == "input-not-found"
    assert caught.value.hint


@pytest.mark.parametrize("name", ["a\0b", "x" * 5000])
def test_an_impossible_name_is_the_users_error(name: str) -> None:
    with pytest.raises(SlowlinkError):
        open_inputs([name])


def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(TEXT))))
    assert texts("-") == {"-": (TEXT, None)}


@pytest.mark.parametrize("packer", PACKERS)
def test_compression_is_known_by_its_bytes(tmp_path: Path, packer: str) -> None:
    path = tmp_path / "no-telling-name"
    path.write_bytes(PACKERS[packer](TEXT) + PACKERS[packer](b"second frame\n"))
    assert texts(path) == {str(path): (TEXT + b"second frame\n", None)}


@pytest.mark.parametrize("packer", PACKERS)
def test_a_truncated_file_gives_what_it_holds(tmp_path: Path, packer: str) -> None:
    noise = b"".join(b"%d %s\n" % (n, os.urandom(30).hex().encode()) for n in range(40_000))
    path = tmp_path / "cut"
    packed = PACKERS[packer](noise)
    path.write_bytes(packed[: len(packed) * 2 // 3])
    ((data, problem),) = texts(path).values()
    assert noise.startswith(data)
    assert len(data) > len(noise) // 4
    assert problem == f"truncated {packer} data"


@pytest.mark.parametrize("kind", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_tar_members_have_their_full_names(tmp_path: Path, kind: int) -> None:
    long = "d" * 80 + "/" + "n" * 90 + ".log"
    path = tmp_path / "a.tgz"
    path.write_bytes(gzip.compress(tar_of({"one.log": b"1\n", long: TEXT, "empty": b""}, kind)))
    assert texts(path) == {
        f"{path}!one.log": (b"1\n", None),
        f"{path}!{long}": (TEXT, None),
        f"{path}!empty": (b"", None),
    }


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_zip_members(tmp_path: Path, method: int) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(zip_of({"d/one.log": TEXT, "two.log": b"2\n"}, method))
    assert texts(path) == {f"{path}!d/one.log": (TEXT, None), f"{path}!two.log": (b"2\n", None)}


def test_a_zip_that_was_written_to_a_pipe(tmp_path: Path) -> None:
    class Pipe(io.RawIOBase):
        def __init__(self) -> None:
            self.data = b""

        def writable(self) -> bool:
            return True

        def write(self, data: object) -> int:
            chunk = bytes(data)  # type: ignore[call-overload]
            self.data += chunk
            return len(chunk)

    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("one.log", TEXT)
        archive.writestr("two.log", b"2\n")
    path = tmp_path / "piped.zip"
    path.write_bytes(pipe.data)
    assert [data for data, _ in texts(path).values()] == [TEXT, b"2\n"]


def test_archives_in_archives(tmp_path: Path) -> None:
    inner = gzip.compress(tar_of({"deep.log": TEXT}))
    path = tmp_path / "outer.tar"
    path.write_bytes(tar_of({"inner.tgz": inner, "z.zip": zip_of({"x.log.xz": lzma.compress(b"x\n")})}))
    assert texts(path) == {
        f"{path}!inner.tgz!deep.log": (TEXT, None),
        f"{path}!z.zip!x.log.xz": (b"x\n", None),
    }


def test_nesting_has_an_end(tmp_path: Path) -> None:
    data = b"core\n"
    for _ in range(12):
        data = gzip.compress(data)
    path = tmp_path / "onion"
    path.write_bytes(data)
    ((_, problem),) = texts(path).values()
    assert problem is not None
    assert "packed more than" in problem


def test_links_devices_and_climbing_names_do_no_harm(tmp_path: Path) -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for kind, name, target in (
            (tarfile.SYMTYPE, "link", "/etc/passwd"),
            (tarfile.LNKTYPE, "hard", "/etc/passwd"),
            (tarfile.CHRTYPE, "device", ""),
            (tarfile.FIFOTYPE, "pipe", ""),
            (tarfile.DIRTYPE, "folder", ""),
        ):
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, target
            archive.addfile(member)
        member = tarfile.TarInfo("../../../climbs.log")
        member.size = 3
        archive.addfile(member, io.BytesIO(b"up\n"))
    folder = tmp_path / "in"
    folder.mkdir()
    path = folder / "hostile.tar"
    path.write_bytes(out.getvalue())
    assert texts(path) == {
        f"{path}!link": (b"", "a symbolic link, not read"),
        f"{path}!hard": (b"", "a hard link, not read"),
        f"{path}!device": (b"", "a device, not read"),
        f"{path}!pipe": (b"", "a named pipe, not read"),
        f"{path}!../../../climbs.log": (b"up\n", None),
    }
    assert sorted(entry.name for entry in tmp_path.rglob("*")) == ["hostile.tar", "in"]


def test_a_bomb_is_stopped() -> None:
    budget = Budget(share_of_bytes=Share(1 << 20, 50, 50))
    packed = gzip.compress(bytes(64 << 20))
    budget.packed = len(packed)
    with pytest.raises(DamagedError, match="unpacks to more than 4 MiB, too much for its 6"):
        list(unpacked(ByteStream(iter([packed])), budget))
    assert budget.unpacked < 8 << 20


@pytest.mark.parametrize("line_end", [b"\n", b"\r"])
@pytest.mark.parametrize("packer", PACKERS)
def test_very_many_short_lines_in_few_bytes_are_stopped(packer: str, line_end: bytes) -> None:
    packed = PACKERS[packer]((b"a" + line_end) * 2_000_000)
    budget = Budget(packed=len(packed), share_of_lines=Share(100_000, 16, 16))
    most = 100_000 + 16 * len(packed)
    handed: list[bytes] = []
    with pytest.raises(DamagedError, match=f"more than {most:,} lines, too many for its "):
        handed.extend(unpacked(ByteStream(iter([packed])), budget))
    assert b"".join(handed).count(line_end) <= most


@pytest.mark.parametrize("packer", PACKERS)
def test_a_log_that_shrinks_to_a_thousandth_is_read(packer: str, tmp_path: Path) -> None:
    log = b"".join(b"n%02d:4711:4720 [0] NCCL INFO Channel %02d/0 up\n" % (i % 4, i % 8) for i in range(200_000))
    (tmp_path / "packed").write_bytes(PACKERS[packer](log))
    assert list(texts(tmp_path / "packed").values()) == [(log, None)]


def test_the_bytes_of_a_pipe_count_as_its_packed_size(monkeypatch: pytest.MonkeyPatch) -> None:
    packed = gzip.compress(b"a\n" * 250_200)  # more lines than the limit, if none of its bytes counted
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(packed)))
    (found,) = open_inputs(["-"])
    assert sum(len(piece) for piece in found.chunks()) == 500_400
    assert found.problem is None


def test_the_first_mebibyte_unfolds_to_less_than_what_follows() -> None:
    share = Budget().share_of_bytes
    assert [share.of(size) >> 20 for size in (0, SMALL_BYTES, 10 * SMALL_BYTES)] == [10, 50, 3650]
    for size in (0, 1, SMALL_BYTES - 1, SMALL_BYTES, 300 << 20):
        assert share.of(size) >= 40 * size, "must-gathers unfold to so much"


def test_a_small_bomb_is_read_in_part_and_never_healthy(tmp_path: Path) -> None:
    log = b"node01:1:2 [0] NCCL INFO Channel 00/08 : 0 1\n" * (1 << 20)
    packed = gzip.compress(log)
    (tmp_path / "bomb").write_bytes(packed)
    ((found, problem),) = texts(tmp_path / "bomb").values()
    most = 10 + (40 * len(packed) >> 20)
    words = f"unpacks to more than {most} MiB, too much for its {len(packed) >> 10} KiB"
    assert problem == f"stopped reading: the archive {words}"
    assert (most - 1) << 20 < len(found) <= (most + 1) << 20
    assert log.startswith(found)


def test_what_a_large_file_begins_with_may_unfold_far(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = b"node01:1:2 [0] NCCL INFO Channel 00/08 : 0 1\n" * 1_000_000
    members = {"a.log": log, "b.bin": random.Random(1).randbytes(2 << 20)}
    packed = gzip.compress(tar_of(members), 1)
    (tmp_path / "large.tar.gz").write_bytes(packed)
    assert texts(tmp_path / "large.tar.gz")[f"{tmp_path}/large.tar.gz!a.log"] == (log, None)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(packed)))
    lengths = {item.name: (sum(map(len, item.chunks())), item.problem) for item in open_inputs(["-"])}
    assert lengths["-!a.log"] == (len(log), None)


@pytest.mark.parametrize("packer", PACKERS)
def test_very_many_empty_frames_are_stopped(tmp_path: Path, packer: str) -> None:
    packed = PACKERS[packer](b"a")
    (tmp_path / "empty").write_bytes(packed * 10_002)
    (found,) = texts(tmp_path / "empty").values()
    assert found == (b"a" * 10_001, "stopped reading: the archive is cut into more than 10000 nearly empty frames")


def test_too_many_members_are_stopped() -> None:
    members = {f"{number}": b"x" for number in range(20)}
    for data, reader in ((tar_of(members), tar_members), (zip_of(members), zip_members)):
        with pytest.raises(DamagedError, match="more than 10 files"):
            list(reader(ByteStream(iter([data])), Budget(members=10)))


def test_archives_in_archives_have_no_more_members_than_bytes_for_them() -> None:
    from slowlink.inputs.walk import _unfold

    small = zip_of({f"{number}": b"x" for number in range(10)})
    inner = zip_of({f"{number}.zip": small for number in range(10)})
    data = zip_of({f"{number}.zip": inner for number in range(10)})
    budget = Budget(share_of_members=Share(50, 0, 0), packed=len(data) // 100)
    problems = [item.problem for item in _unfold("x", None, iter([data]), budget)]
    assert budget.seen < 60, "each level ends with the first member that is too many"
    assert (
        f"stopped reading: the archive holds more than 50 files, too many for its {len(data) // 100} bytes" in problems
    )


def test_a_long_name_of_gigabytes_is_passed_over() -> None:
    header = bytearray(tar_of({"name": b""})[:512])
    header[156:157] = b"L"
    header[124:136] = b"%011o\0" % (2 << 20)
    header[148:156] = b"%06o\0 " % (sum(header[:148]) + 256 + sum(header[156:]))
    data = bytes(header) + b"n" * (2 << 20) + tar_of({"short.log": b"ok\n"})
    names = [name for name, _, _ in tar_members(ByteStream(iter([data])), Budget())]
    assert names == ["short.log"]


def test_a_truncated_tar_gives_its_first_members(tmp_path: Path) -> None:
    path = tmp_path / "cut.tar"
    whole = tar_of({"one.log": b"1\n", "two.log": TEXT})
    path.write_bytes(whole[: 2048 + 5000])
    found = texts(path)
    assert found[f"{path}!one.log"] == (b"1\n", None)
    assert found[f"{path}!two.log"][1] == "truncated archive"
    assert TEXT.startswith(found[f"{path}!two.log"][0])


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"])
def test_encodings_become_utf8(encoding: str) -> None:
    text = "# nThread 1 nGpus 8 – Größe\r\n" * 500
    data = text.encode(encoding)
    pieces = [data[at : at + 7] for at in range(0, len(data), 7)]
    stream = ByteStream(iter(pieces))
    assert binary_kind(stream) is None
    assert b"".join(text_of(stream)).decode() == text


@given(st.binary(max_size=3000), st.sampled_from(["", *PACKERS, "tar", "zip"]), st.integers(0, 3000))
def test_any_bytes_are_harmless(data: bytes, wrapping: str, cut: int) -> None:
    if wrapping in PACKERS:
        data = PACKERS[wrapping](data)
    elif wrapping:
        data = {"tar": tar_of, "zip": zip_of}[wrapping]({"a": data, "b": data})
    damaged = data[:cut] + bytes(3) + data[cut + 3 :]
    from slowlink.inputs.walk import _unfold

    for item in _unfold("x", None, iter([damaged[:100], damaged[100:]]), Budget()):
        for _ in item.chunks():
            pass


def test_data_that_ask_for_much_memory_are_not_called_damaged(tmp_path: Path) -> None:
    wide = zstandard.ZstdCompressionParameters.from_level(3, window_log=30)
    packing = zstandard.ZstdCompressor(compression_params=wide).compressobj()
    (tmp_path / "wide.zst").write_bytes(packing.compress(bytes(100_000)) + packing.flush())
    (found,) = texts(tmp_path / "wide.zst").values()
    assert found == (b"", "zstd data that take more memory than is given to them: unpack them by hand")


def test_an_empty_path_is_no_file() -> None:
    with pytest.raises(SlowlinkError, match="an empty path names no file"):
        list(open_inputs([""]))
