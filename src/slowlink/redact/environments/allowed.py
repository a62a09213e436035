"""Which environment variables a bundle may hold. Anything that is not on this list is never written.

The list holds what communication libraries, fabrics, GPUs and schedulers read (docs/redaction.md).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from slowlink.patterns import regex
from slowlink.redact.names import is_secret_name

_ALLOWED = regex(
    r"(?:NCCL|RCCL|MCCL|UCX|UCC|FI|OFI|TORCH_NCCL|TORCH_FR|SHARP|PSM\d|MPICH|OMPI_MCA|OMPI_COMM_WORLD|PMIX_MCA|PRTE_MCA"
    r"|CUDA|HSA|HIP|ROCR|MACA|MUSA|FORCE|IBV|MLX\d|RDMAV|GLOO|NVSHMEM|NVIDIA|OMP|KMP|I_MPI|HYDRA|PALS)_\w{1,100}"
    r"|SLURM_(?:JOB_\w{1,40}|N\w{1,40}|TASKS_PER_NODE|GPUS_ON_NODE|PROCID|LOCALID|NODEID|CPUS_PER_TASK|MPI_TYPE)"
    r"|(?:LOCAL_|GROUP_)?(?:WORLD_SIZE|RANK)|MASTER_(?:ADDR|PORT)|LD_LIBRARY_PATH|LD_PRELOAD|PBS_NODEFILE"
)
_NOT_ALLOWED = regex(r"OMPI_MCA_\w{0,60}(?:precondition_transports|uri)|PMIX_\w{0,60}URI\d{0,3}", re.IGNORECASE)
"""Session keys and addresses of Open MPI's own daemons."""

_DIRECTORIES = frozenset({"PWD", "OLDPWD"})
_DIRECTORY = regex(r"(?:/[\w.+-]{1,100}){1,20}/?(?:\s|<|&lt;|</\w{1,20}>){0,20}")


def is_allowed(name: str) -> bool:
    """May a bundle hold the variable ``name``?"""
    return _ALLOWED.fullmatch(name) is not None and _NOT_ALLOWED.fullmatch(name) is None and not is_secret_name(name)


def keeps(name: str, value: str) -> bool:
    """May a dump of a whole environment keep this value: of a variable on the list, or the directory where it was
    printed, which scripts print by itself, too?"""
    return is_allowed(name) or (name in _DIRECTORIES and _DIRECTORY.fullmatch(value) is not None)


def environment_for_bundle(environ: Mapping[str, str]) -> dict[str, str]:
    """The variables of ``environ`` that a bundle may hold, sorted by name. Values are as they were: redact them too."""
    return {name: environ[name] for name in sorted(environ) if is_allowed(name)}
