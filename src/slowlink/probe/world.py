"""What all ranks know of one another before anything is timed, and whether they agree about what to do."""

from __future__ import annotations

import os
import socket
from collections import Counter
from typing import cast

from msgspec import Struct

from slowlink.errors import SlowlinkError
from slowlink.probe.alignment import clock_name
from slowlink.probe.backend import Backend, Device
from slowlink.probe.options import Options

_TEXT_BYTES = 2048


class RankSeen(Struct, frozen=True):
    """One rank, as it described itself."""

    rank: int
    host: str
    pid: int
    device: Device
    clock: str


def exchange_text(backend: Backend, text: str) -> list[str]:
    """The texts of all ranks, cut to 2 KiB of UTF-8 each."""
    own = text.encode("utf-8", "replace")[:_TEXT_BYTES].ljust(_TEXT_BYTES, b"\0")
    return [received.rstrip(b"\0").decode("utf-8", "replace") for received in backend.exchange(own)]


def agree(backend: Backend, options: Options | SlowlinkError) -> Options:
    """The options, when all ranks have the same and none failed to read its own.

    Raises the same SlowlinkError on every rank otherwise.
    """
    host = host_name()
    if isinstance(options, SlowlinkError):
        texts = exchange_text(backend, f"E{host}\n{options.message}\n{options.hint}")
    else:
        texts = exchange_text(backend, f"O{host}\n{options.text()}\n")
    for rank, text in enumerate(texts):
        if text.startswith("E"):
            host, message, hint = text[1:].split("\n", 2)
            where = f"rank {rank} on {host}: " if backend.nranks > 1 else ""
            raise SlowlinkError(where + message, hint=hint, slug="probe-options")
    asked = [text[1:].split("\n", 1) for text in texts]
    usual, _ = Counter(text for _, text in asked).most_common(1)[0]
    odd = [rank for rank, (_, text) in enumerate(asked) if text != usual]
    if odd:
        raise SlowlinkError(
            f"the ranks disagree about the options: rank {odd[0]} on {asked[odd[0]][0]} differs from the others",
            hint="every rank must get the same command line and the same version of slowlink",
            slug="options-differ",
        )
    return _possible(backend, cast(Options, options))


def _possible(backend: Backend, options: Options) -> Options:
    """Refuse what the back end cannot do, before anything is allocated."""
    if backend.itemsize(options.datatype) is None:
        raise SlowlinkError(f"back end {backend.name} has no type '{options.datatype}'", slug="probe-datatype")
    if options.redop not in backend.redops():
        raise SlowlinkError(
            f"back end {backend.name} has no reduction '{options.redop}'",
            hint="it has: " + ", ".join(backend.redops()),
            slug="probe-redop",
        )
    if options.root >= backend.nranks:
        raise SlowlinkError(f"-r {options.root}: there are {backend.nranks} ranks", slug="probe-root")
    return options


def meet(backend: Backend) -> list[RankSeen]:
    """Hosts, processes and devices of all ranks, in rank order."""
    host = host_name()
    before = exchange_text(backend, host)[: backend.rank]
    device = backend.device(before.count(host))
    texts = exchange_text(
        backend,
        "\n".join([host, str(os.getpid()), clock_name(host), str(device.index), device.bus_id, device.name]),
    )
    seen = []
    for rank, text in enumerate(texts):
        name, pid, clock, index, bus_id, device_name = text.split("\n", 5)
        seen.append(RankSeen(rank, name, int(pid), Device(int(index), bus_id, device_name), clock))
    return seen


def host_name() -> str:
    """This host's name without its domain."""
    return socket.gethostname().split(".", 1)[0] or "localhost"
