"""The kernel log of AMD's GPU driver: errors of RAS blocks, hung rings, resets, page faults, xGMI.

Every line that begins with ``amdgpu ADDRESS`` belongs here. ``kernel_log`` lists the files for the rest of the kernel
log.

Two lines of it::

    [ 812.4] amdgpu 0000:43:00.0: amdgpu: 3 uncorrectable hardware errors detected in umc block
    [ 812.9] amdgpu 0000:43:00.0: amdgpu: ring sdma0 timeout, signaled seq=41, emitted seq=43

Source: Linux 5.15 to 6.14 and the driver of ROCm 5 to 7 (``amdgpu_ras.c``, ``amdgpu_device.c``, ``amdgpu_job.c``,
``amdgpu_xgmi.c``, ``gmc_v9_0.c``). Corrected errors are known and give no event: the driver counts them all day.
"""

from __future__ import annotations

from typing import ClassVar

from slowlink.parsers.forms.message_table import EventPattern, MessageParser, NoisePattern

_PCI = r"amdgpu (?P<pci>[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]): (?:amdgpu: )?(?:\{\d{1,20}\} ?)?"
_PLACE = r"(?:socket: \d{1,3}, (?:die|AID|XCD): \d{1,3},? )?"

_COMPLAINTS = (
    r"fail|error|fatal|unable|can't|cannot|could ?n[o']t|timeout|timed out|invalid|unsupport|not |n't |hang|hung|lost"
    r"|bad |fault|abort|threshold|illegal|corrupt|stuck|too many|overflow|missing|no more|warn|over "
    r"|wedged|poison|interrupt| err |ecc status|fed irq|timedout|time out|beyond|only support|busy|no |out of|too old"
)
"""Words of lines about which the vocabulary is asked (``vocabulary/kernel/amdgpu.toml``); others have no news."""

MESSAGES = (
    EventPattern(
        "kernel-amdgpu-ras",
        "hardware errors detected",
        _PCI + _PLACE + r"(?P<count>\d{1,12}) (?:new )?(?P<severity>uncorrectable|deferred) hardware errors detected "
        r"(?:in total )?in (?P<block>\w{2,20}) block",
        (
            "amdgpu 0000:43:00.0: amdgpu: 3 uncorrectable hardware errors detected in umc block",
            "amdgpu 0000:43:00.0: amdgpu: socket: 1, die: 0, 2 new deferred hardware errors detected in umc block",
            "amdgpu 0000:43:00.0: amdgpu: {3} socket: 1, die: 0, 2 uncorrectable hardware errors detected in umc block",
        ),
    ),
    EventPattern(
        "kernel-amdgpu-hung",
        " timeout",
        r"(?:" + _PCI + r"(?:\*ERROR\* )?)?ring (?P<ring>[\w.]{2,30}) timeout,? (?:but soft recovered|signaled seq=)",
        (
            "[drm:amdgpu_job_timedout [amdgpu]] *ERROR* ring gfx_0.0.0 timeout, signaled seq=41, emitted seq=43",
            "amdgpu 0000:43:00.0: amdgpu: ring sdma0 timeout, signaled seq=41, emitted seq=43",
        ),
    ),
    EventPattern(
        "kernel-amdgpu-hung",
        "GPU reset begin",
        _PCI + r"(?P<error>GPU reset begin)",
        ("amdgpu 0000:43:00.0: amdgpu: GPU reset begin!",),
    ),
    EventPattern(
        "kernel-gpu-lost",
        "amdgpu",
        _PCI + r"(?P<error>device lost from bus|GPU reset\(\d{1,6}\) failed|GPU Recovery Failed)",
        ("amdgpu 0000:43:00.0: amdgpu: GPU reset(2) failed", "amdgpu 0000:43:00.0: amdgpu: device lost from bus!"),
    ),
    EventPattern(
        "kernel-gpu-lost",
        "GPU reset end with ret",
        _PCI + r"GPU reset end with ret = (?P<error>-\d{1,4})",
        ("amdgpu 0000:43:00.0: amdgpu: GPU reset end with ret = -62",),
    ),
    EventPattern(
        "kernel-gpu-init-failed",
        "amdgpu",
        _PCI + r"(?P<error>Fatal error during GPU init|.{0,80}GPU will not be initialized)",
        ("amdgpu 0000:43:00.0: amdgpu: Fatal error during GPU init",),
    ),
    EventPattern(
        "kernel-amdgpu-xgmi",
        "detected",
        _PCI + r"(?P<error>(?:XGMI3? |WAFL )PCS \w{4,24}) detected",
        ("amdgpu 0000:43:00.0: amdgpu: XGMI PCS TrainingErr detected",),
    ),
    EventPattern(
        "kernel-amdgpu-page-fault",
        "page fault (src_id",
        _PCI + r"\[(?P<hub>\w{3,12})\] (?:no-retry |retry )?page fault \(src_id"
        r"(?:.{0,80}?for process (?P<name>[^\s,()]{1,40}) pid (?P<pid>\d{1,9}))?",
        (
            "amdgpu 0000:43:00.0: amdgpu: [gfxhub0] no-retry page fault (src_id:0 ring:24 vmid:3 pasid:32770, for "
            "process python3 pid 4711 thread python3 pid 4711)",
        ),
    ),
)

NOISE = (
    NoisePattern(
        "correctable hardware errors detected",
        r"\d (?:new )?correctable hardware errors detected",
        ("amdgpu 0000:43:00.0: amdgpu: 2 correctable hardware errors detected in umc block",),
    ),
    NoisePattern(
        "amdgpu ",
        r"(?i)\bamdgpu [0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]: (?!.{0,400}(?:" + _COMPLAINTS + "))",
        ("amdgpu 0000:43:00.0: amdgpu: SMU is initialized successfully!",),
    ),
    NoisePattern("[drm] ", r"\[drm\] .{0,40}\bamdgpu\b", ("[drm] amdgpu kernel modesetting enabled.",)),
)


class AmdgpuLog(MessageParser):
    """Events of AMD's GPU driver, each with the GPU's PCI address where the message names it."""

    kind: ClassVar[str] = "amdgpu-log"
    origin: ClassVar[str] = "kernel"
    messages: ClassVar[tuple[EventPattern, ...]] = MESSAGES
    noise: ClassVar[tuple[NoisePattern, ...]] = NOISE


PARSER = AmdgpuLog
