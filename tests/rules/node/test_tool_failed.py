from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import remedies_of, said

from slowlink.inputs import Input
from slowlink.model.report import Report
from slowlink.parsers.reading.read import read
from slowlink.workflows.analyze import report_of

BRIDGE = "0000:00:00.0 PCI bridge: Intel Corporation Root Port A (rev 07)"
GPU = "0000:3b:00.0 3D controller: NVIDIA Corporation GH100 [H100 SXM5 80GB] (rev a1)"


def transcript(node: str, *asked: str) -> str:
    """Each word: ``collector ending``, or ``collector ending|output``."""
    lines = [f"#slowlink-transcript 1 m{node} host {node} at 1"]
    for each in asked:
        frame, _, output = each.partition("|")
        name, _, end = frame.partition(" ")
        if end.startswith("skipped"):
            lines.append(f"#slowlink-frame m{node} skipped {name} at 2: {end.removeprefix('skipped ')}")
            continue
        lines += [f"#slowlink-frame m{node} begin {name} at 2", output]
        lines.append(f"#slowlink-frame m{node} end {name} {end}")
    return "\n".join([*lines, f"#slowlink-transcript 1 m{node} done at 9\n"])


RAN = "ran at 3 status 0"
FINE = f"nvidia-smi-q {RAN}"
HANGS = "nvidia-smi-q timeout at 30 status 124: no end within 25 s"
GONE = "nvidia-smi-q skipped no nvidia-smi here"


def report(*texts: str) -> Report:
    return report_of(read([Input(f"t{n}", None, [text.encode()]) for n, text in enumerate(texts)], workers=1))


def test_a_tool_that_hangs_is_an_error_where_it_had_all_its_time() -> None:
    short = f"{HANGS}, less than its 100 s"
    texts = [transcript("a1", HANGS), transcript("a2", HANGS), transcript("a3", short), transcript("a4", FINE)]
    assert said("tool-failed", *texts) == snapshot(
        [
            (
                "tool-failed",
                "error",
                "likely",
                "a[1-2]: nvidia-smi gives no answer: no end within 25 s; on 1 other node it answers",
            ),
            (
                "tool-failed",
                "warning",
                "possible",
                "a3: nvidia-smi gives no answer: no end within 25 s, less than its 100 s; on 1 other node it answers",
            ),
        ]
    )


def test_exit_statuses_and_signals_have_a_meaning() -> None:
    texts = [
        transcript("a1", "nvidia-smi-q failed at 3 status 15: words"),
        transcript("a2", "nvidia-smi-q failed at 3 status 139"),
        transcript("a3", "nvidia-smi-q failed at 3 status 99: what nobody knows"),
        transcript("a4", FINE, "ibstat failed at 3 status 255: ibpanic: something"),
        transcript("a5", FINE, f"ibstat {RAN}"),
    ]
    assert said("tool-failed", *texts) == snapshot(
        [
            (
                "tool-failed",
                "error",
                "certain",
                "a1: nvidia-smi fails: exit status 15: words (a GPU has fallen off the bus, or cannot be reached); on 2 other nodes it answers",
            ),
            (
                "tool-failed",
                "error",
                "certain",
                "a2: nvidia-smi fails: it crashed (SIGSEGV); on 2 other nodes it answers",
            ),
            (
                "tool-failed",
                "error",
                "certain",
                "a3: nvidia-smi fails: exit status 99: what nobody knows; on 2 other nodes it answers",
            ),
            (
                "tool-failed",
                "warning",
                "certain",
                "a4: ibstat fails: exit status 255: ibpanic: something; on 1 other node it answers",
            ),
        ]
    )


def test_what_its_words_tell_is_not_told_twice() -> None:
    words = "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver."
    assert said("tool-failed", transcript("a1", f"nvidia-smi-q failed at 3 status 9: x|{words}")) == []


def test_a_lesser_tool_that_fails_everywhere_is_not_collected() -> None:
    texts = [transcript(node, "rdma-link failed at 3 status 1: not supported") for node in ("a1", "a2", "a3")]
    assert said("tool-failed", *texts) == []


def test_a_tool_is_missed_where_its_peers_have_it() -> None:
    fine = [transcript(f"a{number}", FINE) for number in range(1, 4)]
    assert said("tool-failed", *fine, transcript("a4", GONE)) == snapshot(
        [("tool-failed", "warning", "likely", "a4: no nvidia-smi here; on 3 other nodes it answers")]
    )
    assert said("tool-failed", *fine, transcript("a4", GONE, f"lspci {RAN}|{GPU}")) == snapshot(
        [("tool-failed", "warning", "likely", "a4: no nvidia-smi here; on 3 other nodes it answers")]
    )


def test_what_is_normal_stays_normal() -> None:
    fine = [transcript(f"a{number}", FINE) for number in range(1, 4)]
    login = transcript("login", GONE, f"lspci {RAN}|{BRIDGE}")
    assert said("tool-failed", *fine, login) == []
    assert said("tool-failed", transcript("a1", GONE), transcript("a2", GONE)) == []
    assert said("tool-failed", *fine, transcript("a4", "nvidia-smi-q skipped needs root")) == []


def test_a_fault_on_the_same_node_explains_it_and_one_elsewhere_does_not() -> None:
    xid = "kernel-log ran at 3 status 0|[ 1.0] NVRM: Xid (PCI:0000:3b:00): 119, pid=1, name=x, Timeout after 6s"
    texts = [transcript("a1", HANGS, xid), transcript("a3", FINE)]
    assert [(d.cause, d.explains) for d in report(*texts).diagnoses] == [("gpu-driver-hung", ("tool-failed",))]
    apart = [transcript("a1", FINE, xid), transcript("a2", HANGS), transcript("a3", FINE)]
    assert [d.cause for d in report(*apart).diagnoses] == ["gpu-driver-hung", "tool-failed"]


def test_it_says_what_to_do() -> None:
    assert remedies_of("tool-failed", transcript("a1", HANGS)) == snapshot(
        [
            [
                ("Run it there by hand, with a limit.", "timeout 60 nvidia-smi"),
                ("Read what the kernel says there.", "dmesg -T | tail -n 100"),
                ("Give a slow tool more time.", "slowlink snapshot --timeout 300"),
            ]
        ]
    )
