"""Builds Open MPI with CUDA beside nccl-tests: its collectives take buffers of GPUs then, and its mpirun starts what
was linked with it.

Source: Open MPI's documentation, "Configuring and building Open MPI" and "CUDA support" (4.1, 5.0).
"""

from __future__ import annotations

from pathlib import Path

from slowlink.errors import SlowlinkError
from slowlink.launch.execute import capture
from slowlink.model.plan import Step

_LIMIT_S = 7200.0
_ASK_S = 60.0
_WITH_CUDA = "mca:mpi:base:param:mpi_built_with_cuda_support:value:true"


def openmpi_steps(source: Path, home: Path, cuda_home: Path | None, make: str, jobs: int) -> tuple[Step, ...]:
    """Configure, build and install a release that lies in ``source`` to ``home``; objects go beside it."""
    objects = home.parent / f"{home.name}-objects"
    cuda = str(cuda_home) if cuda_home is not None else "?"
    configure = (
        str(source.absolute() / "configure"),
        f"--prefix={home}",
        f"--with-cuda={cuda}",
        "--disable-mpi-fortran",
    )
    return (
        Step(("mkdir", "-p", str(objects)), _ASK_S),
        Step(("env", "-C", str(objects), *configure), _LIMIT_S),
        Step((make, "-C", str(objects), f"-j{jobs}"), _LIMIT_S),
        Step((make, "-C", str(objects), "install"), _LIMIT_S),
    )


def require_cuda(home: Path) -> None:
    """Raises SlowlinkError where the Open MPI that was built does not know CUDA: configure goes on without it."""
    said = capture((str(home / "bin/ompi_info"), "--parsable", "--all"), _ASK_S)
    if said.status != 0:
        raise SlowlinkError(f"{home}/bin/ompi_info does not run: {said.stderr.strip()[-400:]}", slug="openmpi-unusable")
    if _WITH_CUDA not in said.stdout:
        raise SlowlinkError(
            f"the Open MPI in {home} was built without CUDA",
            hint="see config.log beside the objects for what configure looked for; --cuda-home names the toolkit",
            slug="openmpi-without-cuda",
        )
