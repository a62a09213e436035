"""The pages as an application of the web, by Starlette."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Awaitable, Callable
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from slowlink.errors import SlowlinkError
from slowlink.report.web.page import page, script, style
from slowlink.workflows.web.asked import MOST_QUERY
from slowlink.workflows.web.door import COOKIE, LONGEST_S, Door
from slowlink.workflows.web.guarded import LOGIN, App, Guarded
from slowlink.workflows.web.pages import PAGES
from slowlink.workflows.web.site import NoSuchPageError, Site

if TYPE_CHECKING:
    from anyio import CapacityLimiter
    from starlette.requests import Request
    from starlette.responses import Response

_MOST_FORM = 4096
_FORM_S = 10.0
_WRONG_TOKEN_S = 1.0
"""Whoever guesses waits."""
_MOST_TRACEBACKS = 10
_STATIC = {"cache-control": "private, max-age=86400"}
_REFUSALS = {
    400: "This is not what an address here can be",
    401: "These pages ask for a token",
    403: "The page that asks this is not one of these",
    404: "There is no such page",
    405: "These pages only read",
    414: "The address is too long",
    421: "This is not called so here",
    500: "This page could not be made",
    503: "The history cannot be read now",
}
_SENTENCES = {
    400: "",
    401: "",
    403: "Another site sent the request. Open the address by itself.",
    404: "Neither a page nor a run has this address.",
    405: "Nothing can be changed here: GET is all that is answered.",
    414: "",
    421: "The name in the address is none that slowlink serve was told: --host names more.",
    500: "This is a defect of slowlink. What it stumbled over is told where it was started.",
    503: "",
}
_ROUTES = {
    "/": "fleet",
    "/runs": "runs",
    "/runs/{run:int}": "run",
    "/pairs/{run:int}": "pairs",
    "/history": "history",
    "/compare": "compare",
}


def require_libraries() -> None:
    """Raises SlowlinkError ``serve-extra`` where they are not installed."""
    for name in ("starlette", "uvicorn"):
        if find_spec(name) is None:
            raise SlowlinkError(
                f"slowlink serve needs {name}, which is not installed here",
                hint="pip install 'slowlink[serve]'",
                slug="serve-extra",
            )


def application(site: Site, door: Door) -> App:
    """For any server of ASGI applications."""
    from starlette.applications import Starlette
    from starlette.exceptions import HTTPException
    from starlette.responses import Response
    from starlette.routing import Route

    async def static(kind: str, text: Callable[[], str], _request: Request) -> Response:
        return Response(text(), media_type=kind, headers=_STATIC)

    async def not_found(_request: Request, error: Exception) -> Response:
        return _sentence(getattr(error, "status_code", 500))

    answering = _Answering(site)
    routes = [
        *(Route(path, answering.endpoint(name)) for path, name in _ROUTES.items()),
        Route("/style.css", partial(static, "text/css", style)),
        Route("/page.js", partial(static, "text/javascript", script)),
        Route(LOGIN, _login_page, methods=["GET"]),
        Route(LOGIN, partial(_login, door), methods=["POST"]),
    ]
    app = Starlette(routes=routes, exception_handlers={HTTPException: not_found})
    app.router.redirect_slashes = False
    return Guarded(app, door, _refused)


def _refused(status: int) -> App:
    """The page that says why."""
    from starlette.responses import Response

    if status == 401:
        headers = {"www-authenticate": "Bearer"}
        return Response(_login_markup(wrong=False), 401, headers, "text/html")
    return _sentence(status)


def _sentence(status: int, more: str = "") -> Response:
    from starlette.responses import Response

    known = status if status in _REFUSALS else 500
    body = page(
        "sentence.html", title=_REFUSALS[known], headline=_REFUSALS[known], sentence=more or _SENTENCES[known],
        menu=known not in (403, 421),
    )  # fmt: skip
    headers = {"allow": "GET, HEAD"} if status == 405 else None
    return Response(body, status, headers, "text/html")


class _Answering:
    """Pages that hold are answered at once, others are made in a thread."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._places: dict[str, CapacityLimiter] = {}
        self._tracebacks = 0

    def endpoint(self, name: str) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            from starlette.responses import Response

            made = await self._made(name, dict(request.path_params), request.url.query)
            return made if isinstance(made, Response) else Response(made, media_type="text/html")

        return answer

    async def _made(self, name: str, numbers: dict[str, int], query: str) -> bytes | Response:
        """The page, or the one that says why there is none."""
        from anyio.to_thread import run_sync

        if len(query) > MOST_QUERY:
            return _sentence(414)
        try:
            known = self._site.known(name, PAGES[name], numbers, query)
            if known is not None:
                return known
            make = partial(self._site.answer, name, PAGES[name], numbers, query)
            return await run_sync(make, limiter=self._limiter(name))
        except NoSuchPageError:
            return _sentence(404)
        except SlowlinkError as error:
            status = 400 if error.slug in ("asked-wrong", "bad-node-set") else 503
            return _sentence(status, f"{error.message}{f'; {error.hint}' if error.hint else ''}")
        except Exception:  # noqa: BLE001  (whoever reads the page can do nothing about it)
            self._tell_defect()
            return _sentence(500)

    def _limiter(self, name: str) -> CapacityLimiter:
        """One page of a kind at a time: more would only take turns, and none of another kind waits for them."""
        from anyio import CapacityLimiter

        if name not in self._places:
            self._places[name] = CapacityLimiter(1)
        return self._places[name]

    def _tell_defect(self) -> None:
        """Where it was started, and not without end."""
        self._tracebacks += 1
        if self._tracebacks <= _MOST_TRACEBACKS:
            traceback.print_exc(file=sys.stderr)


def _login_markup(*, wrong: bool) -> bytes:
    return page("login.html", title="Token", headline=_REFUSALS[401], wrong=wrong, menu=False)


async def _login_page(_request: Request) -> Response:
    from starlette.responses import Response

    return Response(_login_markup(wrong=False), media_type="text/html")


async def _login(door: Door, request: Request) -> Response:
    """The right token becomes a cookie that no script reads and no other site sends."""
    from anyio import sleep
    from starlette.responses import RedirectResponse, Response

    token = await _token_of(request)
    if not door.asks or not door.opens(token):
        await sleep(_WRONG_TOKEN_S)
        return Response(_login_markup(wrong=True), 401, media_type="text/html")
    answer = RedirectResponse("/", 303)
    # A proxy in front may have the TLS; the browser says in Origin how it called.
    secure = "https" in (request.url.scheme, request.headers.get("origin", "").partition(":")[0])
    answer.set_cookie(
        COOKIE, door.new_pass(), max_age=LONGEST_S, path="/", httponly=True, samesite="strict", secure=secure
    )
    return answer


async def _token_of(request: Request) -> str:
    """Of a form, read as far as a form with a token goes, and no longer than that takes; "" where it is none."""
    from anyio import fail_after
    from starlette.requests import ClientDisconnect

    body = b""
    try:
        with fail_after(_FORM_S):
            async for part in request.stream():
                body += part
                if len(body) > _MOST_FORM:
                    return ""
    except (TimeoutError, ClientDisconnect):
        return ""
    fields = parse_qsl(body.decode("latin-1"), max_num_fields=10) if body.count(b"&") < 10 else []
    return dict(fields).get("token", "").strip()
