"""RDMA devices, queue pairs and memory registration."""

from __future__ import annotations

from slowlink.parsers.nccl.nccl_log.message import Sample, sample
from slowlink.parsers.nccl.nccl_log.warning import warning

_INFO = ("INFO",)
_BOTH = ("WARN", "INFO")

MESSAGES = (
    warning(
        "ib-modify-qp-failed",
        "Two HCAs cannot be connected: 110 no route or ARP between them, 22 wrong GID, 101 or 113 unreachable.",
        r"Call to ibv_modify_qp failed with (?:error (?P<reason>[A-Z][A-Za-z '/-]{1,100}?)(?= \[?errno |,|\s*$))?"
        r"(?: ?\[?(?:errno )?(?P<errno>\d{1,5})\]?)?(?: (?P<text>[A-Z][^,]{1,120}))?,?"
        r"(?: on dev (?P<hca>[^\s:,]+):(?P<port>\d{1,4}),?)?"
        r"(?: curr state (?P<state>\w+), next state (?P<next_state>\w+),?)?"
        r"(?: local GID index (?P<gid_index>-?\d{1,6}),?)?"
        r"(?: local GID (?P<local_gid>[^,]{1,80}),?)?(?: remote GID (?P<remote_gid>[^,\s][^,]{0,80}))?",
        *sample(
            "2.12-2.23",
            "Call to ibv_modify_qp failed with error Connection timed out",
            "Call to ibv_modify_qp failed with error Connection timed out [errno 110]",
            "Call to ibv_modify_qp failed with error No data available errno 61",
        ),
        Sample(
            "2.24+",
            "Call to ibv_modify_qp failed with 110 Connection timed out, on dev mlx5_0:1, curr state INIT, "
            "next state RTR, local GID index 3, local GID ::ffff:10.1.0.1, remote GID ::ffff:10.1.0.2",
        ),
        levels=_BOTH,
        continues=r"\s*(?:on dev|curr state|next state|local GID|remote GID)\b",
        bare=True,
    ),
    warning(
        "ib-reg-mr-failed",
        "Memory cannot be registered with the HCA: ENOMEM is the locked-memory limit, EFAULT is GPU memory without "
        "a peer-memory module or DMA-BUF.",
        r"(?:NET/IB ?: )?Call to (?P<call>(?:wrap_)?(?:ibv|mlx5dv)_reg_\w+) failed(?: with error "
        r"(?P<error>[A-Z][^\[(]{0,100}[^\s\[(]))?(?: [\[(]?(?:errno )?(?P<errno>\d{1,5})[\])]?)?",
        *sample(
            "all",
            "Call to ibv_reg_mr failed",
            "Call to ibv_reg_mr failed with error Bad address",
            "Call to ibv_reg_mr_iova2 failed with error Cannot allocate memory",
            "Call to ibv_reg_dmabuf_mr failed with error Operation not supported [errno 95]",
        ),
        bare=True,
    ),
    warning(
        "ib-create-failed",
        "The HCA gave no queue, completion queue or protection domain; ENOMEM is the locked-memory limit.",
        r"Call to (?P<call>ibv_(?:create|alloc)_\w+) failed(?: with error (?P<error>[A-Z][^\[(]{0,100}[^\s\[(]))?"
        r"(?: [\[(]?(?:errno )?(?P<errno>\d{1,5})[\])]?)?",
        *sample(
            "all",
            "Call to ibv_create_qp failed with error Cannot allocate memory",
            "Call to ibv_create_cq failed with error Cannot allocate memory [errno 12]",
        ),
        bare=True,
    ),
    warning(
        "ib-post-failed",
        "A work request was refused: the queue pair is in error or full. An earlier message says why.",
        r"(?P<call>ibv_post_(?:send|recv)|ibv_poll_cq)\(\) failed with error (?P<error>[^,]{1,120})",
        Sample("all", "ibv_post_send() failed with error Cannot allocate memory, Bad WR 0x7f2a40, First WR 0x7f2a40"),
        secondary=True,
    ),
    warning(
        "ib-call-failed",
        "A call of the RDMA library failed.",
        r"Call to (?P<call>(?:ibv|mlx5dv|rdma)_\w+) failed(?: with (?:error )?(?P<error>[^\[\n]{1,120}))?",
        Sample("all", "Call to ibv_query_gid failed with error No such device"),
    ),
    warning(
        "ib-library-missing",
        "There is no libibverbs in this image.",
        # 2.30 tries libibverbs.so first, which only packages for developers bring: the last name that it tries counts.
        r"(?:Failed to open|Count not open|Could not open) (?P<library>libibverbs\.so(?:\.\d[.\d]*|\[\.1\]))",
        *sample("2.7-2.29", "Failed to open libibverbs.so[.1]", "Failed to open libibverbs.so.1"),
        Sample("2.30", "Count not open libibverbs.so.1"),
        levels=_BOTH,
        bare=True,
    ),
    warning(
        "ib-device-unusable",
        "An RDMA device exists and cannot be opened or queried (permissions, cgroup, driver).",
        r"NET/IB ?: Unable to (?P<call>open device|query device|query port_num|query port) (?P<hca>\S+)",
        *sample("all", "NET/IB : Unable to open device mlx5_0", "NET/IB : Unable to query port_num 1"),
        bare=True,
    ),
    warning(
        "ib-no-ip-interface",
        "RDMA needs a TCP interface for its connections and none fits NCCL_SOCKET_IFNAME.",
        r"NET/IB ?: No IP interface found",
        Sample("all", "NET/IB : No IP interface found."),
        bare=True,
    ),
    warning(
        "ib-async-event",
        "The HCA reported an event: port error or active is a flapping link, GID table change a changed address.",
        r"(?:NET/IB ?: )?(?:(?P<hca>[^\s:]{1,64}):(?P<port>\d{1,4}) )?(?:Got )?"
        r"(?P<kind>async fatal|non-fatal async|async) event(?: on (?P<object>QP|CQ|SRQ)[^:]{0,120})? ?: ?"
        r"(?P<event>\S[^(]{0,100})",
        *sample(
            "2.7-2.19", "NET/IB : Got async event : port error", "NET/IB : Got async event : client reregistration"
        ),
        Sample("2.20-2.22", "NET/IB : mlx5_0:1 Got async event : port error"),
        *sample(
            "2.23+",
            "NET/IB : mlx5_0:1 async fatal event: local catastrophic error",
            "NET/IB : mlx5_0:1 async fatal event on QP (0x7f2a40): local access violation work queue error",
            "mlx5_0:1 async fatal event on QP (0x7f2a40) qpn=12 state=3: local access violation work queue error",
        ),
        Sample("2.28+", "NET/IB : mlx5_0:1 Got non-fatal async event: port error(10)"),
        levels=_BOTH,
        bare=True,
    ),
    warning(
        "ib-gid-table-changed",
        "The GID table of a RoCE port changed while the job ran.",
        r"NET/IB ?: (?P<hca>[^\s:]+):(?P<port>\d{1,4}) GID table changed",
        Sample("2.28+", "NET/IB : mlx5_0:1 GID table changed"),
    ),
    warning(
        "ib-speed-changed",
        "A link trained again at another speed while the job ran.",
        r"NET/IB ?: (?P<hca>[^\s:]+):(?P<port>\d{1,4}) speed change detected: (?P<old>\d+) -> (?P<new>\S+) Mbps",
        Sample("2.30", "NET/IB : mlx5_0:1 speed change detected: 400000 -> 200000 Mbps"),
        levels=_INFO,
    ),
    warning(
        "ib-incorrect-receive-info",
        "The receiver expects another size: the ranks called different collectives or differ in settings.",
        r"NET/IB ?: req (?P<request>\S+) tag (?P<tag>\w+) peer (?P<peer>\S+) posted incorrect receive info: "
        r"size (?P<size>-?\d{1,20})",
        Sample(
            "all",
            "NET/IB : req 0/1 tag 4d peer 10.0.0.2<33092> posted incorrect receive info: size 65536 "
            "addr 7f2a40 rkey=1a",
        ),
    ),
    warning(
        "ib-link-layers-mixed",
        "InfiniBand and RoCE ports were put together: NCCL_IB_HCA takes a port of another network.",
        r"NET/IB ?: (?:Attempted to (?:connect|merge) incompatible devices|Remote \S+ device is incompatible)",
        *sample(
            "2.24+",
            "NET/IB : Attempted to connect incompatible devices: [0]mlx5_0:1/IB and [1]mlx5_4:1/RoCE",
            "NET/IB : Remote mlx5_4 device is incompatible with the local [0]mlx5_0:1/IB",
        ),
    ),
    warning(
        "ib-merge-differs",
        "The two ends merge their ports differently: the nodes are not alike.",
        r"NET/IB ?: Local mergedDev (?P<local>\S+) has a different number of devices=(?P<devices>\d{1,4})",
        Sample(
            "2.20+", "NET/IB : Local mergedDev mlx5_0+mlx5_1 has a different number of devices=2 as remote mlx5_0 1"
        ),
        levels=_INFO,
    ),
    warning(
        "ib-cross-rail",
        "Sender and receiver use devices of different rails.",
        r"NET/IB ?: There are mismatched physical devices between local \((?P<local>[^)]*)\) and remote "
        r"\((?P<remote>[^)]*)\)",
        Sample(
            "2.20+", "NET/IB : There are mismatched physical devices between local (mlx5_0) and remote (mlx5_1). To"
        ),
        levels=_INFO,
    ),
    warning(
        "ib-setting-invalid",
        "An RDMA setting is out of its range.",
        r"NET/IB ?: (?:OOO RQ is force enabled|NCCL_IB_SUBNET_PREFIX_LEN=)",
        *sample(
            "2.30",
            "NET/IB: OOO RQ is force enabled but the device does not support it",
            "NET/IB: NCCL_IB_SUBNET_PREFIX_LEN=64 is out of range [1,32]",
        ),
    ),
    warning(
        "ib-requests-exhausted",
        "More requests are outstanding than the network allows.",
        r"NET/(?:IB|Socket) ?: unable to allocate requests",
        Sample("all", "NET/IB : unable to allocate requests"),
    ),
    warning(
        "gdrcopy-failed",
        "GDRCopy failed: its module and library differ in version.",
        r"GDRCOPY failure (?P<code>-?\d{1,9})",
        Sample("2.10+", "GDRCOPY failure 22"),
    ),
    warning(
        "gin-no-peer-memory",
        "The HCA cannot read GPU memory: no peer-memory module and no DMA-BUF.",
        r"Unable to use GIN: Peermem is not supported",
        *sample(
            "2.29+",
            "Unable to use GIN: Peermem is not supported, nor DMA-BUF.",
            "Unable to use GIN: Peermem is not supported, and device 0 does not support DMA-BUF.",
        ),
        levels=_BOTH,
    ),
)
