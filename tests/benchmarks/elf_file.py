"""Writes the smallest ELF file that asks for libraries, as a linker lays it out."""

from __future__ import annotations

import struct


def elf(libraries: list[str], *, extra: bytes = b"", wide: bool = True, order: str = "<") -> bytes:
    """An executable with one PT_LOAD and one PT_DYNAMIC segment; ``extra`` lies behind them."""
    strings = b"\0" + b"".join(name.encode() + b"\0" for name in libraries)
    offsets, at = [], 1
    for name in libraries:
        offsets.append(at)
        at += len(name) + 1
    header, segment, entry = (64, 56, "qQ") if wide else (52, 32, "iI")
    size = struct.calcsize(order + entry)
    base = 0x400000
    dynamic_at = header + 2 * segment
    strings_at = dynamic_at + size * (len(libraries) + 3)
    entries = [*((1, offset) for offset in offsets), (5, base + strings_at), (10, len(strings)), (0, 0)]
    dynamic = b"".join(struct.pack(order + entry, tag, value) for tag, value in entries)
    total = strings_at + len(strings) + len(extra)

    def program_header(kind: int, offset: int, length: int) -> bytes:
        if wide:
            return struct.pack(order + "IIQQQQQQ", kind, 5, offset, base + offset, 0, length, length, 4096)
        return struct.pack(order + "IIIIIIII", kind, offset, base + offset, 0, length, length, 5, 4096)

    ident = b"\x7fELF" + bytes([2 if wide else 1, 1 if order == "<" else 2, 1]) + bytes(9)
    word = "Q" if wide else "I"
    rest = struct.pack(
        order + f"HHI{word}{word}{word}IHHHHHH", 2, 62, 1, base, header, 0, 0, header, segment, 2, 0, 0, 0
    )
    headers = program_header(1, 0, total) + program_header(2, dynamic_at, len(dynamic))
    return ident + rest + headers + dynamic + strings + extra
