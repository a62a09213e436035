"""Versions of software below collectives: ``ofed_info -s``, ``dpkg -l``, ``rpm -qa``, ``ldconfig -p``, os-release::

    MLNX_OFED_LINUX-24.10-0.7.0.0:
    PRETTY_NAME="Ubuntu 24.04.1 LTS"
    ii  libnccl2:amd64   2.21.5-1+cuda12.4   amd64   NVIDIA Collective Communication
    rdma-core-2410mlnx54-1.2410068.x86_64
    /usr/lib/x86_64-linux-gnu/libnccl.so.2.21.5

Only packages that bear on collectives are read. In a list of rpm nothing separates name and version but a hyphen, and
names have hyphens: the version is what follows a name that is known. ``ldconfig`` shows which file is loaded, and the
version only where a path ends in it.
"""

from __future__ import annotations

import re
from typing import ClassVar

from slowlink.parsers.forms.reading_table import LineFact, ReadingParser
from slowlink.patterns import regex

_TAIL = r"\w{0,20}(?:-[a-z]\w{0,20}){0,4}"
_NAMES = (
    r"(?:libnccl|nccl|rccl|aws-ofi-nccl|libfabric|ucx|rdma-core|libibverbs|librdmacm|libmlx\d|mlnx-ofed|mlnx-ofa_kernel"
    r"|ofed-scripts|doca|perftest|nvidia-fabricmanager|nvidia-fabric-manager|nvidia-imex|nvidia-peer-memory"
    r"|datacenter-gpu-manager|nvlsm|efa|openmpi|mft|hcoll|sharp"
    rf"|nvidia-container|libnvidia-container|containerd|docker-ce|podman|cri-o|apptainer|enroot){_TAIL}"
)
_VERSION = r"(?P<value>\d[\w.+~:-]{1,80})"
_LIBRARY = r"(?P<library>lib(?:nccl|rccl|mccl)[\w-]{0,40}\.so)"

_OS_RELEASE = (
    *("NAME", "VERSION", "ID", "ID_LIKE", "VERSION_ID", "VERSION_CODENAME", "UBUNTU_CODENAME", "PLATFORM_ID"),
    *("ANSI_COLOR", "LOGO", "CPE_NAME", "HOME_URL", "SUPPORT_URL", "BUG_REPORT_URL", "PRIVACY_POLICY_URL"),
    *("DOCUMENTATION_URL", "SUPPORT_END", "VARIANT", "VARIANT_ID"),
)
FACTS = (
    LineFact(
        "ofed-version",
        "OFED",
        r"(?P<value>(?:MLNX_OFED_LINUX|OFED-internal|MLNX_OFED)-\d[\w.-]{2,60}?):?\s*$",
        {
            "MLNX_OFED_LINUX-24.10-0.7.0.0:": "MLNX_OFED_LINUX-24.10-0.7.0.0",
            "OFED-internal-23.10-1.1.9:": "OFED-internal-23.10-1.1.9",
        },
    ),
    LineFact(
        "ofed-version",
        "DOCA",
        r"(?P<value>DOCA-OFED-\d[\w.-]{2,60}?|DOCA_OFED[\w.-]{2,60}?):?\s*$",
        {"DOCA-OFED-2.9.0-0.4.8:": "DOCA-OFED-2.9.0-0.4.8"},
    ),
    LineFact(
        "os-release",
        "PRETTY_NAME=",
        r"PRETTY_NAME=(?P<quote>[\"']?)(?P<value>[^\"'\n]{2,80})(?P=quote)$",
        {'PRETTY_NAME="Ubuntu 24.04.1 LTS"': "Ubuntu 24.04.1 LTS"},
    ),
    LineFact(
        "package-version",
        " ",
        rf"[hi]i +(?P<package>{_NAMES})(?::\w{{1,10}})? +{_VERSION}(?: |$)",
        {"ii  libnccl2:amd64   2.21.5-1+cuda12.4   amd64   NVIDIA Collective Communication": "2.21.5-1+cuda12.4"},
        part="{package}",
        told_by=("\nii ", "\nhi "),
    ),
    LineFact(
        "package-version",
        ".",
        rf"(?P<package>{_NAMES})-{_VERSION}\.(?:x\d\d_\d\d|aarch\d\d|noarch)\s*$",
        {
            "rdma-core-2410mlnx54-1.2410068.x86_64": "2410mlnx54-1.2410068",
            "libnccl-2.21.5-1+cuda12.4.x86_64": "2.21.5-1+cuda12.4",
        },
        part="{package}",
        told_by=(".x0_0", ".aarch0", ".noarch"),
    ),
    LineFact(
        "library-path",
        "ccl",
        rf"{_LIBRARY}(?:\.\d{{1,4}}){{0,3}} \([^)]{{1,60}}\) => (?P<value>/\S{{1,200}})",
        {"\tlibnccl.so.2 (libc6,x86-64) => /opt/nccl/lib/libnccl.so.2": "/opt/nccl/lib/libnccl.so.2"},
        part="{library}",
    ),
    LineFact(
        "library-version",
        "ccl",
        rf"/(?:[\w.+-]{{1,60}}/){{0,12}}{_LIBRARY}\.(?P<value>\d{{1,3}}\.\d{{1,3}}(?:\.\d{{1,4}})?)\s*$",
        {"/usr/lib/x86_64-linux-gnu/libnccl.so.2.21.5": "2.21.5"},
        part="{library}",
    ),
)


class SoftwareVersions(ReadingParser):
    """Versions of OFED, the distribution, packages and libraries, each from a line of its own."""

    kind: ClassVar[str] = "versions"
    facts: ClassVar[tuple[LineFact, ...]] = FACTS
    legend_marks = (
        *(f"\n{key}=" for key in _OS_RELEASE),
        *("\nREDHAT_", "\nROCKY_SUPPORT_PRODUCT"),
        *("||/ Name", "+++-=", "Desired=Unknown/", "| Status=Not/", "|/ Err?="),
    )
    legend: ClassVar[re.Pattern[str] | None] = regex(
        rf"(?:{'|'.join(_OS_RELEASE)}|REDHAT_[A-Z_]{{4,40}}|ROCKY_SUPPORT_PRODUCT[A-Z_]{{0,20}})="
        r"|\|\|/ Name|\+\+\+-=|Desired=Unknown/|\| Status=Not/|\|/ Err\?="
    )


PARSER = SoftwareVersions
