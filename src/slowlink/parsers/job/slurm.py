"""What Slurm (srun, sbatch, salloc, slurmstepd) prints when a job fails, waits or is ended.

A time limit, and a task that failed::

    slurmstepd: error: *** JOB 4711 ON gpu01 CANCELLED AT 2031-02-03T04:05:06 DUE TO TIME LIMIT ***
    srun: error: gpu01: tasks 0-3: Exited with exit code 1

Source: ``slurmstepd``, ``srun`` and ``sbatch`` of Slurm 20.11 to 24.05, as users meet them. A *step* that is cancelled
and a task that is terminated follow from something else, and are marked as secondary.
"""

from __future__ import annotations

from typing import ClassVar

from slowlink.parsers.forms.message_table import EventPattern, MessageParser, NoisePattern

_CANCELLED = r"\*\*\* (?P<what>STEP|JOB) (?P<job>[\w.+]{1,40}) ON (?P<host>\S{1,120}) CANCELLED AT \S{1,40}"
_TASK = r"srun: error: (?P<host>[\w.\[\],-]{1,200}): tasks? (?P<task>[\d,\-\[\]]{1,200}): "

MESSAGES = (
    EventPattern(
        "slurm-time-limit",
        "DUE TO TIME LIMIT",
        _CANCELLED + r" DUE TO TIME LIMIT",
        ("slurmstepd: error: *** JOB 4711 ON gpu01 CANCELLED AT 2031-02-03T04:05:06 DUE TO TIME LIMIT ***",),
    ),
    EventPattern(
        "slurm-node-fail",
        "DUE TO NODE FAIL",
        _CANCELLED + r" DUE TO NODE FAIL",
        ("slurmstepd: error: *** JOB 4711 ON gpu01 CANCELLED AT 2031-02-03T04:05:06 DUE TO NODE FAILURE, SEE LOG ***",),
    ),
    EventPattern(
        "slurm-preempted",
        "DUE TO PREEMPTION",
        _CANCELLED + r" DUE TO PREEMPTION",
        ("slurmstepd: error: *** STEP 7.0 ON gpu01 CANCELLED AT 2031-02-03T04:05:06 DUE TO PREEMPTION ***",),
    ),
    EventPattern(
        "slurm-cancelled",
        "CANCELLED AT",
        _CANCELLED.replace("STEP|JOB", "STEP"),
        ("slurmstepd: error: *** STEP 4711.0 ON gpu01 CANCELLED AT 2031-02-03T04:05:06 ***",),
        secondary=True,
    ),
    EventPattern(
        "slurm-cancelled",
        "CANCELLED AT",
        _CANCELLED,
        ("slurmstepd: error: *** JOB 4711 ON gpu01 CANCELLED AT 2031-02-03T04:05:06 ***",),
    ),
    EventPattern(  # what srun prints when a signal tells it to end its step (slurm 23.11, srun_job.c)
        "slurm-cancelled",
        "forcing job termination",
        r"srun: forcing job termination$",
        ("srun: forcing job termination",),
    ),
    EventPattern(
        "slurm-node-fail",
        "Node failure on ",
        r"(?:srun|salloc|sbatch): (?:error: )?Node failure on (?P<host>\S{1,120})",
        ("srun: error: Node failure on gpu12",),
    ),
    EventPattern(
        "slurm-low-memory",
        "Low RealMemory",
        r"Low RealMemory \(reported:(?P<reported>\d{1,12}) < (?:[\d.]{1,8}% of configured:)?(?P<configured>\d{1,12})",
        (
            "Reason=Low RealMemory (reported:998244 < 100.00% of configured:1031000) [slurm@2031-02-03T04:05:06]",
            "Low RealMemory (reported:998244 < 1031000)",
        ),
    ),
    EventPattern(
        "slurm-oom",
        "Detected ",
        r"Detected (?P<kills>\d+) oom[-_]kill event(?:\(s\)|s)? in "
        r"(?:StepId=|step )(?P<job>[\w+]{1,30}(?:\.[\w+]{1,20})?)",
        (
            "slurmstepd: error: Detected 1 oom_kill event in StepId=4711.0. Some of the step tasks ha"
            "ve been OOM Killed.",
            "slurmstepd: error: Detected 2 oom-kill event(s) in step 4711.batch cgroup.",
        ),
    ),
    EventPattern(
        "slurm-oom",
        "Out Of Memory",
        _TASK + r"Out Of Memory",
        ("srun: error: gpu01: task 3: Out Of Memory",),
    ),
    EventPattern(
        "slurm-oom",
        "memory limit",
        r"(?:Exceeded (?:job|step) memory limit|[Ee]xceeded memory limit \(\d+ > \d+\))",
        (
            "slurmstepd: error: Exceeded job memory limit",
            "slurmstepd: error: Job 7 exceeded memory limit (90 > 80), being killed",
        ),
    ),
    EventPattern(
        "slurm-task-exit",
        "srun: error: ",
        _TASK + r"(?P<signal>Terminated|Killed)\b",
        ("srun: error: gpu01: task 1: Terminated",),
        secondary=True,
    ),
    EventPattern(
        "slurm-task-exit",
        "srun: error: ",
        _TASK + r"(?:Exited with exit code (?P<code>\d+)"
        r"|(?P<signal>Segmentation fault|Aborted|Bus error|Illegal instruction|Floating point exceptio"
        r"n|Hangup|Interrupt))",
        (
            "srun: error: gpu01: tasks 0-3: Exited with exit code 1",
            "srun: error: gpu[01-02]: task 0: Segmentation fault (core dumped)",
        ),
    ),
    EventPattern(
        "cxi-launch-failed",
        "CXI",
        r"CXI (?:alloc|service|svc)\S{0,20} .{0,120}(?:fail|exceeds|denied)|CXI .{0,80} failed",
        (
            "slurmstepd: error: CXI alloc failed: TXQs requested exceeds ACs limits",
            "srun: error: CXI service allocation failed on node7",
        ),
    ),
    EventPattern(
        "executable-missing",
        "execve():",
        r"slurmstepd: error: execve\(\): (?P<executable>[^:]{1,200}): No such file or directory",
        ("slurmstepd: error: execve(): ./nope: No such file or directory",),
    ),
    EventPattern(
        "slurm-launch-failed",
        "srun: error: ",
        r"srun: error: (?:Task launch for (?:StepId=)?(?P<job>[\w.]{1,40}) failed on node (?P<host>[^\s:]{1,120})"
        r"|Application launch failed|Unable to (?:create|confirm) (?:step|allocation)"
        r"|Unable to resolve|slurm_receive_msgs?|Aborting, (?P<error>.{1,120}))",
        (
            "srun: error: Task launch for StepId=4711.0 failed on node gpu01: Communication connection failure",
            "srun: error: Application launch failed: Invalid job credential",
            "srun: error: Unable to create step for job 4711: Memory required by task is not available",
        ),
    ),
    EventPattern(
        "slurm-no-mpi-plugin",
        "mpi",
        r"srun: error: (?:Couldn't find the specified plugin name for mpi/(?P<plugin>\w{1,40})"
        r"|cannot find mpi plugin for mpi/\w{1,40}|Invalid MPI type '(?P<type>[^']{1,40})')",
        (
            "srun: error: Couldn't find the specified plugin name for mpi/pmix looking at all files",
            "srun: error: cannot find mpi plugin for mpi/pmix",
            "srun: error: Invalid MPI type 'pmix', --mpi=list for acceptable types",
        ),
    ),
    EventPattern(  # pmixp_client_v2.c: a process left PMIx without finalising (-61, -101 ...), and the step is ended
        "slurm-pmix-peer-lost",
        "Error handler invoked",
        r"slurmstepd: error: {1,2}mpi/pmix\w{0,8}: \w{1,40}: (?P<host>[\w.-]{1,64}) \[\d{1,6}\]: [\w.]{1,40}:\d{1,6}: "
        r"Error handler invoked: status = (?P<status>-?\d{1,6}), source = \[[^\]]{1,100}:(?P<rank>\d{1,7})\]",
        (
            "slurmstepd: error:  mpi/pmix_v4: _errhandler: gpu01 [0]: pmixp_client_v2.c:211: Error handler invoked: "
            "status = -61, source = [slurm.pmix.4711.0:3]",
        ),
    ),
    EventPattern(
        "pmi-failure",
        "mpi/pmi",
        r"(?:srun|slurmstepd): error: .{0,60}mpi/pmi\w{0,8}[: ]",
        ("slurmstepd: error: mpi/pmix_v4: pmixp_coll_ring_check: gpu01 [0]: fatal error",),
    ),
    EventPattern(
        "slurm-invalid",
        "error: ",
        r"(?P<program>srun|sbatch|salloc): (?:error|fatal): (?P<error>(?:Batch job submission failed: "
        r"|Unable to allocate"
        r" resources: |Job submit/allocate failed: )?(?:[Ii]nvalid |Requested node configuration|More "
        r"processors requested"
        r"|Requested partition|Memory specification|User's group not permitted|Job violates).{0,160})",
        (
            "sbatch: error: Batch job submission failed: Invalid account or account/partition combination specified",
            "srun: error: Unable to allocate resources: Requested node configuration is not available",
            "srun: error: invalid partition specified: gpus",
        ),
    ),
)

NOISE = (
    NoisePattern(
        "srun: ",
        r"^\s*srun: (?:Terminating |Force Terminated |[Jj]ob (?:step )?(?:\d+ (?:queued|has been alloc"
        r"ated)|aborted))",
        ("srun: Terminating job step 4711.0", "srun: job 4711 queued and waiting for resources"),
    ),
    NoisePattern(
        "ob ",
        r"^\s*(?:salloc: (?:Granted|Pending|Nodes|Relinquishing|job)|Submitted batch job \d+)",
        ("salloc: Granted job allocation 4711", "Submitted batch job 4711"),
    ),
)


class Slurm(MessageParser):
    """Events of Slurm: what ended a job or a task, and why one was not started."""

    kind: ClassVar[str] = "slurm"
    origin: ClassVar[str] = "slurm"
    messages: ClassVar[tuple[EventPattern, ...]] = MESSAGES
    noise: ClassVar[tuple[NoisePattern, ...]] = NOISE


PARSER = Slurm
