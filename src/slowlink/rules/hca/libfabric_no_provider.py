"""libfabric offers no provider for what a program asked for.

A program called fi_getinfo and got nothing ("No data available", -61): libfabric was built without the provider of this
fabric (cxi, efa, verbs), its device is not there, or FI_PROVIDER asks for another one.

Why it matters: aws-ofi-nccl and MPI reach Slingshot and EFA through libfabric alone; without it they stop, or use TCP.
How to confirm: ``fi_info -l`` and ``fi_info -p cxi`` (or efa) in the job's environment and container.
What to do: put the site's libfabric first on LD_LIBRARY_PATH, give the container the device, unset FI_PROVIDER.
When it is wrong: a program may ask for something special first, and take what is there after that.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import Events, Sweeps
from slowlink.model.report import Finding
from slowlink.rules.evidence.commands import export_from
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.messages import at_hosts, happened, hosts_of, overcome, refs_of

CAUSES = ("net-plugin-not-loaded",)


def check(events: Events, sweeps: Sweeps | None) -> Iterator[Finding]:
    """One finding for all calls, unless a run followed and came to its end."""
    found = happened(events, "libfabric-no-provider")
    if not found or overcome(refs_of(found), sweeps):
        return
    hosts = hosts_of(found)
    yield finding(
        "net-plugin-not-loaded",
        f"{at_hosts(hosts)}libfabric offers no provider for what was asked",
        severity="warning",
        confidence="possible",
        evidence=lines_evidence(refs_of(found)),
        suspects=suspects("node", hosts),
        remedy=[
            ("See which providers there are.", "fi_info -l"),
            (
                "Put the library of this fabric first.",
                export_from("LD_LIBRARY_PATH", "LD_LIBRARY_PATH", "/path/to/libfabric/lib:"),
            ),
        ],
        references=["https://ofiwg.github.io/libfabric/main/man/fi_getinfo.3.html"],
    )
