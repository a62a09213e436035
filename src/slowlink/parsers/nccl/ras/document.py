"""RAS's answer as JSON (``ncclras -f json``, NCCL 2.28.7 and newer): every rank of every communicator."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from slowlink.model.hang import (
    RasCommunicator,
    RasError,
    RasGroup,
    RasMismatch,
    RasProcess,
    RasShare,
    RasSnapshot,
)
from slowlink.model.source import Ref
from slowlink.parsers.benchmarks.nccl_tests.values import integer, items, mapping, text, truth
from slowlink.parsers.forms.json_blocks import TRUNCATED
from slowlink.parsers.nccl.ras.builder import MAX_LISTED

IN_PROGRESS = 7
"""``ncclInProgress``: not finished, and no error."""
_RESULTS = {
    1: "ncclUnhandledCudaError",
    2: "ncclSystemError",
    3: "ncclInternalError",
    4: "ncclInvalidArgument",
    5: "ncclInvalidUsage",
    6: "ncclRemoteError",
}
"""Results of NCCL by number, as ``nccl.h`` names them."""


class RasDocument:
    """Gives one ``RasSnapshot`` for one answer of RAS in JSON."""

    kind: ClassVar[str] = "nccl-ras"

    @staticmethod
    def wants_document(value: object) -> bool:
        return (
            isinstance(value, dict) and "communicators" in value and ("ras" in value or "communicators_count" in value)
        )

    def read(self, value: object, source: str, line: int) -> Iterable[RasSnapshot]:
        found = mapping(value)
        ref = Ref(source, line)
        comms = [_Read(mapping(item), ref) for item in MAX_LISTED.first(items(found.get("communicators")))]
        ras = mapping(found.get("ras"))
        places = {(p.host, p.pid, p.gpus) for comm in comms for p in comm.everybody}
        yield RasSnapshot(
            ref=ref,
            nccl=text(found.get("nccl_version")),
            cuda_runtime=integer(found.get("cuda_runtime_version")),
            cuda_driver=integer(found.get("cuda_driver_version")),
            timestamp=text(found.get("timestamp")),
            nodes=len({host for host, _, _ in places if host}) or None,
            processes=len({(host, pid) for host, pid, _ in places if pid is not None}) or None,
            gpus=len(places) or None,
            groups=tuple(comm.group() for comm in comms),
            communicators=tuple(comm.record for comm in comms),
            count=integer(found.get("communicators_count")),
            timeouts=integer(ras.get("timeouts_count")) or 0,
            complete=truth(found.get(TRUNCATED)) is not True,
        )


class _Read:
    """One communicator with its ranks."""

    def __init__(self, found: dict[str, object], ref: Ref) -> None:
        self._found = found
        self._ref = ref
        self._ranks = [mapping(item) for item in MAX_LISTED.first(items(found.get("ranks")))]
        self._missing = [mapping(item) for item in MAX_LISTED.first(items(found.get("missing_ranks")))]
        self._hash = (text(found.get("hash")) or "").removeprefix("0x")
        self.present = [_process(item, ref) for item in self._ranks]
        self.missing = [_missing(item, ref) for item in self._missing]
        self.record = self._record()

    @property
    def everybody(self) -> list[RasProcess]:
        return [*self.present, *self.missing]

    def _record(self) -> RasCommunicator:
        lacking = integer(self._found.get("missing_ranks_count")) or len(self.missing)
        errors = (
            [RasError("missing-rank", lacking, tuple(self.missing), self._named("missing_ranks"))] if lacking else []
        )
        for key, kind in (("init_state", "init-error"), ("async_error", "async-error")):
            codes = [integer(_status(item).get(key)) for item in self._ranks]
            bad = [process for process, code in zip(self.present, codes, strict=True) if _failed(code)]
            if bad:
                words = tuple(dict.fromkeys(_RESULTS.get(code, f"result {code}") for code in codes if _failed(code)))  # type: ignore[arg-type]
                errors.append(RasError(kind, len(bad), tuple(bad), self._named(key), words))  # type: ignore[arg-type]
        return RasCommunicator(
            hash=self._hash,
            size=integer(self._found.get("size")),
            present=integer(self._found.get("ranks_count")),
            mismatches=tuple(self._mismatches()),
            errors=tuple(errors),
            ref=self._named("hash"),
            launched=self._launched(),
        )

    def _launched(self) -> tuple[tuple[int, int], ...]:
        counts = [mapping(item.get("collective_counts")).values() for item in self._ranks]
        sums = [sum(integer(count) or 0 for count in each) for each in counts]
        return tuple(
            sorted((each.rank, total) for each, total in zip(self.present, sums, strict=True) if each.rank is not None)
        )

    def group(self) -> RasGroup:
        """What the text would print for this communicator."""
        record = self.record
        states = sorted({_state(item) for item in self._ranks}) or ["NOCOMM"]
        wrong = [("INCOMPLETE", any(e.kind == "missing-rank" for e in record.errors))]
        wrong.append(("ERROR", any(e.kind.endswith("error") for e in record.errors)))
        wrong.append(("MISMATCH", bool(record.mismatches)))
        hosts = {process.host for process in self.present}
        return RasGroup(
            comms=1,
            nodes=len(hosts),
            ranks_per_node="",
            size=record.size or 0,
            ranks=len(self.present),
            status=",".join(states),
            errors=tuple(name for name, there in wrong if there),
            ref=self._ref,
        )

    def _mismatches(self) -> Iterable[RasMismatch]:
        """Collectives whose counts differ between the ranks that answered, and differing states."""
        counts = [mapping(item.get("collective_counts")) for item in self._ranks]
        for collective in dict.fromkeys(name for count in counts for name in count):
            shares = _shares(self.present, [integer(count.get(collective)) for count in counts])
            if len(shares) > 1:
                named = self._named(f"collective_counts.{collective}")
                yield RasMismatch("operations", collective[:40], shares, named)

    def _named(self, what: str) -> Ref:
        return Ref(self._ref.source, self._ref.line, f"communicator {self._hash}: {what}"[:400])


def _shares(processes: Sequence[RasProcess], counts: Sequence[int | None]) -> tuple[RasShare, ...]:
    """Ranks by their count, the furthest first. A count of 9 is operation 8 in the text: both count up alike."""
    by_count: dict[int, list[RasProcess]] = {}
    for process, count in zip(processes, counts, strict=True):
        if count is not None:
            by_count.setdefault(count, []).append(process)
    return tuple(
        RasShare(len(by_count[count]), count or None, None, tuple(by_count[count]))
        for count in sorted(by_count, reverse=True)
    )


def _process(found: dict[str, object], ref: Ref) -> RasProcess:
    cuda, nvml = integer(found.get("cuda_dev")), integer(found.get("nvml_dev"))
    gpus = None if cuda is None else str(cuda) if nvml in (None, cuda) else f"{cuda} (NVML {nvml})"
    rank, host, pid = integer(found.get("rank")), text(found.get("host")), integer(found.get("pid"))
    words = f"rank {rank}, process {pid} on {host}"
    return RasProcess(Ref(ref.source, ref.line, words[:400]), rank, pid, host, gpus)


def _missing(found: dict[str, object], ref: Ref) -> RasProcess:
    known = _process(found, ref)
    unresponsive = truth(_status(found).get("unresponsive"))
    dead = truth(_status(found).get("considered_dead"))
    words = f"{known.ref.text}: unresponsive {_word(unresponsive)}, considered_dead {_word(dead)}"
    return RasProcess(
        Ref(ref.source, ref.line, words[:400]),
        known.rank,
        known.pid,
        known.host,
        known.gpus,
        responsive=None if unresponsive is None else not unresponsive,
        dead=dead,
    )


def _word(value: bool | None) -> str:
    return "unknown" if value is None else str(value).lower()


def _status(found: dict[str, object]) -> dict[str, object]:
    return mapping(found.get("status"))


def _failed(code: int | None) -> bool:
    return code is not None and code not in (0, IN_PROGRESS)


def _state(found: dict[str, object]) -> str:
    """The state that the text would name."""
    status = _status(found)
    if truth(status.get("abort_flag")):
        return "ABORT"
    if truth(status.get("finalize_called")) or truth(status.get("destroy_flag")):
        return "FINALIZE"
    return "INIT" if integer(status.get("init_state")) == IN_PROGRESS else "RUNNING"
