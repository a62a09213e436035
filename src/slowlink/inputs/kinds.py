"""What a file is that is no text, by its first bytes: nobody can read a log in it, and its name says little."""

from __future__ import annotations

import re
from typing import NamedTuple

from slowlink.patterns import regex


class Kind(NamedTuple):
    """What a file is that is no text."""

    words: str
    may_hold_logs: bool
    """Text may be inside, and we do not read it: packed, encrypted, or of a kind that nobody knows."""


_PACKED: tuple[tuple[int, bytes, str], ...] = (
    (0, b"7z\xbc\xaf\x27\x1c", "a 7z archive (unpack it first)"),
    (0, b"Rar!\x1a\x07", "a RAR archive (unpack it first)"),
    (0, b"MSCF\0\0\0\0", "a cabinet archive (unpack it first)"),
    (0, b"xar!\0", "a xar archive (unpack it first)"),
    (0, b"\xc7\x71", "a cpio archive (unpack it first)"),
    (0, b"PK\x07\x08", "a part of a zip archive that was split (join its parts first)"),
    (0, b"\x04\x22\x4d\x18", "compressed with lz4 (unpack it first)"),
    (0, b"\x02\x21\x4c\x18", "compressed with lz4 (unpack it first)"),
    (0, b"\x1f\x9d", "compressed with compress (unpack it first)"),
    (0, b"\x1f\xa0", "compressed with lzh (unpack it first)"),
    (0, b"\x1f\x1e", "compressed with pack (unpack it first)"),
    (0, b"\x1f\x8b", "compressed with gzip, and damaged"),
    (0, b"LZIP\x01", "compressed with lzip (unpack it first)"),
    (0, b"LRZI", "compressed with lrzip (unpack it first)"),
    (0, b"\x89LZO\0\r\n\x1a\n", "compressed with lzop (unpack it first)"),
    (0, b"\xff\x06\0\0sNaPpY", "compressed with snappy (unpack it first)"),
    (0, b"x\x01", "compressed with zlib (unpack it first)"),
    (0, b"Salted__", "encrypted (openssl)"),
    (0, b"-----BEGIN PGP MESSAGE-----", "encrypted (PGP)"),
    (0, b"age-encryption.org/", "encrypted (age)"),
    (0, b"-----BEGIN AGE ENCRYPTED FILE-----", "encrypted (age)"),
    (0, b"$ANSIBLE_VAULT;", "encrypted (Ansible Vault)"),
    (0, b"LPKSHHRH", "a journal of systemd (print it with: journalctl --file FILE)"),
    (0, b"ElfFile\0", "an event log of Windows (export it as text)"),
    (0, b"hsqs", "a file system (squashfs)"),
)
"""(offset, bytes, what begins so): what text may be in."""

_SIGNATURES: tuple[tuple[int, bytes, str], ...] = (
    (0, b"\x7fELF", "a program or library (ELF)"),
    (0, b"!<arch>\n", "a library or package (ar)"),
    (0, b"\xed\xab\xee\xdb", "a package (RPM)"),
    (0, b"\xcf\xfa\xed\xfe", "a program (Mach-O)"),
    (0, b"\xca\xfe\xba\xbe", "a program (Java class or Mach-O)"),
    (0, b"\x89PNG", "an image (PNG)"),
    (0, b"\xff\xd8\xff", "an image (JPEG)"),
    (0, b"GIF8", "an image (GIF)"),
    (0, b"RIFF", "an image, a sound or a video (RIFF)"),
    (0, b"II*\0", "an image (TIFF)"),
    (0, b"MM\0*", "an image (TIFF)"),
    (4, b"ftyp", "a video or an image (MP4)"),
    (0, b"%PDF-", "a document (PDF)"),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a document of an office program"),
    (0, b"SQLite format 3\0", "a database (SQLite)"),
    (0, b"\x93NUMPY", "an array (NumPy)"),
    (0, b"\x89HDF\r\n", "data or a checkpoint (HDF5)"),
    (0, b"PAR1", "a table (Parquet)"),
    (0, b"ARROW1", "a table (Arrow)"),
    (0, b"GGUF", "the weights of a model (GGUF)"),
    (0, b"\x80\x02", "a Python pickle, as old checkpoints are"),
    (0, b"\x80\x03", "a Python pickle, as old checkpoints are"),
    (0, b"\x80\x04", "a Python pickle, as old checkpoints are"),
    (0, b"\x80\x05", "a Python pickle, as old checkpoints are"),
    (0, b"\xd4\xc3\xb2\xa1", "a capture of packets (pcap)"),
    (0, b"\xa1\xb2\xc3\xd4", "a capture of packets (pcap)"),
    (0, b"\x0a\x0d\x0d\x0a", "a capture of packets (pcapng)"),
    (0, b"KDUMP   ", "a dump of a kernel's memory"),
    (0, b"PACK\0\0\0", "a pack of git"),
    (0, b"DIRC\0\0\0", "an index of git"),
    (0, b"\xfftOc", "an index of git"),
)
"""(offset, bytes, what begins so): data, programs and pictures. Each is the format's own signature."""

_POINTER = b"version https://git-lfs.github.com/spec/"
_ALONE = (
    *(b"%PDF-", b"!<arch>\n", b"-----BEGIN PGP MESSAGE-----", b"-----BEGIN AGE ENCRYPTED FILE-----"),
    b"$ANSIBLE_VAULT;",
)
"""Signatures that a text could begin with, and does not. Others that are letters count beside a byte of no text."""
_DATA = """
    bin ckpt cubin dll engine exe distcp fatbin gds idx jar ko lib mo mp3 mp4 npy npz nsys-rep o obj onnx pb pickle pkl
    plan pt pth pyc pyd qdrep qdstrm rdb safetensors so tfevents tfrecord ttf wasm webp whl woff woff2
"""
_DATA_SUFFIXES = frozenset(_DATA.split())
"""Names of data, weights and programs: what nobody would look for a log in."""
_EVENTS = "tfevents"
"""Event files of training carry it in the middle of their names."""
_CPIO, _CPIO_BYTES = (b"070701", b"070702", b"070707"), 76
"""Its header is digits alone; so many of them in the shorter form."""
_GIT_OBJECT = regex(r"objects/[0-9a-f]{2}/[0-9a-f]{38,62}$")
_BASE64 = re.compile(rb"[A-Za-z0-9+/_\r\n-]*={0,2}[\r\n]*")
_LINES_OF_BASE64, _LONG_BASE64, _LETTERS_OF_BASE64 = 8, 2000, 30
_UUENCODED = re.compile(rb"begin [0-7]{3,4} [^\r\n]{1,200}\r?\n(?:M[ -`]{60}\r?\n|[ -`]{1,61}\r?\n[ `]?\r?\n?end)")
_EBCDIC_LETTERS = bytes(
    [
        *range(0x81, 0x8A),
        *range(0x91, 0x9A),
        *range(0xA2, 0xAA),
        *range(0xC1, 0xCA),
        *range(0xD1, 0xDA),
        *range(0xE2, 0xEA),
        *range(0xF0, 0xFA),
    ]
)
_LEAST_EBCDIC = 64
_ELF_TYPE = slice(16, 18)
_CORE = (b"\x04\x00", b"\x00\x04")


def kind_of(start: bytes, name: str = "") -> Kind | None:
    """What begins with ``start`` and is no text; None for what has no known signature. ``name`` tells where it lies."""
    if start.startswith(b"x\x01") and _GIT_OBJECT.search(name):
        return Kind("an object of git", False)
    if (words := _signature(start, _PACKED)) is not None:
        return Kind(words, True)
    if start.startswith(_POINTER):
        return Kind("a pointer of Git LFS: the content lies elsewhere", unknown(name).may_hold_logs)
    if start[:6] in _CPIO and start[6:_CPIO_BYTES].isalnum() and len(start) > _CPIO_BYTES:
        return Kind("a cpio archive (unpack it first)", True)
    if (words := _signature(start, _SIGNATURES)) is not None:
        is_core = start.startswith(b"\x7fELF") and start[_ELF_TYPE] in _CORE
        return Kind("a dump of a program's memory (core)" if is_core else words, False)
    if _is_safetensors(start):
        return Kind("the weights of a model (safetensors)", False)
    words = next((words for is_such, words in _ENCODED if is_such(start)), None)
    return Kind(words, True) if words is not None else None


def _is_base64(start: bytes) -> bool:
    """Lines of one length, as base64, openssl and mail programs write them, or one that is long."""
    lines = start.split(b"\n")
    first, whole = lines[0].rstrip(b"\r"), lines[: max(1, len(lines) - 2)]
    enough = (len(whole) >= _LINES_OF_BASE64 or len(first) >= _LONG_BASE64) and len(set(start)) >= _LETTERS_OF_BASE64
    return (
        enough and all(len(line.rstrip(b"\r")) == len(first) for line in whole) and _BASE64.fullmatch(start) is not None
    )


def _is_uuencoded(start: bytes) -> bool:
    return _UUENCODED.match(start) is not None


def _is_ebcdic(start: bytes) -> bool:
    """Mostly its letters, blanks (0x40) between them, and no end of a line as ASCII has it."""
    letters = len(start) - len(start.translate(None, _EBCDIC_LETTERS))
    blanks = start.count(0x40)
    return len(start) > _LEAST_EBCDIC and b"\n" not in start and 20 * blanks > len(start) and 2 * letters > len(start)


def unknown(name: str) -> Kind:
    """Data that nobody knows. Its name, and those of the archives around it, are all there is to tell whether it was
    to be read."""
    names = [part.rpartition("/")[2] for part in name.lower().split("!")]
    is_data = any(part.rpartition(".")[2] in _DATA_SUFFIXES or _EVENTS in part for part in names)
    return Kind("binary data", may_hold_logs=not is_data)


_ENCODED = (
    (_is_uuencoded, "uuencoded (decode it first)"),
    (_is_base64, "Base64 (decode it first)"),
    (_is_ebcdic, "text in EBCDIC (convert it first)"),
)
"""What text may be in although every byte could be text's."""


def _signature(start: bytes, table: tuple[tuple[int, bytes, str], ...]) -> str | None:
    for offset, magic, words in table:
        if start[offset : offset + len(magic)] == magic and (b"\0" in start or magic in _ALONE or not _is_text(magic)):
            return words
    return None


def _is_text(magic: bytes) -> bool:
    return magic.isascii() and magic.decode("ascii").isprintable()


def _is_safetensors(start: bytes) -> bool:
    """The length of a JSON header in eight bytes, and that header."""
    return start[8:10] == b'{"' and 2 < int.from_bytes(start[:8], "little") < 1 << 32
