"""The two ends of a perftest run, by the addresses that it prints of them.

Each queue pair has a line for this side and one for the other, with a GID below each where there are GIDs::

     local address: LID 0x11 QPN 0x0130 PSN 0x3ff1bc
     GID: 254:128:00:00:00:00:00:00:12:52:86:03:00:13:18:166
     remote address: LID 0x11 QPN 0x0131 PSN 0x3eb82d
     GID: 254:128:00:00:00:00:00:00:12:52:86:03:00:13:18:166
"""

from __future__ import annotations

from msgspec import Struct, field

from slowlink.patterns import regex

_LID = regex(r"\s*(?P<side>local|remote) address:\s+LID (?P<lid>0x[0-9a-fA-F]{1,8}|\d{1,6})\b")
_GID = regex(r"\s*GID:\s+(?P<gid>[0-9a-fA-F:]{15,79})\s*")

_LINK_LOCAL = regex(r"254:128:|fe:?80:")


class Ends(Struct):
    """Addresses of one run so far, of all its queue pairs and of whichever sides printed."""

    lids: dict[str, set[str]] = field(default_factory=lambda: {"local": set(), "remote": set()})
    gids: dict[str, set[str]] = field(default_factory=lambda: {"local": set(), "remote": set()})
    _side: str = ""

    def add(self, text: str) -> None:
        """A line of an address or of a GID; any other says nothing."""
        if (named := _LID.match(text)) is not None:
            self._side = named["side"]
            self.lids[self._side].add(named["lid"].lower().removeprefix("0x").lstrip("0"))
        elif self._side and (gid := _GID.fullmatch(text)) is not None:
            self.gids[self._side].add(gid["gid"].lower())

    def are_link_local(self) -> bool:
        """Are the GIDs of this side link-local (fe80::/10), in decimal bytes or in hexadecimal ones?"""
        gids = self.gids["local"]
        return bool(gids) and all(_LINK_LOCAL.match(gid) for gid in gids)

    def are_one_port(self) -> bool:
        """Do all addresses of both ends name the same port? A LID of 0 is none; where there are GIDs they decide, since
        a LID is of one subnet only."""
        ends = self.gids if any(self.gids.values()) else self.lids
        return len(ends["local"]) == 1 and ends["local"] == ends["remote"] and "" not in ends["local"]
