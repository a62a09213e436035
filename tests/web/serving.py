"""A real server on a port of its own, in a thread that ends with the test, and what a reader says to it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path

from slowlink.model.report import (
    Diagnosis,
    Evidence,
    Finding,
    InputSummary,
    Outcome,
    Report,
    Suspect,
    Sweep,
    SweepPoint,
)
from slowlink.store.connect import open_store
from slowlink.store.write import save
from slowlink.workflows.history.record import Origin, record_of
from slowlink.workflows.web.application import application
from slowlink.workflows.web.door import LOOPBACK_NAMES, Door
from slowlink.workflows.web.server import WebServer, listening
from slowlink.workflows.web.site import Site

HOUR_S = 3600.0
HOSTILE = (
    "<script>document.title='owned'</script>\x1b[2J\x1b]0;x\x07\u202egnp.exe\"'><img src=x onerror=alert(1)>{{7*7}}"
)
"""What a name or a line of a log may hold."""


@contextmanager
def serving(place: str, token: str = "", names: frozenset[str] = LOOPBACK_NAMES) -> Iterator[int]:
    """The port."""
    site = Site(place)
    with listening("127.0.0.1", 0) as listener:
        server = WebServer(application(site, Door(names, token)), listener)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            server.shutdown()
            thread.join(30)
            site.close()
            assert not thread.is_alive()


def ask(port: int, path: str, method: str = "GET", body: str = "", **headers: str) -> tuple[HTTPResponse, str]:
    """The answer and its text; ``headers`` with _ for -."""
    with closing(HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
        said = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body=body or None, headers=said)
        answer = connection.getresponse()
        return answer, answer.read().decode("utf-8")


def status(port: int, path: str, method: str = "GET", body: str = "", **headers: str) -> int:
    return ask(port, path, method, body, **headers)[0].status


def report(
    hosts: tuple[str, ...] = ("gpu01", "gpu02"),
    *,
    verdict: str = "healthy",
    findings: tuple[Finding, ...] = (),
    outcomes: tuple[Outcome, ...] = (),
    state: dict[str, object] | None = None,
    busbw: float = 380.0,
    pairs: tuple[tuple[str, str, float | None], ...] = (),
) -> Report:
    """What a run of all_reduce over ``hosts`` said."""
    sweeps = [] if pairs else [sweep(hosts, busbw)]
    sweeps += [sweep((a, b), value, source=f"pairs/{number}.log") for number, (a, b, value) in enumerate(pairs)]
    facts: dict[str, object] = {"hosts": list(hosts), "system": "hgx_h100", "proofs": ["as fast as expected"]}
    if state is not None:
        facts |= {"state_nodes": list(hosts), "node_state": state}
    return Report(
        "slowlink.report/1", "0.1.0", verdict, f"{verdict}: all_reduce on {len(hosts)} nodes",  # type: ignore[arg-type]
        diagnoses=tuple(Diagnosis.of(found) for found in findings), findings=findings, outcomes=outcomes,
        sweeps=tuple(sweeps), facts=facts,
        inputs=(InputSummary("job.log", ("nccl",), 100, 10, 10, 0, 0),),
    )  # fmt: skip


def sweep(hosts: tuple[str, ...], busbw: float | None, source: str = "job.log") -> Sweep:
    points = tuple(
        SweepPoint(size, size // 4, "out_of_place", size / (busbw or 1.0) / 1e3, busbw, busbw, 0.0, line=12)
        for size in (1 << 31, 1 << 32, 1 << 33)
    )
    return Sweep(
        collective="all_reduce", nranks=8 * len(hosts), nnodes=len(hosts), datatype="float", redop="sum",
        engine="nccl-tests 2.17.6", source=source, line=12, points=points, average_busbw_gbs=None,
        peak_busbw_gbs=busbw, complete=busbw is not None, hosts=hosts, gpu="NVIDIA H100 80GB HBM3",
    )  # fmt: skip


def found(
    cause: str, rule: str, *nodes: str, severity: str = "error", layer: str = "fabric", text: str = "Rate: 200"
) -> Finding:
    """With one line of evidence."""
    return Finding(
        cause, f"title of {cause}", f"message of {cause}", layer, severity, "certain",  # type: ignore[arg-type]
        suspects=tuple(Suspect("node", node) for node in nodes),
        evidence=(Evidence("nodes/gpu02/ibstat.txt", 113, text, "200 Gb/s", "400 Gb/s"),), rule=rule,
    )  # fmt: skip


def kept(place: Path | str, *reports: tuple[str, float, Report]) -> list[int]:
    """Keep (command, moment, report) each; their numbers."""
    with closing(open_store(str(place), create=True)) as store:
        return [
            save(store, record_of(each, Origin(command, at=at, identity=f"{number} {at}", bundle="/data/b"), at)).run_id
            for number, (command, at, each) in enumerate(reports)
        ]
