"""Which programs matter: benchmarks, link tests, GPU diagnostics, launchers, and what only wraps them."""

from __future__ import annotations

from slowlink.parsers.forms.literals import Literals
from slowlink.patterns import regex

_TARGET = regex(
    r"(?:\w{2,40}_perf(?:\.py)?|ib_(?:read|write|send|atomic)_(?:bw|lat)|raw_ethernet_\w{1,20}|nvbandwidth|mccl_perf"
    r"|dcgmi|nvvs|gpu[-_]burn|gpu[-_]fryer|stress-ng|cuda_memtest|hpl\.sh|xhpl\S{0,20}|osu_\w{2,40}|nccl\w{0,20}\.sh"
    r"|all_reduce_bench\.py|alltoall_(?:latency|bw))"
)
_LAUNCHER = regex(
    r"(?:mpirun|mpiexec(?:\.hydra|\.mpich|\.openmpi)?|orterun|prterun|prun|srun|torchrun|deepspeed|accelerate|horovodrun"
    r"|aprun|jsrun|flux)"
)
_EVERYWHERE = regex(r"(?:pdsh|clush|parallel-ssh|pssh|dsh|ansible|xdsh|psh|prsync)")
_WRAPPERS = frozenset(
    {
        "sudo",
        "env",
        "time",
        "nohup",
        "exec",
        "command",
        "strace",
        "numactl",
        "taskset",
        "stdbuf",
        "nice",
        "ionice",
        "timeout",
        "chrt",
        "setsid",
        "unbuffer",
        "catchsegv",
        "nsys",
        "ncu",
        "perf",
        "gdb",
        "shifter",
        "singularity",
        "apptainer",
        "podman",
        "podman-hpc",
        "docker",
        "enroot",
        "bash",
        "sh",
    }
)
MARKS = Literals(
    (
        "_perf",
        "_bw",
        "_lat",
        "nvbandwidth",
        "dcgmi",
        "nvvs",
        "gpu-burn",
        "gpu_burn",
        "gpu-fryer",
        "mpirun",
        "mpiexec",
        "prterun",
        "orterun",
        "srun ",
        "torchrun",
        "deepspeed ",
        "torch.distributed",
        "pdsh",
        "clush",
        "parallel-ssh",
        "pssh",
        "ansible ",
    )
)
"""One of these is in every command of interest. No digits."""


def base_name(word: str) -> str:
    """``/opt/x/all_reduce_perf`` to ``all_reduce_perf``."""
    return word.rpartition("/")[2]


def is_target(word: str) -> bool:
    """A benchmark or a diagnostic, by its base name."""
    return "=" not in word and _TARGET.fullmatch(base_name(word)) is not None


def is_launcher(word: str) -> bool:
    """Starts one job's ranks."""
    return _LAUNCHER.fullmatch(base_name(word)) is not None


def is_everywhere(word: str) -> bool:
    """Runs a command on many nodes, apart from one another."""
    return _EVERYWHERE.fullmatch(base_name(word)) is not None


def is_wrapper(word: str) -> bool:
    """Wraps the command that is really run: ``sudo``, ``numactl``, a container."""
    return base_name(word) in _WRAPPERS


def is_known(word: str) -> bool:
    """Is this the first word of a command that could matter?"""
    return is_target(word) or is_launcher(word) or is_everywhere(word) or is_wrapper(word)
