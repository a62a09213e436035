"""Who may read: the names by which we are called, and the token. Nothing here is of a framework."""

from __future__ import annotations

import hmac
import os
import secrets
import socket
import stat
import time
from collections.abc import Callable, Collection
from http.cookies import CookieError, SimpleCookie
from ipaddress import ip_address
from pathlib import Path

from slowlink.errors import SlowlinkError
from slowlink.inputs.small_text import small_text

COOKIE = "slowlink"
LONGEST_S = 12 * 3600
"""A browser is asked for the token again after this time."""
_LEAST_TOKEN, _MOST_TOKEN = 16, 400
LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


def is_loopback(listener: socket.socket) -> bool:
    """Do programs of this machine alone reach it?"""
    return ip_address(str(listener.getsockname()[0]).partition("%")[0]).is_loopback


def token_in(path: Path) -> str:
    """The one line of a file that is for its owner alone. Raises SlowlinkError ``token-file``."""
    try:
        if stat.S_IMODE(os.stat(path).st_mode) & 0o077:  # noqa: PTH116
            raise SlowlinkError(
                f"others than its owner may read or change {path}", hint=f"chmod 600 {path}", slug="token-file"
            )
        token = small_text(path, 4096).strip()
    except OSError as error:
        raise SlowlinkError(
            f"cannot read the token in {path}: {error.strerror or error}", hint="a file of one line", slug="token-file"
        ) from error
    if not _LEAST_TOKEN <= len(token) <= _MOST_TOKEN or not token.isascii() or not token.isprintable() or " " in token:
        raise SlowlinkError(
            f"the token in {path} is not one line of {_LEAST_TOKEN} to {_MOST_TOKEN} plain characters without spaces",
            hint="python3 -c 'import secrets; print(secrets.token_urlsafe())' makes one",
            slug="token-file",
        )
    return token


def new_token() -> str:
    """256 bits."""
    return secrets.token_urlsafe()


class Door:
    """``names``: what a browser may call us; empty: anything, as a page under another name has no cookie of ours.
    ``token``: "" lets everybody in who reaches us."""

    def __init__(self, names: Collection[str], token: str, clock: Callable[[], float] = time.time) -> None:
        self._names = frozenset(name.lower() for name in names)
        self._token = token
        self._key = secrets.token_bytes(32)
        self._clock = clock

    def knows_name(self, host: str) -> bool:
        """Is this Host header ours? A page of somebody else whose name leads here (DNS rebinding) has its own."""
        name = _name_of(host)
        return name is not None and (not self._names or name in self._names)

    def is_own_origin(self, origin: str, host: str) -> bool:
        """Does a request with this Origin header come from a page of ours?"""
        scheme, _, rest = origin.partition("://")
        return scheme in ("http", "https") and rest.lower() == host.lower()

    @property
    def asks(self) -> bool:
        """Does it ask for a token?"""
        return bool(self._token)

    def opens(self, token: str) -> bool:
        """Is this the token? Takes the same time for every wrong one."""
        return hmac.compare_digest(token.encode("utf-8", "replace"), self._token.encode())

    def admits(self, authorization: str, cookies: str) -> bool:
        """By the headers of a request."""
        if not self.asks:
            return True
        scheme, _, token = authorization.partition(" ")
        if scheme.lower() == "bearer" and self.opens(token.strip()):
            return True
        return self._is_pass(_cookie(cookies))

    def new_pass(self) -> str:
        """For a cookie: since when, and a seal that only this process can make."""
        since = str(int(self._clock()))  # never of a moment to come
        return f"{since}.{self._seal(since)}"

    def _is_pass(self, text: str) -> bool:
        since, _, seal = text.partition(".")
        if not hmac.compare_digest(seal.encode("utf-8", "replace"), self._seal(since).encode()):
            return False
        return since.isdecimal() and 0 <= self._clock() - int(since) < LONGEST_S

    def _seal(self, since: str) -> str:
        return hmac.new(self._key, since.encode("utf-8", "replace"), "sha256").hexdigest()


def _name_of(host: str) -> str | None:
    """Without the port; None for what is no host."""
    if not host.isascii() or not host.isprintable() or len(host) > 300:
        return None
    if host.startswith("["):
        name, bracket, port = host[1:].partition("]")
        port = port.removeprefix(":") if bracket else "?"
    else:
        name, _, port = host.partition(":")
    if not name or (port and not port.isdecimal()):
        return None
    return name.lower().removesuffix(".")


def _cookie(header: str) -> str:
    try:
        found = SimpleCookie(header[:4096]).get(COOKIE)
    except CookieError:
        return ""
    return found.value if found is not None else ""
