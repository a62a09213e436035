from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from text_findings import findings_of, said, table

from slowlink import analyze
from slowlink.model.facts import Facts, Sources
from slowlink.model.report import Evidence
from slowlink.rules.diagnosis import diagnose, verdict
from slowlink.rules.evidence.findings import Proof, finding
from slowlink.rules.weighing import weighed

RULE = "errors-unexplained"
QUEUE = "Mar 04 02:12:10 gpu21 kernel: mlx5_core 0000:1a:00.0: Error cqe on cqn 0x4c2, ci 0x7, qn 0x1b3, opcode 0xd\n"
DEAD = "Mar 04 02:12:09 gpu21 kernel: NVRM: Xid (PCI:0000:1a:00): 79, pid=4711, GPU has fallen off the bus.\n"
WARNED = "node07:4711:4712 [0] transport/net_ib.cc:9 NCCL WARN Call to ibv_modify_qp failed\n"


def test_an_error_without_a_reason_is_a_question() -> None:
    assert said(RULE, QUEUE) == snapshot(
        [
            (
                "error-unexplained",
                "warning",
                "possible",
                "gpu21: a queue of an HCA ended with an error, and nothing says why",
            )
        ]
    )


def test_whatever_was_measured_elsewhere_the_verdict_is_open() -> None:
    measured = (Proof("all_reduce is as fast as it can be", weight=2),)
    assert verdict((), measured) == "healthy"
    assert verdict(diagnose(findings_of(RULE, table(), QUEUE)), measured) == "inconclusive"


def test_work_behind_it_answers() -> None:
    assert findings_of(RULE, WARNED) != ()
    assert findings_of(RULE, WARNED + table()) == ()


def test_what_is_gravely_wrong_there_is_the_reason() -> None:
    report = analyze((DEAD + QUEUE).encode())
    assert "error-unexplained" not in [each.cause for each in report.diagnoses]
    assert any("error-unexplained" in each.explains for each in report.diagnoses)


def test_what_follows_from_another_process_is_none() -> None:
    assert findings_of(RULE, "Horovod has been shut down. This was caused by an exception on one of the ranks\n") == ()


def test_what_a_rule_of_its_own_understands_is_no_question() -> None:
    down = "gpu01:1:2 [0] NCCL WARN NET/IB : Got async event : port error on mlx5_0\n"
    assert findings_of(RULE, down) != ()
    assert [found.cause for found in analyze(down.encode()).findings] == ["port-down"]


PLUGIN = "1103 04:05:06.123456       1 server.go:12] Starting GRPC server for 'nvidia.com/gpu'\n"


def test_what_a_program_marks_as_information_is_no_error() -> None:
    assert findings_of(RULE, "I" + PLUGIN) == ()
    assert findings_of(RULE, "W" + PLUGIN) == ()  # healthy nodes have warnings about each part of it
    assert findings_of(RULE, "E" + PLUGIN) != ()
    logrus = 'level={} msg="nvidia: CDI spec is not there"\n'
    assert [bool(findings_of(RULE, logrus.format(level))) for level in ("warning", "error")] == [False, True]


FAILED_NOW = (
    "DMAR: fault addr 0x7f00",
    "AMD-Vi: Event logged [ILLEGAL_DEV_TABLE_ENTRY device=c5:00.0 pasid=0x00000 address=0x1 flags=0x0]",
    "mlx5_core 0000:c5:00.1: mlx5_fw_reset_complete:12:(pid 4): Sync reset did not complete",
    "NVRM: Can't find an IRQ for your NVIDIA card!",
)


@pytest.mark.parametrize("text", FAILED_NOW)
def test_what_failed_now_is_no_mere_fact(text: str) -> None:
    assert findings_of(RULE, f"[  812.345678] {text}\n") != ()


def test_what_is_made_up_for_as_a_rule_leaves_nothing_open() -> None:
    for text in (
        "[  812.345678] libceph: osd3 (1)10.0.0.7:6801 socket closed (con state OPEN)\n",
        "[2031-04-05T06:11:10.124] error: Nodes node17 not responding\n",
    ):
        assert findings_of(RULE, text) == ()


def test_a_boot_behind_it_is_another_beginning() -> None:
    boot = "Mar 04 02:20:10 gpu21 kernel: Linux version 6.8.0-50-generic (build@host) (gcc 13.2.0) #51 SMP\n"
    assert findings_of(RULE, QUEUE + boot) == ()
    assert findings_of(RULE, QUEUE + boot.replace("gpu21", "gpu22")) != ()
    assert findings_of(RULE, boot + QUEUE) != ()


def test_a_symptom_is_no_reason() -> None:
    slow = finding(
        "busbw-below-expected", "slow", severity="error", confidence="certain", evidence=(Evidence("a", 1, ""),)
    )
    asked = finding(
        "error-unexplained", "an error", severity="warning", confidence="possible", evidence=(Evidence("a", 2, ""),)
    )
    assert [found.explains for found in weighed((slow, asked), Facts(Sources(())))] == [(), ()]
    sick = finding(
        "port-down", "a port is down", severity="error", confidence="certain", evidence=(Evidence("a", 1, ""),)
    )
    assert [found.explains for found in weighed((sick, asked), Facts(Sources(())))] == [("error-unexplained",), ()]


def test_kinds_that_are_not_told_are_counted() -> None:
    front = "Mar 04 02:12:10 gpu21 kernel: mlx5_core 0000:1a:00.0: "
    words = (
        "reg umr failed",
        "failed to initialize eq",
        "Failed to enable RoCE",
        "resize CQ failed",
        "UAR alloc failed",
    )
    messages = [message for _, _, _, message in said(RULE, "".join(f"{front}{each}\n" for each in words))]
    assert len(messages) == 4
    assert messages[-1].endswith("; and 1 other kind of error")
