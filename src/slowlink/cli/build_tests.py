"""``slowlink build-tests``: nccl-tests with MPI, and every missing prerequisite before anything is built."""

from __future__ import annotations

from pathlib import Path

import click

from slowlink import exits
from slowlink.cli.pipes import note

_DIRECTORY = click.Path(file_okay=False, path_type=Path)


@click.command("build-tests")
@click.option("--source", type=_DIRECTORY, help="Source tree of nccl-tests (where to clone to, with --fetch).")
@click.option("--fetch", is_flag=True, help="Clone NVIDIA's repository first.")
@click.option("--prefix", type=_DIRECTORY, help="Where the programs go (default: build in the source tree).")
@click.option("--cuda-home", type=_DIRECTORY, help="CUDA toolkit; default: beside nvcc.")
@click.option("--mpi-home", type=_DIRECTORY, help="MPI; default: beside mpicc.")
@click.option("--nccl-home", type=_DIRECTORY, help="NCCL with its headers.")
@click.option(
    "--with-openmpi", "openmpi", type=_DIRECTORY, metavar="DIR", help="Build this release of Open MPI first, with CUDA."
)
@click.option("--dry-run", is_flag=True, help="Say what is missing and what would run.")
def command(
    source: Path | None,
    fetch: bool,
    prefix: Path | None,
    cuda_home: Path | None,
    mpi_home: Path | None,
    nccl_home: Path | None,
    openmpi: Path | None,
    dry_run: bool,
) -> int:
    """Build nccl-tests so that one process runs one GPU and MPI joins them.

    Exit status: 0 built (or, with --dry-run, nothing missing), 2 something is missing or the build failed.
    """
    from slowlink.quoting import quote
    from slowlink.workflows.build_tests import Wish, build, plan_build

    if openmpi is not None and mpi_home is not None:
        raise click.UsageError("--with-openmpi builds an MPI, and --mpi-home names one: give one of them")
    if source is None and not fetch:
        raise click.UsageError("give the sources with --source DIR, or --fetch to clone them")
    place = source or Path("nccl-tests")
    planned = plan_build(Wish(place, fetch, prefix, cuda_home, mpi_home, nccl_home, openmpi))
    for missing in planned.missing:
        note(f"missing: {missing.what} (looked in: {missing.looked})\n  install: {missing.install}")
    if dry_run:
        for step in planned.steps:
            click.echo(quote(step.argv))
    if planned.missing:
        return exits.USAGE
    if dry_run:
        return exits.HEALTHY
    program = build(planned, click.echo)
    version = f" {program.version}" if program.version else ""
    click.echo(f"built nccl-tests{version} with MPI in {planned.directory}")
    words = ["slowlink", "run", "all_reduce", "--path", str(planned.directory)]
    if planned.openmpi is not None:
        words += ["--mpirun", f"{planned.openmpi}/bin/mpirun"]
    click.echo(f"  {quote(words)}")
    return exits.HEALTHY
