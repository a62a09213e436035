"""Packing and unpacking; hostile archives write nothing outside and nothing over."""

from __future__ import annotations

import contextlib
import errno
import gzip
import io
import json
import os
import shutil
import tarfile
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import BinaryIO

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from slowlink.bundle import BundleWriter, disk, pack, read_bundle, unpack
from slowlink.bundle.sums import opened
from slowlink.errors import SlowlinkError
from slowlink.inputs.bundle_check import NO_JSON, BundleCheck
from slowlink.inputs.directory import Entry
from slowlink.inputs.stream import Budget, Share
from slowlink.model.plan import Ended

MANIFEST = json.dumps({"schema": "slowlink.bundle/1", "captures": []}).encode()


def member(
    name: str, kind: bytes = tarfile.REGTYPE, link: str = "", data: bytes = b"x\n"
) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    info.size = len(data) if kind == tarfile.REGTYPE else 0
    return info, data


def archive_of(path: Path, *members: tuple[tarfile.TarInfo, bytes]) -> Path:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for info, data in (member("b/manifest.json", data=MANIFEST), *members):
            archive.addfile(info, io.BytesIO(data) if info.isreg() else None)
    path.write_bytes(gzip.compress(out.getvalue()))
    return path


def files_of(directory: Path) -> list[str]:
    return sorted(path.relative_to(directory).as_posix() for path in directory.rglob("*") if not path.is_dir())


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    with BundleWriter(tmp_path / "made" / "b") as writer, writer.capture("run", "collective", ["x"]) as run:
        run.write_stdout("hello\n" * 1000)
        run.end(Ended(0, None, "exited", 1.0, 1.0))
    return writer.directory


@pytest.mark.parametrize("suffix", [".tar.zst", ".tar.gz", ".tgz"])
def test_there_and_back(tmp_path: Path, bundle: Path, suffix: str) -> None:
    packed = pack(bundle, tmp_path / f"x{suffix}")
    assert read_bundle(packed).integrity == "verified"
    assert read_bundle(packed).manifest == read_bundle(bundle).manifest
    done = unpack(packed, tmp_path / "there")
    assert done.directory == tmp_path / "there" / "b"
    assert (done.files, done.left_out) == (3, ())
    assert {name: (done.directory / name).read_bytes() for name in files_of(done.directory)} == {
        name: (bundle / name).read_bytes() for name in files_of(bundle)
    }


def test_links_in_a_bundle_are_not_followed(tmp_path: Path, bundle: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("Kelp\n")
    (bundle / "SHA256SUMS").unlink()
    (bundle / "SHA256SUMS").symlink_to(secret)
    (bundle / "more.txt").symlink_to(secret)
    target = tmp_path / "x.tar.gz"
    told: list[tuple[str, str]] = []
    pack(bundle, target, lambda name, why: told.append((name, why)))
    assert told == [(name, "a symbolic link, not read") for name in ("SHA256SUMS", "more.txt")]
    with tarfile.open(target) as archive:
        assert [name for name in archive.getnames() if name.endswith(("SUMS", "more.txt"))] == []
    (bundle / "manifest.json").rename(tmp_path / "manifest.json")
    (bundle / "manifest.json").symlink_to(tmp_path / "manifest.json")
    with pytest.raises(SlowlinkError, match="is no bundle"):
        pack(bundle, tmp_path / "y.tar.gz")


def test_an_archive_is_its_owners_alone_and_whole_or_not_there(
    tmp_path: Path, bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert pack(bundle, tmp_path / "x.tar.gz").stat().st_mode & 0o777 == 0o600

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tarfile.TarFile, "addfile", full)
    with pytest.raises(SlowlinkError, match="no space left"):
        pack(bundle, tmp_path / "y.tar.gz")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["made", "x.tar.gz"]


def test_packed_files_tell_neither_owner_nor_time(tmp_path: Path, bundle: Path) -> None:
    packed = pack(bundle, tmp_path / "x.tar.gz")
    with tarfile.open(packed) as archive:
        assert {(m.uid, m.gid, m.uname, m.gname, m.mtime) for m in archive} == {(0, 0, "", "", 0)}
    assert pack(bundle, tmp_path / "y.tar.gz").read_bytes() == packed.read_bytes()


@pytest.mark.parametrize("named", [False, True])
def test_until_it_is_whole_an_archive_has_no_name_where_that_is_possible(
    tmp_path: Path, named: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if named:
        monkeypatch.setattr(disk, "_nameless", lambda _: None)
    with disk.whole_file(tmp_path / "a.tar.gz") as file:
        file.write(b"x")
        there = list(tmp_path.iterdir())
    assert len(there) == named
    assert [(path.name, path.read_bytes(), path.stat().st_mode & 0o777) for path in tmp_path.iterdir()] == [
        ("a.tar.gz", b"x", 0o600)
    ]
    with pytest.raises(FileExistsError), disk.whole_file(tmp_path / "a.tar.gz") as file:
        file.write(b"y")
    assert (tmp_path / "a.tar.gz").read_bytes() == b"x"


def test_what_a_killed_unpacking_left_goes_with_the_next(tmp_path: Path, bundle: Path) -> None:
    packed = pack(bundle, tmp_path / "b.tar.gz")
    old, new, other = tmp_path / "to/.unpacking-01", tmp_path / "to/.unpacking-02", tmp_path / "to/mine"
    for each in (old, new, other):
        each.mkdir(parents=True)
        (each / "file").touch()
    os.utime(old, (0, 0))
    os.utime(other, (0, 0))
    unpack(packed, tmp_path / "to")
    assert [old.exists(), new.exists(), other.exists()] == [False, True, True]


def test_nothing_is_overwritten(tmp_path: Path, bundle: Path) -> None:
    packed = pack(bundle, tmp_path / "x.tar.zst")
    for again in (lambda: pack(bundle, packed), lambda: unpack(packed, bundle.parent)):
        with pytest.raises(SlowlinkError, match="there already") as caught:
            again()
        assert caught.value.slug == "archive-exists"
    assert read_bundle(bundle).integrity == "verified"
    assert sorted(path.name for path in bundle.parent.iterdir()) == ["b"]


def test_directories_for_an_archive_that_is_none_do_not_stay(tmp_path: Path, bundle: Path) -> None:
    (tmp_path / "bad.tar.gz").write_bytes(b"no archive")
    with pytest.raises(SlowlinkError, match="it is no tar archive"):
        unpack(tmp_path / "bad.tar.gz", tmp_path / "new" / "place")
    assert not (tmp_path / "new").exists()
    done = unpack(pack(bundle, tmp_path / "x.tar.gz"), tmp_path / "new" / "place")
    assert done.directory == tmp_path / "new" / "place" / "b"


HOSTILE = [
    (member("/abs"), "leads out"),
    (member("../up"), "leads out"),
    (member("b/../../up"), "leads out"),
    (member("b/./x"), "leads out"),
    (member("b//x"), "leads out"),
    (member(".ssh/authorized_keys"), "leads out"),
    (member("-rf/manifest.json"), "an option"),
    (member("b/manifest.json"), "second file"),
    (member("b/manifest.json/x"), "a file and a directory"),
    (member("b/a\nb"), "odd characters"),
    (member("b/a\x1b[2J"), "odd characters"),
    (member("b/..\\..\\up"), "odd characters"),
    (member("b/-rf"), "option"),
    (member("b/--checkpoint-action=exec=sh x/y"), "option"),
    (member("b/" + "x" * 300), "too long"),
    (member("b/" + "d/" * 30 + "x"), "too long"),
    (member("b/link", tarfile.SYMTYPE, "/etc/passwd"), "symbolic link"),
    (member("b/hard", tarfile.LNKTYPE, "/etc/passwd"), "hard link"),
    (member("b/device", tarfile.CHRTYPE), "device"),
    (member("b/block", tarfile.BLKTYPE), "device"),
    (member("b/pipe", tarfile.FIFOTYPE), "named pipe"),
]


@pytest.mark.parametrize(("hostile", "why"), HOSTILE, ids=[repr(info.name[:20]) for (info, _), _ in HOSTILE])
def test_hostile_members_are_left_out_and_named(
    tmp_path: Path, hostile: tuple[tarfile.TarInfo, bytes], why: str
) -> None:
    into = tmp_path / "a" / "into"
    packed = archive_of(tmp_path / "x.tar.gz", hostile, member("b/good"))
    done = unpack(packed, into)
    assert [why in reason for _, reason in done.left_out] == [True]
    assert all(name.isprintable() for name, _ in done.left_out)
    assert files_of(tmp_path / "a") == ["into/b/good", "into/b/manifest.json"]
    assert (into / "b/manifest.json").read_bytes() == MANIFEST


def test_a_link_that_a_later_member_goes_through_leads_nowhere(tmp_path: Path) -> None:
    packed = archive_of(
        tmp_path / "x.tar.gz", member("b/link", tarfile.SYMTYPE, str(tmp_path / "victim")), member("b/link/x")
    )
    (tmp_path / "victim").mkdir()
    unpack(packed, tmp_path / "into")
    assert files_of(tmp_path / "victim") == []
    assert (tmp_path / "into/b/link/x").read_text() == "x\n"


def test_bombs_are_given_up_and_leave_nothing(tmp_path: Path) -> None:
    packed = archive_of(tmp_path / "x.tar.gz", member("b/zeros", data=bytes(1 << 22)))
    with pytest.raises(SlowlinkError, match="unpacks to more than 1 MiB, too much for its") as caught:
        unpack(packed, tmp_path / "into", Budget(share_of_bytes=Share(1 << 20, 10, 10)))
    assert caught.value.slug == "archive-damaged"
    many = archive_of(tmp_path / "y.tar.gz", *(member(f"b/{number}") for number in range(30)))
    with pytest.raises(SlowlinkError, match="more than 20 files"):
        unpack(many, tmp_path / "into", Budget(members=20))
    assert not (tmp_path / "into").exists()


def test_what_is_no_bundle_is_not_unpacked(tmp_path: Path) -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        info, data = member("logs/x")
        archive.addfile(info, io.BytesIO(data))
    (tmp_path / "x.tar").write_bytes(out.getvalue())
    (tmp_path / "y").write_text("text")
    for name, slug in (("x.tar", "bundle-not-found"), ("y", "archive-damaged"), ("z", "input-not-found")):
        with pytest.raises(SlowlinkError) as caught:
            unpack(tmp_path / name, tmp_path / "into")
        assert caught.value.slug == slug
    assert not (tmp_path / "into").exists()


def test_what_cannot_be_packed_is_said(tmp_path: Path, bundle: Path) -> None:
    for directory, target, slug in ((tmp_path, "x.tar.zst", "bundle-not-found"), (bundle, "x.zip", "archive-suffix")):
        with pytest.raises(SlowlinkError) as caught:
            pack(directory, tmp_path / target)
        assert caught.value.slug == slug
        assert not (tmp_path / target).exists()


@settings(deadline=None, max_examples=40)
@given(st.data())
def test_damaged_archives_are_an_error_or_a_whole_bundle(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    place = tmp_path_factory.mktemp("damaged")
    good = zstandard.ZstdDecompressor().decompress(_packed(place).read_bytes(), max_output_size=1 << 20)
    at = data.draw(st.integers(0, len(good) - 1))
    bad = data.draw(st.sampled_from([good[:at], good[:at] + bytes([good[at] ^ 0x5A]) + good[at + 1 :]]))
    (place / "bad.tar").write_bytes(bad)
    try:
        done = unpack(place / "bad.tar", place / "into")
    except SlowlinkError:
        assert not (place / "into").exists()
    else:
        assert (done.directory / "manifest.json").is_file()
    with contextlib.suppress(SlowlinkError):
        assert read_bundle(place / "bad.tar").path.endswith("bad.tar")


def _packed(place: Path) -> Path:
    with BundleWriter(place / "b") as writer, writer.capture("run", "collective", ["x"]) as run:
        run.write_stdout("hello\n")
    return pack(writer.directory, place / "good.tar.zst")


def test_a_folder_that_becomes_a_link_while_it_is_packed_leads_nowhere(
    tmp_path: Path, bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "elsewhere"
    shutil.copytree(bundle / "captures", elsewhere)
    for path in elsewhere.rglob("*"):
        if path.is_file():
            path.write_text("theirs")

    def swapped(path: Path, entry: Entry) -> AbstractContextManager[tuple[BinaryIO, int]]:
        captures = bundle / "captures"
        if "captures" in entry.path and not captures.is_symlink():
            captures.rename(tmp_path / "moved")
            captures.symlink_to(elsewhere)
        return opened(path, entry)

    monkeypatch.setattr("slowlink.bundle.archive.opened", swapped)
    with tarfile.open(fileobj=io.BytesIO(gzip.decompress(pack(bundle, tmp_path / "x.tar.gz").read_bytes()))) as archive:
        texts = [archive.extractfile(each).read() for each in archive if each.isfile()]  # type: ignore[union-attr]
    assert b"hello\n" * 1000 in texts
    assert b"theirs" not in texts


def test_what_cannot_be_read_is_not_left_out_without_a_word(tmp_path: Path, bundle: Path) -> None:
    (bundle / Path(*["d"] * 70)).mkdir(parents=True)
    with pytest.raises(SlowlinkError, match="lies more than 64 folders deep") as caught:
        pack(bundle, tmp_path / "x.tar.gz")
    assert caught.value.slug == "bundle-unreadable"
    assert not list(tmp_path.glob("*x.tar.gz*"))
    assert any("folders deep" in problem for problem in read_bundle(bundle).problems)


def test_folders_count_as_members(tmp_path: Path) -> None:
    path = archive_of(tmp_path / "x.tar.gz", *(member(f"b/{number}/a/b/c/d/x") for number in range(20)))
    with pytest.raises(SlowlinkError, match="more than 50 files"):
        unpack(path, tmp_path / "there", Budget(members=50))


def test_manifests_of_many_bundles_are_held_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("slowlink.inputs.bundle_check._MOST_HELD_BYTES", len(MANIFEST) + 1)
    check = BundleCheck(every=True)
    for top in "ab":
        check.add_bundle(f"{top}/")
        assert b"".join(check.passing(f"{top}/manifest.json", [MANIFEST])) == MANIFEST
    assert [check.wrong(f"{top}/manifest.json") for top in "ab"] == ["", NO_JSON]


def test_a_full_disk_keeps_nothing_of_an_archive(bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packed = pack(bundle, tmp_path / "x.tar.gz")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("slowlink.bundle.disk.os.fsync", full)
    monkeypatch.setattr("slowlink.bundle.disk.make_private", full)
    for write in (lambda: pack(bundle, tmp_path / "y.tar.gz"), lambda: unpack(packed, tmp_path / "there")):
        with pytest.raises(SlowlinkError, match="No space left") as error:
            write()
        assert (error.value.slug, error.value.hint) == (
            "disk-full",
            "nothing of it stays; make room, or choose another disk",
        )
    assert not (tmp_path / "there").exists()


def test_a_file_that_becomes_shorter_while_it_is_packed_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with BundleWriter(tmp_path / "b") as bundle, bundle.capture("run-1", "command", ("true",)) as capture:
        capture.write_stdout("line\n" * 1000)

    @contextlib.contextmanager
    def promised(path: Path, entry: Entry) -> Iterator[tuple[BinaryIO, int]]:
        with opened(path, entry) as (file, size):
            yield file, size + 1

    monkeypatch.setattr("slowlink.bundle.archive.opened", promised)
    with pytest.raises(SlowlinkError) as caught:
        pack(tmp_path / "b", tmp_path / "b.tar.gz")
    assert str(caught.value) == "manifest.json became shorter while it was packed"
    assert caught.value.hint == "something still writes there: pack it when that has ended"
    assert [path.name for path in tmp_path.iterdir()] == ["b"]
