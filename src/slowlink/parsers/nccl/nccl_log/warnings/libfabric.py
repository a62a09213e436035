"""aws-ofi-nccl and libfabric. The plug-in prints most of its trouble at INFO, and as warnings of its own version."""

from __future__ import annotations

from slowlink.parsers.nccl.nccl_log.message import Sample, sample
from slowlink.parsers.nccl.nccl_log.warning import warning

_BOTH = ("WARN", "INFO")

MESSAGES = (
    warning(
        "ofi-getinfo-failed",
        "libfabric found no usable provider.",
        r"NET/OFI (?:.{0,60}?fi_getinfo.{0,20}? failed|Unable to find libfabric providers"
        r"|Could not find any (?:optimal )?provider"
        r"|No (?:eligible|usable) providers)(?:.{0,80}?(?:RC|ret|error)[:= ]{1,3}(?P<code>-?\d{1,6}))?",
        *sample(
            "aws-ofi-nccl",
            "NET/OFI Call to fi_getinfo() failed, RC: -61, ERROR: No data available",
            "NET/OFI Unable to find libfabric providers",
            "NET/OFI Could not find any optimal provider supporting GPUDirect RDMA",
            "NET/OFI No eligible providers were found",
        ),
        levels=_BOTH,
        bare=True,
    ),
    warning(
        "ofi-register-failed",
        "The network cannot register memory.",
        r"NET/OFI (?:Unable to register memory|.{0,40}?fi_mr_reg\w*.{0,10}? failed|Could not register)"
        r"(?:.{0,80}?type = (?P<type>\d{1,3}))?(?:.{0,80}?(?:RC|ret|rc)[:= ]{1,3}(?P<code>-?\d{1,6}))?"
        r"(?:.{0,20}?(?:Error|ERROR)[:= ]{1,3}(?P<error>.{1,80}))?",
        *sample(
            "aws-ofi-nccl",
            "NET/OFI Unable to register memory (type = 2) for device 0. RC: -14, Error: Bad address",
            "NET/OFI Call to fi_mr_regattr failed: RC: -12, Error: Cannot allocate memory",
        ),
        levels=_BOTH,
        bare=True,
    ),
    warning(
        "ofi-peer-unreachable",
        "A node never answered over EFA: its packets do not arrive, whatever TCP does.",
        r"NET/OFI .{0,60}?[Cc]omplet(?:ed|ion) with error.{0,60}?"
        r"(?:Unreachable remote|Unresponsive receiver \(reachable by EFA device but handshake failed\))",
        Sample(
            "aws-ofi-nccl",
            "NET/OFI Request 0x7f2a40 completed with error. RC: 113. Error: 4126 (Unresponsive receiver (reachable by "
            "EFA device but handshake failed)",
        ),
    ),
    warning(
        "ofi-completion-error",
        "A transfer over libfabric ended with an error.",
        r"NET/OFI (?:Request \S+ completed with error|Completion with error|.{0,40}?completed with error)"
        r"(?:\. RC: (?P<code>-?\d{1,6}))?(?:.{0,20}?[Ee]rror: (?P<error>.{1,160}))?",
        Sample(
            "aws-ofi-nccl",
            "NET/OFI Request 0x7f2a40 completed with error. RC: 21. Error: Local QP in invalid state. Completed",
        ),
    ),
    warning(
        "ofi-init-failed",
        "The network plug-in could not start.",
        r"NET/OFI (?:aws-ofi-nccl initialization failed|Initialization of .{1,40}? failed|Failed to initialize)",
        *sample(
            "aws-ofi-nccl",
            "NET/OFI aws-ofi-nccl initialization failed",
            "NET/OFI Failed to initialize sendrecv protocol",
        ),
        levels=_BOTH,
        bare=True,
    ),
    warning(
        "ofi-no-hmem",
        "The provider cannot read GPU memory: GPUDirect RDMA is off.",
        r"NET/OFI (?:.{0,80}?(?:GPUDirect|GDR|HMEM|FI_HMEM)\b.{0,80}?(?:not supported|unavailable"
        r"|[Dd]isabl|not available))",
        *sample(
            "aws-ofi-nccl",
            "NET/OFI GPUDirect RDMA is not supported by provider tcp",
            "NET/OFI Provider tcp: FI_HMEM capability not available",
        ),
        levels=_BOTH,
    ),
    warning(
        "hmem-init-failed",
        "libfabric could not load the GPU's runtime: GPU memory cannot be registered.",
        r"libfabric:\d{1,10}:\d{1,12}:.{0,80}?:\d{1,6}<warn> "
        r"(?:Failed to initialize hmem iface FI_HMEM_(?P<iface>CUDA|ROCR)"
        r"|Failed to dlopen (?P<library>libcuda\S*|libcudart\S*|libhsa\S*|libamdhip\S*))(?:: (?P<error>.{1,80}))?",
        *sample(
            "libfabric",
            "libfabric:1234:1726684546::core:core:ofi_hmem_init():339<warn> Failed to initialize "
            "hmem iface FI_HMEM_CUDA: No data",
            "libfabric:1234:1726684546::core:core:cuda_hmem_dl_init():294<warn> Failed to dlopen libcuda.so",
        ),
        bare=True,
    ),
)
