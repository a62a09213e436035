"""``python -m slowlink.probe``: one rank. A rank that fails ends all ranks, with one line that says why."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence

from slowlink import exits
from slowlink.errors import SlowlinkError
from slowlink.probe.backend import Backend
from slowlink.probe.launched import Launched, launched_by
from slowlink.probe.options import Options, backend_of, parse_options
from slowlink.probe.world import agree, host_name

_AFTER_RANK_0_S = 0.5
"""What is wrong on all ranks is said by rank 0, and the launcher ends the others; what is wrong on one, by that one."""
_FORWARDED_S = 0.3
"""MPI_Abort ends the launcher's daemons, too: what a rank printed just before is lost, if they have not read it yet."""


def main(arguments: Sequence[str]) -> int:
    """Exit status of this rank."""
    launched = launched_by(os.environ)
    if {"-h", "--help"} & set(arguments) and launched.rank != 0:
        return exits.HEALTHY
    try:
        options: Options | SlowlinkError = parse_options(arguments)
    except SlowlinkError as error:
        options = error
    if isinstance(options, SlowlinkError) and launched.nranks == 1:
        return _refuse(options, launched)
    try:
        backend = open_backend(backend_of(arguments), launched)
    except SlowlinkError as error:
        if launched.rank != 0:
            if error.slug == "wrong-mpi":  # it is so on every rank
                return exits.USAGE
            time.sleep(_AFTER_RANK_0_S)
        return _refuse(error, launched)
    return _run(backend, options)


def open_backend(name: str, launched: Launched) -> Backend:
    """Load and start the library. Raises SlowlinkError when it is missing or does not fit the launcher."""
    if name == "mpi":
        from slowlink.probe import mpi_backend

        return mpi_backend.open_backend(launched)
    from slowlink.probe import torch_backend

    return torch_backend.open_backend(name, launched)


def _run(backend: Backend, given: Options | SlowlinkError) -> int:
    from slowlink.probe.sweep import sweep

    try:
        options = agree(backend, given)
    except SlowlinkError as error:  # the same on every rank: all leave in order
        if backend.rank == 0:
            _say(error.message, error.hint)
        backend.close()
        return exits.USAGE
    if backend.rank == 0 and backend.nranks == 1:
        _say("one rank, no launcher: nothing crosses a link", "mpirun -n 4 python -m slowlink.probe ...")
    try:
        status = sweep(backend, options, sys.stdout)
        backend.close()
    except KeyboardInterrupt:
        backend.abort(130)
    except BrokenPipeError:
        backend.abort(exits.INCONCLUSIVE)
    except Exception as error:  # noqa: BLE001  (whatever it is: the other ranks wait for this one)
        _say(f"rank {backend.rank} on {host_name()}: {describe(error)}", getattr(error, "hint", ""))
        time.sleep(_FORWARDED_S)
        backend.abort(exits.USAGE if isinstance(error, SlowlinkError) else exits.INCONCLUSIVE)
    else:
        return status
    return exits.INCONCLUSIVE


def describe(error: Exception) -> str:
    """One line: the message of an error that the user can mend, the kind and the first line of any other."""
    if isinstance(error, SlowlinkError):
        return error.message
    if isinstance(error, MemoryError):
        return "out of memory: use a smaller -e, or fewer ranks on this node"
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__


def _refuse(error: SlowlinkError, launched: Launched) -> int:
    where = f"rank {launched.rank} on {host_name()}: " if launched.nranks > 1 else ""
    _say(where + error.message, error.hint)
    return exits.USAGE


def _say(message: str, hint: str) -> None:
    print(f"slowlink probe: {message}" + (f" ({hint})" if hint else ""), file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
