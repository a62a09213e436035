"""What a file is that is no text, and that no text is taken for one."""

from __future__ import annotations

import base64
import binascii
import random
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
        (b"\xd4\xc3\xb2\xa1\x02\x00\x04\x00", "a capture of packets (pcap)"),
    ],
)
def test_a_signature_tells(start: bytes, words: str) -> None:
    assert (kind_of(start) or ()) == (words, False)
    assert binary_kind(ByteStream(iter([start + bytes(100)]))) == (words, False)


@pytest.mark.parametrize(
    ("start", "words"),
    [
        (b"LPKSHHRH\0\0\0\0", "a journal of systemd (print it with: journalctl --file FILE)"),
        (b"7z\xbc\xaf\x27\x1c\0\4", "a 7z archive (unpack it first)"),
        (b"Rar!\x1a\x07\x01\0", "a RAR archive (unpack it first)"),
        (b"\x04\x22\x4d\x18\x64\x40\xa7", "compressed with lz4 (unpack it first)"),
        (b"\x1f\x9d\x90\x61", "compressed with compress (unpack it first)"),
        (b"LZIP\x01\x17", "compressed with lzip (unpack it first)"),
        (b"Salted__\0\x93\x11", "encrypted (openssl)"),
        (b"$ANSIBLE_VAULT;1.1;AES256\n6162", "encrypted (Ansible Vault)"),
        (b"-----BEGIN AGE ENCRYPTED FILE-----\nYWdl", "encrypted (age)"),
        (b"070701" + b"0" * 104 + b"a.log\0", "a cpio archive (unpack it first)"),
        (b"PK\x07\x08PK\x03\x04\x14\0", "a part of a zip archive that was split (join its parts first)"),
    ],
)
def test_what_may_hold_logs_and_is_not_read(start: bytes, words: str) -> None:
    assert kind_of(start) == (words, True)


@pytest.mark.parametrize(("name", "is_evidence"), [("dmesg.log", True), ("model.safetensors", False)])
def test_a_pointer_of_git_stands_for_what_its_name_says(name: str, is_evidence: bool) -> None:
    start = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n"
    assert kind_of(start, name) == ("a pointer of Git LFS: the content lies elsewhere", is_evidence)


@pytest.mark.parametrize(
    ("name", "is_evidence"),
    [
        ("logs/stdout", True),
        ("rank0.log", True),
        ("job.log.br", True),
        ("core.4711", True),
        ("weights/rank0.bin", False),
        ("runs/events.out.tfevents.1700000000.node07.1", False),
        ("step_100.pt!archive/data/0", False),
    ],
)
def test_data_that_nobody_knows_counts_as_unread_unless_its_name_says_what_it_is(name: str, is_evidence: bool) -> None:
    packed = random.Random(7).randbytes(6000)
    assert binary_kind(ByteStream(iter([packed])), name) == ("binary data", is_evidence)


def test_text_of_other_alphabets_and_serial_consoles_is_no_binary_data() -> None:
    chinese = "节点七的显卡掉线了，作业失败\n".encode("gbk") * 200
    console = b"[   12.3] mlx5_core 0000:17:00.0: port up\r\0\0\n" * 200
    assert binary_kind(ByteStream(iter([chinese]))) is None
    assert binary_kind(ByteStream(iter([console]))) is None


@pytest.mark.parametrize(
    "text", ["RIFF raff", "GIF89a is a format", "PAR1 and PAR2", "ftyp", "abcdftyp", "hsqs", "GGUF models", "070701 up"]
)
def test_words_that_look_like_a_signature_are_text(text: str) -> None:
    assert binary_kind(ByteStream(iter([text.encode()]))) is None


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"]) | st.sampled_from("\t\n"), min_size=1, max_size=300))
def test_no_text_is_binary(text: str) -> None:
    data = text.encode()
    if not data.startswith((b"%PDF-", b"!<arch>\n")):
        assert binary_kind(ByteStream(iter([data]))) is None


LOG = b"[  123.456] NVRM: Xid (PCI:0000:1b:00): 79, pid=4711, GPU has fallen off the bus.\n" * 40


@pytest.mark.parametrize(
    ("start", "words"),
    [
        (base64.encodebytes(LOG), "Base64 (decode it first)"),
        (base64.encodebytes(LOG)[:1000], "Base64 (decode it first)"),
        (base64.b64encode(LOG), "Base64 (decode it first)"),
        (b"begin 644 job.log\n" + binascii.b2a_uu(LOG[:45]), "uuencoded (decode it first)"),
        (LOG.decode().replace("\n", "\x85").encode("cp500"), "text in EBCDIC (convert it first)"),
    ],
)
def test_text_in_another_writing_is_named(start: bytes, words: str) -> None:
    assert kind_of(start) == (words, True)


@pytest.mark.parametrize(
    "start",
    [
        LOG,
        b"deadbeef\n" * 7,
        b"0000000000000001\n" * 6 + b"end of counters\n",
        b"begin 12 of 64 ranks\n",
        b"node01\nnode02\nnode03\nnode04\nnode5\nnode06\nnode07\nnode08\nnode09\nnode10\n",
    ],
)
def test_plain_text_is_in_no_other_writing(start: bytes) -> None:
    assert kind_of(start) is None
