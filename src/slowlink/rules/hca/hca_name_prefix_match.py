"""NCCL_IB_HCA matches more devices than meant.

Without a leading ``=`` NCCL takes the names in NCCL_IB_HCA as prefixes: ``mlx5_1`` also takes mlx5_10 to mlx5_19. Only
names that end in a digit are judged: ``mlx5`` is a prefix on purpose.

Why it matters: storage or management adapters join the compute fabric, and the number of HCAs differs from the plan.
How to confirm: compare the list with the ``NET/IB : Using`` line.
What to do: write ``NCCL_IB_HCA==mlx5_0,mlx5_1`` (the second = stands for exact names).
When it is wrong: the extra devices may be wanted.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import Environment, Network
from slowlink.model.report import Finding
from slowlink.rules.evidence.commands import export
from slowlink.rules.evidence.findings import finding, line_evidence, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import NCCL_ENV
from slowlink.rules.evidence.messages import listed

CAUSES = ("hca-name-prefix-match",)

_NAMES = ("NCCL_IB_HCA", "MCCL_IB_HCA")


def check(environment: Environment, network: Network) -> Iterator[Finding]:
    """One finding for each value with a name that took in longer ones."""
    used = {device.name: device for device in network.devices if device.transport == "IB"}
    judged: set[str] = set()
    for setting in environment.settings:
        value = setting.value.strip()
        if setting.name not in _NAMES or value.startswith(("^", "=")) or value in judged:
            continue  # "^" leaves out, "=" takes exact names
        judged.add(value)
        asked = [part.split(":")[0] for part in value.split(",") if part]
        extra = [name for name in used if name not in asked and any(_continues(name, prefix) for prefix in asked)]
        if not extra:
            continue
        yield finding(
            "hca-name-prefix-match",
            f"{setting.name}={value} also takes {listed(extra)}: without = the names are prefixes",
            severity="warning",
            confidence="likely",
            evidence=(
                line_evidence(setting.ref, observed=value, expected=f"={value}"),
                *lines_evidence(used[n].ref for n in extra),
            ),
            suspects=(*suspects("setting", [setting.name]), *suspects("hca", extra)),
            explains=("hca-list-wrong",),
            remedy=[("Ask for exact names.", export(setting.name, f"={value}"))],
            references=[f"{NCCL_ENV}#nccl-ib-hca"],
        )


def _continues(name: str, prefix: str) -> bool:
    """``mlx5_10`` continues ``mlx5_1`` by digits; ``mlx5`` is a prefix on purpose."""
    return prefix[-1:].isdecimal() and name.startswith(prefix) and name[len(prefix) :].isdecimal()
