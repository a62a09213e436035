"""Which node a message speaks of: frames, prompts, headings, prefixes and names of files tell it."""

from __future__ import annotations

import pytest

from slowlink.facts.assemble import assemble
from slowlink.facts.placing.local_output import sent_to
from slowlink.facts.placing.part_names import pci_address
from slowlink.facts.placing.places import Places
from slowlink.facts.placing.source_names import node_in_name
from slowlink.inputs import Input
from slowlink.model.records import Records
from slowlink.parsers.reading.read import read

NO_DEVICE = "No devices were found"
XID = "NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen off the bus."


def hosts(text: str, source: str = "t.log") -> list[tuple[str, str | None, int]]:
    """(kind, node, count) of every message of ``text``."""
    events = assemble(read([Input(source, None, [text.encode()])], workers=1)).events
    return [(event.kind, event.host, event.count) for event in events.all] if events is not None else []


def transcript(node: str, mark: str, output: str) -> str:
    return (
        f"#slowlink-transcript 1 {mark} host {node} at 1\n"
        f"#slowlink-frame {mark} begin nvidia-smi-q at 2\n{output}\n"
        f"#slowlink-frame {mark} end nvidia-smi-q failed at 3 status 9\n"
        f"#slowlink-transcript 1 {mark} done at 4\n"
    )


def test_a_transcript_tells_its_node() -> None:
    text = transcript("gpu01", "a1", NO_DEVICE) + transcript("gpu02", "b2", NO_DEVICE)
    assert hosts(text) == [("nvidia-smi-no-device", "gpu01", 1), ("nvidia-smi-no-device", "gpu02", 1)]


def test_a_prompt_tells_the_node_of_what_was_typed_there() -> None:
    text = f"[root@gpu07 ~]# nvidia-smi\n{NO_DEVICE}\nroot@gpu08:~# dmesg | tail\n[ 77.1] {XID}\n"
    assert hosts(text) == [("nvidia-smi-no-device", "gpu07", 1), ("kernel-xid", "gpu08", 1)]


@pytest.mark.parametrize(
    "command",
    ["mpirun -np 16 ./a", "srun -N 2 nvidia-smi", "ssh gpu09", "cat job.log", "FOO=1 kubectl logs pod-1"],
)
def test_what_was_printed_elsewhere_is_not_of_the_node_of_the_prompt(command: str) -> None:
    assert hosts(f"user@login:~$ {command}\n{NO_DEVICE}\n") == [("nvidia-smi-no-device", None, 1)]


def test_a_job_that_a_script_starts_may_run_anywhere_and_the_kernel_speaks_of_its_machine() -> None:
    text = f"user@login:~$ ./train.sh\nbash: nccl-thing: command not found\n[ 1.0] {XID}\n"
    assert [(kind, host) for kind, host, _ in hosts(text)] == [("executable-missing", None), ("kernel-xid", "login")]


def test_gathered_output_is_of_each_node() -> None:
    ruler = "-" * 15
    text = f"{ruler}\ngpu[01-02] (2)\n{ruler}\n{NO_DEVICE}\n{ruler}\ngpu03\n{ruler}\n[ 1.0] {XID}\n"
    assert [(kind, host) for kind, host, _ in hosts(text)] == [
        ("nvidia-smi-no-device", "gpu01"),
        ("nvidia-smi-no-device", "gpu02"),
        ("kernel-xid", "gpu03"),
    ]


def test_a_file_may_be_named_after_its_node() -> None:
    assert hosts(f"[ 1.0] {XID}\n", "logs/dmesg-node07.txt") == [("kernel-xid", "node07", 1)]
    assert hosts(f"[ 1.0] {XID}\n", "logs/run7.txt") == [("kernel-xid", None, 1)]


@pytest.mark.parametrize(
    ("source", "node"),
    [
        ("node07.log", "node07"),
        ("a/gpu012/dmesg", "gpu012"),
        ("sosreport-dgx-3-2026-11-22.tar.xz!var/log/messages", "dgx-3"),
        ("x/hal.example.org.txt", "hal.example.org"),
        ("x/nccl_hal_8gpus.txt", None),
        ("x/nccl_hal_eve9.txt", "eve9"),
        ("x/nccl_eve9_eve10.txt", None),
        ("rank7.log", None),
        ("allreduce-2nodes.log", None),
        ("nccl-node2-tuned.log", None),
        ("gpu0.txt", None),
        ("-", None),
    ],
)
def test_names_of_files(source: str, node: str | None) -> None:
    assert node_in_name(source, frozenset({"hal.example.org", "10.0.0.1", "eve9", "eve10"})) == node


@pytest.mark.parametrize("printed", ["0000:23:00", "0000:23:00.0", "0:23:00", "00000000:23:00.0", "23:00.0"])
def test_one_gpu_has_one_address(printed: str) -> None:
    assert pci_address(printed) == "0000:23:00.0"


def test_what_is_no_address_stays_as_it_is() -> None:
    assert pci_address("3") == "3"


def test_a_gpu_has_the_number_that_a_tool_of_its_node_gives_it() -> None:
    listing = "index, pci.bus_id\n3, 00000000:3B:00.0\n"
    text = f"[root@gpu07 ~]# nvidia-smi --query-gpu=index,pci.bus_id --format=csv\n{listing}"
    text += f"[root@gpu07 ~]# dmesg\n[ 1.0] {XID}\n[ 1.1] NVRM: GPU 0000:3b:00.0: GPU has fallen off the bus.\n"
    events = assemble(read([Input("t", None, [text.encode()])], workers=1)).events
    assert events is not None
    assert {(e.host, e.groups["pci"], e.groups["part"]) for e in events.all} == {("gpu07", "0000:3b:00.0", "3")}


def test_what_a_named_node_was_asked_is_of_that_node() -> None:
    assert hosts(f"user@login:~$ ssh gpu09 nvidia-smi\n{NO_DEVICE}\n") == [("nvidia-smi-no-device", "gpu09", 1)]


@pytest.mark.parametrize(
    ("command", "sent"),
    [
        ("ssh gpu01 ulimit -l", ("gpu01", "ulimit -l")),
        ("sudo ssh -q -o BatchMode=yes -p 22 root@gpu01 'dmesg -T'", ("gpu01", "'dmesg -T'")),
        ("srun -N1 -w gpu01 ibstat", ("gpu01", "ibstat")),
        ("srun --nodelist=gpu01 -n1 ibstat", ("gpu01", "ibstat")),
        ("pdsh -w gpu01 ibstat | cut -d' ' -f2-", ("gpu01", "ibstat | cut -d' ' -f2-")),
        ("clush -N -w gpu01 'nvidia-smi -q'", ("gpu01", "'nvidia-smi -q'")),
        ("sudo pdsh -R ssh -w root@gpu01 ibstat", ("gpu01", "ibstat")),
        ("pdsh -w gpu01 -w gpu02 ibstat", None),
        ("pdsh -w gpu[01-02] ibstat", None),
        ("pdsh -w gpu01,gpu02 ibstat", None),
        ("pdsh -w ^hosts ibstat", None),
        ("pdsh -g all ibstat", None),
        ("ssh gpu01", None),
        ("srun -N2 ibstat", None),
        ("srun -w gpu[01-02] ibstat", None),
        ("srun -w gpu01,gpu02 ibstat", None),
        ("cat ssh gpu01 x", None),
    ],
)
def test_a_command_that_is_sent_to_one_node_by_its_name(command: str, sent: tuple[str, str] | None) -> None:
    assert sent_to(command) == sent


def test_gathered_answers_have_a_limit_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line of a stranger's log may name 20,000 nodes, and the next one others. What is too much stays true: it holds
    for the set, under its name."""
    monkeypatch.setattr("slowlink.facts.placing.places._MOST_MESSAGES", 3)
    text = "".join(f"---------------\n{of}\n---------------\n{NO_DEVICE}\n" for of in ("a[1-3]", "b[1-3]", "a1"))
    assert [node for _, node, _ in hosts(text)] == ["a1", "a2", "a3", "b[1-3]", "a1"]


def test_more_nodes_than_a_gathered_answer_has_are_not_counted_out() -> None:
    assert Places(Records()).nodes_in("n[1-20000]")[-1] == "n20000"
    assert Places(Records()).nodes_in("n[1-20001]") == ("n[1-20001]",)
