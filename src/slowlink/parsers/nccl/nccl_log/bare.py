"""Lines of the libraries without ``host:pid:tid [dev] NCCL INFO``: version banners, and log lines quoted by hand."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.nccl import NcclLog
from slowlink.model.source import Line
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.nccl.nccl_log import registry
from slowlink.parsers.nccl.nccl_log.fold import NcclFold
from slowlink.patterns import regex

_QUOTE = regex(r"[ \t>|]{1,40}")
_HEADS = (
    *(
        "ACK",
        "Assigned",
        "Bootstrap",
        "Call",
        "Channel",
        "comm",
        "Count",
        "Cuda",
        "cudaDriverVersion",
        "Device",
        "DMA-BUF",
    ),
    *("Duplicate", "Error", "Failed", "GDRDMA", "GIN/", "GPU", "HIP", "Hostname", "Kernel", "libfabric", "Librccl"),
    *(
        "MCCL",
        "Missing",
        "mlx0_0",
        "MNNVL",
        "Multiple",
        "nccl",
        "NCCL",
        "Net",
        "NET/",
        "NUMA",
        "NVLS",
        "P0P",
        "Pattern",
    ),
    *(
        "Port",
        "PROFILER/",
        "[Rank",
        "RCCL",
        "Receiver",
        "ROCm",
        "Sender",
        "socket",
        "TUNER/",
        "vLLM",
        "sglang",
        "0",
        "+",
        "=",
    ),
)
"""How the forms of messages begin that are known without their level."""
_LEVEL = regex(r"[NRM]CCL (?P<message>(?:INFO|WARN) \S.*)")


def _message(text: str) -> str | None:
    """The line as a message with its level; None when it is not distinctive enough to be one."""
    quote = _QUOTE.match(text)
    body = text[quote.end() :] if quote else text
    level = _LEVEL.match(body)
    if level is not None:
        return level["message"]
    found = registry.find("INFO", body)
    return f"INFO {body}" if found is not None and found[0].bare else None


class BareNcclLines:
    """Collects them in a log of their own: nobody knows which process printed them."""

    kind: ClassVar[str] = "nccl-log"
    literals: ClassVar[Literals] = Literals(("CCL INFO ", "CCL WARN ", "\n>", "\n|", *(f"\n{head}" for head in _HEADS)))

    def __init__(self) -> None:
        self._fold = NcclFold()
        self._source = ""
        self._next = 0

    @staticmethod
    def wants(text: str) -> bool:
        return len(text) < 8192 and _message(text) is not None

    @property
    def greedy(self) -> bool:
        return self._fold.expects_more

    def feed(self, line: Line) -> Use:
        self._source = line.source
        message = _message(line.text) if len(line.text) < 8192 else None
        if message is None:
            return self._fold.continuation(line.text, line.no)
        return self._fold.feed("", message, line.no, line.text, line.stream, line.rank, line.host)

    def finish(self) -> Iterable[NcclLog]:
        return self._fold.result(self._source)
