"""Which environment variables are worth a record: those that communication libraries, fabrics and GPUs read."""

from __future__ import annotations

from slowlink.patterns import regex

_CARRIED = regex(
    r"(?:NCCL|RCCL|MCCL|UCX|UCC|FI|OFI|TORCH_NCCL|TORCH_FR|SHARP|PSM\d|MPICH|OMPI|CUDA|HSA|HIP|ROCR|MACA|MUSA|FORCE"
    r"|IBV|MLX\d|RDMAV|GLOO|NVSHMEM)_\w{1,100}|LD_LIBRARY_PATH|LD_PRELOAD"
)
_JOB = regex(
    r"SLURM_(?:NTASKS|NPROCS|NNODES|JOB_NUM_NODES|JOB_NODELIST|NODELIST|NTASKS_PER_NODE|TASKS_PER_NODE|GPUS_ON_NODE)"
    r"|(?:WORLD|LOCAL_WORLD)_SIZE|PALS_\w{1,40}|PBS_NODEFILE"
)


def is_carried(name: str) -> bool:
    """A variable that changes how a job communicates."""
    return _CARRIED.fullmatch(name) is not None


def describes_job(name: str) -> bool:
    """A variable in which a scheduler states the job's size."""
    return _JOB.fullmatch(name) is not None
