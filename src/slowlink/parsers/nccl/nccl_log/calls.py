"""The collective trace (COLL): one line a call and rank, folded to the last call of each communicator."""

from __future__ import annotations

from slowlink.model.nccl import CollectiveCall, LogProcess
from slowlink.model.source import Ref
from slowlink.parsers.nccl.nccl_log.message import Keep, NcclMessage, sample
from slowlink.patterns import regex

_CALL = regex(
    r"(?P<name>\w+): opCount (?P<op>[0-9a-fA-F]{1,16}) sendbuff \S+ recvbuff \S+ count (?P<count>\d{1,20}) "
    r"datatype (?P<type>\d{1,6}) op (?P<redop>\d{1,20}) root (?P<root>-?\d{1,10}) comm (?P<comm>\S+)"
    r"(?: \[nranks=(?P<nranks>\d{1,10})\])?(?: stream \S+)?"
)
_SAMPLE = (
    "opCount 1f sendbuff 0x7f2a40000000 recvbuff 0x7f2a80000000 count 67108864 datatype 7 op 0 root 0 "
    "comm 0x55d0c5e0b2a0 [nranks=16] stream 0x55d0c4a1f0e0"
)


def read_call(body: str, calls: int, process: LogProcess, ref: Ref) -> CollectiveCall | None:
    """The call in one ``opCount`` line; None when the line is torn."""
    match = _CALL.match(body)
    if match is None:
        return None
    nranks = match["nranks"]
    return CollectiveCall(
        match["name"],
        int(match["op"], 16),
        int(match["count"]),
        int(match["type"]),
        int(match["redop"]),
        int(match["root"]),
        match["comm"],
        int(nranks) if nranks else None,
        calls,
        process,
        ref,
    )


COLLECTIVES = [
    "AllReduce",
    "AllGather",
    "ReduceScatter",
    "Broadcast",
    "Reduce",
    "Send",
    "Recv",
    "AlltoAll",
    "Gather",
    "Scatter",
    "PutSignal",
    "Signal",
    "WaitSignal",
]
"""Names before ``: opCount``; the fold recognises the lines by them."""

CALL = NcclMessage(
    _CALL.pattern,
    (
        *sample("2.7+", *(f"{name}: {_SAMPLE}" for name in COLLECTIVES)),
        *sample("RCCL 2.21", f"AllReduce: {_SAMPLE} task 0 globalrank 3"),
    ),
    None,
    Keep.EACH,
    subsystem="COLL",
)

MESSAGES = (CALL,)
