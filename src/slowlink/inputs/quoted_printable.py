"""Quoted-printable: ``=3D`` for an equals sign, and lines cut with ``=`` at 76 characters.

A text where equals signs are set is no such text as soon as one of them is not followed by two digits or the end of its
line; and what is no character of a text (``=01``) is a value and no code.

Source: RFC 2045, 6.7.
"""

from __future__ import annotations

import re

WIDEST = 76
LEAST_CUT = 70
"""Programs cut where 76 is full, or shortly before it."""
_CODE = re.compile(rb"=([2-7][0-9A-Fa-f]|[89A-Fa-f][0-9A-Fa-f]|0[9AaDd]|1[Bb])")
_BASE64 = re.compile(rb"[A-Za-z0-9+/=]*")
SURE = b"=3D"


def is_cut(line: bytes) -> bool:
    """Does a line without its end go on in the next one? It is as long as these are, has nothing but codes, and is not
    in Base64, where the last line may look so."""
    is_long = line.endswith(b"=") and LEAST_CUT <= len(line) <= WIDEST
    return is_long and is_coded(line) and _BASE64.fullmatch(line) is None


def goes_on(line: bytes) -> bool:
    return line.endswith(b"=")


def is_coded(line: bytes) -> bool:
    """Stands every equals sign for a code, or for a cut?"""
    return line.count(b"=") == len(_CODE.findall(line)) + line.endswith(b"=")


def is_surely_coded(line: bytes) -> bool:
    """Does a line hold a code for the equals sign, and nothing that is none?"""
    return SURE in line and len(line) <= WIDEST and is_coded(line)


def plain(line: bytes) -> bytes:
    """A line (without its end) as it was; ends of lines inside it become carriage returns, so that it stays one."""
    text = _CODE.sub(lambda found: bytes((int(found[1], 16),)), line[:-1] if line.endswith(b"=") else line)
    return text.replace(b"\r\n", b"\r").replace(b"\n", b"\r")


def is_sign(lines: list[bytes]) -> bool:
    """Do these lines, one behind the other as one, show that they are written so? Two cuts, or one and a code."""
    cuts = sum(is_cut(line) for line in lines)
    return cuts > 1 or (cuts == 1 and any(SURE in line for line in lines))


def is_whole(text: bytes) -> bool:
    """Is every line of ``text`` written so, with cuts?"""
    lines = text.replace(b"\r\n", b"\n").split(b"\n")
    return is_sign(lines) and all(len(line) <= WIDEST and is_coded(line) for line in lines)
