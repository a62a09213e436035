"""What Open MPI, PRRTE, MPICH, Slurm and pyxis say, and what it means."""

from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import diagnoses_of, findings_of, said


def test_causes_that_open_mpi_names_in_its_boxes() -> None:
    boxes = (
        "Open MPI detected a mismatch in versions between two processes.  This",
        "It appears as if there is not enough space for /tmp/sess/shared_mem.7 (the shared-memory backing",
        "WARNING: An invalid value was given for btl_tcp_if_include.  This",
        "The InfiniBand retry count between two MPI processes has been",
        "Open MPI failed to open an OpenFabrics device.  This is an unusual",
        "The user-provided time limit for job execution has been reached:",
        "Error: system limit exceeded on number of network connections that can be open",
    )
    assert [said("program-said", f"{box}\n") for box in boxes] == snapshot(
        [
            [("version-mismatch", "critical", "likely", "two nodes use different versions of Open MPI")],
            [("shm-too-small", "error", "likely", "there is no room for Open MPI's shared memory")],
            [
                (
                    "socket-interface-wrong",
                    "error",
                    "likely",
                    "the interfaces that Open MPI was told to use for TCP do not exist, or none is left",
                )
            ],
            [("rdma-retry-exceeded", "critical", "likely", "a peer on InfiniBand did not answer Open MPI")],
            [("rdma-device-not-accessible", "error", "likely", "Open MPI sees an HCA that it cannot open or query")],
            [("time-limit", "error", "likely", "mpirun ended the job at its own time limit")],
            [("file-descriptor-limit", "critical", "likely", "the launcher ran out of sockets")],
        ]
    )


def test_launchers_that_could_not_start_anything() -> None:
    lines = (
        "A daemon died unexpectedly with status 127 while attempting",
        "[mpiexec@node07] HYDU_sock_connect (lib/utils/sock.c:145): unable to connect from node07 to node08 (No route to host)",
        "srun: error: Unable to allocate resources: Requested node configuration is not available",
    )
    assert [[f.cause for f in findings_of("launcher-failed", f"{line}\n")] for line in lines] == snapshot(
        [["launcher-failed"], ["launcher-failed"], ["launcher-failed"]]
    )


def test_causes_that_slurm_and_pyxis_name() -> None:
    lines = (
        "slurmstepd: error: Munge decode failed: Expired credential",
        "sbatch: error: Batch job submission failed: Incompatible versions of client and server code",
        "slurmstepd: error: Could not open stdout file /scratch/gone/out.7: No such file or directory",
        "slurmstepd: error: pyxis: failed to import docker image",
        "slurmstepd: error: pyxis:     [ERROR] Command not found: nvidia-container-cli, see its page",
        "slurmstepd: error: pyxis:     [ERROR] Unknown MELLANOX device id: mlx5_9",
    )
    assert [said("program-said", f"{line}\n") for line in lines] == snapshot(
        [
            [
                (
                    "launcher-failed",
                    "critical",
                    "likely",
                    "Slurm's authentication failed: munge is down, keys differ, or clocks differ between nodes",
                )
            ],
            [("version-mismatch", "critical", "likely", "two parts of Slurm have different versions")],
            [("launcher-failed", "critical", "likely", "Slurm cannot write the job's output")],
            [("launcher-failed", "critical", "likely", "the container image could not be fetched or unpacked")],
            [("library-missing", "critical", "likely", "the tool that gives GPUs to containers is missing or failed")],
            [("hca-missing", "error", "likely", "an HCA that the container asks for is not on the node (mlx5_9)")],
        ]
    )


def test_what_runs_that_end_well_print_too_accuses_nobody() -> None:
    lines = (
        "WARNING: There was an error initializing an OpenFabrics device.",
        "was unable to find any relevant network interfaces:",
        "slurmstepd: error: couldn't chdir to `/home/u/run': No such file or directory: going to /tmp instead",
        "srun: error: Unable to create step for job 4711: Requested nodes are busy",
        "slurmstepd: error: pyxis: importing docker image: registry/train:7",
    )
    assert [said("program-said", f"{line}\n") for line in lines] == snapshot([[], [], [], [], []])


def test_hydra_that_ends_a_job_is_no_launcher_that_failed() -> None:
    line = "[proxy:0:1@node08] HYD_pmcd_pmip_control_cmd_cb (proxy/pmip_cb.c:896): assert (!closed) failed\n"
    assert findings_of("launcher-failed", line) == ()


def test_what_kubernetes_and_ssh_say() -> None:
    lines = (
        "  Warning  UnexpectedAdmissionError  9s  kubelet  Allocate failed due to no healthy devices present; cannot allocate"
        " unhealthy devices nvidia.com/gpu, which is unexpected",
        "  Warning  FailedMount  9s  kubelet  MountVolume.SetUp failed for volume data: mount failed: exit status 32",
        "No ED25519 host key is known for node08 and you have requested strict checking.",
        "Unable to negotiate with 10.0.0.8 port 22: no matching host key type found.",
        "  Warning  Unhealthy  9s  kubelet  Readiness probe failed: HTTP probe failed",
    )
    rules = ("program-said", "launcher-failed", "ssh-failed")
    found = [[f.cause for rule in rules for f in findings_of(rule, f"{line}\n")] for line in lines]
    assert found == snapshot([["gpu-missing"], ["launcher-failed"], ["ssh-failed"], ["ssh-failed"], []])


CLOCK = (
    "[2031-04-05T06:07:08.123] error: slurm_unpack_received_msg: [[gpu-04]:40412] auth_g_verify: "
    "MESSAGE_NODE_REGISTRATION_STATUS has authentication error: Expired credential\n"
    "[2031-04-05T06:07:09.123] error: Nodes gpu-04 not responding, setting DOWN\n"
)


def test_a_clock_that_is_wrong_is_why_slurm_does_not_hear_a_node() -> None:
    clock, lost = findings_of("program-said", CLOCK), findings_of("rank-lost", CLOCK)
    assert [(each.cause, each.message, each.explains) for each in clock] == snapshot(
        [
            (
                "node-differs",
                "gpu-04: clocks of nodes differ, so munge takes no credential of theirs and Slurm does not hear them",
                ("nodes-unanswered", "rank-lost", "launcher-failed"),
            )
        ]
    )
    assert [each.cause for each in lost] == ["rank-lost"]


def test_what_a_daemon_says_of_keys_accuses_no_node() -> None:
    assert said("program-said", "[2031-04-05T06:07:08.123] error: Munge decode failed: Invalid credential\n") == []


def test_a_rank_that_numactl_did_not_start() -> None:
    lines = (
        "libnuma: Warning: node argument 5 is out of range",
        "libnuma: Warning: cpu argument 5,200 is out of range",
        "No NUMA support available on this system.",
    )
    assert [said("program-said", f"{line}\n") for line in lines] == snapshot(
        [
            [
                (
                    "rank-start-failed",
                    "critical",
                    "likely",
                    "numactl was asked for a NUMA node or processor that the node does not have, and did not start the program",
                )
            ],
            [
                (
                    "rank-start-failed",
                    "critical",
                    "likely",
                    "numactl was asked for a NUMA node or processor that the node does not have, and did not start the program",
                )
            ],
            [
                (
                    "rank-start-failed",
                    "critical",
                    "likely",
                    "numactl finds no NUMA support here, as in containers without the right to set it, and did not start the program",
                )
            ],
        ]
    )
    assert [
        each.cause for each in diagnoses_of(f"{lines[0]}\nsrun: error: tz-2: task 5: Exited with exit code 1\n")
    ] == ["rank-start-failed"]
