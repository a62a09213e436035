"""What every request goes through before any page, and every answer before it leaves."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from slowlink.report.web.page import POLICY
from slowlink.workflows.web.door import Door

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Refusal = Callable[[int], App]
"""The page that says why, by its status."""

LOGIN = "/login"
OPEN_TO_ALL = frozenset({LOGIN, "/style.css", "/page.js"})
"""What the page that asks for the token needs; none of it tells anything of a cluster."""
_HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    # Not "no-referrer": then a browser says of our own form, too, that it comes from nowhere.
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
_MOST_PATH = 200


class Guarded:
    """``app`` behind a door. Nothing of a request that does not come through is looked at."""

    def __init__(self, app: App, door: Door, refusal: Refusal) -> None:
        self._app, self._door, self._refusal = app, door, refusal

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":  # a socket of the web; nothing here speaks that
            await send({"type": "websocket.close", "code": 1000})
            return

        async def told(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                headers = [*message.get("headers", ()), *_HEADERS]
                if not any(name == b"cache-control" for name, _ in headers):
                    headers.append((b"cache-control", b"no-store"))
                message = {**message, "headers": headers}
            await send(message)

        status = self._status(scope)
        await (self._refusal(status) if status else self._app)(scope, receive, told)

    def _status(self, scope: Scope) -> int:
        """Why it is refused; 0 where it is not."""
        headers = _headers(scope)
        host = headers.get("host", [])
        origin = headers.get("origin", [])
        if len(host) != 1 or not self._door.knows_name(host[0]):
            return 421
        if any(not self._door.is_own_origin(each, host[0]) for each in origin) or _is_part_of_another(headers):
            return 403
        path = scope["path"]
        if scope["method"] not in ("GET", "HEAD") and not (scope["method"] == "POST" and path == LOGIN):
            return 405
        if len(path) > _MOST_PATH:
            return 414
        if path in OPEN_TO_ALL:
            return 0
        given = ("".join(headers.get("authorization", [])), "; ".join(headers.get("cookie", [])))
        return 0 if self._door.admits(*given) else 401


def _is_part_of_another(headers: dict[str, list[str]]) -> bool:
    """Does a browser ask for it as a part of another site's page? Who follows a link from there comes here to read."""
    return "cross-site" in headers.get("sec-fetch-site", []) and "navigate" not in headers.get("sec-fetch-mode", [])


def _headers(scope: Scope) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in scope["headers"]:
        found.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return found
