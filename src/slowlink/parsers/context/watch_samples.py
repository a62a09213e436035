"""What ``slowlink watch`` samples on a node (``samplers/watch.sh``): the time of each sample, CPUs, and who takes
processors, memory, disks, networks, GPUs and HCAs.

One sample::

    slowlink-sample 1795000000.25 every 1 s
    cpu 43.1 % of 64 cores busy, 1200.5 % of one core by this run
    process 4711 site-diag 98.5 % cpu
    process 4711 site-diag 412.0 MB/s disk
    process 4712 backup 903.5 MB/s network
    process 4713 burn 1234.0 MiB gpu
    process 4714 loader 41.7 % memory
    process 4715 storage-agent 12.0 queue pairs on mlx5_0

Counters and GPUs appear in a sample as the kernel and nvidia-smi print them, and have their own parsers; the first line
of a sample gives them their time.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Collected, Part, Reading
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, NODE, reading
from slowlink.patterns import regex

WATCH = "watch"
"""``Collected.collector`` of a sample."""

_SAMPLE = regex(r"slowlink-sample (?P<at>\d{1,12}(?:\.\d{1,6})?) every (?P<every>[\d.]{1,12}) s")
_CPU = regex(
    r"cpu (?P<busy>\d{1,3}(?:\.\d)?) % of \d{1,5} cores busy, (?P<run>\d{1,7}(?:\.\d)?) % of one core by this run"
)
_PROCESS = regex(
    r"process (?P<pid>\d{1,10}) (?P<name>[\w.:+/-]{1,64}) (?P<amount>\d{1,7}(?:\.\d)?) "
    r"(?P<of>% cpu|MB/s disk|MB/s network|MiB gpu|% memory|queue pairs on (?P<hca>[\w.-]{1,64}))"
)
_ATTRIBUTES = {
    "% cpu": "process-cpu",
    "% memory": "process-memory",
    "MB/s disk": "process-disk",
    "MB/s network": "process-network",
}
_OF_GPU, _MIB = "MiB gpu", 1 << 20


class WatchSamples:
    """Gives a ``Collected`` with its time for each sample, and readings of CPUs and processes."""

    kind: ClassVar[str] = "watch"
    literals: ClassVar[Literals] = Literals(("\nslowlink-sample ", "\ncpu ", "\nprocess "))

    def __init__(self) -> None:
        self._found: list[Collected | Reading] = []

    @staticmethod
    def wants(text: str) -> bool:
        return text.startswith(("slowlink-sample ", "cpu ", "process ")) and any(
            pattern.fullmatch(text) for pattern in (_SAMPLE, _CPU, _PROCESS)
        )

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        if not MAX_READINGS.has_room(len(self._found)):
            return Use.IGNORED
        if match := _SAMPLE.fullmatch(line.text):
            self._found.append(Collected(WATCH, "ran", match["every"], line.ref(), line.host, float(match["at"])))
        elif match := _CPU.fullmatch(line.text):
            self._found.append(reading("cpu-busy", NODE, float(match["busy"]), line))
            self._found.append(reading("cpu-of-run", NODE, float(match["run"]), line))
        elif match := _PROCESS.fullmatch(line.text):
            process = Part("process", match["pid"])
            self._found.append(reading("process-name", process, match["name"], line))
            if match["hca"]:
                self._found.append(reading("process-queue-pairs", process, match["hca"], line))
            else:
                self._found.append(_taken(match["of"], float(match["amount"]), process, line))
        else:
            return Use.NOT_MINE
        return Use.USED

    def finish(self) -> Iterable[Collected | Reading]:
        return self._found


def _taken(what: str, amount: float, process: Part, line: Line) -> Reading:
    if what == _OF_GPU:
        return reading("process-gpu-memory", process, int(amount) * _MIB, line)
    return reading(_ATTRIBUTES[what], process, amount, line)


PARSER = WatchSamples
