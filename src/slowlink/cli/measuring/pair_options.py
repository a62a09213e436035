"""Options of ``slowlink run ib_write_bw``: a perftest pair."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource
from msgspec.structs import replace

from slowlink.benchmarks.perftest import TESTS
from slowlink.cli.quantities import FiniteRange

if TYPE_CHECKING:
    from slowlink.model.plan import Allocation
    from slowlink.model.report import Report
    from slowlink.workflows.gates import Judged
    from slowlink.workflows.pair import Ends
    from slowlink.workflows.plan_run import Asked

F = TypeVar("F", bound=Callable[..., object])

_OWN = ("devices", "gpu_memory", "gpu_index", "size", "all_sizes", "duration", "gid_index", "min_gbit")
_OF_COLLECTIVES = (
    *("minbytes", "maxbytes", "factor", "nranks", "ranks_per_node", "warmup", "datatype", "redop", "no_check"),
    *("backend", "min_busbw", "baseline"),
)
_HCA = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,60}")
_MOST_GPUS = 1024
_ALL = ("all", "all")
_SIZES = {"bw": 65536, "lat": 2}
_ITERATIONS = {"bw": 5000, "lat": 1000}
"""perftest's own defaults."""


class _Both(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """One value for both nodes, or ``first:second``."""

    name = "both"

    def __init__(self, read: Callable[[str], object]) -> None:
        self._read = read

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> object:
        if isinstance(value, tuple):
            return value
        first, colon, second = str(value).partition(":")
        try:
            return self._read(first), self._read(second if colon else first)
        except ValueError as error:
            self.fail(f"'{value}': {error}", param, ctx)


def _hca(text: str) -> str:
    if not _HCA.fullmatch(text):
        raise ValueError("not the name of an HCA, as mlx5_0")
    return text


def _index(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= 4 and int(text) < _MOST_GPUS):
        raise ValueError(f"not the number of a GPU, from 0 to {_MOST_GPUS - 1}")
    return int(text)


def pair_options(size: Any) -> Callable[[F], F]:
    """The options; ``size`` is the click type that reads 64K."""
    options = (
        click.option("--device", "devices", multiple=True, type=_Both(_hca), metavar="HCA[:HCA]",
                     help="perftest: mlx5_0, the same on both nodes; mlx5_0:mlx5_1, of the first and of the second "
                     "node; all: each that both have. One after another. Repeatable."),
        click.option("--gpu-memory", type=click.Choice(["cuda", "rocm", "maca", "none"]),
                     help="perftest: the buffers' place."),
        click.option("--gpu-index", type=_Both(_index), metavar="N[:N]",
                     help="perftest: which GPU's memory, on both nodes; or 0:4, on the first and on the second."),
        click.option("-s", "--size", type=size, help="perftest: one size; default 64K, and 2 for latency."),
        click.option("-a", "--all-sizes", is_flag=True, help="perftest: 2 bytes to 8 MiB."),
        click.option("--duration", type=click.IntRange(1, 86400), metavar="SECONDS",
                     help="perftest: measure so long, instead of --iters."),
        click.option("--gid-index", type=click.IntRange(0, 255), help="perftest: which GID, for RoCE."),
        click.option("--min-gbit", type=FiniteRange(min=0, min_open=True), metavar="GBIT/S",
                     help="perftest, gate: exit 1 when a pair is below it."),
    )  # fmt: skip

    def decorate(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def is_pair(given: dict[str, Any]) -> bool:
    """Is a test of perftest asked for?"""
    return given["collective"] in TESTS


def check_pair(given: dict[str, Any]) -> None:
    """Refuse options that would be ignored. Raises click.UsageError."""
    context = click.get_current_context()
    ignored = _OF_COLLECTIVES if is_pair(given) else _OWN
    for name in ignored:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            option = next(each.opts[-1] for each in context.command.params if each.name == name)
            if is_pair(given):
                raise click.UsageError(f"{option} is not for perftest; it has --size, --all-sizes, --iters, --min-gbit")
            raise click.UsageError(f"{option} is for perftest: {', '.join(TESTS)}")
    if not is_pair(given):
        return
    if given["benchmark"] not in ("auto", "perftest"):
        raise click.UsageError(f"{given['collective']} is a test of perftest, not of {given['benchmark']}")
    if given["all_sizes"] and (given["size"] or given["duration"]):
        raise click.UsageError("--all-sizes goes without --size and --duration")
    if given["gpu_index"] is not None and given["gpu_memory"] in (None, "none"):
        raise click.UsageError("--gpu-index needs --gpu-memory cuda, rocm or maca")
    if given["min_gbit"] and given["collective"].endswith("_lat"):
        raise click.UsageError("--min-gbit is for a test of bandwidth")


def with_all_devices(given: dict[str, Any], allocation: Allocation | None, ssh: str | None) -> None:
    """Put the HCAs that both nodes have in the place of ``--device all``. Raises SlowlinkError."""
    if _ALL in given["devices"]:
        from slowlink.workflows.pair import common_hcas

        nodes = allocation.nodes if allocation is not None else ()
        given["devices"] = tuple((hca, hca) for hca in common_hcas(nodes, ssh))


def with_pair(asked: Asked, given: dict[str, Any]) -> Asked:
    """``asked`` with what these options say, where it is a test of perftest."""
    if not is_pair(given):
        return asked
    kind = given["collective"].rpartition("_")[2]
    low = high = given["size"] or _SIZES[kind]
    if given["all_sizes"]:
        low, high = 2, 8 << 20
    told = click.get_current_context().get_parameter_source("iters") is ParameterSource.COMMANDLINE
    request = replace(
        asked.request,
        min_bytes=low,
        max_bytes=high,
        iterations=given["iters"] if told else _ITERATIONS[kind],
        duration_s=given["duration"],
        extra=(*asked.request.extra, *(("-x", str(given["gid_index"])) if given["gid_index"] is not None else ())),
    )
    return replace(asked, request=request, benchmark="perftest", ends=_ends(given))


def _ends(given: dict[str, Any]) -> Ends:
    from slowlink.workflows.pair import Ends

    memory = None if given["gpu_memory"] == "none" else given["gpu_memory"]
    return Ends(tuple(given["devices"]), memory, given["gpu_index"] or (0, 0))


def with_pair_gates(judged: Judged, report: Report, given: dict[str, Any]) -> Judged:
    """No table never passes; and the threshold."""
    if not is_pair(given):
        return judged
    from slowlink.workflows.pair_gates import pair_gates

    tables = _ends(given).count * given["repeat"]
    return replace(judged, gates=(*judged.gates, *pair_gates(report, tables, given["min_gbit"])))
