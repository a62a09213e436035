"""Hardware that words around the numbers name: "4x ConnectX-7 400G", "on 2 nodes of H200 NVL", "p5.48xlarge".

For example, in a ticket::

    We see it on two nodes of H200 NVL, each with 4x ConnectX-7 400G RoCE.

Reports and tickets say in a sentence what no log line says. A mention is weak evidence: it may speak of another
machine. Facts use it only where all mentions agree and nothing printed by a tool says otherwise.
"""

from __future__ import annotations

from typing import ClassVar

from slowlink.parsers.forms.gates import Gate, anywhere
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.marked_lines import is_library_line
from slowlink.parsers.forms.observation_table import Fact, ObservationParser
from slowlink.patterns import regex

FACTS = (
    Fact(
        "nics-mentioned",
        "x",
        r"(?<![\w.])(?P<subject>\d{1,2})\s?x\s?(?:ConnectX-\d|CX-\d|NDR|HDR|mlx5|EFA|NIC)?s?\s?"
        r"(?P<value>100|200|400|800)\s?(?:G|Gb/s|Gbps|Gbit/s|GbE)\b",
        ("8x400G IB", "4x ConnectX-7 400G RoCE", "8 x 400 Gb/s"),
    ),
    Fact(
        "pair-test-mentioned",
        "bw",
        r"(?<![\w./])(?P<value>ib_(?:write|read|send)_bw)(?![\w-])(?=.{0,80}(?i:\bpairs?\b|between|\bnodes\b|matrix))",
        ("ib_write_bw between all nodes, Gb/s",),
    ),
    Fact(
        "pair-test-mentioned",
        "send",
        r"(?<![\w./])(?P<value>send_?recv)(?:_perf)?(?![\w-])(?=.{0,80}(?i:\bpairs?\b|between|\bnodes\b|matrix))",
        ("sendrecv_perf pairs of H100 nodes",),
    ),
    Fact(
        "port-rate-mentioned",
        "DR",
        r"^(?!.*[EHNX]DR.*[EHNX]DR).*?(?<![\w-])(?<!\dX )(?<!\dx)"
        r"(?P<value>(?:EDR|HDR100|HDR|NDR200|NDR|XDR)(?:400|200(?!00))?)(?![\w-])",
        ("one NDR port each", "HDR 200 Gb/s InfiniBand", "NDR200 rails"),
    ),
    Fact(
        "port-rate-mentioned",
        "G",
        r"(?<![\w.-])(?<!x )(?<!x)(?P<value>25|50|100|200|400|800)\s?G(?:bE|b/s|bps|bit/s|E)?\s(?:IB|InfiniBand|RoCE"
        r"|RoCEv2|Ethernet"
        r"|EFA|NICs?|ports?|links?|fabric|HCAs?|rails?)(?![\w-])",
        ("100 Gb/s RoCE between them", "400G IB", "200G ports"),
    ),
    Fact(
        "port-rate-mentioned",
        "GbE",
        r"(?<![\w.-])(?P<value>25|50|100|200|400)\s?GbE(?![\w-])",
        ("100 GbE, two switches", "200GbE"),
    ),
    Fact(
        "gpu-mentioned",
        "00",
        r"(?<![\w-])(?:NVIDIA )?(?P<value>(?:[ABH]|GB|GH)(?:100|200|300|800)(?:[ -](?:SXM\d?|NVL|PCIe))?)"
        r"(?:-\d{2,3}GB)?(?![\w-])",
        ("2-node H200 NVL (8 GPUs/node)", "on A100 SXM nodes", "H100", "8x NVIDIA A100-SXM4-80GB"),
    ),
    Fact(
        "gpu-mentioned",
        "MI",
        r"(?<![\w-])(?:AMD Instinct )?(?P<value>MI(?:210|250X?|300X|325X|350X|355X))(?![\w-])",
        ("8 x MI300X",),
    ),
    *(
        Fact(
            "gpu-mentioned",
            maker,
            rf"{maker} ?(?:曦云 ?)?C500(?![A-Za-z0-9-])",
            (f"8 x {maker} C500",),
            value="MetaX C500",
        )
        for maker in ("MetaX", "沐曦")
    ),
    Fact(
        "system-mentioned",
        "xlarge",
        r"(?<![\w.])(?P<value>[a-z]\d{1,2}[a-z]{0,4}(?:-[a-z]\d{3})?\.\d{1,3}xlarge)\b",
        ("two p5.48xlarge instances", "p6-b200.48xlarge"),
    ),
    Fact(
        "system-mentioned",
        "Standard_ND",
        r"\b(?P<value>Standard_ND\w{3,40})",
        ("a VMSS of Standard_ND96isr_H100_v5",),
    ),
    Fact(
        "system-mentioned",
        "gpu-",
        r"(?<![\w-])(?P<value>a[34]-(?:high|mega|ultra)gpu-8g)\b",
        ("node.kubernetes.io/instance-type=a3-highgpu-8g", "a4-highgpu-8g"),
    ),
    Fact(
        "system-mentioned",
        "BM.GPU",
        r"\b(?P<value>BM\.GPU(?:\.[A-Z]\w{0,8})?(?:-v\d)?\.?\d{0,2}\.8)\b",
        ("shape: BM.GPU.H100.8", "BM.GPU4.8", "BM.GPU.A100-v2.8"),
    ),
)
_NAMED = r"(?:(?![\w-])|-(?:SXM|PCIe|NVL))"
"""What follows the number of a GPU: nothing of the word, or its board."""
_DEVICE = regex(r"#\s{0,4}Rank\s{1,4}\d")
_BEGINS = r"(?<![\w-])"
_WANTED = regex(
    r"(?:ib_(?:write|read|send)_bw|send_?recv)\b.{0,80}(?i:pair|between|nodes|matrix)|"
    rf"{_BEGINS}[EHNX]DR\d{{0,3}}(?![\w-])|\d\s?G(?:bE|b/s|bps|bit/s|E)?\s(?:I|R|E|N|p|l|f|H|r)|\dG?\s?GbE"
    rf"|\d ?x ?[\w-]{{0,11}}s? ?\d{{3}} ?G|{_BEGINS}(?:[ABH]|GB|GH)\d{{3}}{_NAMED}|MI\d{{3}}"
    r"|\dxlarge|Standard_ND|gpu-\dg|BM\.GPU|(?:MetaX|沐曦) ?(?:曦云 ?)?C\d{3}"
)


class HardwareMentions(ObservationParser):
    """Observations of what a text says about hardware: adapters with their rate, GPUs, cloud machines."""

    kind: ClassVar[str] = "hardware-mentions"
    reads_beside: ClassVar[bool] = True
    """That a GPU is an H100 is not all that a line says which complains of it."""
    each_alone: ClassVar[bool] = True
    folds: ClassVar[bool] = True
    literals: ClassVar[Literals] = Literals(
        (
            "0G",
            "0 G",
            "_bw",
            "sendrecv",
            "send_recv",
            "EDR",
            "HDR",
            "NDR",
            "XDR",
            "A0",
            "B0",
            "H0",
            "MI0",
            "0xlarge",
            "Standard_ND",
            "gpu-0g",
            "BM.GPU",
            "MetaX",
            "沐曦",
        )
    )
    facts: ClassVar[tuple[Fact, ...]] = FACTS

    @staticmethod
    def is_foreign(text: str) -> bool:
        """NCCL's lines, and the devices of a benchmark, which its own parser reads with their ranks."""
        return is_library_line(text) or _DEVICE.match(text) is not None

    @staticmethod
    def gate() -> Gate:
        return ((anywhere(_WANTED.pattern.replace(_BEGINS, r"(?:^|[^\w-])")),),)  # no sum in SHA256 is a GPU

    @classmethod
    def wants(cls, text: str) -> bool:
        return _WANTED.search(text) is not None


PARSER = HardwareMentions
