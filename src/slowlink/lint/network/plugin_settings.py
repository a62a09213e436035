"""Variables of NCCL's own InfiniBand transport beside EFA devices.

Over EFA the plug-in aws-ofi-nccl carries the data. It reads OFI_NCCL_* and FI_*; NCCL_IB_* have no effect.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.lint.finding import finding
from slowlink.lint.workload import Workload
from slowlink.model.report import Finding

CAUSES = ("env-ignored-by-plugin",)


def check(workload: Workload) -> Iterator[Finding]:
    """One for each container."""
    for role in workload.ranks_roles:
        for container in role.containers:
            efa = [each for each in container.rdma if "/efa" in each.path]
            names = [name for name in container.env if name.startswith("NCCL_IB_") and name != "NCCL_IB_DISABLE"]
            if efa and names:
                yield finding(
                    "env-ignored-by-plugin",
                    workload,
                    f"{', '.join(names[:4])}: no effect over EFA, whose plug-in reads OFI_NCCL_* and FI_*; what "
                    "they were "
                    "meant to change stays as it is",
                    severity="warning",
                    confidence="likely",
                    at=[(container.env[names[0]], names[0], "unset"), (efa[0], "EFA", "")],
                    do="Take them out, or set what the plug-in reads.",
                    snippet="- name: FI_PROVIDER\n  value: efa",
                )
