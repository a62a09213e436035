"""What Open MPI (mpirun, prterun, its daemons) prints when a job fails.

A box, whose lines add rank and exit code to its first one::

    mpirun detected that one or more processes exited with non-zero status, thus causing
      Process name: [[31337,1],6]
      Exit code:    3

Source: the help texts and ``opal_output`` calls of Open MPI 4.x and 5.x (PRRTE), as users meet them. Help texts are
broken into lines as wide as a terminal, so a pattern matches one line of a sentence and never its end.
"""

from __future__ import annotations

from typing import ClassVar

from slowlink.parsers.forms.message_table import DetailPattern, EventPattern, MessageParser, NoisePattern

_LAUNCHER = r"(?P<launcher>mpirun|mpiexec|prterun|orterun)"

MESSAGES = (
    EventPattern(
        "ompi-not-enough-slots",
        "not enough slots",
        r"not enough slots available in the system to satisfy the(?: (?P<slots>\d+))?",
        ("There are not enough slots available in the system to satisfy the 24",),
    ),
    EventPattern(
        "ompi-not-enough-slots",
        "already filled",
        r"All nodes which are allocated for this job are already filled",
        ("All nodes which are allocated for this job are already filled.",),
    ),
    EventPattern(
        "ompi-bad-hosts",
        "hostfile",
        r"(?:hostfile was provided that contains at least one node not present in the allocation"
        r"|Open RTE was unable to open the hostfile|detected a (?:parse error|bad parameter) in the ho"
        r"stfile)",
        ("Open RTE was unable to open the hostfile:",),
    ),
    EventPattern(
        "ompi-signal",
        "noticed that process rank",
        _LAUNCHER + r" noticed that process rank (?P<rank>\d+) with PID (?P<pid>\d+) on node (?P<host>\S+) exited on"
        r" signal (?P<signal>\d+)(?: \((?P<name>[^)]{1,60})\))?",
        ("mpirun noticed that process rank 5 with PID 4711 on node gpu07 exited on signal 9 (Killed).",),
    ),
    EventPattern(
        "ompi-process-exited",
        "detected that one or more processes exited with non-zero status",
        _LAUNCHER + r" detected that one or more processes exited with non-zero status",
        ("mpirun detected that one or more processes exited with non-zero status, thus causing",),
    ),
    EventPattern(
        "ompi-job-aborted",
        "rimary job ",
        r"Primary job +terminated normally, but (?P<processes>\d+) process(?:es)? returned",
        ("Primary job  terminated normally, but 1 process returned",),
        secondary=True,
        harmless=True,  # repeats that a process failed; another message says which
    ),
    EventPattern(
        "ompi-abort",
        "MPI_ABORT was invoked",
        r"MPI_ABORT was invoked on rank (?P<rank>\d+) in communicator (?P<comm>\S+)(?: with errorcode "
        r"(?P<code>-?\d+))?",
        ("MPI_ABORT was invoked on rank 3 in communicator MPI_COMM_WORLD with errorcode 1.",),
    ),
    EventPattern(
        "ompi-daemon-lost",
        "lost communication with a remote daemon",
        r"(?:ORTE|PRTE) has lost communication with a remote daemon",
        ("ORTE has lost communication with a remote daemon.",),
    ),
    EventPattern(
        "ompi-daemon-start-failed",
        "daemon",
        r"(?:unable to reliably start one or more daemons|daemon has unexpectedly failed after launch)",
        (
            "ORTE was unable to reliably start one or more daemons.",
            "An ORTE daemon has unexpectedly failed after launch and before",
        ),
    ),
    EventPattern(
        "ompi-missing-executable",
        "executable",
        _LAUNCHER + r" was unable to (?:find the specified executable file"
        r"|launch the specified application as it could not (?:access|find))",
        (
            "mpirun was unable to find the specified executable file, and therefore",
            "mpirun was unable to launch the specified application as it could not access or execute an executable:",
        ),
    ),
    EventPattern(
        "ompi-run-as-root",
        "as root",
        r"(?:mpirun|prterun|mpiexec) has detected an attempt to run as root",
        ("mpirun has detected an attempt to run as root.",),
    ),
    EventPattern(
        "ompi-tcp-unreachable",
        "TCP connect",
        r"(?:unable to complete a TCP connection(?: to another process|$)"
        r"|failed to TCP connect to a peer MPI process)",
        (
            "A process or daemon was unable to complete a TCP connection to another process:",
            "A process or daemon was unable to complete a TCP connection",
            "WARNING: Open MPI failed to TCP connect to a peer MPI process.  This",
        ),
    ),
    EventPattern(
        "ompi-tcp-unreachable",
        "connect() to ",
        r"connect\(\) to (?P<peer>\S{1,64}) failed: (?P<error>[A-Za-z ]{1,60})",
        ("[gpu01][[1,1],0][btl_tcp.c:625:mca_btl_tcp] connect() to 10.1.0.7 failed: Connection timed out (110)",),
    ),
    EventPattern(
        "pmi-failure",
        "PMI support",
        r"OMPI was not built with SLURM's PMI support",
        ("but OMPI was not built with SLURM's PMI support and therefore cannot",),
    ),
    EventPattern(
        "pmi-failure",
        "PMIX ERROR",
        # The store that daemons and ranks share (gds, dstore) has another to fall back on: its locks are no failure.
        r"PMIX ERROR: (?P<error>[^\n]{1,120}?) in file (?!(?:\S{0,120}/)?(?:gds_|dstore_))",
        ("[gpu01:991] PMIX ERROR: UNREACHABLE in file ptl_tcp.c at line 1849",),
    ),
    EventPattern(
        "ompi-init-failed",
        "failed for some reason",
        r"It looks like (?P<call>\w+) failed for some reason",
        ("It looks like MPI_INIT failed for some reason; your parallel process is",),
    ),
    EventPattern(
        "ompi-cma-denied",
        "errno = ",
        r"Read -1, expected \d+, errno = \d+",
        ("Read -1, expected 8192, errno = 1",),
        harmless=True,  # MPI copies through shared memory instead; NCCL does not use it
    ),
)

DETAILS = (
    DetailPattern(
        ("ompi-process-exited",),
        "Exit code:",
        r"(?:Process name: \[(?:\[\d+,\d+\],|[\w.@-]{1,120},)(?P<rank>\d+)\])?\s{0,8}Exit code: {1,8}("
        r"?P<code>\d+)",
        ("   Process name: [prterun-gpu01-77@1,4] Exit code:    3", "  Exit code:    1"),
    ),
    DetailPattern(
        ("ompi-process-exited",),
        "Process name:",
        r"Process name: \[(?:\[\d+,\d+\],|[\w.@-]{1,120},)(?P<rank>\d+)\]",
        ("  Process name: [[31337,1],6]",),
    ),
    DetailPattern(
        ("ompi-daemon-lost", "ompi-daemon-start-failed"),
        "emote daemon",
        r"Remote daemon: +\S+ on node (?P<host>\S+)",
        ("  Remote daemon: [[4711,0],2] on node gpu02",),
    ),
    DetailPattern(
        ("ompi-missing-executable",),
        "Executable:",
        r"Executable: +(?P<executable>\S+)",
        ("Executable: ./nope",),
    ),
    DetailPattern(("ompi-missing-executable",), "Node:", r"Node: +(?P<host>\S+)", ("Node:       gpu01",)),
    DetailPattern(
        ("ompi-tcp-unreachable",),
        "host:",
        r"(?:Local host: +(?P<host>\S+)|Remote host: +(?P<peer>\S+))",
        ("  Local host:    gpu01", "  Remote host:   gpu02"),
    ),
    DetailPattern(("ompi-abort",), "rrorcode:", r"Errorcode: +(?P<code>-?\d+)", ("  Errorcode: 6",)),
    DetailPattern(("ompi-abort",), "with errorcode", r"^\s*with errorcode (?P<code>-?\d+)", ("with errorcode 6.",)),
)

NOISE = (
    NoisePattern(
        "Authorization required",
        r"^\s*Authorization required, but no authorization protocol specified",
        ("Authorization required, but no authorization protocol specified",),
    ),
    NoisePattern(
        "non-zero exit code. Per user-direction",
        r"^\s*a non-zero exit code\. Per user-direction",
        ("a non-zero exit code. Per user-direction, the job has been aborted.",),
    ),
    NoisePattern(
        "causing the job to be terminated",
        r"causing the job to be terminated\. The first process to do so was",
        ("thus causing the job to be terminated. The first process to do so was:",),
    ),
    NoisePattern(
        "PMIX ERROR",
        r"PMIX ERROR: [^\n]{1,120}? in file (?:\S{0,120}/)?(?:gds_|dstore_)",
        ("[gpu01:991] PMIX ERROR: ERROR in file gds_ds12_lock_pthread.c at line 168",),
    ),
    NoisePattern(
        "orwarding signal",
        r"(?:mpirun|prterun): Forwarding signal",
        ("mpirun: Forwarding signal 18 to job",),
    ),
)


class OpenMpi(MessageParser):
    """Events of Open MPI's launchers and daemons; the lines of a box are joined to one event."""

    kind: ClassVar[str] = "openmpi"
    origin: ClassVar[str] = "openmpi"
    messages: ClassVar[tuple[EventPattern, ...]] = MESSAGES
    details: ClassVar[tuple[DetailPattern, ...]] = DETAILS
    noise: ClassVar[tuple[NoisePattern, ...]] = NOISE


PARSER = OpenMpi
