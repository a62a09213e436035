"""Questions about hardware in people's words: which case is meant, and whether a threshold can be reached in it."""

from __future__ import annotations

from msgspec import Struct

from slowlink.collectives import as_spelled_here
from slowlink.errors import SlowlinkError
from slowlink.expect.busbw import Prediction, expectations, reachable
from slowlink.expect.case import ALGORITHMS, COLLECTIVES, Case
from slowlink.expect.latency import half_peak_size, share_at, small_message_time
from slowlink.model.facts import Hardware
from slowlink.model.report import Expectation
from slowlink.units import parse_size

_SHARP_NAMES = {"collnetdirect": "collnet", "collnetchain": "collnet", "sharp": "collnet"}


class Asked(Struct, frozen=True, kw_only=True):
    """What is known besides the hardware; names as people write them."""

    collective: str = "all_reduce"
    nodes: int = 1
    gpus_per_node: int | None = None
    """Those that the job uses; None: all of a node."""
    algorithm: str | None = None
    nvls: bool | None = None
    gdr: bool | None = None
    sockets: bool = False
    sharp: bool = False
    mtu_bytes: int | None = None
    nic_measured_gbit: float | None = None
    nvlink_domain: int | None = None


def case_of(asked: Asked, hardware: Hardware | None) -> Case:
    """The case that is meant. Raises SlowlinkError (``no-hardware``, ``unknown-collective``, ``unknown-algorithm``)."""
    if hardware is None:
        raise SlowlinkError(
            "which hardware?",
            hint="give --system (slowlink expect --list-systems), or --gpu, --gpus-per-node and --nics",
            slug="no-hardware",
        )
    per_node = asked.gpus_per_node or hardware.gpus_per_node
    if per_node is None:
        raise SlowlinkError("how many GPUs has a node?", hint="give --gpus-per-node 8", slug="no-hardware")
    algorithm = _algorithm(asked.algorithm)
    return Case(
        collective=_collective(asked.collective),
        nranks=asked.nodes * per_node,
        nnodes=asked.nodes,
        hardware=hardware,
        algorithm=algorithm,
        nvls=asked.nvls,
        gdr=asked.gdr,
        sockets=asked.sockets,
        sharp=asked.sharp or algorithm == "collnet",
        mtu_bytes=asked.mtu_bytes,
        nic_measured_gbit=asked.nic_measured_gbit,
        nvlink_domain=asked.nvlink_domain,
    )


def asked_size(text: str | None) -> int | None:
    """Bytes of ``128M``; None for none. Raises SlowlinkError (``bad-size``)."""
    if text is None:
        return None
    size = parse_size(text)
    if not size:
        raise SlowlinkError(f"cannot read the size {text!r}", hint="write 128M or 8G", slug="bad-size")
    return size


def all_expectations(prediction: Prediction) -> tuple[Expectation, ...]:
    """Of the large sizes, of each algorithm, of where half of it is reached, and of small messages."""
    small = small_message_time(prediction.case, prediction.expected.subject)
    return (*expectations(prediction), half_peak_size(prediction), small)


def can_be_reached(threshold_gbs: float, size_bytes: int | None, prediction: Prediction) -> tuple[bool, str]:
    """Whether a busbw in GB/s can be reached, at large sizes or at one size, and why."""
    threshold, note = threshold_gbs, ""
    if size_bytes is not None:
        half = half_peak_size(prediction)
        # The half-peak size is known to a factor of three: only what holds at its lower end is refused.
        share = share_at(size_bytes, half.low)
        threshold /= share
        note = f"; at this size at most {share:.0%} of the plateau is reached ({half.basis})"
    can, why = reachable(threshold, prediction)
    scaled = f" ({threshold_gbs:g} GB/s at this size, carried over to the plateau)" if note else ""
    return can, why.replace("GB/s", f"GB/s{scaled}", 1) + note


def _collective(text: str) -> str:
    name = as_spelled_here(text)
    if name not in COLLECTIVES:
        raise _unknown("collective", text, name, COLLECTIVES)
    return name


def _algorithm(text: str | None) -> str | None:
    if text is None:
        return None
    name = text.strip().lower().replace("_", "")
    name = _SHARP_NAMES.get(name, name)
    if name not in ALGORITHMS:
        raise _unknown("algorithm", text, name, ALGORITHMS)
    return name


def _unknown(kind: str, text: str, name: str, known: tuple[str, ...]) -> SlowlinkError:
    from difflib import get_close_matches

    near = get_close_matches(name[:64], known, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}? " if near else ""
    return SlowlinkError(
        f"no model of the {kind} {text!r}", hint=f"{hint}known: {', '.join(known)}", slug=f"unknown-{kind}"
    )
