"""What a file is that is no text, by its first bytes: nobody can read a log in it, and its name says little."""

from __future__ import annotations

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
    (0, b"LPKSHHRH", "a journal of systemd (print it with: journalctl --file FILE)"),
    (0, b"KDUMP   ", "a dump of a kernel's memory"),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7z archive (unpack it first)"),
    (0, b"Rar!\x1a\x07", "a RAR archive (unpack it first)"),
    (0, b"\x04\x22\x4d\x18", "compressed with lz4 (unpack it first)"),
    (0, b"\x1f\x9d", "compressed with compress (unpack it first)"),
    (0, b"hsqs", "a file system (squashfs)"),
)
"""(offset, bytes, what begins so). Each is the format's own signature."""

_ALONE = (b"%PDF-", b"!<arch>\n")
"""Signatures that a text could begin with, and does not. Others that are letters count beside a byte of no text."""
_ELF_TYPE = slice(16, 18)
_CORE = (b"\x04\x00", b"\x00\x04")


def kind_of(start: bytes) -> str | None:
    """What begins with ``start`` and is no text, in words; None for what has no known signature."""
    for offset, magic, words in _SIGNATURES:
        if start[offset : offset + len(magic)] == magic and (b"\0" in start or magic in _ALONE or not _is_text(magic)):
            is_core = magic == b"\x7fELF" and start[_ELF_TYPE] in _CORE
            return "a dump of a program's memory (core)" if is_core else words
    return "the weights of a model (safetensors)" if _is_safetensors(start) else None


def _is_text(magic: bytes) -> bool:
    return magic.isascii() and magic.decode("ascii").isprintable()


def _is_safetensors(start: bytes) -> bool:
    """The length of a JSON header in eight bytes, and that header."""
    return start[8:10] == b'{"' and 2 < int.from_bytes(start[:8], "little") < 1 << 32
