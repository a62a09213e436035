"""What PyTorch prints when a collective hangs or fails: the watchdog, DistBackendError, torchrun.

An error of NCCL that PyTorch reports, with its two lines of detail::

    [rank3]: torch.distributed.DistBackendError: NCCL error in: NCCLUtils.hpp:275, system error, NCCL version 2.20.5
    [rank3]: ncclSystemError: System call (e.g. socket, malloc) or external library call failed or device error.
    [rank3]: Last error:
    [rank3]: socketStartConnect: Connect to 10.0.0.9<41> failed : Software caused connection abort

Source: ``ProcessGroupNCCL.cpp``, ``TCPStore`` and ``torch.distributed.elastic`` of PyTorch 1.13 to 2.8. The rank inside
``[PG ... Rank 1]`` is a rank of that process group; ``[rank5]:`` before it is the rank of the job, and wins.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from msgspec.structs import replace

from slowlink.model.job import JobEvent
from slowlink.model.source import Line, Ref
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.message_table import DetailPattern, EventPattern, MessageParser, NoisePattern

_PG = r"\[PG (?:ID )?(?:\d+ PG GUID )?(?P<group>[^\]\n]{0,200}?) ?Rank (?P<rank>\d+)\] {1,2}"
"""Group and rank in it: ``[PG 0 Rank 2]`` of 2.3, later with the group's number in the process and its own name."""
_NUMBERS = (
    r"[Ll]ast enqueued (?:NCCL )?work: (?P<last_enqueued>-?\d+), "
    r"last completed (?:NCCL )?work: (?P<last_completed>-?\d+)"
)

MESSAGES = (
    EventPattern(
        "torch-watchdog-timeout",
        "atchdog caught collective operation timeout",
        # Whoever quotes it often breaks it: what stands behind the operation may be in the next line.
        r"(?:\[Rank (?P<rank>\d+)\] )?Watchdog caught collective operation timeout: "
        r"WorkNCCL\((?:SeqNum=(?P<seq>\d+), )?"
        r"OpType=(?P<op>\w+)(?:, NumelIn=(?P<numel_in>\d+))?"
        r"(?:[^()]{0,200}?Timeout\(ms\)=(?P<timeout_ms>\d+)\) ran for (?P<ran_ms>\d+) milliseconds)?",
        (
            "[rank3]:[E ProcessGroupNCCL.cpp:563] [Rank 3] Watchdog caught collective operation timeo"
            "ut: WorkNCCL(SeqNum=9, "
            "OpType=ALLREDUCE, NumelIn=7, NumelOut=7, Timeout(ms)=600000) ran for 600031 milliseconds"
            " before timing out.",
            "[Rank 1] Watchdog caught collective operation timeout: WorkNCCL(OpType=BROADCAST, Tensor"
            "Shape=[4], "
            "Timeout(ms)=1800000) ran for 1800113 milliseconds before timing out.",
            "[Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=77, OpType=_ALLGATHER_BASE,",
        ),
    ),
    EventPattern(
        "torch-watchdog-exception",
        "last enqueued NCCL work",
        _PG + r"(?:Timeout at NCCL work: |Exception \(either an error or timeout\) detected by watchdog at work: )"
        r"(?P<work>\d+), " + _NUMBERS,
        (
            "[rank2]:[E ProcessGroupNCCL.cpp:1537] [PG 0 Rank 2] Timeout at NCCL work: 9, last enqueued NCCL work: 12, "
            "last completed NCCL work: 8.",
            "[rank2]:[E703 15:37:17.178 ProcessGroupNCCL.cpp:1785] [PG ID 0 PG GUID 0(default_pg) Rank 2] Exception "
            "(either an error or timeout) detected by watchdog at work: 9, last enqueued NCCL work: 12, last completed "
            "NCCL work: 8.",
        ),
    ),
    EventPattern(
        "torch-watchdog-exception",
        "failure detected by watchdog",
        _PG + r"failure detected by watchdog at work sequence id: (?P<work>\d+) PG status: " + _NUMBERS,
        (
            "[rank4]:[E705 11:02:03.004 ProcessGroupNCCL.cpp:2241] [PG ID 1 PG GUID 5(TP) Rank 4]  failure detected by "
            "watchdog at work sequence id: 31 PG status: last enqueued work: 33, last completed work: 30",
        ),
    ),
    EventPattern(
        "torch-heartbeat-timeout",
        "watchdog got stuck for",
        r"(?:" + _PG + r".{0,80})?watchdog got stuck for (?P<seconds>\d+) ?seconds without making progress",
        (
            "[PG ID 0 PG GUID 0(default_pg) Rank 5] ProcessGroupNCCL's watchdog got stuck for 480 sec"
            "onds without making "
            "progress in monitoring enqueued collectives.",
        ),
    ),
    EventPattern(
        "torch-heartbeat-timeout",
        "Heartbeat monitor timed out",
        r"(?:" + _PG + r")?Heartbeat monitor timed out! Process will be terminated after dumping debug info",
        (
            "[rank5]:[E110 08:00:00.001 ProcessGroupNCCL.cpp:1249] [PG 0 Rank 5] Heartbeat monitor timed out! Process "
            "will be terminated after dumping debug info. workMetaList_.size()=3",
        ),
    ),
    EventPattern(
        "torch-dump-signal",
        "Received a dump signal",
        r"(?:" + _PG + r")?Received a dump signal due to a collective timeout from +(?:this local rank|rank "
        r"(?P<first_rank>\d+)).{0,120}?" + _NUMBERS,
        (
            "[PG ID 0 PG GUID 0(default_pg) Rank 1] Received a dump signal due to a collective timeout from  rank 3 "
            "and we will try our best to dump the debug info. Last enqueued NCCL work: 4, last completed NCCL work: 4.",
        ),
        secondary=True,
    ),
    EventPattern(
        "torch-dump-signal",
        "Received a dump signal",
        r"Received a dump signal due to a collective timeout from +(?:this local rank|rank (?P<first_r"
        r"ank>\d+))",
        (
            "[PG ID 0 PG GUID 0 Rank 1] Received a dump signal due to a collective timeout from  rank"
            " 3 and we will try our best",
        ),
        secondary=True,
    ),
    EventPattern(
        "torch-dump-signal",
        "flight recorder dump signal",
        r"(?:" + _PG + r")?Observed flight recorder dump signal from another rank",
        (
            "[PG ID 0 PG GUID 0(default_pg) Rank 1] Observed flight recorder dump signal from another"
            " rank via TCPStore.",
        ),
        secondary=True,
    ),
    EventPattern(
        "torch-gil-hang",
        "Could not acquire GIL",
        r"Could not acquire GIL within (?P<timeout_ms>\d+) ms on exit",
        ("Could not acquire GIL within 300 ms on exit, possible GIL induced hang",),
    ),
    EventPattern(
        "torch-rank-missing",
        "but didn't join collective",
        r"\[(?P<ranks>[\d, ]{1,200})\] finished collective #(?P<finished>\d+), but didn't join collect"
        r"ive #(?P<collective>\d+)",
        ("     [1] finished collective #2, but didn't join collective #3 (count from 1)",),
    ),
    EventPattern(
        "torch-rank-missing",
        "failed to pass monitoredBarrier",
        r"Ranks? (?P<ranks>\d+(?:, \d+){0,200}) failed to pass monitoredBarrier(?: in (?P<timeout_ms>\d+) ms)?",
        (
            "[Rank 0]: Rank 3 failed to pass monitoredBarrier in 30000 ms",
            "RuntimeError: [Rank 0]: Ranks 1, 3 failed to pass monitoredBarrier in 5000 ms",
        ),
    ),
    EventPattern(
        "torch-collective-mismatch",
        "mismatch between collectives",
        r"Detected mismatch between collectives on ranks\. Rank (?P<rank>\d+) is running collective:"
        r" CollectiveFingerPrint\([^()]{0,80}?OpType=(?P<op>\w+)",
        (
            "RuntimeError: Detected mismatch between collectives on ranks. Rank 0 is running collecti"
            "ve: CollectiveFingerPrint("
            "SequenceNumber=3, OpType=ALLREDUCE, TensorShape=[1]), but Rank 1 is running collective: ...",
        ),
    ),
    EventPattern(
        "torch-nccl-error",
        "NCCL error in",
        r"NCCL error in: ?(?:(?P<location>[^,\s]{1,240}), ?(?P<error>[^,]{1,160})(?:, NCCL version (?P<ve"
        r"rsion>[\d.]{1,20}))?|$)",
        (
            "torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/NCCLUt"
            "ils.hpp:219, remote process "
            "exited or there was a network error, NCCL version 2.20.5",
            "RuntimeError: NCCL error in: /pytorch/ProcessGroupNCCL.cpp:784, unhandled system error, "
            "NCCL version 2.7.8",
            "torch.distributed.DistBackendError: NCCL error in:",
        ),
    ),
    EventPattern(
        "torch-store-timeout",
        "clients joined",
        r"Timed out after (?P<seconds>\d+) seconds waiting for clients\. (?P<joined>\d+)/(?P<expected>"
        r"\d+) clients joined",
        ("torch.distributed.DistStoreError: Timed out after 1801 seconds waiting for clients. 7/8 clients joined.",),
    ),
    EventPattern(
        "torch-store-timeout",
        "client socket has",
        r"The client socket has (?:timed out after (?:(?P<seconds>\d+)s|(?P<waited_ms>\d+)ms)"
        r"|failed to connect to any network address)"
        r".{0,60}?(?:connect to|of) \(?\[?(?P<peer>[\w.:-]{1,120})",
        (
            "The client socket has timed out after 60s while trying to connect to (gpu01, 29500).",
            "The client socket has timed out after 600000ms while trying to connect to (gpu01, 29500).",
            "The client socket has failed to connect to any network address of (gpu01, 29500).",
        ),
    ),
    EventPattern(
        "torch-rendezvous-failed",
        "Rendezvous",
        r"(?P<error>Rendezvous(?:Timeout|Connection|Closed|State)Error)",
        (
            "torch.distributed.elastic.rendezvous.api.RendezvousConnectionError: The connection to th"
            "e C10d store has failed.",
        ),
    ),
    EventPattern(
        "torch-elastic-failure",
        "of binary:",
        r"failed \(exitcode: (?P<code>-?\d+)\) local_rank: (?P<local_rank>\d+) \(pid: (?P<pid>\d+)\) o"
        r"f binary: (?P<executable>\S+)",
        (
            "ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: -6) local_rank: 2 "
            "(pid: 4711) of binary: "
            "/usr/bin/python3",
        ),
    ),
    EventPattern(
        "torch-elastic-failure",
        "Root Cause (first observed failure)",
        r"Root Cause \(first observed failure\)",
        ("Root Cause (first observed failure):",),
    ),
)

DETAILS = (
    DetailPattern(
        ("torch-nccl-error",),
        "ProcessGroupNCCL",
        r"^\s*(?P<location>[^,\s]{0,200}(?:ProcessGroupNCCL|NCCLUtils)[^,\s]{1,40}), ?(?P<error>[^,]{1,160}),?",
        ("  ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:1691, internal error,",),
    ),
    DetailPattern(
        ("torch-nccl-error",),
        "nccl",
        r"^\s*(?P<code>nccl(?:System|Internal|Remote|UnhandledCuda|InvalidUsage|InvalidArgument)\w{0,12}):",
        ("ncclSystemError: System call (e.g. socket, malloc) or external library call failed or device error.",),
    ),
    DetailPattern(
        ("torch-elastic-failure",),
        "(local_rank: ",
        r"^\s*rank +: (?P<rank>\d+) \(local_rank: (?P<local_rank>\d+)\)",
        ("  rank      : 3 (local_rank: 3)",),
    ),
    DetailPattern(
        ("torch-elastic-failure",),
        "host   ",
        r"^\s*host +: (?P<host>\S+)",
        ("  host      : gpu01",),
    ),
    DetailPattern(
        ("torch-elastic-failure",),
        "exitcode ",
        r"^\s*exitcode +: (?P<code>-?\d+) \(pid: (?P<pid>\d+)\)",
        ("  exitcode  : -6 (pid: 4711)",),
    ),
)

NOISE = (
    NoisePattern(
        "frame #",
        r"^\s*frame #\d+: ",
        ("frame #3: c10d::ProcessGroupNCCL::watchdogHandler() + 0x1e5 (0x15 in /opt/libtorch_cuda.so)",),
    ),
    NoisePattern(
        "Exception raised from",
        r"Exception raised from \w+ at ",
        ("Exception raised from checkTimeout at /x.cpp:565 (",),
    ),
    NoisePattern(
        "Some NCCL operations have failed",
        r"Some NCCL operations have failed or timed out",
        ("[Rank 2] Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA kernels,",),
    ),
    NoisePattern(
        "To avoid data inconsistency",
        r"To avoid data inconsistency, we are taking the entire process down",
        ("[Rank 2] To avoid data inconsistency, we are taking the entire process down.",),
    ),
    NoisePattern(
        "Stack trace of the failed collective",
        r"Stack trace of the failed collective",
        (
            "Stack trace of the failed collective:",
            "Stack trace of the failed collective not found, potentially because",
        ),
    ),
    NoisePattern(
        "First PG on this rank",
        r"First PG on this rank (?:to signal dumping|that detected no heartbeat of its watchdog)",
        ("[PG ID 0 PG GUID 0(default_pg) Rank 2] First PG on this rank to signal dumping.",),
    ),
    NoisePattern("Last error:", r"^\s*Last error:", ("Last error:",)),
    NoisePattern(
        "Timeout at collective",
        r"- \[[\d, ]{1,200}\] Timeout at collective: \w+",
        (" - [0] Timeout at collective: ALLREDUCE, #3",),
    ),
    NoisePattern(
        "lagging/dead/mismatched ranks",
        r"lagging/dead/mismatched ranks that caused the desync",
        (" - To our best knowledge, the lagging/dead/mismatched ranks that caused the desync are:",),
    ),
    NoisePattern(
        "flight recorder successfully",
        r"Finished flight recorder successfully",
        ("Finished flight recorder successfully. Output can be analyzed using the fr_trace script.",),
    ),
)


class PyTorch(MessageParser):
    """Events of PyTorch's process group, store and launcher, with the lines of detail below them."""

    kind: ClassVar[str] = "pytorch"
    digits_alike: ClassVar[bool] = True
    origin: ClassVar[str] = "pytorch"
    messages: ClassVar[tuple[EventPattern, ...]] = MESSAGES
    details: ClassVar[tuple[DetailPattern, ...]] = DETAILS
    noise: ClassVar[tuple[NoisePattern, ...]] = NOISE

    def __init__(self) -> None:
        super().__init__()
        self._expects_error = False

    @property
    def greedy(self) -> bool:
        """True right after ``Last error:``, whose text is free."""
        return self._expects_error

    def feed(self, line: Line) -> Use:
        expected, self._expects_error = self._expects_error, False
        text = line.text.strip()
        draft = self._draft
        if draft is not None and draft.message.kind == "torch-nccl-error":
            if expected and text:
                draft.groups.setdefault("last_error", text[:300])
                return Use.USED
            self._expects_error = text == "Last error:"
        return super().feed(line)

    def event(self, message: EventPattern, groups: Mapping[str, str], ref: Ref, line: Line) -> JobEvent:
        """The rank in ``[PG ... Rank 1]`` is the one in that group; ``[rank5]:`` before it is the rank of the job."""
        found = super().event(message, groups, ref, line)
        if line.rank is not None and "group" in groups:
            return replace(found, rank=line.rank)
        return found


PARSER = PyTorch
