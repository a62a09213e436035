"""Plug-ins: looked for, found, failed, in use. A missing tuner or profiler plug-in is normal."""

from __future__ import annotations

import re
from collections.abc import Iterator

from slowlink.model.nccl import PluginEvent
from slowlink.parsers.nccl.nccl_log.message import At, NcclMessage, Read, Sample, harmless, sample
from slowlink.patterns import regex


def _event(event: str) -> Read:
    def read(match: re.Match[str], at: At) -> Iterator[PluginEvent]:
        found = match.groupdict()
        name, detail = found.get("name"), found.get("detail")
        kind = {"collnet": "COLLNET", "Coll": "COLLNET"}.get(found.get("what") or "", found.get("kind") or "NET")
        yield PluginEvent(kind, event, name, detail, at.process, at.ref)

    return read


_NO_FILE = regex(r"lib\S*net\S*\.so[.\d]*: cannot open shared object file: No such file")
"""What the loader says of a plug-in that is not there; of one that is there it names what that plug-in lacks."""

_GONE = "No such file or directory"


def _not_opened(match: re.Match[str], at: At) -> Iterator[PluginEvent]:
    """The loader's words tell a plug-in that nobody installed from one that cannot be loaded."""
    found = match.groupdict()
    detail, name = (found["detail"] or "").strip(), found["name"] or found.get("when")
    absent = not detail or _NO_FILE.match(detail) or (name and detail.startswith(name) and _GONE in detail)
    event = "not-found" if absent else "load-failed"
    yield PluginEvent(match["kind"], event, name, detail or None, at.process, at.ref)


def _sharp(match: re.Match[str], at: At) -> Iterator[PluginEvent]:
    """SHARP reduces in the switches: it is NCCL's CollNet."""
    yield PluginEvent("COLLNET", "initialized", "SHARP", match["detail"], at.process, at.ref)


_KIND = r"(?P<kind>[A-Z]+)/Plugin ?: "

MESSAGES = (
    NcclMessage(
        _KIND + r"(?:dlerror=(?P<detail>.{0,300}?) )?(?:No plugin found|Could not find:) ?\(?"
        r"(?P<name>lib[^\s)]+?)?(?:[.,)]? |[.)]?,|[.)]?$)",
        (
            Sample("2.7-2.16", "NET/Plugin : No plugin found (libnccl-net.so), using internal implementation"),
            Sample("2.17-2.18", "NET/Plugin : No plugin found, using internal implementation"),
            Sample(
                "2.19-2.20",
                "NET/Plugin : dlerror=libnccl-net.so: cannot open shared object file: No such file or directory "
                "No plugin found (libnccl-net.so), using internal implementation",
            ),
            Sample("2.21", "NET/Plugin: No plugin found (libnccl-net.so)"),
            Sample("2.22-2.25", "NET/Plugin: Could not find: libnccl-net.so. Using internal network plugin."),
            *sample(
                "2.26+",
                "NET/Plugin: Could not find: libnccl-net.so",
                "TUNER/Plugin: Could not find: libnccl-tuner.so",
                "PROFILER/Plugin: Could not find: libnccl-profiler.so. ",
                "GIN/Plugin: Could not find: libnccl-gin.so.",
            ),
        ),
        _not_opened,
        bare=True,
    ),
    NcclMessage(
        _KIND + r"(?:Most recent plugin|Plugin) load (?:\((?P<name>[^)\s]+)\) )?returned -?\d+ : "
        r"(?P<detail>.*?)(?: (?:: )?when loading (?P<when>\S+)|\. All attempts to load '[^']*' also failed\.)?$",
        sample(
            "2.4-2.20",
            "NET/Plugin : Plugin load returned 17 : libnccl-net.so: cannot open shared object file: "
            "No such file or directory.",
            "NET/Plugin : Plugin load (libnccl-net.so) returned 2 : libnccl-net.so: cannot open shared object file: "
            "No such file or directory",
            "NET/Plugin : Plugin load returned 0 : libfabric.so.1: cannot open shared object file: No such file or "
            "directory.",
        )
        + sample(
            "2.21",
            "NET/Plugin: Plugin load returned 0 : libnccl-net.so: undefined symbol: fi_dupinfo when loading "
            "libnccl-net.so",
            "NET/Plugin: Plugin load returned 2 : libnccl-net.so: cannot open shared object file: No such file or "
            "directory : when loading libnccl-net.so",
            "NET/Plugin: Most recent plugin load returned 2 : libnccl-net-ofi.so: cannot open shared object file: "
            "No such file or directory. All attempts to load 'ofi libnccl-net-ofi.so' also failed.",
        ),
        _not_opened,
    ),
    NcclMessage(
        r"External network plugin (?P<name>\S+) is unsupported",
        sample("2.28+", "External network plugin /opt/amazon/ofi-nccl/lib/libnccl-net.so is unsupported"),
        _event("unsupported"),
    ),
    NcclMessage(
        _KIND + r"(?P<name>(?:/\S*/)?lib[^\s:]+\.so[.\d]*): (?P<detail>\S.*)",
        sample(
            "2.22+",
            "NET/Plugin: libnccl-net.so: libfabric.so.1: cannot open shared object file: No such file",
        ),
        _event("load-failed"),
        bare=True,
    ),
    NcclMessage(
        _KIND + r"Failed to find (?P<name>nccl\w+?)(?: symbol\b.*|,? .*|\.)?$",
        sample(
            "all",
            "NET/Plugin: Failed to find ncclNetPlugin_v8 symbol.",
            "NET/Plugin: Failed to find ncclCollNetPlugin symbol (>= v5). ncclCollNetPlugin symbols "
            "v4 and lower are not supported.",
            "TUNER/Plugin: Failed to find ncclTunerPlugin_v4, using internal tuner instead.",
        ),
        _event("symbol-missing"),
    ),
    NcclMessage(
        _KIND + r"Loaded (?P<what>net|collnet|coll|tuner|profiler|gin|rma|env) plugin (?P<name>.{1,100}?)"
        r"(?: \((?P<detail>v\d+)\))?$",
        sample(
            "2.12+",
            "NET/Plugin: Loaded net plugin AWS Libfabric (v6)",
            "NET/Plugin: Loaded collnet plugin SHARP (v6)",
        ),
        _event("loaded"),
        bare=True,
    ),
    NcclMessage(
        r"(?:(?P<kind>[A-Z]+)/Plugin: )?Successfully loaded external (?:(?P<what>\w+) )?plugin (?P<name>\S+)",
        sample(
            "2.28+",
            "Successfully loaded external network plugin libnccl-net-ofi.so",
            "Successfully loaded external plugin libnccl-net.so",
            "GIN/Plugin: Successfully loaded external plugin libnccl-gin.so",
        ),
        _event("loaded"),
    ),
    NcclMessage(
        r"P2P plugin (?:(?P<detail>v\d+) )?(?P<name>IBext\w*|UCX\w*|UCX-RMA|\w[\w-]{1,40})$",
        sample("nccl-rdma-sharp-plugins", "P2P plugin IBext", "P2P plugin v10 IBext_v10", "P2P plugin v8 UCX"),
        _event("loaded"),
    ),
    NcclMessage(
        r"Plugin Path : (?P<detail>\S.{0,300})",
        sample("nccl-rdma-sharp-plugins", "Plugin Path : /opt/hpcx/nccl_rdma_sharp_plugin/lib/libnccl-net.so"),
        _event("found"),
    ),
    NcclMessage(
        r"S(?:harp|HARP) rank (?P<rank>\d+)/\d+ initialized on (?P<detail>\S+)",
        sample(
            "nccl-rdma-sharp-plugins",
            "Sharp rank 0/2 initialized on mlx5_0:1",
            "SHARP rank 3/8 initialized on mlx5_4:1",
        ),
        _sharp,
    ),
    harmless(
        r"Communicator has \d+ nodes which is less than CollNet node threshold \d+, disabling CollNet"
        r"|GIN/Plugin: (?:Failed to (?:initialize any|load external) |Disabling external )",
        *sample("2.12+", "Communicator has 2 nodes which is less than CollNet node threshold 4, disabling CollNet"),
        *sample(
            "2.28+",
            "GIN/Plugin: Failed to initialize any GIN plugin",
            "GIN/Plugin: Disabling external plugins: libnccl-net-other.so",
        ),
    ),
    NcclMessage(
        r"(?P<kind>[A-Z]+)/Plugin ?: (?:Plugin name set by env to (?P<name>\S+)|Using plugin (?P<detail>\S+))",
        sample("2.21-2.25", "NET/Plugin: Plugin name set by env to libnccl-net-ofi.so"),
        _event("selected-by-env"),
    ),
    NcclMessage(
        r"Initialized (?P<kind>[A-Z]+) plugin (?P<name>\S+(?: \S+)*)",
        sample("2.27+", "Initialized NET plugin IB"),
        _event("initialized"),
    ),
    NcclMessage(
        r"Failed to initialize (?P<kind>[A-Z]+) plugin (?P<name>\S+(?: \S+)*)",
        sample("2.28+", "Failed to initialize NET plugin IB"),
        _event("init-failed"),
    ),
    NcclMessage(
        r"Assigned (?P<kind>[A-Z]+) plugin (?P<name>\S+(?: \S+)*?) to comm",
        sample("2.27+", "Assigned NET plugin IB to comm", "Assigned GIN plugin GIN_IB_PROXY to comm"),
        _event("assigned"),
        bare=True,
    ),
    NcclMessage(
        _KIND + r"(?i:Using internal)",
        sample("2.21", "NET/Plugin: Using internal network plugin."),
        _event("internal"),
    ),
    NcclMessage(
        r"NET/OFI Selected [Pp]rovider is (?P<detail>[^\s,]+(?:, fabric is \S+)?(?: \(found \d+ nics\))?)",
        sample(
            "aws-ofi-nccl",
            "NET/OFI Selected Provider is efa (found 4 nics)",
            "NET/OFI Selected provider is efa, fabric is efa-direct (found 16 nics)",
        ),
        _event("initialized"),
        bare=True,
    ),
    harmless(
        r"Using non-device net plugin|[A-Z]+/Plugin|PXN Disabled|Profiler |External |Plugin ",
        *sample(
            "all",
            "Using non-device net plugin version 0",
            "ENV/Plugin: Closing env plugin ncclEnvDefault",
            "PXN Disabled as plugin is v4",
            "Profiler event mask: 0x0",
        ),
    ),
)
