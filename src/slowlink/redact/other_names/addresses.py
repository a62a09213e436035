"""Addresses of networks and ports to others of the same kind: same width, same subnets, one to one.

Which ranges mean something (private, link-local, loopback, multicast) stays visible: RFC 1918, 3927, 4193, 4291, 6598.
Subnets are kept as the mapping of a part depends on the parts before it only, as in prefix-preserving anonymisation
(Xu, Fan, Ammar, Moon 2002), with counters instead of a cipher.
"""

from __future__ import annotations

import ipaddress

_RESERVED_FIRST = frozenset({0, 10, 100, 127, 169, 172, 192, *range(224, 256)})
_EVERY = frozenset(range(256))
_WITHOUT_MARKS = str.maketrans("", "", ":.-")
_LOOPBACK = (0, 0, 0, 0, 0, 0, 0, 1)
"""``::1`` stays what it is, so nothing else may become it."""


class Addresses:
    """The mapping of one bundle."""

    def __init__(self) -> None:
        self._octets: dict[tuple[int, ...], dict[int, int]] = {}
        self._hextets: dict[tuple[int, ...], dict[int, int]] = {}
        self._ids: dict[str, str] = {}
        self.known: dict[str, str] = {}
        """Every address as it stood, and what stands for it."""

    def v4(self, text: str) -> str | None:
        """``10.3.17.4`` to another; None when ``text`` is no address."""
        parts = text.split(".")
        octets = tuple(int(part) for part in parts)
        if (
            len(octets) != 4
            or max(octets) > 255
            or any(str(octet) != part for octet, part in zip(octets, parts, strict=True))
        ):
            return None
        return self._remember(text, ".".join(map(str, self._v4(octets))))

    def v6(self, text: str) -> str | None:
        """``fe80::1`` to another, as short or as long as it was; None when ``text`` is no address."""
        try:
            address = ipaddress.IPv6Address(text)
        except ValueError:
            return None
        if address.is_unspecified or address.is_loopback or address.is_multicast:
            return text
        groups = tuple(int(group, 16) for group in address.exploded.split(":"))
        made = ipaddress.IPv6Address(":".join(f"{group:x}" for group in self._v6(groups)))
        return self._remember(text, made.exploded if len(text) == 39 else made.compressed)

    def identifier(self, text: str) -> str:
        """A GUID or a MAC address to a counted one, written as it was."""
        lead = text[:2] if text[:2] in ("0x", "0X") else ""
        body = text[len(lead) :]
        key = body.translate(_WITHOUT_MARKS).lower()
        if key not in self._ids:
            self._ids[key] = f"{len(self._ids) + 1:0{len(key)}x}"
        digits = iter(self._ids[key])
        return self._remember(text, lead + "".join(mark if mark in ":.-" else next(digits) for mark in body))

    def _remember(self, text: str, made: str) -> str:
        if made != text:
            self.known[text] = made
        return made

    def _v4(self, octets: tuple[int, ...]) -> tuple[int, ...]:
        if octets[0] in (0, 127) or octets[0] >= 224:
            return octets
        return tuple(self._octet(octets[:place], octets[place]) for place in range(4))

    def _octet(self, parents: tuple[int, ...], octet: int) -> int:
        among = _second(parents[0], octet) if len(parents) == 1 else _others(len(parents))
        if octet not in among:
            return octet
        taken = self._octets.setdefault(parents, {})
        if octet not in taken:
            used = set(taken.values())
            width = len(str(octet))
            taken[octet] = next(new for new in sorted(among) if len(str(new)) == width and new not in used)
        return taken[octet]

    def _v6(self, groups: tuple[int, ...]) -> tuple[int, ...]:
        if groups[:6] == (0, 0, 0, 0, 0, 0xFFFF):
            a, b, c, d = self._v4((groups[6] >> 8, groups[6] & 255, groups[7] >> 8, groups[7] & 255))
            return (*groups[:6], a << 8 | b, c << 8 | d)
        return tuple(self._hextet(groups[:place], groups[place]) for place in range(8))

    def _hextet(self, parents: tuple[int, ...], group: int) -> int:
        is_global = 0x2000 <= group < 0x4000
        if group == 0 or (not parents and not is_global):
            return group
        taken = self._hextets.setdefault(parents, {})
        least = 0x2000 if not parents else 2 if parents == _LOOPBACK[:-1] else 1
        return taken.setdefault(group, least + len(taken))


def _others(place: int) -> frozenset[int]:
    """Among which values an octet is mixed; a network's own number and its broadcast stay."""
    if place == 0:
        return _EVERY - _RESERVED_FIRST
    return _EVERY - {0, 255} if place == 3 else _EVERY


def _second(first: int, octet: int) -> frozenset[int]:
    """Second octets that mean the same as ``octet`` below ``first``."""
    private = {172: range(16, 32), 192: range(168, 169), 169: range(254, 255), 100: range(64, 128)}.get(first)
    if private is None:
        return _EVERY
    return frozenset(private) if octet in private else _EVERY - frozenset(private)
