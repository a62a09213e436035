"""Wrong use of the library, wrong settings, and the trail that an error leaves on its way up."""

from __future__ import annotations

from slowlink.parsers.nccl.nccl_log.message import Sample, sample
from slowlink.parsers.nccl.nccl_log.warning import warning

_BOTH = ("WARN", "INFO")

MESSAGES = (
    warning(
        "error-trail",
        "The way of an error up the call stack: 1 CUDA, 2 system, 3 internal, 4 argument, 5 usage, 6 remote.",
        r"(?P<where>\S{1,120}\.(?:cc|cu|h|hpp|c):\d{1,7})(?: \([^)]{0,80}\))? -> (?P<code>\d{1,3})(?= |$)",
        Sample("2.7-2.29", "transport/net.cc:1134 -> 6"),
        Sample("2.14+", "proxy.cc:858 -> 6 [Proxy Thread]"),
        Sample("2.30", "init.cc:1263 (ncclCommInitRankFunc) -> 2"),
        Sample("all", "include/socket.h:395 -> 2 (Connection refused)"),
        levels=("INFO",),
        secondary=True,
    ),
    warning(
        "net-plugin-missing",
        "The network that NCCL_NET names does not exist, or none could be initialised.",
        r"(?:Failed to initialize any NET plugin|Error ?: network (?P<network>.{1,60}?) not found)",
        Sample("2.27+", "Failed to initialize any NET plugin"),
        Sample("2.7-2.26", "Error: network AWS Libfabric not found."),
        bare=True,
    ),
    warning(
        "no-algorithm",
        "NCCL_ALGO or NCCL_PROTO leave nothing for this call.",
        r"(?:Error ?: )?[Nn]o algorithm/protocol available(?: for function (?P<function>\w+))?",
        Sample("2.7-2.23", "Error : no algorithm/protocol available"),
        Sample(
            "2.24-2.29", "Error : no algorithm/protocol available for function AllReduce with datatype ncclFloat32."
        ),
        Sample("2.30", "No algorithm/protocol available for function AllReduce with datatype ncclFloat32."),
    ),
    warning(
        "invalid-argument",
        "A call had a wrong argument.",
        r"(?:(?P<function>\w{1,40}) ?: )?(?:invalid (?P<what>root|type|reduction operation|argument|device)|"
        r"Invalid (?:rank requested|device|argument|config)|sendbuff .{0,60}?(?:not a valid pointer|mismatchs)"
        r"|recvbuff .{0,60}?(?:not a valid pointer|mismatchs))",
        *sample(
            "all",
            "AllReduce : invalid root 9 (root should be in the 0..8 range)",
            "AllReduce : sendbuff 0x7f2a40 is not a valid pointer",
            "AllReduce : sendbuff allocated on device 1 mismatchs with NCCL device 0",
            "Invalid rank requested : 9/8",
            "Invalid device 9 (totalnDev=8)",
        ),
    ),
    warning(
        "comm-corrupted",
        "A communicator was used after it was freed, or by another version of the library.",
        r"Error: corrupted comm object detected",
        Sample("all", "Error: corrupted comm object detected"),
    ),
    warning(
        "usage",
        "The library was used wrongly.",
        r"(?:Trying to (?:send|recv) to self|Attempt to use communicator before"
        r"|NCCL cannot be captured|Streams given to a"
        r"|Either none or all communicators|\w{1,60}: communicator was revoked|FP8 reduction support begins)",
        *sample(
            "all",
            "Trying to send to self without a matching recv",
            "Attempt to use communicator before the previous operation returned ncclSuccess",
            "NCCL cannot be captured in a graph if either it wasn't built with CUDA runtime >= 11.3",
            "Streams given to a communicator within a NCCL group must either be all uncaptured or all captured",
            "Either none or all communicators in a ncclGroup() can be CUDA graph captured.",
            "ncclAllReduce: communicator was revoked",
            "FP8 reduction support begins with sm90 capable devices.",
        ),
    ),
    warning(
        "symmetric-mismatch",
        "Ranks registered different windows for a symmetric collective.",
        r"Coll (?P<collective>\S+) size "
        r"(?P<size>\d{1,20}) symmetric registration check failed on rank (?P<rank>\d{1,9})",
        Sample("2.29+", "Coll AllReduce size 1024 symmetric registration check failed on rank 3: offset mismatch with"),
    ),
    warning(
        "setting-ignored",
        "A setting is ignored.",
        r"(?P<name>[NRM]CCL_\w+)=(?P<value>\S+) is (?:being )?ignored",
        Sample("all", "NCCL_WORK_FIFO_BYTES=1000 is being ignored because it is not a power of 2."),
    ),
    warning(
        "driver-feature-missing",
        "A feature needs a newer driver.",
        r"One-sided RMA requires CUDA driver|Elastic GIN: ",
        Sample("2.29+", "One-sided RMA requires CUDA driver 12.5 or later (found 12.4)."),
        levels=_BOTH,
    ),
    warning(
        "syscall-failed",
        "A system call failed; the text says why.",
        r"Call to (?P<call>[a-z]\w{0,40}) (?:\S{1,100} )?failed ?: (?P<error>.{1,120})",
        *sample(
            "all", "Call to bind failed : Address already in use", "Call to open /dev/shm/x failed : Permission denied"
        ),
    ),
)
