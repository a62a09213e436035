"""The life of a communicator: START, layout, COMPLETE, timings, destroy and abort, joined to one record a rank."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from msgspec import Struct, field

from slowlink.model.nccl import CommInit, LogProcess
from slowlink.model.source import Ref
from slowlink.parsers.nccl.nccl_log.message import At, CommEvent, Keep, NcclMessage, Read, Sample, harmless, sample
from slowlink.patterns import regex

_COMM = r"comm (?P<comm>\S+) rank (?P<rank>\d{1,9}) "
_LIFE = (
    r"(?:\[Rank \d+\] )?(?:\w+ )?"
    + _COMM
    + r"nranks (?P<nranks>\d{1,9}) (?:cudaDev (?P<cuda>-?\d{1,9}) )?(?:nvmlDev (?P<nvml>-?\d{1,9}) )?"
    r"busId (?P<bus>\w{1,32})"
    r"(?P<more>.{0,400}?) ?- (?P<act>Init|Destroy|Abort|Revoke|Finalize) (?P<step>START|COMPLETE)"
)
_PARENT = regex(r" parent (\S+)")
_COMM_ID = regex(r" commId (\S+)")
_PART = regex(r"([a-z]{1,20}) (\d{1,9}(?:\.\d{1,9})?)(?:,|$)")
"""One part of the timings: ``bootstrap 0.51``."""
_WHAT = {
    ("Init", "START"): "start",
    ("Init", "COMPLETE"): "complete",
    ("Destroy", "COMPLETE"): "destroyed",
    ("Abort", "COMPLETE"): "aborted",
}


def _life(match: re.Match[str], at: At) -> Iterator[CommEvent]:
    what = _WHAT.get((match["act"], match["step"]))
    if what is None:
        return
    values = {name: value for name, value in match.groupdict().items() if value is not None}
    more = values.pop("more", "")
    parent, comm_id = _PARENT.search(more), _COMM_ID.search(more)
    if parent:
        values["parent"] = parent[1]
    if comm_id:
        values["comm_id"] = comm_id[1]
    yield CommEvent(what, values, at.process, at.ref)


def _event(what: str) -> Read:
    def read(match: re.Match[str], at: At) -> Iterator[CommEvent]:
        values = {name: value for name, value in match.groupdict().items() if value is not None}
        yield CommEvent(what, values, at.process, at.ref)

    return read


class _Comm(Struct):
    """A communicator of one rank while its lines come in."""

    process: LogProcess
    values: dict[str, str] = field(default_factory=dict)
    refs: dict[str, Ref] = field(default_factory=dict)

    def fits(self, event: CommEvent) -> bool:
        """Could ``event`` be the next line of this communicator? Addresses are used again after a destroy."""
        if event.what in self.refs or "destroyed" in self.refs or "aborted" in self.refs:
            return False
        if event.what == "start" and self.refs:
            return False
        return all(self.values.get(key, event.values[key]) == event.values[key] for key in _SAME & event.values.keys())

    def add(self, event: CommEvent) -> None:
        self.refs[event.what] = event.ref
        for key, value in event.values.items():
            self.values.setdefault(key, value)

    def number(self, key: str) -> int | None:
        text = self.values.get(key)
        return int(text) if text is not None else None

    def record(self) -> CommInit:
        values, refs = self.values, self.refs
        seconds, mnnvl = values.get("seconds"), values.get("mnnvl")
        return CommInit(
            process=self.process,
            comm=values.get("comm"),
            comm_id=values.get("comm_id"),
            rank=self.number("rank"),
            nranks=self.number("nranks"),
            cuda_dev=self.number("cuda"),
            nvml_dev=self.number("nvml"),
            bus_id=values.get("bus"),
            nnodes=self.number("nnodes"),
            local_ranks=self.number("local_ranks"),
            local_rank=self.number("local_rank"),
            mnnvl=None if mnnvl is None else mnnvl != "0",
            parent=values.get("parent"),
            started=refs.get("start"),
            completed=refs.get("complete"),
            init_seconds=float(seconds) if seconds is not None else None,
            init_parts=tuple((name, float(took)) for name, took in _PART.findall(values.get("parts", ""))),
            destroyed=refs.get("destroyed"),
            aborted=refs.get("aborted"),
            timed=refs.get("timings"),
        )


_SAME = frozenset({"comm", "rank", "nranks", "comm_id"})


def join(events: Iterable[CommEvent]) -> tuple[CommInit, ...]:
    """Join the lines of each communicator of each process; ``events`` come in the order of their lines."""
    comms: list[_Comm] = []
    last: dict[tuple[LogProcess, str | None, str | None], _Comm] = {}
    for event in events:
        rank = event.values.get("rank")
        key = (event.process, event.values.get("comm"), rank)
        comm = last.get(key)
        if comm is None or not comm.fits(event):
            if event.what == "timings" and comm is not None:
                continue  # names no communicator: it may be of any that was cut away
            comm = _Comm(event.process)
            comms.append(comm)
        comm.add(event)
        last[key] = comm
        # The timings line follows COMPLETE and names only the rank.
        last[event.process, None, rank] = comm
    return tuple(comm.record() for comm in comms)


_PLACE = "cudaDev 3 nvmlDev 3 busId b3000"

MESSAGES = (
    NcclMessage(
        _LIFE,
        (
            Sample("2.7", "comm 0x7f2a40001060 rank 3 nranks 16 cudaDev 3 busId b3000 - Init COMPLETE"),
            Sample(
                "2.16-2.17",
                "comm 0x55d0c5e0b2a0 rank 3 nranks 16 cudaDev 3 busId b3000 commId 0xfa3841 - Init COMPLETE",
            ),
            *sample(
                "2.18-2.20",
                f"comm 0x55d0c5e0b2a0 rank 3 nranks 16 {_PLACE} commId 0xfa3841 - Init START",
                f"comm 0x55d0c5e0b2a0 rank 3 nranks 16 {_PLACE} commId 0xfa3841 - Init COMPLETE",
            ),
            *sample(
                "2.21+",
                f"ncclCommInitRank comm 0x55d0c5e0b2a0 rank 3 nranks 16 {_PLACE} commId 0xfa3841 - Init START",
                f"ncclCommSplit comm 0x55d0 rank 1 nranks 2 {_PLACE} parent 0x55c0 color 7 key 1 "
                f"commId 0xfa - Init COMPLETE",
            ),
            Sample(
                "2.23+",
                f"ncclCommSplit comm 0x55d0 rank 1 nranks 2 {_PLACE} parent 0x55c0 splitCount 1 color "
                f"7 key 1- Init START",
            ),
            Sample(
                "2.29+",
                f"[Rank 3] ncclCommInitRankConfig comm 0x55d0 rank 3 nranks 16 {_PLACE} commId 0xfa - Init START",
            ),
            *sample(
                "all",
                "comm 0x55d0c5e0b2a0 rank 3 nranks 16 cudaDev 3 busId b3000 - Destroy COMPLETE",
                "comm 0x55d0c5e0b2a0 rank 3 nranks 16 cudaDev 3 busId b3000 - Abort COMPLETE",
            ),
            Sample(
                "RCCL 2.21",
                f"ncclCommInitRank comm 0x55d0 rank 3 nranks 8 {_PLACE} commId 0xfa localSize 296 "
                f"used 412 bytes on core 5"
                " - Init COMPLETE",
            ),
        ),
        _life,
        Keep.EACH,
        subsystem="INIT",
        bare=True,
    ),
    NcclMessage(
        _COMM + r"nRanks (?P<nranks>\d{1,9}) nNodes (?P<nnodes>\d{1,9}) localRanks (?P<local_ranks>\d{1,9}) "
        r"localRank (?P<local_rank>\d{1,9})(?: MNNVL (?P<mnnvl>\d))?",
        sample("2.20+", "comm 0x55d0c5e0b2a0 rank 3 nRanks 16 nNodes 2 localRanks 8 localRank 3 MNNVL 0"),
        _event("nodes"),
        Keep.EACH,
        subsystem="INIT",
        bare=True,
    ),
    NcclMessage(
        r"Init timings(?: - (?P<function>\w+))?: rank (?P<rank>\d{1,9}) nranks (?P<nranks>\d{1,9}) "
        r"total (?P<seconds>\d{1,9}(?:\.\d{1,9})?) \((?P<parts>[^)]{0,300})",
        (
            Sample("2.22", "Init timings: rank 3 nranks 16 total 1.27 (kernels 0.17, bootstrap 0.51, rest 0.01)"),
            Sample(
                "2.23+",
                "Init timings - ncclCommInitRank: rank 3 nranks 16 total 1.27 (kernels 0.17, alloc 0.51)",
            ),
        ),
        _event("timings"),
        Keep.EACH,
        subsystem="INIT",
    ),
    harmless(
        r"Rank \d+ has color with NCCL_SPLIT_NOCOLOR|MNNVL (?:busId|\d)|CC O|UDS: Creating",
        *sample(
            "2.18+",
            "Rank 3 has color with NCCL_SPLIT_NOCOLOR, not creating a new communicator",
            "MNNVL busId 0xb3000 fabric UUID 0.0 cliqueId 0x0 state 3 healthMask 0x0",
            "CC Off, workFifoBytes 1048576",
            "CC Off, Multi-GPU CC Off, workFifoBytes 1048576",
            "UDS: Creating service thread comm 0x55d0c5e0b2a0 rank 0",
        ),
        subsystem="INIT",
    ),
)
