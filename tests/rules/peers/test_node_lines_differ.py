from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from text_findings import findings_of, said

RULE = "node-lines-differ"
SAME = "nvidia 535.183.01\nofed   MLNX_OFED_LINUX-5.8-4.1.5.0:\nfw     mlx5_0 28.41.1000\nboard rev-b\n"


def loop(nodes: int, heading: str = "==== n{:02} ====", **other: str) -> str:
    """The answers of a loop over nodes; ``other``: what one node (``n04``) says instead."""
    return "".join(f"{heading.format(n)}\n{other.get(f'n{n:02}', SAME)}" for n in range(1, nodes + 1))


def test_the_node_that_says_another_version_than_its_peers() -> None:
    (found,) = findings_of(RULE, loop(6, n04=SAME.replace("535.183.01", "535.161.08")))
    assert (found.severity, found.confidence, found.message) == snapshot(
        ("warning", "possible", "n04 says 'nvidia 535.161.08', while 5 nodes say '535.183.01'")
    )
    assert [(evidence.text, evidence.expected) for evidence in found.evidence] == snapshot(
        [("nvidia 535.161.08", "535.183.01")]
    )


@pytest.mark.parametrize("heading", ["n{:02} | CHANGED | rc=0 >>", "HOST=n{:02}\n-----", "## n{:02}", "node: n{:02}"])
def test_in_any_form_of_heading(heading: str) -> None:
    assert [entry[1:3] for entry in said(RULE, loop(4, heading, n02=SAME.replace("rev-b", "rev-a")))] == [
        ("warning", "possible")
    ]


def test_gathered_answers_stand_for_all_their_nodes() -> None:
    ruler = "-" * 16
    text = f"{ruler}\nn[01-07]\n{ruler}\n{SAME}{ruler}\nn08\n{ruler}\n{SAME.replace('rev-b', 'rev-a')}"
    assert [entry[3] for entry in said(RULE, text)] == snapshot(["n08 says 'board rev-a', while 7 nodes say 'rev-b'"])


@pytest.mark.parametrize(
    "text",
    [
        loop(6),
        loop(2, n02=SAME.replace("rev-b", "rev-a")),
        loop(6, n02=SAME.replace("rev-b", "rev-a"), n03=SAME.replace("rev-b", "rev-c")),
        loop(6, n04=SAME + "only here\n"),
        loop(6, n04=SAME.replace("rev-b", "34 C")),
        loop(6, n04=SAME.replace("board rev-b", "eth 10.0.0.7")),
        loop(6, n04=SAME.replace("board rev-b", "boot 08:11:02")),
        loop(6, "==== run{:02} ====", n04=SAME.replace("rev-b", "rev-a")),
    ],
)
def test_silent_on_what_is_alike_or_differs_by_nature(text: str) -> None:
    assert findings_of(RULE, text) == ()


def test_the_name_of_the_node_in_its_own_line_is_no_difference() -> None:
    assert findings_of(RULE, "".join(f"== n{n:02} ==\n{SAME}image n{n:02}-root\n" for n in range(1, 7))) == ()
