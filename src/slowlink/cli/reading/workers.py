"""``--workers``: who reads the inputs."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, TypeVar

import click

if TYPE_CHECKING:
    from slowlink.parsers.reading.engine import Workers

_MOST = 1024
_DASK = re.compile(r"(?:tcp|tls|ucx)://[^\s/]{1,255}:(?P<port>\d{1,5})")
_LAST_PORT = 65_535
F = TypeVar("F", bound=Callable[..., object])


class _Workers(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """``8``, ``mpi`` or ``tcp://head:8786``."""

    name = "workers"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        text = str(value).strip()
        dask = _DASK.fullmatch(text)
        if text == "mpi" or (dask is not None and 0 < int(dask["port"]) <= _LAST_PORT):
            return text
        if not (text.isascii() and text.isdecimal() and 1 <= int(text[:9]) <= _MOST):
            self.fail(f"'{value}' is no number from 1 to {_MOST:,}, nor mpi, nor tcp://HOST:PORT", param, ctx)
        return text


def workers_option(function: F) -> F:
    return click.option(
        "--workers",
        type=_Workers(),
        metavar="N|mpi|tcp://HOST:PORT",
        help="Who reads: N processes, the other ranks of this MPI job, or a Dask cluster's workers. Default: this "
        "machine's cores, where there is enough to read.",
    )(function)


def engine_of(workers: str | None) -> AbstractContextManager[Workers]:
    """Whom the option names, for as long as they are needed.

    Raises SlowlinkError where they cannot be had, and ``Served`` in a rank that reads for another."""
    if workers is None or workers.isdecimal():
        return nullcontext(None if workers is None else int(workers))
    from slowlink.workflows.reading_engines import dask_engine, mpi_engine

    return mpi_engine() if workers == "mpi" else dask_engine(workers)
