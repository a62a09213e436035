from __future__ import annotations

from inline_snapshot import snapshot
from job_findings import findings, remedies

from slowlink.simulate.job import SimulatedJob, job_log

LIST = """\
NODELIST    NODES PARTITION       STATE CPUS    S:C:T MEMORY TMP_DISK WEIGHT AVAIL_FE REASON
gpu01           1      gpu        idle 128    2:64:1 515000        0      1   (null) none
gpu02           1      gpu       down* 128    2:64:1 515000        0      1   (null) Not responding
gpu03           1      gpu       down* 128    2:64:1 515000        0      1   (null) Not responding
gpu04           1      gpu     drained 128    2:64:1 515000        0      1   (null) ticket 4711
gpu05           1      gpu     drained 128    2:64:1 515000        0      1   (null) maintenance
"""
RULE = "nodes-down-in-slurm"


def test_nodes_that_are_down_and_nodes_that_are_drained() -> None:
    assert findings(RULE, LIST) == snapshot(
        [
            {
                "cause": "nodes-unanswered",
                "message": "gpu[02-03] are down for Slurm: Not responding",
                "how": "error, certain",
                "suspects": ["node gpu02", "node gpu03"],
                "evidence": [(3, ""), (4, "")],
                "explains": ["rank-lost"],
            },
            {
                "cause": "health-check-failed",
                "message": "1 node out of use in Slurm: gpu04: ticket 4711",
                "how": "warning, possible",
                "suspects": ["node gpu04"],
                "evidence": [(5, "")],
                "explains": [],
            },
        ]
    )
    assert remedies(RULE, LIST) == snapshot(
        [
            [
                (
                    "Ask Slurm for the reason, and the node for its daemons.",
                    "scontrol show node gpu02; ssh gpu02 systemctl status slurmd munge",
                )
            ],
            [
                (
                    "Ask Slurm for the reason, and the node for its daemons.",
                    "scontrol show node gpu04; ssh gpu04 systemctl status slurmd munge",
                )
            ],
        ]
    )


def test_of_a_cluster_where_a_job_was_measured_only_its_nodes_count() -> None:
    assert findings(RULE, LIST + job_log(SimulatedJob())) == []


def test_idle_nodes_are_no_finding() -> None:
    assert findings(RULE, "".join(LIST.splitlines(keepends=True)[:2])) == []


def test_a_node_that_slurm_did_not_restart() -> None:
    """The restart is why the node did not answer and why the job has lost its ranks."""
    log = """\
srun: error: Node failure on gpu02
NODELIST STATE REASON
gpu01 idle none
gpu02 down* Node unexpectedly rebooted
"""
    assert findings(RULE, log) == snapshot(
        [
            {
                "cause": "rebooted",
                "message": "gpu02 restarted, and Slurm had not asked for it",
                "how": "error, certain",
                "suspects": ["node gpu02"],
                "evidence": [(4, "")],
                "explains": ["nodes-unanswered", "rank-lost", "process-crashed"],
            }
        ]
    )
