"""Variables of NCCL's own InfiniBand transport are set while a plug-in carries the data.

NCCL_IB_* are read by NCCL's own InfiniBand and RoCE transport. Over EFA, Slingshot or Google's network the data goes
through a plug-in (aws-ofi-nccl and others), which has variables of its own.

Why it matters: the settings do nothing, while everybody believes that they are in force.
How to confirm: ``Using network`` in NCCL's log names the plug-in's network; the plug-in's documentation lists what it
reads (OFI_NCCL_* and FI_* for aws-ofi-nccl).
What to do: take them out, or set what the plug-in reads.
When it is wrong: when another job of the same script runs over InfiniBand and needs them.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import Environment, Network
from slowlink.model.report import Finding
from slowlink.rules.evidence.commands import as_variable, command
from slowlink.rules.evidence.findings import finding, line_evidence, suspects
from slowlink.rules.evidence.links_to_docs import NCCL_ENV
from slowlink.rules.evidence.messages import listed

CAUSES = ("env-ignored-by-plugin",)

_OTHERS = {
    "AWS Libfabric": "OFI_NCCL_* and FI_*",
    "Libfabric": "OFI_NCCL_* and FI_*",
    "OFI": "OFI_NCCL_* and FI_*",
    "FasTrak": "NCCL_FASTRAK_*",
    "GPUDirectTCPX": "NCCL_GPUDIRECTTCPX_*",
}
"""Networks of plug-ins that do not use verbs the way NCCL does, and what they read. Plug-ins that do (IBext, UCX,
Spectrum-X) read NCCL_IB_* too, and of others nothing is known."""
_DELIBERATE = ("NCCL_IB_DISABLE",)
"""Set to keep NCCL from its own transport: that is what happens."""


def check(network: Network, environment: Environment) -> Iterator[Finding]:
    """One finding for all such variables, where every communicator uses such a plug-in."""
    used = {choice.network for choice in network.choices}
    if not used or not used <= _OTHERS.keys() or network.single_node:
        return
    ignored = [s for s in environment.settings if s.name.startswith("NCCL_IB_") and s.name not in _DELIBERATE]
    names = tuple(dict.fromkeys(setting.name for setting in ignored))
    if not names:
        return
    plugin = listed(sorted(used))
    first = {setting.name: setting for setting in reversed(ignored)}
    yield finding(
        "env-ignored-by-plugin",
        f"{listed(names)} {'has' if len(names) == 1 else 'have'} no effect: the network is {plugin}, which reads "
        f"{_OTHERS[sorted(used)[0]]}",
        severity="warning",
        confidence="likely",
        evidence=[
            line_evidence(network.choices[0].ref, observed=plugin),
            *(line_evidence(first[name].ref, observed=name, expected="unset") for name in names[:3]),
        ],
        suspects=suspects("setting", names),
        remedy=[("Take them out, or set what the plug-in reads.", command("unset", *map(as_variable, names)))],
        references=[NCCL_ENV],
    )
