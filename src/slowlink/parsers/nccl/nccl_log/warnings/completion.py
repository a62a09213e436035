"""RDMA completions with an error, in the grammar of every version.

``peer`` is the TCP address of the other process, not the path of the RDMA traffic. GIDs stand only in RoCE lines.
``vendor_err`` is the syndrome of the HCA, in decimal.
"""

from __future__ import annotations

from slowlink.parsers.nccl.nccl_log.message import Sample
from slowlink.parsers.nccl.nccl_log.warning import warning

_REST = (
    r"(?:,? opcode[ =](?:(?P<opcode_name>[A-Z_0-9]+)\()?(?P<opcode>\d{1,9})\)?)?"
    r"(?:,? (?:len|reqSize)[ =]\s?(?P<len>-?\d{1,20}))?"
    r"(?:,? vendor[ _]err[ =](?P<vendor_err>\d{1,20}))?"
    r"(?: (?:req_type=)?\(?(?P<side>Send|Recv|Flush|Unused)\)?)?"
    r"(?: {1,3}localGid (?P<local_gid>\S+) remoteGids? ?(?P<remote_gid>\S+))?"
    r"(?: {1,3}hca (?P<hca>\S+))?"
)

MESSAGES = (
    warning(
        "ib-completion-error",
        "An RDMA work request ended with an error; the status says how (12: no acknowledgement, 5: flushed).",
        r"NET/IB(?:/GIN)? ?: Got completion(?: from peer(?: (?P<peer>\S+<\d+>))?)? with "
        r"(?:error |status=)(?:(?P<status_name>IBV_\w+)\()?(?P<status>\d{1,9})\)?" + _REST,
        Sample("2.7-2.8", "NET/IB : Got completion with error 12, opcode 0, len 0, vendor err 129"),
        Sample(
            "2.10-2.17",
            "NET/IB : Got completion from peer 10.0.0.2<33092> with error 12, opcode 1, len 0, vendor err 129",
        ),
        Sample(
            "2.18-2.19",
            "NET/IB : Got completion from peer 10.0.0.2<33092> with error 5, opcode 0, len 0, vendor err 244"
            " (Recv) localGid ::ffff:10.1.0.1 remoteGid ::ffff:10.1.0.2",
        ),
        Sample(
            "2.20-2.21",
            "NET/IB : Got completion from peer 10.0.0.2<33092> with status=12 opcode=0 len=0 vendor err 129"
            " (Send) localGid ::ffff:10.1.0.1 remoteGids::ffff:10.1.0.2",
        ),
        Sample(
            "2.22-2.27",
            "NET/IB: Got completion from peer 10.0.0.2<33092> with status=4 opcode=32767 len=65535 vendor err 81"
            " (Recv) localGid ::ffff:10.1.0.1 remoteGids::ffff:10.1.0.2 hca mlx5_3",
        ),
        Sample(
            "2.28",
            "NET/IB: Got completion from peer 10.0.0.2<33092> with status=IBV_WC_RETRY_EXC_ERR(12)"
            " opcode=IBV_WC_SEND(0) reqSize=0 vendor_err=129 req_type=Send hca mlx5_3",
        ),
        Sample(
            "2.29+",
            "NET/IB: Got completion from peer 10.0.0.2<33092> with status=IBV_WC_RETRY_EXC_ERR(12)"
            " opcode=IBV_WC_SEND(0) vendor_err=129  localGid ::ffff:10.1.0.1 remoteGids::ffff:10.1.0.2 hca mlx5_3",
        ),
        continues=r"\s*(?:\d{1,9}, )?(?:len|vendor|opcode|localGid|hca)\b|\s*\d{1,9}[, ]",
        bare=True,
    ),
    warning(
        "ib-cqe-error",
        "Companion line of a completion error.",
        r"NET/IB ?: Got CQE with error \(devIndex=(?P<device>\d{1,9})",
        Sample("2.29+", "NET/IB: Got CQE with error (devIndex=0, req=0x7f2a40, wr_id=12, qp_num=1340)"),
        secondary=True,
    ),
    warning(
        "gin-error",
        "The network that is driven from the GPU reported an error.",
        r"GIN [Ee]rror",
        Sample("2.29+", "GIN Error detected"),
    ),
    warning(
        "fatal-async-error",
        "An earlier asynchronous error of the HCA ended the communicator.",
        r"(?P<where>.{0,200}?)communicator encountered a fatal error \(detected in (?P<function>[^)]*)\)",
        Sample("2.23+", "NET/IB: communicator encountered a fatal error (detected in ncclIbTest)"),
        Sample("2.23+", "communicator encountered a fatal error (detected in ncclIbTest)"),
        secondary=True,
    ),
)
