"""perftest's header block: the title, the key/value lines, what GPU memory was used, and its error messages."""

from __future__ import annotations

import re

from slowlink.parsers.forms.literals import Literals
from slowlink.patterns import regex

_TITLE = regex(
    r"^\s*(?P<test>(?:Send_imm|Send|RDMA_Write_imm|RDMA_Write|RDMA_Read|Atomic(?: (?:CMP_AND_SWAP|FETCH_AND_ADD))?"
    r"|Raw Ethernet)\b[\w ]{0,60}(?:BW|Latency)(?: forwarding)?(?: Multicast)?) Test\s*$"
)
_KEYS = (
    "Dual-port",
    "Device",
    "Number of qps",
    "Transport type",
    "Connection type",
    "Using SRQ",
    "PCIe relax order",
    "Lock-free",
    "ibv_wr* API",
    "Using Enhanced Reorder",
    "Using DDP",
    "TX depth",
    "RX depth",
    "Post List",
    "Recv Post List",
    "CQ Moderation",
    "CQE Poll Batch",
    "Mtu",
    "Link type",
    "GID index",
    "Max inline data",
    "Outstand reads",
    "rdma_cm QPs",
    "Data ex. method",
    "TOS",
    "NUMA node",
)
_PAIR = regex(
    r"(?P<key>"
    + "|".join(re.escape(key) for key in sorted(_KEYS, key=len, reverse=True))
    + r"|Use [A-Za-z]{2,10} memory)"
    r"[ \t]{0,24}:[ \t]{0,8}(?P<value>[^\t\n:]{0,80}?)(?=\t|[ ]{2,}|\s*$)"
)
_ADDRESS = regex(r"^\s*(?:(?:local|remote) address:\s+LID |GID:\s+[\dA-Fa-f]{2,4}:)")
_STARTING = regex(
    r"^\s*Starting RDMA (?:client|server) '(?P<program>ib_[a-z]+_(?:bw|lat))' for (?P<device>[\w.-]{1,64})"
)
"""What wrappers that run perftest in a pod say in place of its own header."""
_VERBS = {"write": "RDMA_Write", "read": "RDMA_Read", "send": "Send", "atomic": "Atomic"}
_GPU_LINE = regex(
    r"^\s*(?:initializing CUDA|Listing all CUDA devices|CUDA device \d+: PCIe address"
    r"|Picking (?:device No\.|GPU number) ?\d+"
    r"|\[pid = \d+, dev = \d+\] device name|creating CUDA Ctx"
    r"|making it the current CUDA Ctx|destroying current CUDA Ctx"
    r"|cuMem\w+\(\) of|allocated (?:\d+ bytes of )?GPU buffer|deallocating (?:RX |TX )?GPU buffer"
    r"|[Uu]sing (?P<runtime>cuda|maca|rocm|hip|musa)[\w ]{0,12} (?:with ID:|ID) ?\d+)",
    re.IGNORECASE,
)
_GPU_NUMBER = regex(r"(?:No\. ?|number |dev = |with ID: ?|\bID )(?P<gpu>\d+)")

_JUDGEMENTS = (
    "BW result is below bw limit",
    "Msg rate  is below msg_rate limit",
    "Can't produce a report",
)
"""Errors that perftest prints of a run that came to its end."""
ERRORS = (
    "Couldn't connect to ",
    "Unable to init the socket connection",
    "Unable to find the Infiniband/RoCE device",
    "No IB devices found",
    "Did not detect devices",
    "Failed to modify QP",
    "Unable to Connect the HCA's through the link",
    "Couldn't allocate MR",
    "failed to create mr",
    "Failed to create MR",
    "DMABUF requested but not supported",
    "Problems with warm up",
    "Completion with error at ",
    "Failed status",
    "Unexpected CM event",
    "Unable to connect (retries",
    "not compatible with versions older than",
    "Failed to complete run_iter",
    *_JUDGEMENTS,
)
_ENDS = (
    *("Couldn't allocate MR", "failed to create mr", "Failed to create MR", "DMABUF requested but not supported"),
    "Completion with error at ",
)
_ERROR_PATTERNS = (
    regex(r"^\s*IB device \S{1,64} not found"),
    regex(r"^\s*Port number \d+ state is (?:Down|Init|Armed)"),
    regex(r"^\s*scnt=\d+, ccnt=\d+"),
)
_ERROR_MARKS = (*ERRORS, "IB device ", "Port number ", "scnt=")
_NOTICES = (
    "Conflicting CPU frequency values detected",
    "BW peak won't be measured in this run",
    "CPU is not PCIe relaxed ordering compliant",
    "You should disable PCIe RO with",
    "Client closed connection",
    "* Waiting for client to connect... *",
)
MARKS = Literals(
    (
        "BW Test",
        "Starting RDMA ",
        "atency Test",
        "Multicast Test",
        "forwarding Test",
        *(key for key in _KEYS if key not in ("Device", "TOS", "Mtu")),
        "Mtu  ",
        " memory :",
        "l address:",
        "remote address:",
        "GID:",
        "ing CUDA",
        "all CUDA devices",
        "CUDA device ",
        "CUDA Ctx",
        "sing cuda",
        "GPU buffer",
        "device name",
        "Picking ",
        "cuMem",
        "sing maca",
        "sing ROCm",
        "sing rocm",
        "sing hip",
        "sing HIP",
        "sing musa",
        "sing MUSA",
        *_ERROR_MARKS,
        *_NOTICES,
    )
)
"""One of these is in every line that belongs to a header, an error or a notice. No digits."""


def read_title(text: str) -> str | None:
    """``RDMA_Write BW`` of ``RDMA_Write BW Test``; None where the line is no title."""
    match = _TITLE.match(text)
    return match["test"] if match else None


def read_start(text: str) -> tuple[str, str] | None:
    """Title and device of ``Starting RDMA client 'ib_read_lat' for mlx5_0``; None where the line is something else."""
    match = _STARTING.match(text)
    if match is None:
        return None
    _, verb, kind = match["program"].split("_")
    return f"{_VERBS.get(verb, verb)} {'BW' if kind == 'bw' else 'Latency'}", match["device"]


def read_pairs(text: str) -> dict[str, str]:
    """Key/value pairs of a header line, keys as printed; empty where the line has none."""
    return {match["key"]: match["value"].strip() for match in _PAIR.finditer(text[:400])}


def is_address(text: str) -> bool:
    """A ``local address:`` or ``GID:`` line."""
    return _ADDRESS.match(text) is not None


def is_local_address(text: str) -> bool:
    """perftest prints one for each queue pair."""
    return text.lstrip().startswith("local address:")


def is_notice(text: str) -> bool:
    """A harmless remark of perftest."""
    return any(notice in text for notice in _NOTICES)


def is_error(text: str) -> bool:
    """An error message of perftest."""
    return any(error in text for error in ERRORS) or any(pattern.match(text) for pattern in _ERROR_PATTERNS)


def judges_result(text: str) -> bool:
    """An error about the result of a run that came to its end."""
    return any(error in text for error in _JUDGEMENTS)


def ends_the_run(text: str) -> bool:
    """An error after which perftest does not go on. It tries again to connect, and nothing else."""
    return any(error in text for error in _ENDS)


def gpu_line(text: str) -> tuple[str, int | None] | None:
    """Kind of GPU memory (``cuda maca rocm musa``) and GPU number from a line about the GPU buffer; "" when a line
    about a GPU buffer does not name the kind; None where it is no such line."""
    match = _GPU_LINE.match(text)
    if match is None:
        return None
    runtime = (match["runtime"] or "").lower()
    kind = {"hip": "rocm"}.get(runtime, runtime)
    if not kind and ("CUDA" in text or "cuMem" in text):
        kind = "cuda"
    found = _GPU_NUMBER.search(text)
    return kind, int(found["gpu"]) if found and len(found["gpu"]) < 6 else None


def memory_of(pairs: dict[str, str]) -> str | None:
    """``cuda``, ``rocm`` ... where a ``Use X memory`` pair says ON, ``host`` where all of them say OFF."""
    answers = {key.split()[1].lower(): value for key, value in pairs.items() if key.startswith("Use ")}
    if not answers:
        return None
    return next((kind for kind, value in answers.items() if value.upper() == "ON"), "host")
