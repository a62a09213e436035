"""What a file is that is no text, and that no text is taken for one."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowlink.inputs.kinds import kind_of
from slowlink.inputs.stream import ByteStream
from slowlink.inputs.text import binary_kind


@pytest.mark.parametrize(
    ("start", "words"),
    [
        (b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x03\x00", "a program or library (ELF)"),
        (b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x04\x00", "a dump of a program's memory (core)"),
        (b"\xff\xd8\xff\xe0\x00\x10JFIF\x00", "an image (JPEG)"),
        (b"\x00\x00\x00\x20ftypisom\x00\x00\x02\x00", "a video or an image (MP4)"),
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "a document (PDF)"),
        (b"SQLite format 3\x00\x10\x00", "a database (SQLite)"),
        (b"\x80\x04\x95\x1e\x00", "a Python pickle, as old checkpoints are"),
        (struct.pack("<Q", 900) + b'{"__metadata__":{"format":"pt"},', "the weights of a model (safetensors)"),
        (b"GGUF\x03\x00\x00\x00", "the weights of a model (GGUF)"),
        (b"LPKSHHRH\x00\x00\x00\x00", "a journal of systemd (print it with: journalctl --file FILE)"),
        (b"\xd4\xc3\xb2\xa1\x02\x00\x04\x00", "a capture of packets (pcap)"),
    ],
)
def test_a_signature_tells(start: bytes, words: str) -> None:
    assert kind_of(start) == words
    assert binary_kind(ByteStream(iter([start + bytes(100)]))) == words


@pytest.mark.parametrize(
    "text", ["RIFF raff", "GIF89a is a format", "PAR1 and PAR2", "ftyp", "abcdftyp", "hsqs", "GGUF models"]
)
def test_words_that_look_like_a_signature_are_text(text: str) -> None:
    assert binary_kind(ByteStream(iter([text.encode()]))) is None


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"]) | st.sampled_from("\t\n"), min_size=1, max_size=300))
def test_no_text_is_binary(text: str) -> None:
    data = text.encode()
    if not data.startswith((b"%PDF-", b"!<arch>\n")):
        assert binary_kind(ByteStream(iter([data]))) is None
