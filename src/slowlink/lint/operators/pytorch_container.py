"""A PyTorchJob without a container named ``pytorch``.

The operator gives MASTER_ADDR, RANK and WORLD_SIZE to the container of this name; its webhook refuses the object
without one.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.lint.finding import finding
from slowlink.lint.workload import Workload
from slowlink.model.report import Finding

CAUSES = ("manifest-refused",)


def check(workload: Workload) -> Iterator[Finding]:
    """Of PyTorchJobs."""
    if workload.kind != "PyTorchJob":
        return
    for role in workload.roles:
        names = [each.spot["name"] for each in role.containers]
        if names and "pytorch" not in [name.text for name in names]:
            yield finding(
                "manifest-refused",
                workload,
                f"role {role.name[:40]} has no container named pytorch: the operator refuses it, as no other gets "
                "MASTER_ADDR and "
                "RANK",
                severity="error",
                confidence="likely",
                at=[(names[0], names[0].text, "pytorch")],
                do="Name the container that runs the ranks.",
                snippet="containers:\n- name: pytorch",
            )
