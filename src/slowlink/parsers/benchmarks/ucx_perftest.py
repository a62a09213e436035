"""ucx_perftest: bandwidth or latency between two processes, through the device that its command names::

    $ UCX_NET_DEVICES=mlx5_4:1 ucx_perftest node02 -t tag_bw -m cuda -s 1048576 -n 1000
    |    Stage     | # iterations | 50.0%ile | average | overall |  average |  overall |  average  |  overall  |
    [thread 0]               500     22.301    22.410    22.410    44622.66   44622.66       44623       44623
    Final:                  1000     22.305    22.412    22.411    44618.71   44620.70       44619       44621

MB are 2^20 bytes. The size of a message is bandwidth over rate. Where no device or no second node is named, UCX may
have taken shared memory, NVLink or several ports, and the numbers tell nothing of one port: then there is no run.

Source: UCX 1.12 to 1.17, ``src/tools/perf/perftest.c`` (``print_progress``, ``print_header``) and ``--help``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.benchmark import PerftestRow, PerftestRun
from slowlink.model.source import Line
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals
from slowlink.patterns import regex

_MIB = 1 << 20
_MAX_RUNS = Limit(100_000, "runs")
_COMMAND = regex(r"(?P<before>.{0,400}?)(?<![\w.-])ucx_perftest(?P<options>\s.{0,400})?")
_DEVICE = regex(
    r"(?<!\w)UCX_NET_DEVICES=[\"']?(?P<device>[\w.-]{1,40}):\d{1,3}(?![\w,])|\s-d\s?(?P<uct>[\w.-]{1,40}):\d{1,3}(?![\w,])"
)
_TEST = regex(r"\s-t\s?(?P<test>[a-z_0-9]{2,40})")
_MEMORY = regex(r"\s-m\s?(?P<memory>[a-z-]{2,20})(?:,(?P<other>[a-z-]{2,20}))?")
_PEER = regex(r"(?:^|\s)(?P<flag>-\w\s?)?(?P<word>[A-Za-z0-9][\w.:-]{0,80})(?=\s|$)")
_BEHIND = regex(r"[|;&>]|\d>")
"""What belongs to the shell."""
_FLAGS_ALONE = ("-N", "-c", "-F", "-E", "-B", "-W", "-f", "-v", "-P", "-h")
_NUMBERS = r"\s{1,20}".join([r"\d{1,15}(?:\.\d{1,6})?"] * 8)
_ROW = regex(rf"\s{{0,4}}(?P<stage>\[thread \d{{1,4}}\]|Final:)\s{{1,20}}(?P<numbers>{_NUMBERS})\s{{0,8}}")
_TITLES = ("overhead (usec)  ", "latency (usec)  ", "| # iterations |", "message rate (msg/s) |")
"""Parts of the header, without digits."""


class UcxPerftest:
    """One run for each command that names a device and a second node, and the numbers below it."""

    kind: ClassVar[str] = "ucx-perftest"
    literals: ClassVar[Literals] = Literals(("ucx_perftest", "[thread ", "Final:", *_TITLES))

    def __init__(self) -> None:
        self._command: tuple[re.Match[str], Line] | None = None
        self._row: PerftestRow | None = None
        self._done: list[PerftestRun] = []

    @staticmethod
    def wants(text: str) -> bool:
        return "ucx_perftest" in text or _ROW.fullmatch(text) is not None or any(title in text for title in _TITLES)

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        row = _ROW.fullmatch(line.text)
        if row is not None:
            return self._take(row, line)
        if any(title in line.text for title in _TITLES):
            return Use.IGNORED
        command = _COMMAND.fullmatch(line.text)
        if command is not None:
            self._close()
            self._command = (command, line)
        return Use.NOT_MINE

    def finish(self) -> Iterable[PerftestRun]:
        self._close()
        return self._done

    def _take(self, row: re.Match[str], line: Line) -> Use:
        self._row = _row_of(row, line, latency=self._test().endswith("_lat"))
        if row["stage"] == "Final:":
            self._close()
        return Use.USED

    def _test(self) -> str:
        found = _TEST.search(self._command[0]["options"] or "") if self._command else None
        return found["test"] if found else ""

    def _close(self) -> None:
        """What has no command above it is of nobody's port."""
        row, self._row = self._row, None
        if row is None or self._command is None or not _MAX_RUNS.has_room(len(self._done)):
            return
        test = self._test()
        command, line = self._command
        self._command = None
        device, options = _DEVICE.search(command[0]), _BEHIND.split(command["options"] or "", maxsplit=1)[0]
        if device is not None and test and _other_node(options):
            self._done.append(_run(test, device["device"] or device["uct"], options, line, row))


def _other_node(options: str) -> str | None:
    """The word that belongs to no option: the server's name."""
    for found in _PEER.finditer(options):
        flag = (found["flag"] or "").strip()
        if not flag or flag in _FLAGS_ALONE:
            return str(found["word"])
    return None


def _row_of(row: re.Match[str], line: Line, *, latency: bool) -> PerftestRow:
    iterations, median, average, _, bandwidth, overall, rate, _ = (float(text) for text in row["numbers"].split())
    mib = overall or bandwidth
    size = round(bandwidth * _MIB / rate) if rate else 0
    return PerftestRow(
        size_bytes=size,
        iterations=int(iterations),
        bw_peak_gbit=None,
        bw_average_gbit=None if latency else round(mib * _MIB * 8 / 1e9, 6),
        msg_rate_mpps=rate / 1e6,
        t_min_us=None,
        t_max_us=None,
        t_typical_us=median if latency else None,
        t_avg_us=average if latency else None,
        t_stdev_us=None,
        t_p99_us=None,
        t_p999_us=None,
        ref=line.ref(),
    )


def _run(test: str, device: str, options: str, line: Line, row: PerftestRow) -> PerftestRun:
    memory = _MEMORY.search(options)
    kinds = [kind for kind in (memory["memory"], memory["other"]) if kind] if memory else []
    return PerftestRun(
        source=line.source,
        stream=line.stream,
        header=line.ref(),
        test=f"ucx_perftest {test}",
        kind="latency" if test.endswith("_lat") else "bandwidth",
        printed_unit="usec" if test.endswith("_lat") else "MiB/s",
        device=device,
        gpu_memory=next((kind.partition("-")[0] for kind in kinds if kind != "host"), "host"),
        gpu=None,
        link_type=None,
        mtu_bytes=None,
        gid_index=None,
        qps=None,
        bidirectional=False,
        rows=(row,),
        host=line.host,
    )


PARSER = UcxPerftest
