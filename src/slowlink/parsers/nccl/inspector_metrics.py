"""Metrics of NCCL's Inspector (``NCCL_INSPECTOR_PROM_DUMP=1``), as they lie in a file for node_exporter::

    nccl_collective_exec_time_microseconds{version="v5.1",slurm_job_id="77",node="node07",gpu="GPU3",comm_name="TP 3",n_nodes="1",nranks="8",collective="AllReduce",message_size="4-5MB",algo_proto="Ring_ll"} 61.2

A sample is a mean over the 30 s before the file was written, of one GPU; which rank of the
communicator the GPU is, and which of several communicators of one name, is not told.

Source: ``plugins/profiler/inspector/inspector_prom.cc`` of NCCL 2.30.
"""  # noqa: E501  (a line as it is)

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.timed_calls import INSPECTOR_METRICS, CallKind, TimedCalls
from slowlink.parsers.forms.columns.timed_calls import CallColumns, Owner, collective_of
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.prometheus import Sample, sample_in
from slowlink.patterns import regex

_TIME = "nccl_collective_exec_time_microseconds"
_OTHERS = ("nccl_bus_bandwidth_gbs", "nccl_p2p_exec_time_microseconds", "nccl_p2p_bus_bandwidth_gbs")
"""Bandwidth is size by time once more; of sends the other end is not told, so nothing follows from them."""
_SIZE = regex(r"(?P<from>\d{1,4})-\d{1,4}(?P<unit>[KMGT]?B)")
_UNITS = {"B": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40}
_GPU = regex(r"GPU(\d{1,4})")


class InspectorMetrics:
    """Gives, for each GPU and communicator, a column with a mean for each kind of call."""

    kind: ClassVar[str] = INSPECTOR_METRICS
    literals: ClassVar[Literals] = Literals((f"{_TIME}{{", *(f"{name}{{" for name in _OTHERS)))
    lone: ClassVar[bool] = True

    def __init__(self) -> None:
        self._columns: CallColumns | None = None

    @staticmethod
    def wants(text: str) -> bool:
        return any(f"{name}{{" in text[:60] for name in (_TIME, *_OTHERS))

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        sample = sample_in(line.text)
        if sample is None or sample.name not in (_TIME, *_OTHERS):
            return Use.NOT_MINE
        return Use.USED if sample.name == _TIME and self._add(sample, line) else Use.IGNORED

    def _add(self, sample: Sample, line: Line) -> bool:
        labels = sample.labels
        gpu, size = _GPU.fullmatch(labels.get("gpu", "")), _SIZE.fullmatch(labels.get("message_size", ""))
        nranks, nnodes = labels.get("nranks", ""), labels.get("n_nodes", "")
        node = labels.get("node", "")
        if gpu is None or size is None or not (nranks.isdecimal() and nnodes.isdecimal() and node):
            return False
        name = labels.get("comm_name", "")
        inside = f" on {node}" if nnodes == "1" else ""
        owner = Owner(
            INSPECTOR_METRICS,
            f"{name} of {nranks[:9]} ranks{inside}, job {labels.get('slurm_job_id', '')}",
            "" if name == "unknown" else name,
            int(gpu[1]),
            int(nranks[:9]),
            int(nnodes[:9]),
            node,
            None,
            gpu=int(gpu[1]),
        )
        self._columns = self._columns or CallColumns(line.source)
        calls = self._columns.of(owner, line.no, line.text)
        kind = CallKind(
            collective_of(labels.get("collective", "")),
            int(size["from"]) * _UNITS[size["unit"]],
            method=labels.get("algo_proto", ""),
        )
        return calls is not None and calls.add(kind, 0, sample.value, 0.0, "")

    def finish(self) -> Iterable[TimedCalls]:
        return self._columns.records() if self._columns is not None else ()


PARSER = InspectorMetrics
