"""What applications print about themselves: training steps, hand-made benchmarks, summaries, arguments.

A step of Megatron-LM, and a line of a benchmark that somebody wrote::

     iteration       12/     900 | elapsed time per iteration (ms): 3217.4 | learning rate: 1.2E-05 |
     busbw: 181.2500  Gbps

Sources: bash's trace of a script that starts torchrun; the step lines of Megatron-LM and of common FSDP examples;
``all_reduce`` loops written with torch.distributed (their Gbps are bits, not bytes); HPE MPICH's Slingshot
summary at the end of a job. Their lines have no marks of their own, so the patterns ask for most of a line.
"""

from __future__ import annotations

from typing import ClassVar

from slowlink.parsers.forms.observation_table import Fact, ObservationParser

_TRACED_ARRAY = r"^(?:\d{1,6}: )?\+{1,6} (?:declare -a )?\w{1,60}=\('[^()]{0,600}?"
"""An array of arguments as ``set -x`` prints it."""

FACTS = (
    Fact(
        "torchrun-nproc-per-node",
        "=('--",
        _TRACED_ARRAY + r"--nproc[_-]per[_-]node=(?P<value>\d{1,6})'",
        ("+ LAUNCH_ARGS=('--nproc_per_node=4' '--nnodes=6' '--rdzv_id=7')",),
        subject="torchrun",
        informative=True,  # says how the job was started
    ),
    Fact(
        "torchrun-nnodes",
        "=('--",
        _TRACED_ARRAY + r"--nnodes=(?P<value>\d{1,6})'",
        ("++ ARGS=('--nproc-per-node=4' '--nnodes=6')",),
        subject="torchrun",
        informative=True,  # says how the job was started
    ),
    Fact(
        "training-iteration-ms",
        "elapsed time per iteration (ms):",
        r"\biteration\s{1,20}(?P<subject>\d{1,9})/\s{0,20}\d{1,9} \|.{0,200}?elapsed time per iteration \(ms\): "
        r"(?P<value>\d{1,9}(?:\.\d{1,6})?)",
        (
            " iteration       12/     900 | elapsed time per iteration (ms): 3217.4 | learning rate: 1.2E-05 |",
            " iteration   40/  900 | consumed samples:  80 | elapsed time per iteration (ms): 17.0 |",
        ),
        informative=True,  # nobody knows how long a step of this model should take
        of_step=True,
    ),
    Fact(
        "mpi-call-in-backtrace",
        "(MPI_",
        r"\.so(?:\.\d{1,4}){0,3}\((?P<value>MPI_[A-Z]\w{2,40})\+0x[0-9a-f]{1,16}\)",
        ("[node3:4711] [ 7] /opt/mpi/lib/libmpi.so.40(MPI_Allreduce+0x17b)[0x7f1a2b3c4d5e]",),
        subject="crash",
        informative=True,  # where a crash happened; the crash itself is judged
    ),
    Fact(
        "training-batch-rate",
        "samples/sec",
        r"\bBatch (?P<subject>\d{1,9})\b.{0,80}?\bSpeed: (?P<value>\d{1,9}(?:\.\d{1,6})?) samples/sec",
        ("[train.py:9] Batch 31 Loss: 7.25, Speed: 6.50 samples/sec, lr: 0.0001",),
        informative=True,  # nobody knows how fast this model should train
        of_step=True,
    ),
    Fact(
        "run-time-s",
        "otal run",
        r"^\s{0,20}[Tt]otal run(?:ning)? ?time: {1,9}(?P<value>\d{1,9}(?:\.\d{1,20})?) ?s(?:ec(?:onds?)?)?\b",
        ("Total run time: 61.25 seconds", "total runtime: 7 s"),
        subject="application",
        informative=True,  # nobody knows how long the program should run
    ),
    Fact(
        "busbw-gbit",
        "busbw",
        r"^\s{0,20}busbw: {1,9}(?P<value>\d{1,9}(?:\.\d{1,9})?) {1,9}Gbps\b",
        (" busbw: 181.2500  Gbps", "busbw: 7.5 Gbps"),
        subject="application",
        informative=True,  # an application's own figure, of an unknown operation and number of ranks
    ),
    Fact(
        "slingshot-network-timeouts",
        "Slingshot Network Summary",
        r"MPICH Slingshot Network Summary: (?P<value>\d{1,12}) network timeouts?\b",
        ("MPICH Slingshot Network Summary: 3 network timeouts",),
        subject="job",
        informative=True,  # a sum over the job, which a large job survives
    ),
)


class ApplicationOutput(ObservationParser):
    """Observations of what an application and its script say about their own work."""

    kind: ClassVar[str] = "application"
    facts: ClassVar[tuple[Fact, ...]] = FACTS


PARSER = ApplicationOutput
