"""What a failed service means for a job."""

from __future__ import annotations

from inline_snapshot import snapshot
from job_findings import findings

LISTED = """\
  UNIT                         LOAD      ACTIVE   SUB     DESCRIPTION
● openibd.service              loaded    failed   failed  openibd - configure Mellanox devices
● slurmd.service               loaded    failed   failed  Slurm node daemon
● motd-news.service            loaded    failed   failed  Message of the Day
  opensm.service               loaded    inactive dead    Starts the OpenSM InfiniBand fabric Subnet Manager
"""


def test_each_failed_service_that_matters_is_a_finding() -> None:
    assert findings("program-said", LISTED) == snapshot(
        [
            {
                "cause": "hca-driver-failed",
                "message": "the service that loads the drivers of the HCAs failed",
                "how": "error, likely",
                "suspects": [],
                "evidence": [(2, "")],
                "explains": [],
            },
            {
                "cause": "health-check-failed",
                "message": "Slurm's daemon failed: the node takes no job",
                "how": "error, likely",
                "suspects": [],
                "evidence": [(3, "")],
                "explains": [],
            },
        ]
    )


def test_a_fabric_manager_that_failed_has_a_rule_of_its_own() -> None:
    row = "● nvidia-fabricmanager.service loaded failed failed NVIDIA fabric manager service\n"
    assert findings("program-said", row) == []
    assert len(findings("fabricmanager-down", row)) == 1
