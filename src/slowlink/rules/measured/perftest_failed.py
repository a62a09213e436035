"""A perftest program ended with an error instead of a result.

ib_write_bw and its relatives meet over TCP, register memory, connect two queue pairs and move data. Each step fails
with words of its own, which show how far the path works. The deepest step that a run got to names the cause.

Why it matters: it is the path that NCCL takes, without NCCL: what fails here fails there.
How to confirm: run it again between the same two ports, then with another partner for each of them.
What to do: without a TCP connection, see whether the server runs and its port is open. For a missing device, or a port
that is down, read ``ibstat``. For memory that cannot be registered, ``ulimit -l``; where it is a GPU's and the error is
14 (EFAULT), no peer-memory module serves it. For queue pairs that cannot be connected, or transfers without an
acknowledgement: GID index, VLAN, MTU, and the cable. On Ethernet a link-local GID is the first suspect.
When it is wrong: a server that has not been started yet, or has ended, refuses the connection, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Annotated

from msgspec import Struct

from slowlink.facts.readings import latest
from slowlink.model.benchmark import PerftestRun
from slowlink.model.facts import Of, Perftests, Readings
from slowlink.model.report import Confidence, Finding, Severity
from slowlink.model.source import Ref
from slowlink.patterns import regex
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import IBV_POLL_CQ

CAUSES = (
    "rdma-retry-exceeded",
    "rdma-protection-error",
    "gid-index-wrong",
    "memory-registration-failed",
    "peer-memory-missing",
    "port-down",
    "hca-missing",
    "tcp-unreachable",
)


class _Failure(Struct, frozen=True):
    """What an error line means. The first entry that fits a run is the deepest step that the run got to."""

    pattern: re.Pattern[str]
    cause: str
    words: str
    confidence: Confidence
    remedy: tuple[str, str]
    references: tuple[str, ...] = ()
    of: Callable[[PerftestRun], bool] = lambda _: True
    """Of which runs it is so."""


class _FailedRun(Struct, frozen=True):
    """A run, and the line that says how it failed."""

    run: PerftestRun
    ref: Ref


def _on_gpu_memory(run: PerftestRun) -> bool:
    return run.gpu_memory not in (None, "host")


def _with_link_local_gid(run: PerftestRun) -> bool:
    """On InfiniBand fe80:: is the default subnet."""
    return run.link_local and run.link_type == "Ethernet"


_STATUS = r"Failed status(?:-[\w /,-]{1,60} \(| )"
"""Newer versions print the name before the number: ``Failed status-local protection error (4)``."""
_PEER, _MEMORY = "nvidia_peermem", "memory-registration-failed"
_LOAD_MODULE = ("Load the module on both nodes.", "modprobe nvidia_peermem")
_FAILURES = (
    _Failure(
        regex(rf"{_STATUS}(?:12|13)\b|Failed to modify QP|Unable to Connect the HCA's"),
        "gid-index-wrong",
        "a link-local GID (fe80::) is in use, which reaches no other subnet",
        "likely",
        ("List the GIDs, and give both sides the RoCE v2 one with the interface's IPv4 address (-x).", "show_gids"),
        (IBV_POLL_CQ,),
        of=_with_link_local_gid,
    ),
    _Failure(
        regex(rf"{_STATUS}(?:12|13)\b"),
        "rdma-retry-exceeded",
        "its transfers never got an acknowledgement",
        "likely",
        ("Read the state of the port and its error counters at both ends.", "mlxlink -d HCA -c -e"),
        (IBV_POLL_CQ,),
    ),
    _Failure(
        regex(rf"{_STATUS}(?:4|10)\b"),
        "rdma-protection-error",
        "access to memory was refused",
        "likely",
        ("See whether PCIe redirects what peers send (ACS).", "lspci -vvv | grep -i ACSCtl"),
        (IBV_POLL_CQ,),
    ),
    _Failure(
        regex(r"Failed to modify QP|Unable to Connect the HCA's"),
        "gid-index-wrong",
        "its queue pairs could not be connected; of RoCE the GID index is the first suspect",
        "possible",
        ("List the GIDs, and give both sides the RoCE v2 one with the interface's IPv4 address.", "show_gids"),
    ),
    _Failure(
        regex(r"allocate MR with error=14\b"),
        "peer-memory-missing",
        "the HCA cannot reach its GPU memory (EFAULT: to the kernel that address is none), as no module serves it",
        "likely",
        _LOAD_MODULE,
        of=_on_gpu_memory,
    ),
    _Failure(
        regex(r"(?i)allocate MR|create mr|DMABUF requested but not supported"),
        _MEMORY,
        "memory could not be registered with the HCA",
        "likely",
        ("Read the limit of locked memory, and what serves GPU memory.", "ulimit -l; lsmod | grep peermem"),
    ),
    _Failure(
        regex(r"Port number \d+ state is (?:Down|Init|Armed)"),
        "port-down",
        "the port is not active",
        "certain",
        ("Read the state of all ports.", "ibstat"),
    ),
    _Failure(
        regex(r"IB device \S+ not found|Unable to find the Infiniband|No IB devices found|Did not detect devices"),
        "hca-missing",
        "there is no such RDMA device",
        "likely",
        ("List the devices that are there, and see whether the container has them.", "ibv_devices; ls /dev/infiniband"),
    ),
    _Failure(
        regex(r"Couldn't connect to |Unable to init the socket connection|Unable to connect \(retries"),
        "tcp-unreachable",
        "the two sides could not meet over TCP",
        "likely",
        ("Start the server first, and see whether its port can be reached.", "nc -vz SERVER 18515"),
    ),
)

_NO_MODULE = _Failure(
    regex(""),
    "peer-memory-missing",
    "the HCA cannot reach its GPU memory: nvidia_peermem is not loaded there",
    "likely",
    _LOAD_MODULE,
)
"""What a failed registration of GPU memory is on a node that has no such module, whatever words perftest has for it."""


def check(perftests: Perftests, modules: Annotated[Readings, Of("module-loaded")] | None) -> Iterator[Finding]:
    """One finding for each way to fail; an error where other runs of the same input succeeded, else critical."""
    some_worked = any(run.rows for run in perftests.all)
    now = latest(modules.all).values() if modules is not None else ()
    without = {reading.host for reading in now if reading.part.name == _PEER and reading.value is False}
    by_failure: dict[_Failure, list[_FailedRun]] = {}
    for run in perftests.all:
        _sort_in(run, by_failure, without)
    for failure, found in by_failure.items():
        yield _finding(failure, found, "error" if some_worked else "critical")


def _sort_in(run: PerftestRun, by_failure: dict[_Failure, list[_FailedRun]], without: AbstractSet[str | None]) -> None:
    """Under the first entry that one of its lines fits; a run without such a line stays unexplained. What stands above
    the first result was overcome: a client tries again to connect."""
    last = run.rows[-1].ref.line if run.rows else 0
    errors = [ref for ref in run.errors if ref.line > last]
    for failure in _FAILURES:
        if not failure.of(run):
            continue
        ref = next((ref for ref in errors if failure.pattern.search(ref.text)), None)
        if ref is not None:
            module_missing = failure.cause == _MEMORY and _on_gpu_memory(run) and (run.host or run.source) in without
            by_failure.setdefault(_NO_MODULE if module_missing else failure, []).append(_FailedRun(run, ref))
            return


def _finding(failure: _Failure, found: Sequence[_FailedRun], severity: Severity) -> Finding:
    test = found[0].run.test or "perftest"
    count = f"{len(found)} runs of " if len(found) > 1 else ""
    devices = [failed.run.device for failed in found if failed.run.device]
    hosts = list(dict.fromkeys(failed.run.host for failed in found if failed.run.host))
    where = f" on {devices[0]}" if len(set(devices)) == 1 else ""
    message = f"{count}{test}{where} failed: {failure.words}"
    return finding(
        failure.cause,
        message if _of_perftest(found) else "no RDMA device was found",
        severity=severity if _of_perftest(found) else "error",  # a question is no job that ended
        confidence=failure.confidence,
        evidence=lines_evidence(failed.ref for failed in found),
        suspects=(*suspects("hca", devices), *suspects("node", hosts)),
        explains=("rank-lost", "process-crashed", "launcher-failed", *_also(failure)),
        remedy=[failure.remedy],
        references=failure.references,
    )


def _also(failure: _Failure) -> tuple[str, ...]:
    """No acknowledgement is what a wrong GID looks like from the other tests of the same pair."""
    return ("rdma-retry-exceeded",) if failure.cause == "gid-index-wrong" and failure.confidence == "likely" else ()


def _of_perftest(found: Sequence[_FailedRun]) -> bool:
    """Is it surely perftest that failed? ``ibv_devinfo`` says "No IB devices found" in the same words."""
    return any(each.run.test or each.run.device or "No IB devices found" not in each.ref.text for each in found)
