"""The network plug-in of this fabric was not found or failed to load.

AWS EFA, HPE Slingshot, Google TCPX and others are not InfiniBand: NCCL reaches them only through a plug-in
(libnccl-net.so). Without it NCCL falls back to TCP sockets and says so in one INFO line among thousands. A plug-in
that was not found is reported only where the fabric needs one or NCCL_NET_PLUGIN asks for it; one that is there and
failed to load always is. So is one that was loaded and has none of the interfaces that this NCCL looks for: older
versions name each interface that they did not find, newer ones say that the plug-in is unsupported.

Why it matters: on Slingshot 11 the same test gave 36 GB/s with the plug-in and 3 GB/s without.
How to confirm: with ``NCCL_DEBUG=INFO`` the ``NET/Plugin`` lines show which name was tried and what the loader said.
What to do: put the plug-in's directory on LD_LIBRARY_PATH *inside* the container, matching its CUDA version; load the
site's module (aws-ofi-nccl). ``ldd libnccl-net.so`` shows what it misses, ``nm -D`` which interfaces it has
(ncclNetPlugin_v8 ...): NCCL and plug-in have to be of versions that belong together.
When it is wrong: on InfiniBand and RoCE no plug-in is needed, and "could not find" is then harmless, as are missing
tuner and profiler plug-ins.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from slowlink.model.facts import Environment, Network, Observations
from slowlink.model.nccl import PluginEvent
from slowlink.model.report import Finding
from slowlink.rules.evidence.commands import as_file_name, command, export_from
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.plugin_fabrics import Shown, plugin_fabric

CAUSES = ("net-plugin-not-loaded",)

_FAILURES = {
    "not-found": "was not found",
    "load-failed": "failed to load",
    "init-failed": "failed to start",
    "unsupported": "has no interface that this NCCL knows",
    "symbol-missing": "has no interface that this NCCL knows",
}
_THERE = ("load-failed", "unsupported", "symbol-missing")
"""What only a plug-in that is there can do."""
_INTERFACE = "ncclNet"
"""How the symbols of a network plug-in begin; those of its other parts may be missing."""


def check(network: Network, environment: Environment | None, observations: Observations | None) -> Iterator[Finding]:
    """One finding for a plug-in that is missing or fails while NCCL uses sockets between nodes."""
    missing = _missing(network.plugins)
    on_socket = any(choice.network == "Socket" for choice in network.choices)
    if not missing or not on_socket or network.single_node:
        return  # nothing is lost: all was found, another network is in use, or no data leaves the node
    fabric = plugin_fabric(network, environment, observations)
    asked = any(name.lower() != "none" for name in _asked_for(environment))
    failed = [p for p in missing if p.event in _THERE]
    if fabric is None and not asked and not failed:
        return  # InfiniBand, RoCE and plain Ethernet need no plug-in
    yield _finding(failed or missing, fabric, network)


def _missing(plugins: Sequence[PluginEvent]) -> list[PluginEvent]:
    """What failed. An interface that was not found is none where the process found another one of the plug-in."""
    loaded = {p.process for p in plugins if p.kind == "NET" and p.event == "loaded"}
    return [
        p
        for p in plugins
        if p.kind == "NET"
        and p.event in _FAILURES
        and (p.event != "symbol-missing" or ((p.name or "").startswith(_INTERFACE) and p.process not in loaded))
    ]


def _asked_for(environment: Environment | None) -> tuple[str, ...]:
    return environment.values.get("NCCL_NET_PLUGIN", ()) if environment is not None else ()


def _finding(events: list[PluginEvent], shown: Shown | None, network: Network) -> Finding:
    of_file = events[0].event != "symbol-missing"
    name = (events[0].name if of_file else None) or "libnccl-net.so"
    verb = _FAILURES[events[0].event]
    where = ""
    if shown is not None:
        has = "this machine has" if shown.sure else "such machines have"
        where = f"; {has} {shown.fabric.name}, which NCCL reaches through {shown.fabric.plugin} alone"
    sure = network.single_node is False or (shown is not None and shown.sure)
    detail = f" ({events[0].detail})" if events[0].detail and events[0].event != "not-found" else ""
    return finding(
        "net-plugin-not-loaded",
        f"the network plug-in {name} {verb}{detail}, so NCCL uses TCP sockets{where}",
        severity="error" if sure or shown is None else "warning",
        confidence="likely" if sure else "possible",
        suspects=suspects("node", [e.process.host for e in events]),
        evidence=[
            *lines_evidence((e.ref for e in events), 2),
            *lines_evidence((c.ref for c in network.choices if c.network == "Socket"), 1),
            *lines_evidence([shown.ref] if shown is not None and shown.ref is not None else []),
        ],
        explains=["socket-fallback", "busbw-below-expected"],
        remedy=[
            (
                "Put the plug-in where the job looks for it, inside the container.",
                export_from("LD_LIBRARY_PATH", "LD_LIBRARY_PATH", "/path/to/plugin/lib:"),
            ),
            ("See what the plug-in itself misses.", command("ldd", f"/path/to/{as_file_name(name)}")),
        ],
    )
