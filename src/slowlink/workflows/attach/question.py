"""What is asked of the nodes of a running job: NCCL's RAS twice, and between the two answers the nodes' state."""

from __future__ import annotations

from collections.abc import Sequence
from shlex import quote

from msgspec.structs import replace

from slowlink.collectors.catalogue import Collector, chosen
from slowlink.errors import SlowlinkError
from slowlink.patterns import regex

RAS = "nccl-ras"
_OF_BUSY_GPUS = ("nvidia-smi-processes",)
"""That GPUs are in use is what a running job is for."""
_ADDRESS = regex(r"(?:[A-Za-z0-9][\w.-]{0,198}|\[[0-9A-Fa-f:.]{2,60}(?:%[\w.-]{1,20})?\]):\d{1,5}")


def collectors(addresses: Sequence[str], *, state: bool) -> tuple[Collector, ...]:
    """The question to RAS at these addresses (none: where processes and the configuration say), asked at the start and
    again at the end, and, with ``state``, everything that a snapshot asks. Raises SlowlinkError (``usage``)."""
    for address in addresses:
        if _ADDRESS.fullmatch(address) is None or not 0 < int(address.rpartition(":")[2]) < 65_536:
            raise SlowlinkError(
                f"{address[:80]!r} is no address of RAS", hint="HOST:PORT, for instance localhost:28028", slug="usage"
            )
    (ras,) = chosen(only=(RAS,))
    text = ras.text.replace("\nADDRESSES=\n", f"\nADDRESSES={quote(' '.join(addresses))}\n", 1)
    others = [each for each in chosen() if each.name not in _OF_BUSY_GPUS] if state else []
    return (replace(ras, text=text, when="sampled"), *others)


def how_addresses_are_found() -> str:
    """``named``, the function of the question to RAS that prints where it may listen on a node."""
    (ras,) = chosen(only=(RAS,))
    begun = ras.text.index("named() {\n")
    return ras.text[begun : ras.text.index("\n}\n", begun) + 3]


def only_looking(asked: Sequence[Collector]) -> tuple[Collector, ...]:
    """The same, and of RAS only whether something listens: one process answers for a whole job."""
    return tuple(
        replace(each, text=each.text.replace("\nASK=yes\n", "\nASK=no\n", 1), when="always")
        if each.name == RAS
        else each
        for each in asked
    )
