"""How many processors each process may use, as launchers and libraries print it.

Slurm (``--cpu-bind=verbose``), Open MPI (``--report-bindings``), MPICH (``HYDRA_TOPO_DEBUG``), Intel MPI
(``I_MPI_DEBUG=4``), taskset, and PyTorch's loader of data, which counts the processors that it may use::

    cpu-bind=MASK - gpu01, task  3  3 [4711]: mask 0x8 set
    [gpu01:4711] MCW rank 3 bound to socket 0[core 3[hwt 0-1]]: [../../../BB][../../../..]
    [gpu01:4711] Rank 3 bound to package[0][core:3]

Sources: slurm 23.11 ``task_affinity`` (``slurm_chkaffinity``), Open MPI 4.1 ``rtc_hwloc.c``, PRRTE 3.0 to 4.1
(``hwloc_base_util.c``; later ones write ``core:L3`` or ``core:P3``), MPICH 4.1 ``hydra_topo``, the documents of Intel
MPI 2021, util-linux ``taskset.c``, PyTorch 2.x ``dataloader.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import ClassVar, NamedTuple

from slowlink.model.job import JobEvent
from slowlink.model.source import Line
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.patterns import regex

ORIGIN, KIND = "binding", "process-binding"
_LIST = r"\d{1,5}(?:-\d{1,5})?(?:,\s?\d{1,5}(?:-\d{1,5})?){0,600}"
_CORE = regex(r"\bcore \d{1,5}\[")
_CORE_LIST = regex(rf"\[core:[LP]?({_LIST})\]")
_MOST = 4096
"""Processors of a node that are told apart."""


class _Form(NamedTuple):
    by: str
    mark: str
    pattern: str
    cores: Callable[[str], int | None]
    """The number of cores in what the pattern's group holds."""


def _of_numbers(numbers: list[int]) -> int | None:
    """Two processors far apart are the two threads of one core; nobody counts siblings side by side beside cores."""
    distinct = sorted(set(numbers))
    if not distinct:
        return None
    return 1 if len(distinct) == 2 and distinct[1] - distinct[0] > 1 else len(distinct)


def _of_mask(text: str) -> int | None:
    value = int(text.replace(",", ""), 16)
    return _of_numbers([bit for bit in range(min(value.bit_length(), _MOST)) if value >> bit & 1])


def _of_list(text: str) -> int | None:
    numbers: list[int] = []
    for part in text.replace(" ", "").split(","):
        first, _, last = part.partition("-")
        numbers.extend(range(int(first), min(int(last or first), int(first) + _MOST) + 1))
    return _of_numbers(numbers[:_MOST])


def _of_cores(text: str) -> int | None:
    return len(_CORE.findall(text)) or None


def _of_packages(text: str) -> int | None:
    """Numbers of cores, not of threads, in each package: two of them are two."""
    lists = _CORE_LIST.findall(text)
    ranges = (part.partition("-") for each in lists for part in each.replace(" ", "").split(","))
    return sum(int(last or first) - int(first) + 1 for first, _, last in ranges)


FORMS = (
    _Form(
        "srun", "cpu-bind", r"cpu-bind[\w-]{0,12}=\w{1,8} {0,4}- .{1,160}?: mask 0x([0-9A-Fa-f]{1,1024})\b", _of_mask
    ),
    _Form("mpirun", "bound to socket", r"rank \d+ bound to (socket \d+\[core .{1,4000}?\]): ?\[", _of_cores),
    _Form(
        "mpirun",
        "bound to package",
        rf"[Rr]ank \d+ bound to ((?:package\[\d{{1,3}}\]\[core:[LP]?{_LIST}\] ?){{1,16}})\s*$",
        _of_packages,
    ),
    _Form(
        "Intel MPI",
        "MPI startup()",
        rf"MPI startup\(\): \d+ +\d+ +[\w.-]{{1,80}} +(?:\{{({_LIST})\}}|(?P<one>\d{{1,5}}))\s*$",
        _of_list,
    ),
    _Form("taskset", "affinity list:", rf"^pid \d+'s (?:current|new) affinity list: ({_LIST})\s*$", _of_list),
    _Form("taskset", "affinity mask:", r"^pid \d+'s (?:current|new) affinity mask: ([0-9a-f,]{1,1200})\s*$", _of_mask),
    _Form("the kernel", "Cpus_allowed_list:", rf"\bCpus_allowed_list:\s{{1,8}}({_LIST})\s*$", _of_list),
    _Form(
        "numactl",
        "physcpubind:",
        r"^physcpubind: (\d{1,5}(?: \d{1,5}){0,1200})\s*$",
        lambda t: _of_list(",".join(t.split())),
    ),
    _Form(
        "PyTorch",
        "suggested max number of worker",
        r"suggested max number of worker in current system is (\d{1,5})(?!\d)",
        int,
    ),
)
_PATTERNS = tuple((form, regex(form.pattern)) for form in FORMS)
_HYDRA = regex(r"^process \d+ binding: ([01]{2,1024})\s*$")
_UNBOUND = ("is not bound", "mask 0x0 ")


class ProcessBindings:
    """One event for each program that says it and each number of cores."""

    kind: ClassVar[str] = "process-bindings"
    literals: ClassVar[Literals] = Literals((*(form.mark for form in FORMS), " binding: "))

    def __init__(self) -> None:
        self._found: dict[tuple[str, str, str | None], tuple[Line, int]] = {}

    @staticmethod
    def wants(text: str) -> bool:
        return any(form.mark in text for form in FORMS) or " binding: " in text

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        told = _cores_in(line.text)
        if told is None:
            return Use.IGNORED if "cpu-bind" in line.text and " mask 0x" in line.text else Use.NOT_MINE
        by, cores = told
        key = (by, str(cores), line.host)
        first, count = self._found.get(key, (line, 0))
        self._found[key] = (first, count + 1)
        return Use.USED

    def finish(self) -> Iterable[JobEvent]:
        return [
            JobEvent(KIND, ORIGIN, line.text[:400].strip(), {"by": by, "cores": cores}, line.ref(), host, count=count)
            for (by, cores, host), (line, count) in self._found.items()
        ]


def _cores_in(text: str) -> tuple[str, int] | None:
    """Who says it, and the number of cores."""
    if any(word in text for word in _UNBOUND):
        return None
    for form, pattern in _PATTERNS:
        found = pattern.search(text) if form.mark in text else None
        if found is not None and (cores := form.cores(next(filter(None, found.groups())))):
            return form.by, cores
    found = _HYDRA.match(text)
    cores = found[1].count("1") if found is not None else 0
    return ("mpiexec", cores) if cores else None


PARSER = ProcessBindings
