"""Networks that NCCL reaches only through a plug-in, as tools, settings, paths and words name them.

On a machine of AWS with EFA, for example::

    $ fi_info -p efa -t FI_EP_RDM
    provider: efa
    export FI_EFA_USE_DEVICE_RDMA=1
    /opt/amazon/efa/lib64/libfabric.so.1

``shown`` is what a tool printed, a setting or a path of the installed software. ``named`` is a kind of machine or an
image: the machines of this job may be others.

Source: libfabric's ``fi_info``, the EFA installer, HPE's cxi provider, and Google's documents of GPUDirect-TCPX.
"""

from __future__ import annotations

from typing import ClassVar

from slowlink.parsers.forms.observation_table import Fact, ObservationParser

KIND = "plugin-fabric"
SHOWN, NAMED = "shown", "named"


def _fact(fabric: str, how: str, mark: str, pattern: str, *samples: str) -> Fact:
    return Fact(KIND, mark, pattern, samples, subject=fabric, value=how)


def _of_libfabric(fabric: str, provider: str, *settings: str) -> tuple[Fact, ...]:
    """What shows that libfabric has this provider; ``settings`` are samples of its own."""
    own = f"FI_{provider.upper()}_"
    return (
        _fact(fabric, SHOWN, f"provider: {provider}", rf"^\s*provider: {provider}(?:;|\s|$)", f"provider: {provider}"),
        _fact(fabric, SHOWN, own, rf"\b{own}\w{{2,60}}['\"]? ?[=:]", *settings),
        _fact(
            fabric, SHOWN, "FI_PROVIDER", rf"\bFI_PROVIDER['\"]? ?[=:] ?['\"]?{provider}\b", f"FI_PROVIDER={provider}"
        ),
    )


FACTS = (
    *_of_libfabric("efa", "efa", "export FI_EFA_FORK_SAFE=1"),
    _fact("efa", SHOWN, "/opt/amazon/", r"/opt/amazon/(?:efa|ofi-nccl)\b", "LD_LIBRARY_PATH=/opt/amazon/efa/lib64"),
    _fact("efa", SHOWN, "rdmap", r"\brdmap\d{1,3}s\d{1,3}\b", "device rdmap16s27: port 1"),
    _fact(
        "efa",
        SHOWN,
        "Elastic Fabric Adapter",
        r"Amazon\.com,? Inc\.? Elastic Fabric Adapter",
        "00:06.0 Ethernet controller: Amazon.com, Inc. Elastic Fabric Adapter (EFA)",
    ),
    _fact(
        "efa",
        NAMED,
        "xlarge",
        r"(?<![\w.])(?:p4de?|p5(?:e|en)?|p6-b[23]00|trn[12][nu]?)\.\d{1,2}xlarge\b",
        "four p5.48xlarge",
        "p6-b200.48xlarge",
    ),
    _fact(
        "efa",
        NAMED,
        "AMI",
        r"\bDLAMI\b|Deep Learning (?:[\w()]{1,12} ){0,4}AMI\b",
        "DLAMI 2.4",
        "Deep Learning Base AMI",
    ),
    *_of_libfabric("slingshot", "cxi", "FI_CXI_DEFAULT_CQ_SIZE=131072"),
    _fact("slingshot", SHOWN, "/dev/cxi", r"/dev/cxi\d{1,2}\b", "crw-rw-rw- 1 root root 240, 0 /dev/cxi0"),
    _fact(
        "tcpx",
        SHOWN,
        "NCCL_GPUDIRECTTCPX_",
        r"\bNCCL_GPUDIRECTTCPX_\w{2,60}['\"]? ?[=:]",
        "NCCL_GPUDIRECTTCPX_SOCKET_IFNAME=eth1",
    ),
    _fact("tcpx", SHOWN, "NCCL_FASTRAK_", r"\bNCCL_FASTRAK_\w{2,60}['\"]? ?[=:]", "NCCL_FASTRAK_CTRL_DEV=eth0"),
    _fact("tcpx", SHOWN, "/usr/local/", r"/usr/local/(?:tcpx|fastrak)\b", "/usr/local/fastrak/lib64"),
    _fact("tcpx", NAMED, "gpu-", r"\ba3-(?:high|mega)gpu-\d{1,2}g\b", "two a3-megagpu-8g"),
)


class PluginFabrics(ObservationParser):
    """One observation for each fabric and way in which it is named."""

    kind: ClassVar[str] = "plugin-fabrics"
    facts: ClassVar[tuple[Fact, ...]] = FACTS


PARSER = PluginFabrics
