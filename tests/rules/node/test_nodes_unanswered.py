from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

from slowlink.facts.assemble import assemble
from slowlink.inputs import Input
from slowlink.parsers.reading.read import read
from slowlink.workflows.analyze import report_of

MARK = "9d41b3c07ae5"


def transcript(node: str, *lines: str, done: bool = True) -> str:
    head = f"#slowlink-transcript 1 {MARK}{node} host {node} at 1767225600.25\n"
    end = f"#slowlink-transcript 1 {MARK}{node} done at 1767225609\n" if done else ""
    return head + "".join(f"#slowlink-frame {MARK}{node} {line}\n" for line in lines) + end


LOST = "lost node at 1767225620: no answer within 20 s"
FINE = ("begin hostname at 1767225601", "end hostname ran at 1767225601 status 0")
SKIPPED = "skipped nvidia-smi-q at 1767225602: no nvidia-smi here"


def test_nodes_are_named_with_their_reasons() -> None:
    refused = "lost node at 1767225601: a node refuses the login"
    texts = [transcript("gpu01", *FINE, SKIPPED), *(transcript(f"gpu0{n}", LOST) for n in (2, 3, 5))]
    assert said("nodes-unanswered", *texts, transcript("gpu07", refused)) == snapshot(
        [
            (
                "nodes-unanswered",
                "warning",
                "certain",
                "4 of 5 nodes did not answer: gpu[02-03,05]: no answer within 20 s; gpu07: a node refuses the login; what these 4 nodes do is unknown",
            )
        ]
    )


def test_what_was_skipped_is_no_lost_node() -> None:
    assert findings_of("nodes-unanswered", transcript("gpu01", *FINE, SKIPPED)) == ()


def test_unknown_is_not_healthy() -> None:
    fine = "/proc/sys/kernel/numa_balancing:0\n"
    texts = [transcript("gpu01", *FINE, done=False) + fine, transcript("gpu02", LOST)]
    records = read([Input(f"t{n}", None, [text.encode()]) for n, text in enumerate(texts)], workers=1)
    report = report_of(records)
    assert (report.verdict, report.headline) == snapshot(
        (
            "inconclusive",
            "inconclusive: 1 of 2 nodes did not answer: gpu02: no answer within 20 s; what that node does is unknown",
        )
    )
    assert assemble(records).state is not None
    assert report.facts["nodes_asked"] == "gpu[01-02]"
    assert report.facts["not_collected"] == [
        {"collector": "node", "outcome": "failed", "why": "no answer within 20 s", "nodes": "gpu02"}
    ]


def test_it_says_what_to_do() -> None:
    refused = "lost node at 1767225601: a node refuses the login"
    texts = [transcript("gpu01", *FINE, SKIPPED), *(transcript(f"gpu0{n}", LOST) for n in (2, 3, 5))]
    assert remedies_of("nodes-unanswered", *texts, transcript("gpu07", refused)) == snapshot(
        [
            [
                ("Log in by hand, and see what the way there lacks.", "slowlink nodes --nodes ... --check"),
                ("Give a busy node more time: the same command with --timeout 600.", ""),
            ]
        ]
    )
