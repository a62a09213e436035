"""The probe's command line: the letters of nccl-tests, and what it has besides."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import NoReturn

from msgspec import Struct
from msgspec.structs import astuple

from slowlink.benchmarks.interface import COLLECTIVES
from slowlink.errors import SlowlinkError
from slowlink.units import parse_size

BACKENDS = ("mpi", "gloo", "nccl")
REDOPS = ("sum", "prod", "min", "max")


class Injection(Struct, frozen=True):
    """A fault that is made on purpose, to see that it is found."""

    rank: int
    amount: int


class Options(Struct, frozen=True):
    """Everything that all ranks must agree about."""

    collective: str
    min_bytes: int
    max_bytes: int
    factor: int
    step_bytes: int
    iterations: int
    warmup: int
    check: int
    datatype: str
    redop: str
    root: int
    backend: str
    output: str | None
    delay: Injection | None
    """Microseconds that a rank waits before each timed call."""
    corruption: Injection | None
    """Elements of a rank's results that are changed before they are checked."""

    def text(self) -> str:
        """All values, for comparing ranks."""
        return repr(astuple(self))


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """No usage text: with a thousand ranks one line is enough."""
        raise SlowlinkError(message, hint="python -m slowlink.probe --help", slug="probe-options")


def backend_of(arguments: Sequence[str]) -> str:
    """The back end that is asked for, before the rest is read: errors are told over it."""
    found = "mpi"
    for index, argument in enumerate(arguments):
        if argument == "--backend" and index + 1 < len(arguments):
            found = arguments[index + 1]
        elif argument.startswith("--backend="):
            found = argument.partition("=")[2]
    return found if found in BACKENDS else "mpi"


def parse_options(arguments: Sequence[str]) -> Options:
    """Read the command line. Raises SlowlinkError for what cannot be; ``--help`` prints and exits with 0."""
    given = _parser().parse_args(arguments)
    if given.b > given.e:
        raise SlowlinkError(f"-b {given.b} is above -e {given.e}", slug="probe-options")
    return Options(
        collective=given.collective,
        min_bytes=given.b,
        max_bytes=given.e,
        factor=given.f,
        step_bytes=given.i,
        iterations=given.n,
        warmup=given.w,
        check=given.c,
        datatype=given.d,
        redop=given.o,
        root=given.r,
        backend=given.backend,
        output=given.output,
        delay=given.inject_delay,
        corruption=given.inject_wrong,
    )


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python -m slowlink.probe",
        description="Time every iteration of a collective on every rank. Start it with mpirun, srun or torchrun.",
        epilog="Exit status: 0 measured, 1 wrong results, 2 usage or no MPI, 3 a rank failed, 70 a defect of slowlink.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("collective", choices=COLLECTIVES)
    add("-b", "--minbytes", dest="b", type=_size, default=8, metavar="SIZE", help="smallest size (8)")
    add("-e", "--maxbytes", dest="e", type=_size, default=64 << 20, metavar="SIZE", help="largest size (64M)")
    add("-f", "--stepfactor", dest="f", type=_positive, default=2, metavar="N", help="next size = size x N (2)")
    add("-i", "--stepbytes", dest="i", type=_size, default=1 << 20, metavar="SIZE", help="next size with -f 1 (1M)")
    add("-n", "--iters", dest="n", type=_positive, default=20, metavar="N", help="timed iterations (20)")
    add("-w", "--warmup_iters", dest="w", type=_count, default=5, metavar="N", help="iterations before them (5)")
    add("-c", "--check", dest="c", type=_count, default=1, metavar="N", help="checked iterations after them (1)")
    add("-d", "--datatype", dest="d", default="float", metavar="TYPE", help="float, double, int32 ... (float)")
    add("-o", "--op", dest="o", choices=REDOPS, default="sum", help="reduction (sum)")
    add("-r", "--root", dest="r", type=_count, default=0, metavar="RANK", help="root of broadcast and reduce (0)")
    add("--backend", choices=BACKENDS, default="mpi", help="mpi (CPU memory), gloo or nccl (torch)")
    add("--output", metavar="FILE", help="every iteration of every rank as JSON lines; compressed when it ends in .gz")
    add("--inject-delay", type=_injection, metavar="RANK:MICROSECONDS", help="make a rank late on purpose")
    add("--inject-wrong", type=_injection, metavar="RANK:ELEMENTS", help="change results of a rank on purpose")
    return parser


def _size(text: str) -> int:
    size = parse_size(text)
    if not size or size > 1 << 46:
        raise argparse.ArgumentTypeError(f"'{text}' is no size; for instance 8, 64K, 128M, 1G")
    return size


def _positive(text: str) -> int:
    number = _count(text)
    if number == 0:
        raise argparse.ArgumentTypeError("it must be 1 or more")
    return number


def _count(text: str) -> int:
    if not text.isdecimal() or len(text) > 9:
        raise argparse.ArgumentTypeError(f"'{text}' is no whole number")
    return int(text)


def _injection(text: str) -> Injection:
    rank, _, amount = text.partition(":")
    return Injection(_count(rank), _count(amount))
