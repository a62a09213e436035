"""Frames that follow one another in a compressed file, and what stands between them."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from opened_texts import text

from slowlink.inputs.stream import MOST_SMALL_FRAMES, Budget, ByteStream
from slowlink.inputs.unpack import compression, unpacked

ONE, TWO = b"node-1: up\n" * 20, b"node-2: gone\n" * 20


def zstd(data: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(data)


def skippable(data: bytes, variant: int = 0) -> bytes:
    return bytes([0x50 + variant]) + b"\x2a\x4d\x18" + len(data).to_bytes(4, "little") + data


def with_its_length(data: bytes) -> bytes:
    """A frame as pzstd writes it."""
    return skippable(len(zstd(data)).to_bytes(4, "little")) + zstd(data)


def lzma_alone(data: bytes) -> bytes:
    return lzma.compress(data, format=lzma.FORMAT_ALONE)


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": zstd,
    "lzma": lzma_alone,
}


@pytest.mark.parametrize(
    "data",
    [
        with_its_length(ONE) + with_its_length(TWO),
        skippable(b"some notes") + zstd(ONE) + zstd(TWO),
        zstd(ONE) + skippable(b"", 15) + skippable(b"x" * 300_000, 7) + zstd(TWO),
        zstd(ONE) + zstd(TWO) + skippable(b"an index of all frames", 14),
    ],
    ids=["pzstd", "first", "between", "last"],
)
def test_frames_of_zstd_that_hold_no_text_are_passed_over(tmp_path: Path, data: bytes) -> None:
    assert text(tmp_path / "a.zst", data) == (ONE + TWO, None, False)


def test_a_frame_that_holds_no_text_and_is_cut_is_said(tmp_path: Path) -> None:
    assert text(tmp_path / "a.zst", zstd(ONE) + skippable(b"x" * 100)[:-1]) == (ONE, "truncated zstd data", True)


def test_as_many_lengths_as_frames_are_no_attack() -> None:
    frame = with_its_length(bytes(2000))
    budget = Budget(packed=len(frame) * MOST_SMALL_FRAMES)
    many = ByteStream(iter([frame * 100] * (MOST_SMALL_FRAMES // 100 + 1)))
    assert sum(len(piece) for piece in unpacked(many, budget)) == 2000 * (MOST_SMALL_FRAMES + 100)


@pytest.mark.parametrize("packer", PACKERS)
@pytest.mark.parametrize("zeros", [1, 4, 512, 1 << 20])
def test_zeros_between_frames_are_padding(tmp_path: Path, packer: str, zeros: int) -> None:
    pack, padding = PACKERS[packer], bytes(zeros)
    assert text(tmp_path / "x", pack(ONE) + padding + pack(TWO) + padding) == (ONE + TWO, None, False)


@pytest.mark.parametrize("packer", PACKERS)
def test_anything_else_behind_a_frame_is_said(tmp_path: Path, packer: str) -> None:
    pack = PACKERS[packer]
    said = f"something else follows the {packer} data; that part was not read"
    for between in (b"junk", bytes(100) + b"junk"):
        assert text(tmp_path / "x", pack(ONE) + between + pack(TWO)) == (ONE, said, True)


def test_frames_of_different_kinds_follow_one_another(tmp_path: Path) -> None:
    mixed = b"".join(pack(ONE) for pack in PACKERS.values())
    assert text(tmp_path / "x", mixed) == (ONE * len(PACKERS), None, False)


def test_frames_without_text_are_read_like_others(tmp_path: Path) -> None:
    for pack in PACKERS.values():
        assert text(tmp_path / "x", pack(b"") + pack(ONE)) == (ONE, None, False)


@pytest.mark.parametrize("start", [b"]", b"]\0\0", b"] 00:00:01 node-1: up\n", b"]\0\0\x80\0 text that follows"])
def test_a_bracket_is_no_lzma(start: bytes) -> None:
    assert compression(ByteStream(iter([start]))) is None


def test_lzma_is_read_whatever_length_it_states(tmp_path: Path) -> None:
    open_end = lzma_alone(ONE)
    assert open_end[5:13] == b"\xff" * 8
    assert text(tmp_path / "a.lzma", open_end[:5] + len(ONE).to_bytes(8, "little") + open_end[13:])[0] == ONE


@given(st.binary(max_size=300), st.integers(0, 15), st.integers(1, 40))
def test_any_frame_without_text_is_passed_over_in_pieces_of_any_length(data: bytes, variant: int, piece: int) -> None:
    whole = skippable(data, variant) + zstd(ONE)
    pieces = [whole[at : at + piece] for at in range(0, len(whole), piece)]
    assert b"".join(unpacked(ByteStream(iter(pieces)), Budget())) == ONE
