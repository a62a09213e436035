"""A GPU that its own tool calls unavailable."""

from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import said

TABLE = """\
| MX-SMI 2.2.9                        Kernel Mode Driver Version: 3.3.12          |
|------------------+-----------------+---------------------+----------------------|
| Board       Name | GPU   Persist-M | Bus-id              | GPU-Util      sGPU-M |
| Pwr:Usage/Cap    | Temp       Perf | Memory-Usage        | GPU-State            |
|==================+=================+=====================+======================|
| 0     MetaX C500 | 0           Off | 0000:08:00.0        | 0%          Disabled |
| 55W / 350W       | 36C          P0 | 858/65536 MiB       | Available            |
+------------------+-----------------+---------------------+----------------------+
| 1     MetaX C500 | 1           Off | 0000:09:00.0        | 0%          Disabled |
| NA / NA          | NA           P0 | 858/65536 MiB       | Not Available        |
+------------------+-----------------+---------------------+----------------------+
"""


def test_a_gpu_that_is_not_available() -> None:
    assert said("gpu-state-bad", TABLE) == snapshot(
        [("gpu-hardware-fault", "error", "likely", "GPU 1: Not Available, says the GPU's own tool")]
    )
    assert said("gpu-state-bad", TABLE.replace("Not Available", "Available    ")) == []
