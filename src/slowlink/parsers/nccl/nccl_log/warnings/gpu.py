"""CUDA, peer-to-peer, shared memory, NVLink SHARP, multi-node NVLink."""

from __future__ import annotations

from slowlink.parsers.nccl.nccl_log.message import Sample, sample
from slowlink.parsers.nccl.nccl_log.warning import warning

_BOTH = ("WARN", "INFO")
_ERROR = r"(?:,? error:? (?P<error>[A-Z][^(]{1,100}?) ?\((?P<errno>\d{1,5})\))?"

MESSAGES = (
    warning(
        "fabric-not-initialized",
        "CUDA error 802: the NVSwitch fabric is not up; the fabric manager does not run or has another version.",
        r"(?:Cuda failure|CUDA error|cuda\w* failed)[ :]{1,3}(?:(?P<code>802)\b|\d{0,5} ?'"
        r"(?P<error>system not yet initialized)')",
        *sample(
            "all",
            "Cuda failure 'system not yet initialized'",
            "Cuda failure 802 'system not yet initialized'",
        ),
    ),
    warning(
        "cuda-failure",
        "A CUDA call failed; often the error of an earlier kernel of the application.",
        r"(?P<api>Cuda|HIP|Hip) failure (?:(?P<code>\d{1,6}) )?'(?P<error>[^']{1,200})'",
        *sample("all", "Cuda failure 'an illegal memory access was encountered'", "Cuda failure 'out of memory'"),
        Sample("2.19+", "Cuda failure 1 'invalid argument'"),
        Sample("RCCL", "HIP failure 'invalid device function'"),
        bare=True,
    ),
    warning(
        "cuda-alloc-failed",
        "NCCL could not allocate its buffers.",
        r"Failed to CUDA (?P<call>\w+(?: async| alloc)?) (?P<size>\d{1,20}) bytes",
        *sample("all", "Failed to CUDA malloc 4194304 bytes", "Failed to CUDA calloc async 608 bytes"),
    ),
    warning(
        "duplicate-gpu",
        "Two ranks use one GPU.",
        r"Duplicate GPU detected ?: rank (?P<rank_a>\d{1,9}) and rank (?P<rank_b>\d{1,9}) both on "
        r"(?:CUDA|HIP) device (?P<bus_id>\w+)|Multiple Ranks are using the same GPU",
        Sample("2.5-2.29", "Duplicate GPU detected : rank 1 and rank 0 both on CUDA device b3000"),
        Sample(
            "2.30+",
            "Multiple Ranks are using the same GPU/Partition. Set NCCL_MULTI_RANK_GPU_ENABLE=1 to "
            "enable this configuration.",
        ),
        bare=True,
    ),
    warning(
        "no-transport",
        "No transport connects two ranks.",
        r"No transport found for rank (?P<src>\d{1,9})\[(?P<src_dev>\w+)\] -> rank "
        r"(?P<dst>\d{1,9})\[(?P<dst_dev>\w+)\]",
        Sample("all", "No transport found for rank 0[1b000] -> rank 1[1c000]"),
    ),
    warning(
        "nvlink-p2p-disabled",
        "GPUs with NVLink between them may not use it: driver, MIG, virtualisation.",
        r"P2P is disabled between NVLINK connected GPUs (?P<gpu_a>\d{1,4}) and (?P<gpu_b>\d{1,4})",
        Sample(
            "2.10+", "P2P is disabled between NVLINK connected GPUs 0 and 1. This should not be the case given their"
        ),
    ),
    warning(
        "p2p-disabled",
        "GPUs of one machine cannot use peer-to-peer over PCIe: consumer GPU, virtual machine, IOMMU.",
        r"P2P is disabled between connected GPUs (?P<gpu_a>\d{1,4}) and (?P<gpu_b>\d{1,4})",
        Sample(
            "2.10+", "P2P is disabled between connected GPUs 0 and 1. You can repress this message with NCCL_IGNORE_"
        ),
        levels=("INFO",),
        bare=True,
    ),
    warning(
        "p2p-enable-failed",
        "Peer access between two GPUs could not be turned on.",
        r"(?:Could not enable P2P between dev (?P<dev_a>\d{1,4})|failed to peer with device (?P<dev_b>\d{1,4})"
        r"|peer query failed between dev (?P<dev_c>\d{1,4})|Legacy IPC not supported)",
        *sample(
            "all",
            "Could not enable P2P between dev 0(=1b000) and dev 1(=1c000)",
            "failed to peer with device 1(=1c000): 217 peer access is not supported between these two devices",
            "peer query failed between dev 0(=1b000) and dev 1(=1c000)",
            "Legacy IPC not supported",
        ),
        levels=_BOTH,
    ),
    warning(
        "shm-extend-failed",
        "The shared memory file system is too small for NCCL's buffers.",
        r"Error: failed to extend (?P<path>\S+) to (?P<size>\d{1,20}) bytes" + _ERROR,
        Sample("2.7-2.22", "Error: failed to extend /dev/shm/nccl-a1B2c3 to 9637892 bytes"),
        Sample(
            "2.23+",
            "Error: failed to extend /dev/shm/nccl-a1B2c3 to 33030532 bytes, error: No space left on device (28)",
        ),
        bare=True,
    ),
    warning(
        "shm-segment-failed",
        "A shared memory segment could not be created or attached: /dev/shm is full or not shared.",
        r"Error while (?P<call>creating|attaching to) shared memory segment (?P<path>\S+) \(size (?P<size>\d{1,20})\)"
        + _ERROR,
        Sample("2.7-2.22", "Error while creating shared memory segment /dev/shm/nccl-a1B2c3 (size 9637888)"),
        Sample(
            "2.23+",
            "Error while attaching to shared memory segment /dev/shm/nccl-a1B2c3 (size 9637888), error: No such file "
            "or directory (2)",
        ),
        bare=True,
    ),
    warning(
        "cumem-host-fallback",
        "Host memory falls back to /dev/shm: the container may not use NUMA calls.",
        r"cuMem host allocations do not appear to be working",
        Sample("2.26+", "cuMem host allocations do not appear to be working; falling back to a /dev/shm/ based"),
        levels=("INFO",),
    ),
    warning(
        "nvls-bind-failed",
        "NVLink SHARP memory could not be bound: fabric manager, MIG or memory limits.",
        r"Failed to bind NVLink SHARP \(NVLS\) Multicast memory of size (?P<size>\d{1,20}) ?: CUDA error "
        r"(?P<code>\d{1,6}) '(?P<error>[^']{1,120})'",
        Sample(
            "2.18+",
            "Failed to bind NVLink SHARP (NVLS) Multicast memory of size 2097152 : CUDA error 401 'the"
            " operation cannot be performed in the present state'.",
        ),
        levels=_BOTH,
        continues=r"This is usually|This can|Set NCCL_NVLS|Proceeding|Restarting|Fabric|Disabl|Please|If ",
        bare=True,
    ),
    warning(
        "nvls-off-after-failure",
        "NCCL goes on without NVLink SHARP after a failure.",
        r"(?:Proceeding without NVLS support|NVLS .{0,60}?(?:not supported|failed|disabled))",
        *sample("2.27+", "Proceeding without NVLS support", "NVLS multicast bind failed, disabled"),
        levels=("INFO",),
    ),
    warning(
        "mnnvl-unavailable",
        "Multi-node NVLink exists and does not work: IMEX daemon or channel.",
        r"MNNVL (?:\(cliqueSize (?P<clique>\d{1,6})\) is available but not (?:supported|working)"
        r"|is not supported) on this system",
        Sample("2.20-2.24", "MNNVL is not supported on this system"),
        Sample(
            "2.25-2.26",
            "MNNVL (cliqueSize 36) is available but not supported on this system. Check the IMEX configuration.",
        ),
        Sample(
            "2.27+",
            "MNNVL (cliqueSize 36) is available but not working on this system. Check the IMEX channel configuration",
        ),
        bare=True,
    ),
    warning(
        "mnnvl-fabric",
        "The GPU belongs to an NVLink domain of several nodes: a fabric with an id, set up completely (state 3).",
        r"MNNVL busId (?P<bus_id>\w{1,32}) fabric UUID (?!0{1,16}\.0{1,16} )(?P<fabric>[\da-f.]{3,40}) "
        r"cliqueId (?P<clique>\w{1,20}) state 3\b",
        *sample("2.20+", "MNNVL busId 0xb3000 fabric UUID 7c01.9a3f cliqueId 0x1 state 3 healthMask 0x0"),
        levels=("INFO",),
    ),
    warning(
        "driver-too-old",
        "The CUDA driver is older than this library needs.",
        r"CUDA Driver version found is (?P<found>\d{1,9})\. Minimum requirement is (?P<minimum>\d{1,9})",
        Sample("all", "CUDA Driver version found is 11020. Minimum requirement is 11040"),
    ),
    warning(
        "nvml-failed",
        "The driver's management library does not answer.",
        r"(?P<call>nvml\w+)\([^)]{0,40}\) failed: ?(?P<error>.{0,120})",
        *sample(
            "all",
            "nvmlInit_v2() failed: Driver/library version mismatch",
            "nvmlDeviceGetHandleByIndex(3) failed: Unknown Error",
        ),
    ),
    warning(
        "topology-unreadable",
        "The PCI topology cannot be read: a virtual machine or a container.",
        r"(?:Could not find real path of (?P<path>\S+)|Could not find a path for pattern (?P<pattern>\d{1,3}))",
        *sample(
            "all",
            "Could not find real path of /sys/class/pci_bus/0000:b3/../../0000:b3:00.0",
            "Could not find a path for pattern 4, falling back to simple order",
        ),
        levels=_BOTH,
    ),
    warning(
        "confidential-computing-unprotected",
        "Confidential computing without protection between the GPUs.",
        r"CC On, Multi-GPU CC Off",
        Sample("2.22-2.23", "CC On, Multi-GPU CC Off (No inter-GPU communication protection)"),
    ),
    warning(
        "gpu-affinity-empty",
        "A rank may use none of the processors near its GPU: the launcher bound it to the wrong socket.",
        r"ncclTopoGetCpuAffinity: Affinity for GPU (?P<gpu>\d{1,4}) is empty, ignoring\. "
        r"\(GPU affinity = (?P<near>[\d,-]{1,300})(?: ; CPU affinity = (?P<given>[\d,-]{1,300}))?\)",
        Sample(
            "2.28+",
            "ncclTopoGetCpuAffinity: Affinity for GPU 4 is empty, ignoring. (GPU affinity = 32-63 ; "
            "CPU affinity = 0-31).",
        ),
        levels=("INFO",),
    ),
    warning(
        "gpu-affinity-one-core",
        "A rank may use one processor: its proxy threads share it with the rank itself.",
        r"ncclTopoGetCpuAffinity: Affinity for GPU (?P<gpu>\d{1,4}) is (?P<core>\d{1,5})\. \(GPU affinity",
        Sample(
            "2.28+",
            "ncclTopoGetCpuAffinity: Affinity for GPU 0 is 7. (GPU affinity = 0-31 ; CPU affinity = 7).",
        ),
        levels=("INFO",),
    ),
)
