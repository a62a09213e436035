"""The words of topology matrices: labels of rows and columns, what cells say, titles and legends.

Sources: nvidia-smi of drivers 384 to 580, mx-smi 2.x, rocm-smi 5 to 7, amd-smi 24 to 26.
"""

from __future__ import annotations

from slowlink.parsers.forms.literals import hexadecimal_pairs
from slowlink.patterns import regex

PATH = r"(?:NV\d{1,3}|X|SYS|NODE|PHB|PXB|PIX|SOC|PSB|MX\d{0,3}|MTL\d{0,3}|HCCS(?:_SW)?|SIO|XGMI|PCIE|SELF|C2C)"
"""Kinds of path; SOC and PSB are of drivers before 390."""
PAIR_STATE = r"(?:OK|CNS|GNS|TNS|DR|NS|U|N/?A|True|False|ENABLED|DISABLED|C|NC|T|F|64,32)"
"""``topo -p2p`` and tables of access, coherency and atomics."""
NUMBER = r"\d{1,9}(?:\.\d{1,6})?(?:-\d{1,9}(?:\.\d{1,6})?)?"
CELL = regex(rf"(?:{PATH}|{PAIR_STATE}|-)")
TITLED_CELL = regex(rf"(?:{PATH}|{PAIR_STATE}|{NUMBER}|-)")
"""Numbers stand only in tables whose title says what they are."""
AFFINITY = regex(r"[\s,\d-]{0,4000}(?:N/A[\s,\d-]{0,4000}){0,3}(?:N/?)?")
"""What may follow the cells of a row."""
BUS = r"[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]"
GPU = regex(r"(?:GPU|NPU)(\d{1,4})")
NIC = regex(r"NIC(\d{1,4})")

_DEVICE = r"(?:GPU|NPU|NIC|DD)\d{1,4}"
_HCA = r"(?=[a-z_]{1,20}\d)(?!x\d)[a-z][a-z\d]{1,15}_?\w{0,24}"
_AFFINITY = r"(?:CPU|NUMA|Node|GPU NUMA)\s"
HEADER = regex(
    rf"\s*(?:(?:GPU|NPU)\d{{1,4}}\s+(?:{_DEVICE}(?:\s|$)|{_HCA}(?:\s|$)|{_AFFINITY})|{BUS}(?:\s+{BUS})*\s*$)"
)
"""Labels of the columns: a GPU first, and then another label."""
ROW = regex(rf"\s*(?P<label>{_DEVICE}|{BUS})\s+(?P<cell>{PATH}|{PAIR_STATE}|{NUMBER}|-)(?=\s|$)")
HCA_ROW = regex(rf"\s*(?P<label>{_HCA})\s+(?:{PATH})\s+(?:{PATH})(?=\s|$)")
"""Drivers before 515 print the adapter's name instead of NIC0."""
AFFINITY_NAMES = regex(r"\b(GPU NUMA ID|CPU Affinity|NUMA Affinity|Node Affinity)\b")
LABEL = regex(rf"{_DEVICE}|{_HCA}|{BUS}")
BEHIND_DEVICES = regex(r"\s(?:CPU? |C(?:PU?)?$|NUMA? |NU?(?:M|MA)?$|Node? |GPU NUMA|(?:GPU?|G|NI?C?|DD?)$)")
"""Where the names after the devices begin, or a label that the end of the terminal's line cut."""

_CORNER = regex(r"\s*(?:GPU|Device|From|-)s?(?=\s+(?:GPU|NPU)\d)")

LEGEND = regex(
    r"\s*(?:(?:NIC )?Legend\s?:\s*$|(?:X|SYS|NODE|PHB|PXB|PIX|NV#|SOC|PSB|MX#?|NA|C2C|MTL#?)\s{1,8}= [A-Z]"
    r"|(?:OK|CNS|GNS|TNS|NS|DR|U)\s{1,8}= [A-Z]|(?:Device link type matrix|GPU\d? topology)\s*$"
    r"|(?:ENC|DIS|SELF|ENABLED|DISABLED|N/A|\d{1,4}|64,32|C|NC|T|F)(?:\s|,\w){1,8}= [A-Z]"
    r"|(?:ENABLED / DISABLED|T/F|C/NC|64,32|N/A) {1,8}= [A-Z\d]|<BW from>-<BW to>\s*$)"
)
NIC_NAME = regex(
    r"\s*(?P<nic>(?:NIC|DD)\d{1,4})\s{0,4}:\s{0,4}(?P<name>[a-zA-Z][\w.-]{1,40})(?P<direct> data-direct function)?\s*$"
)
DIRECT = regex(r"DD\d{1,4}")
"""The data-direct function of adapters: a way to GPU memory that passes the processor by (ConnectX-8 beside Grace)."""

TITLE = regex(
    r"\s*(?:={2,60} (?P<rocm>Weight|Hops|Link Type|Link accessibility|Numa Nodes|Max bandwidth|Bandwidth)"
    r"\b[\w ()]{0,40} ={2,60}"
    r"|(?P<amd>ACCESS|WEIGHT|HOPS|LINK TYPE|NUMA BW|CACHE COHER[AE]NCY|ATOMICS|DMA|BI-DIRECTIONAL) TABLE\s?:)\s*$"
)
P2P_COMMAND = regex(r"topo (?:-p2p|--p2pstatus|-p2pstatus)[ =](?P<what>[rwnap])\b")
COMMAND = regex(
    r"\s{0,8}(?:[$#>] ?)?(?:sudo )?(?:nvidia-smi|mx-smi|rocm-smi|amd-smi) (?:topo|topology|--showtopo)"
    r"(?:\s[\w -]{0,60})?$"
)
"""A line that is the command itself, with or without a prompt."""
LOCATION = regex(r"\s*GPU\[(?P<gpu>\d{1,4})\]\s*: \(Topology\) Numa (?P<what>Node|Affinity): (?P<value>-?\d{1,4})\s*$")

MARKS = (
    *(
        "GPU0",
        "NPU0",
        "NIC0",
        "DD0",
        "NV0",
        " X",
        "\tX",
        "|X",
        "SYS",
        "NODE",
        "PHB",
        "PXB",
        "PIX",
        "SOC",
        "PSB",
        "MX",
        "MTL",
    ),
    *(
        "HCCS",
        "SIO",
        "XGMI",
        "PCIE",
        "SELF",
        "C0C",
        "Legend",
        "= ",
        "topo",
        "(Topology)",
        "link type matrix",
        "<BW from>",
        " TABLE",
    ),
    *(f":{pair}:" for pair in hexadecimal_pairs("abcdefABCDEF")),
)
"""One of these literals stands in each line of a matrix, its legend or its title."""
TITLES = {
    "Weight": "gpu-pair-weight",
    "WEIGHT": "gpu-pair-weight",
    "Hops": "gpu-pair-hops",
    "HOPS": "gpu-pair-hops",
    "Link Type": "gpu-pair-link",
    "LINK TYPE": "gpu-pair-link",
    "Link accessibility": "gpu-pair-access",
    "ACCESS": "gpu-pair-access",
}
"""What a titled table says of pairs; the others (bandwidth, atomics) are ignored."""
P2P = {"r": "read", "w": "write", "n": "nvlink", "a": "atomics", "p": "pcie"}


def is_mine(text: str) -> bool:
    """Could a line of this shape belong to a topology matrix, its legend or its title?"""
    return any(
        pattern.match(text) for pattern in (HEADER, ROW, HCA_ROW, LEGEND, NIC_NAME, TITLE, LOCATION, COMMAND)
    ) or ("topo " in text and P2P_COMMAND.search(text) is not None)


def plain(text: str) -> str:
    """``text`` without the bars of a Markdown table, and without what stands in its corner."""
    if not text.lstrip().startswith("|"):
        return text
    text = text.replace("|", " ")
    corner = _CORNER.match(text)
    return text[corner.end() :] if corner is not None else text
