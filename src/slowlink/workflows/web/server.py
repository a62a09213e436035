"""The application over HTTP, by uvicorn, with an end to every wait."""

from __future__ import annotations

import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from slowlink.errors import SlowlinkError

if TYPE_CHECKING:
    import uvicorn

    from slowlink.workflows.web.guarded import App

MOST_CONNECTIONS = 256
"""At the same time; who comes beyond that is hung up on."""
_PATIENCE_S = 10.0
"""For a whole request."""
_READING_S = 60.0
"""For whoever takes nothing of an answer any more."""
_BACKLOG = 128
_MOST_HEADERS = 16 << 10
_END_S = 3
_TURN_S = 0.0005
"""Whoever waits for a page that is there already need not wait for the turns of those that are being made."""
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def listening(host: str, port: int) -> socket.socket:
    """Raises SlowlinkError ``port-taken``."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        found = socket.socket(family, kind, protocol)
        try:
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            found.bind(address)
            found.listen(_BACKLOG)
        except BaseException:
            found.close()
            raise
    except (OSError, OverflowError, UnicodeError) as error:
        raise SlowlinkError(
            f"cannot listen on {host} port {port}: {getattr(error, 'strerror', None) or error}",
            hint="choose another place with --listen",
            slug="port-taken",
        ) from error
    return found


class WebServer:
    """Listens already; ``serve_forever`` answers until a signal, or ``shutdown`` from another thread."""

    def __init__(
        self, app: App, listener: socket.socket, certificate: str | None = None, key: str | None = None
    ) -> None:
        import uvicorn

        self._listener = listener
        config = uvicorn.Config(
            app,
            http=_bounded_protocol(),
            ws="none",
            lifespan="off",
            log_config=None,
            log_level="critical",
            access_log=False,
            proxy_headers=False,
            server_header=False,
            backlog=_BACKLOG,
            timeout_keep_alive=int(_PATIENCE_S),
            timeout_graceful_shutdown=_END_S,
            h11_max_incomplete_event_size=_MOST_HEADERS,
            ssl_certfile=certificate,
            ssl_keyfile=key,
        )
        try:
            config.load()
        except (OSError, ValueError) as error:
            raise SlowlinkError(
                f"the certificate cannot be used: {error}",
                hint="PEM files of a certificate and its key",
                slug="bad-certificate",
            ) from error
        self._server = _ending_server(config)

    def serve_forever(self) -> None:
        """Raises KeyboardInterrupt after a signal, when everybody has the answer that was being sent."""
        before = sys.getswitchinterval()
        sys.setswitchinterval(_TURN_S)
        try:
            self._server.run(sockets=[self._listener])
        finally:
            sys.setswitchinterval(before)

    def shutdown(self) -> None:
        """From another thread."""
        self._server.should_exit = True


def _ending_server(config: uvicorn.Config) -> uvicorn.Server:
    import uvicorn

    class Ending(uvicorn.Server):
        """Hears every signal that ends a command; the handlers of before are told afterwards."""

        def __init__(self) -> None:
            super().__init__(config)
            self._heard: list[int] = []

        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            if threading.current_thread() is not threading.main_thread():
                yield
                return
            ours = [number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
            before = {number: signal.signal(number, self.handle_exit) for number in ours}
            try:
                yield
            finally:
                for number, handler in before.items():
                    signal.signal(number, handler)
            if self._heard:
                signal.raise_signal(self._heard[0])

        def handle_exit(self, sig: int, frame: Any) -> None:
            del frame
            self.force_exit = self.should_exit
            self.should_exit = True
            self._heard.append(sig)

    return Ending()


def _bounded_protocol() -> type[Any]:
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class Bounded(H11Protocol):
        """Hangs up on whoever is too slow to ask, or takes nothing of the answer, and on one too many."""

        _asking: Any = None
        _taking: Any = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            if len(self.connections) > MOST_CONNECTIONS:
                transport.abort()
                return
            self._await_request()

        def data_received(self, data: bytes) -> None:
            before = self.cycle
            super().data_received(data)
            if self.cycle is not before and self._asking is not None:
                self._asking.cancel()
                self._asking = None

        def on_response_complete(self) -> None:
            super().on_response_complete()
            self._await_request()

        def pause_writing(self) -> None:
            super().pause_writing()
            self._taking = self.loop.call_later(_READING_S, self.transport.abort)

        def resume_writing(self) -> None:
            super().resume_writing()
            self._end(self._taking)

        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            self._end(self._asking)
            self._end(self._taking)

        def _await_request(self) -> None:
            """A byte now and then would hold a place for ever."""
            self._end(self._asking)
            self._asking = self.loop.call_later(_PATIENCE_S, self.transport.abort)

        @staticmethod
        def _end(timer: Any) -> None:
            if timer is not None:
                timer.cancel()

    return Bounded
