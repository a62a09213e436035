"""Services that log of many jobs, and the stack that gives GPUs to containers: what they say, and what they do not."""

from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import said

from slowlink.inputs import Input
from slowlink.parsers.reading.read import read
from slowlink.workflows.analyze import report_of

CONTROLLER = """\
[2031-04-05T06:07:08.123] slurmctld version 25.11.7 started on cluster mill
[2031-04-05T06:09:09.123] error: slurm_receive_msg [10.0.0.9:41331]: Zero Bytes were transmitted or received
[2031-04-05T06:09:10.123] error: Munge decode failed: Expired credential
[2031-04-05T06:11:10.124] error: Nodes node17 not responding
[2031-04-05T06:11:40.124] Node node17 now responding
[2031-04-05T06:12:10.124] error: Security violation, REQUEST_KILL_JOB RPC for JobId=4711 from uid 1017
[2031-04-05T06:14:12.124] error: Prolog launch failure, JobId=4712
"""
"""Written in the form of slurmctld.log; nothing in it is a fault of the cluster."""


def all_findings(text: str) -> list[str]:
    """The causes of every finding in a log of this text."""
    return [found.cause for found in report_of(read([Input("log", None, [text.encode()])], workers=1)).findings]


def test_a_healthy_controllers_log_accuses_nobody() -> None:
    assert all_findings(CONTROLLER) == []


def test_a_controller_that_gives_a_node_up_names_it() -> None:
    assert said(
        "rank-lost", "[2031-04-05T06:13:10.124] error: Nodes node17 not responding, setting DOWN\n"
    ) == snapshot([("rank-lost", "critical", "certain", "node17: the node failed")])


def test_the_same_refusal_is_a_cause_where_srun_prints_it() -> None:
    line = "error: Munge decode failed: Expired credential"
    assert said("program-said", f"slurmctld[812]: {line}\n") == []
    assert said("program-said", f"srun: {line}\n") == snapshot(
        [
            (
                "launcher-failed",
                "critical",
                "likely",
                "Slurm's authentication failed: munge is down, keys differ, or clocks differ between nodes",
            )
        ]
    )


def test_ssh_that_ends_takes_no_port_down() -> None:
    assert all_findings("Disconnected from 10.0.0.2 port 22\nPort forwarding failed.\n") == []


def test_an_unhealthy_gpu_of_the_device_plugin_is_a_cause_and_a_refused_setting_a_question() -> None:
    klog = "E1119 06:07:08.123456       1 health.go:62] "
    assert all_findings(f"{klog}failed to initialize NVML: Driver/library version mismatch\n") == snapshot(
        ["version-mismatch"]
    )
    assert all_findings(f"{klog}invalid --device-list-strategy option: cdi-hooks\n") == snapshot(["error-unexplained"])


def test_what_dcgm_logs_of_itself_accuses_no_gpu() -> None:
    front, back = "2031-04-05 06:07:08.123 ERROR [4711:4712] ", " [/workspaces/dcgm/modules/x.cpp:12] [DcgmX::Check]"
    lines = (
        "fieldId 1012 not watched for gpuId 3",
        "Could not read NvSwitch status",
        "Got error -21 from GetSamples()",
    )
    assert all_findings("".join(f"{front}{line}{back}\n" for line in lines)) == []
