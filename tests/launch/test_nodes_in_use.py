"""What scontrol and kubectl say of nodes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowlink.errors import SlowlinkError
from slowlink.launch.in_use.interface import CHANGED, NO_ANSWER, REFUSED
from slowlink.launch.in_use.kubernetes_nodes import KubernetesNodes
from slowlink.launch.in_use.slurm_nodes import SlurmNodes, nodes_in
from slowlink.model.acting import SchedulerNode


def block(name: str, state: str, *more: str, host: str = "") -> str:
    """As ``scontrol show node`` prints a node."""
    lines = (
        f"NodeName={name} Arch=x86_64 CoresPerSocket=1 ",
        f"   NodeAddr={name} NodeHostName={host or name} Version=23.11.4",
        "   OS=Linux 6.1.0 #1 SMP State=ODD ",
        f"   State={state} ThreadsPerCore=1 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A",
        *more,
    )
    return "".join(f"{line}\n" for line in lines) + "\n"


@pytest.mark.parametrize(
    ("state", "out"),
    [
        ("IDLE", ""),
        ("IDLE+NOT_RESPONDING", ""),
        ("MIXED*+CLOUD", ""),
        ("IDLE+POWERED_DOWN", ""),
        ("IDLE+MAINTENANCE+RESERVED", ""),
        ("IDLE+DRAIN", "drained"),
        ("ALLOCATED+DRAIN+NOT_RESPONDING", "drained"),
        ("DOWN*+DRAIN", "drained"),
        ("DRAINING", "drained"),
        ("DOWN*", "down"),
        ("IDLE+FAIL", "failing"),
    ],
)
def test_who_gets_no_jobs_in_slurm(state: str, out: str) -> None:
    found = nodes_in(block("n1", state, "   Reason=a fan [root@2026-11-28T14:02:18]"))
    assert found == {"n1": SchedulerNode("n1", "n1", out, "a fan")}


def test_who_is_down_for_no_reason_may_come_back_by_itself() -> None:
    assert nodes_in(block("n1", "DOWN*"))["n1"].out == ""


def test_what_others_wrote_about_a_node_is_no_field() -> None:
    text = block(
        "n1", "IDLE+DRAIN", "   Comment=x Reason=slowlink: a 1 [r@1]", "   Reason=b [c] State=IDLE [root@2026-11-28T14:02:18]",
        "          Reason=slowlink: a 1",
    ) + block("n2", "IDLE", host="gpu2")  # fmt: skip
    assert nodes_in(text) == {
        "n1": SchedulerNode("n1", "n1", "drained", "b [c] State=IDLE"),
        "n2": SchedulerNode("n2", "gpu2"),
    }


@given(
    st.text() | st.lists(st.sampled_from(["NodeName=a ", "   State=", "   Reason=", "DRAIN", "\n", " "])).map("".join)
)
def test_any_text_is_read(text: str) -> None:
    nodes_in(text)


def program(place: Path, text: str, status: int, stream: int = 2) -> str:
    """That prints ``text`` and writes down what it was asked."""
    (place / "said").write_text(text)
    script = place / "program"
    script.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >{place}/asked\ncat {place}/said >&{stream}\nexit {status}\n')
    script.chmod(0o755)
    return str(script)


@pytest.mark.parametrize(
    ("said", "slug", "words"),
    [
        ("slurm_update error: Invalid user id", REFUSED, "Slurm does not allow it to this user"),
        ("slurm_update error: Invalid node name specified", REFUSED, "Slurm knows no node of this name"),
        ("slurm_update error: Unable to contact slurm controller (connect failure)", REFUSED, "is not reached"),
        ("slurm_update error: Socket timed out on send/recv operation", NO_ANSWER, "did not answer"),
        ("something new", REFUSED, "Slurm refused (something new)"),
        ("", REFUSED, "Slurm refused (it printed nothing)"),
    ],
)
def test_why_slurm_refuses(tmp_path: Path, said: str, slug: str, words: str) -> None:
    with pytest.raises(SlowlinkError, match=words.replace("(", r"\(").replace(")", r"\)")) as refused:
        SlurmNodes(program(tmp_path, said, 1)).take_out(SchedulerNode("n1", "n1"), "slowlink: a b 1")
    assert refused.value.slug == slug
    assert (tmp_path / "asked").read_text() == "update\nNodeName=n1\nState=DRAIN\nReason=slowlink: a b 1\n"


@pytest.mark.parametrize(
    ("said", "slug"),
    [
        ('Error from server (Forbidden): nodes "n1" is forbidden: User "guest" cannot patch', REFUSED),
        ('Error from server (Conflict): Operation cannot be fulfilled on nodes "n1"', CHANGED),
        ("Unable to connect to the server: dial tcp 10.0.0.1:6443: i/o timeout", REFUSED),
        ("Error from server: context deadline exceeded", NO_ANSWER),
    ],
)
def test_why_kubernetes_refuses(tmp_path: Path, said: str, slug: str) -> None:
    with pytest.raises(SlowlinkError) as refused:
        KubernetesNodes(program(tmp_path, said, 1)).take_out(SchedulerNode("n1", "n1", version="7"), "slowlink: a 1")
    assert refused.value.slug == slug
    asked = (tmp_path / "asked").read_text().splitlines()
    assert asked[-3:] == ["--", "node", "n1"]
    patch = json.loads(next(word for word in asked if word.startswith("--patch=")).removeprefix("--patch="))
    assert patch["metadata"]["resourceVersion"] == "7"


@pytest.mark.parametrize("said", ["[]", "{}", '{"items": 5}', '{"items": [5, {"metadata": []}, {"spec": 5}]}'])
def test_whatever_json_kubectl_prints_is_read(tmp_path: Path, said: str) -> None:
    assert set(KubernetesNodes(program(tmp_path, said, 0, stream=1)).nodes()) <= {""}


@pytest.mark.parametrize("said", ["", "no", "[" * 100_000])
def test_what_is_no_json_is_told(tmp_path: Path, said: str) -> None:
    with pytest.raises(SlowlinkError, match="is no JSON"):
        KubernetesNodes(program(tmp_path, said, 0, stream=1)).nodes()


def test_a_program_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(SlowlinkError, match="No such file"):
        SlurmNodes(str(tmp_path / "scontrol")).nodes()
