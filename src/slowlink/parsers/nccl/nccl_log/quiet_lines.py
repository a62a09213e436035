"""Lines that are known and say nothing about speed or faults: proxies, allocations, registrations, RAS."""

from __future__ import annotations

from slowlink.parsers.nccl.nccl_log.message import harmless, sample

MESSAGES = (
    harmless(
        r"(?:proxy|Proxy|New proxy|Connect(?:ed|ion) to proxy|Received and initiated|resp\.opId|Queuing opId|ncclP"
        r"|(?:send|recv)(?:Connect|Setup|Proxy)|\[Proxy(?! [\w ]+\] Device \d+ CPU core )"
        r"|\[Service thread\] (?:Connection closed|Accept))",
        *sample(
            "all",
            "proxyProgressAsync opId=0x7f2a40001060 op.type=1 op.reqBuff=0x7f2a40001060 op.respSize=16 done",
            "proxy listening socket at 10.0.0.1<41331>",
            "New proxy send connection 0 from local rank 0, transport 2",
            "New proxy recv connection 0 from local rank 0, transport 2",
            "Connected to proxy localRank 0 -> connection 0x7f2a40004e70",
            "Connection to proxy localRank 0 -> connection 0x7f2a40004e70",
            "Received and initiated operation=Init res=0",
            "resp.opId=0x55d0c5e0b2a0 matches expected opId=0x55d0c5e0b2a0",
            "Queuing opId=0x55d0c5e0b2a0 respBuff=0x55d0c5e0b2a0 respSize=16",
            "ncclPollProxyResponse Received new opId=0x55d0c5e0b2a0",
            "sendConnect ncclProxyCallAsync opId=0x55d0c5e0b2a0",
            "recvConnect ncclPollProxyResponse opId=0x55d0c5e0b2a0",
            "[Service thread] Connection closed by localRank 0",
        ),
    ),
    harmless(
        r"\S+\.cc?:\d+ (?:Cuda|Ib|memory|Alloc|Host|cuMem|Realloc|Mem)|Mem Realloc|MMAP |Allocated "
        r"|MemManager|Allocating"
        r"|register |deregister |Registered |cuMem|Loaded NVML|RAS |Retrieving state"
        r"|Initialized state|Preparing|Memory",
        *sample(
            "all",
            "init.cc:1234 Cuda Host Alloc Size 4 pointer 0x7f2a40000000",
            "misc/utils.cc:297 memory stack hunk malloc(65536)",
            "transport/net_ib.cc:640 Ib Alloc Size 21664 pointer 0x7f2a4000a000",
            "Mem Realloc old size 0, new size 256 pointer 0x55d0c5e0b2a0",
            "MMAP allocated shareable host buffer /dev/shm/nccl-a1B2c3 size 4096 ptr 0x7f2a40000000",
            "Allocated 4194656 bytes of shared memory in /dev/shm/nccl-a1B2c3",
            "Allocated shareable buffer 0x7f2a40000000 size 2097152 ipcDesc 0x7f2a40001000",
            "MemManager: Initialized for device 0",
            "register comm 0x55d0c5e0b2a0 buffer 0x7f2a40000000 size 1048576",
            "Loaded NVML from libnvidia-ml.so.1",
            "RAS client listening socket at 127.0.0.1<28028>",
            "RAS thread started",
            "Retrieving state for IB",
            "Initialized state 0 for IB",
        ),
    ),
    harmless(  # libmlx5 is optional for NCCL since 2.27; 2.30 tries other names of libibverbs after the first
        r"Failed to open libmlx5\.so|NET/IB ?: Failed to open mlx5dv symbols|Count not open libibverbs\.so$"
        r"|Call to (?:ibv|mlx5dv)_\w+ (?:not supported|skipped, )",
        *sample(
            "2.24+",
            "Failed to open libmlx5.so[.1]",
            "NET/IB : Failed to open mlx5dv symbols. Advance features like CX-8 Direct-NIC will be disabled.",
            "Count not open libibverbs.so",
            "Call to ibv_query_ece not supported",
            "Call to ibv_set_ece skipped, internal_name doesn't exist",
        ),
    ),
    harmless(
        r"dlvsym failed|dlsym failed|ncclDlopen|ncclOsDlopen|NET/OFI (?!.*(?:[Ff]ail|[Ee]rror"
        r"|[Uu]nable|not supported))",
        *sample(
            "all",
            "dlvsym failed on mlx5dv_reg_dmabuf_mr - /lib/libmlx5.so: undefined symbol: mlx5dv_reg_dmabuf_mr",
            "ncclDlopen(libmlx5.so) failed: libmlx5.so: cannot open shared object file: No such file or directory",
            "NET/OFI Setting OFI_NCCL_GDR_FLUSH_DISABLE environment variable to 1",
            "NET/OFI Using transport protocol RDMA",
            "NET/OFI NIC group 0 device #0 0000:c0:00.0",
        ),
    ),
)
