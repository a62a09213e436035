"""Metrics over HTTP, by the official library: in the text format or OpenMetrics, as who asks wants them."""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.util import find_spec
from io import BufferedReader, RawIOBase
from socketserver import TCPServer, ThreadingMixIn
from time import monotonic
from typing import TYPE_CHECKING, Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

from slowlink.errors import SlowlinkError
from slowlink.model.metrics import MetricFamily
from slowlink.workflows.web.door import LOOPBACK_NAMES, Door, is_loopback

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment
    from prometheus_client.core import GaugeMetricFamily

Families = Callable[[], Sequence[MetricFamily]]
_MOST_READERS = 32
"""At the same time; Prometheus is one. Who comes beyond that is hung up on."""
_PATIENCE_S = 10.0
"""For a whole request, and for each piece of the answer."""
_PAGE = b"slowlink exporter: /metrics\n"


def require_library() -> None:
    """Raises SlowlinkError ``prometheus-extra`` where it is not installed."""
    if find_spec("prometheus_client") is None:
        raise SlowlinkError(
            "the exporter needs prometheus-client, which is not installed here",
            hint="pip install 'slowlink[prometheus]'; --once and --textfile do without it",
            slug="prometheus-extra",
        )


def metrics_app(families: Families, door: Door | None = None) -> WSGIApplication:
    """``/metrics``, and a line at ``/`` that names it; for those who call us by a name that the door knows."""
    from prometheus_client import CollectorRegistry, make_wsgi_app
    from prometheus_client.registry import Collector

    class _Told(Collector):
        def collect(self) -> Iterator[GaugeMetricFamily]:
            return map(_gauge, families())

    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Told())
    metrics: WSGIApplication = make_wsgi_app(registry)

    def app(environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        if environ["REQUEST_METHOD"] != "GET":
            start("405 Method Not Allowed", [("Allow", "GET")])
            return []
        if door is not None and not door.knows_name(environ.get("HTTP_HOST", "")):
            start("421 Misdirected Request", [("Content-Type", "text/plain; charset=utf-8")])
            return [_PAGE]
        path = environ.get("PATH_INFO")
        if path == "/metrics":
            return metrics(environ, start)
        start("200 OK" if path == "/" else "404 Not Found", [("Content-Type", "text/plain; charset=utf-8")])
        return [_PAGE]

    return app


def _door_of(listener: socket.socket, host: str) -> Door:
    """Who may call what listens there. What is on loopback is for this machine: a page in a browser on it whose name
    somebody let lead here (DNS rebinding) calls us by that name. Elsewhere everybody may read who reaches us."""
    own = socket.gethostname().lower()
    return Door({*LOOPBACK_NAMES, host, own, own.partition(".")[0]} if is_loopback(listener) else (), "")


def _gauge(family: MetricFamily) -> GaugeMetricFamily:
    from prometheus_client.core import GaugeMetricFamily

    gauge = GaugeMetricFamily(family.name, family.help, unit=family.unit)
    for sample in family.samples:
        gauge.add_sample(family.name, dict(sample.labels), sample.value)
    return gauge


class _Asking(RawIOBase):
    """What a connection asks, until the patience with all of it together is at its end: one byte now and then would
    hold a place for ever. Raises TimeoutError then."""

    def __init__(self, connection: socket.socket, patience_s: float) -> None:
        self._connection, self._end = connection, monotonic() + patience_s

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        left = self._end - monotonic()
        if left <= 0:
            raise TimeoutError("it took too long to ask")
        self._connection.settimeout(left)
        return self._connection.recv_into(buffer)


class _Reader(WSGIRequestHandler):
    timeout = _PATIENCE_S

    def setup(self) -> None:
        super().setup()
        self.rfile.close()
        self.rfile = BufferedReader(_Asking(self.connection, self.timeout))

    def parse_request(self) -> bool:
        try:
            return super().parse_request()
        finally:
            self.connection.settimeout(self.timeout)  # for each piece of the answer

    def log_message(self, *_: Any) -> None:
        """Requests are strangers' text; none is shown."""


class MetricsServer(ThreadingMixIn, WSGIServer):
    """Listens as soon as it is made; ``serve_forever`` answers. Raises SlowlinkError ``port-taken``."""

    daemon_threads = True
    request_queue_size = 16

    def __init__(self, host: str, port: int, families: Families) -> None:
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._places = threading.BoundedSemaphore(_MOST_READERS)
        try:
            super().__init__((host, port), _Reader)
        except (OSError, OverflowError) as error:
            raise SlowlinkError(
                f"cannot listen on {host} port {port}: {getattr(error, 'strerror', None) or error}",
                hint="choose another place with --listen",
                slug="port-taken",
            ) from error
        self.set_app(metrics_app(families, _door_of(self.socket, host)))

    def server_bind(self) -> None:
        """Without looking its own name up, as the library would: that may take as long as DNS likes."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])
        self.setup_environ()

    def process_request(self, request: Any, client_address: Any) -> None:
        if not self._places.acquire(blocking=False):
            self.shutdown_request(request)
            return
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._places.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A reader that hung up, or was too slow, is nobody's fault."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)
