from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said, table

from slowlink.workflows.analyze import analyze

FAILED = "ssh: connect to host gpu02 port 22: Connection refused\nroot@gpu03: Permission denied (publickey,password).\n"

FINE = "Warning: Permanently added '10.0.0.9' (ED25519) to the list of known hosts.\n"


def test_names_the_node_that_refuses() -> None:
    assert said("ssh-failed", FAILED) == snapshot(
        [
            (
                "ssh-failed",
                "critical",
                "certain",
                "gpu02 and gpu03: nothing accepts ssh connections and ssh login was denied, so that "
                "no rank could be started there",
            )
        ]
    )


def test_silent_on_a_key_that_is_merely_new() -> None:
    assert findings_of("ssh-failed", FINE) == ()


def test_only_a_warning_when_a_run_followed() -> None:
    found = findings_of("ssh-failed", FAILED + table())
    assert [f.severity for f in found] == ["warning"]


def test_hosts_that_were_not_up_yet_are_no_fault_of_a_run_that_followed() -> None:
    early = FAILED.splitlines(keepends=True)[0] + "ssh: Could not resolve hostname gpu04: Name or service not known\n"
    assert findings_of("ssh-failed", early + table()) == ()
    assert len(findings_of("ssh-failed", early)) == 1


def test_it_says_what_to_do() -> None:
    assert remedies_of("ssh-failed", FAILED) == snapshot(
        [
            [
                ("Log in without a question from the launching node.", "ssh -o BatchMode=yes -- gpu02 true"),
                ("Install the job's public key there.", "ssh-copy-id -- gpu02"),
            ]
        ]
    )


ASKED = """\
$ pdsh -w gpu[01-03] 'nvidia-smi -L | wc -l'
gpu01: 8
gpu02: 8
gpu03: ssh: connect to host gpu03 port 22: No route to host
pdsh@head: gpu03: ssh exited with exit code 255
"""
LOOP = """\
$ for h in gpu01 gpu02; do ssh $h 'nvidia-smi -L | wc -l'; done
8
ssh: connect to host gpu02 port 22: Connection timed out
"""


def test_who_only_asks_nodes_learns_that_one_does_not_answer() -> None:
    assert [
        said("ssh-failed", text) for text in (ASKED, ASKED.replace("pdsh@head: gpu03: ssh", "clush: gpu03:"))
    ] == snapshot(
        [
            [
                (
                    "nodes-unanswered",
                    "warning",
                    "certain",
                    "gpu03: no answer when nodes were asked (there is no route for ssh)",
                )
            ],
            [
                (
                    "nodes-unanswered",
                    "warning",
                    "certain",
                    "gpu03: no answer when nodes were asked (there is no route for ssh)",
                )
            ],
        ]
    )


def test_a_tool_that_asks_may_start_ranks() -> None:
    deepspeed = "pdsh@gpu01: gpu02: ssh exited with exit code 255\n" + FAILED.splitlines(keepends=True)[0]
    started = "$ pdsh -w gpu[01-02] /opt/nccl-tests/build/all_reduce_perf -b 8 -e 8G -f 2\n" + deepspeed
    by_mpirun = "$ mpirun -np 16 -H gpu01:8,gpu02:8 ./all_reduce_perf -b 8 -e 8G -f 2\n" + FAILED
    assert [said("ssh-failed", text)[0][:2] for text in (deepspeed, started, by_mpirun)] == [
        ("ssh-failed", "critical")
    ] * 3


def test_nodes_that_answer_prove_nothing_of_one_that_does_not() -> None:
    assert [analyze(text.encode()).verdict for text in (ASKED, LOOP)] == ["inconclusive", "broken"]
