"""Files that lie together, of which one names its node."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from slowlink.facts.assemble import assemble
from slowlink.facts.placing.one_node import on_one_node
from slowlink.facts.placing.source_names import nodes_by_number, numbered_alike
from slowlink.inputs import Input
from slowlink.model.source import Ref
from slowlink.model.state import Part, Reading
from slowlink.parsers.reading.read import read
from slowlink.rules.diagnosis import diagnose
from slowlink.rules.engine import run
from slowlink.workflows.analyze import report_of


def reading(
    source: str, attribute: str, value: str | int, part: Part | None = None, host: str | None = None
) -> Reading:
    return Reading(attribute, part or Part("gpu", "0"), value, Ref(source, 1), host or source)


def test_what_lies_beside_a_file_that_names_its_node_is_of_that_node() -> None:
    readings = [
        reading("case/smi-1200.txt", "gpu-pcie-replays", 8120),
        reading("case/smi-1210.txt", "gpu-pcie-replays", 19331),
    ]
    unnamed = ("case/smi-1200.txt", "case/smi-1210.txt", "other/top.txt")
    assert on_one_node(readings, unnamed, {"case/kern.log": {"tok-3"}}) == {
        "case/smi-1200.txt": "tok-3",
        "case/smi-1210.txt": "tok-3",
    }


def test_two_nodes_in_a_folder_tell_nothing() -> None:
    assert on_one_node([], ("case/top.txt",), {"case/a.log": {"n1"}, "case/b.log": {"n2"}}) == {}


def test_what_contradicts_is_another_nodes() -> None:
    named = {"case/kern.log": {"tok-3"}}
    mine = reading("case/kern.log", "gpu-uuid", "GPU-1", host="tok-3")
    other = reading("case/smi.txt", "gpu-uuid", "GPU-2")
    assert on_one_node([mine, other], ("case/smi.txt",), named) == {}
    later = reading("case/later.txt", "gpu-uuid", "GPU-1")
    assert on_one_node([mine, other, later], ("case/smi.txt", "case/later.txt"), named) == {"case/later.txt": "tok-3"}


def test_files_with_one_word_and_a_number_are_of_several_nodes() -> None:
    nodes = ("nodes/pkeys/c101.txt", "nodes/pkeys/c102.txt")
    assert numbered_alike((*nodes, "nodes/pkeys/readme.txt")) == frozenset(nodes)
    assert (
        numbered_alike(("a/t0.txt", "a/t1.txt", "b/rank10.log", "b/rank11.log", "c/kern.log.1", "c/kern.log.2"))
        == frozenset()
    )
    assert on_one_node([], nodes, {"nodes/pkeys/job.log": {"login1"}}) == {}


@given(st.lists(st.text(max_size=30), max_size=6))
def test_any_names_of_sources_are_taken(sources: list[str]) -> None:
    assert numbered_alike(sources) <= frozenset(sources)


def test_three_files_that_a_number_tells_apart_are_named_after_their_nodes() -> None:
    nodes = tuple(f"tar!nodes/rx-h100-{number}.log" for number in range(1, 4))
    of_one = [f"a/{word}{number}.txt" for word in ("rank", "snap-after-", "ibstat", "k-run-") for number in range(1, 4)]
    assert nodes_by_number((*nodes, *of_one, "b/k01.txt", "b/k02.txt")) == {
        node: node.removeprefix("tar!nodes/").removesuffix(".log") for node in nodes
    }


def test_what_differs_between_such_files_is_found_at_its_node() -> None:
    asked = "$ ibv_devinfo -d mlx5_0\nhca_id:\tmlx5_0\n\t\tport:\t1\n\t\t\tstate:\t\t\tPORT_ACTIVE (4)\n\t\t\tactive_mtu:\t\t"
    mtus = ("4096 (5)", "4096 (5)", "1024 (3)", "4096 (5)")
    inputs = [
        Input(f"survey/k{number:02}.txt", None, [f"{asked}{mtu}\n".encode()]) for number, mtu in enumerate(mtus, 1)
    ]
    found = diagnose(run(assemble(read(inputs, workers=1)), None).findings)
    assert [(each.cause, [suspect.name for suspect in each.suspects]) for each in found][:1] == [
        ("mtu-mismatch", ["k03 mlx5_0/1", "k03"])
    ]


def test_sources_without_a_name_that_differ_are_not_healthy() -> None:
    asked = "hca_id:\tmlx5_0\n\t\tport:\t1\n\t\t\tstate:\t\t\tPORT_ACTIVE (4)\n\t\t\tactive_mtu:\t\t"
    mtus = ("4096 (5)", "4096 (5)", "1024 (3)")
    inputs = [Input(f"try{number}.log", None, [f"{asked}{mtu}\n".encode()]) for number, mtu in enumerate(mtus, 1)]
    report = report_of(read(inputs, workers=1))
    assert (report.verdict, [each.cause for each in report.diagnoses][:1]) == ("inconclusive", ["mtu-mismatch"])
