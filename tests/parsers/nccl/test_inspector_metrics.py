"""NCCL's Inspector as metrics for Prometheus."""

from __future__ import annotations

from array import array

from feeding import feed
from hypothesis import given
from hypothesis import strategies as st

from slowlink.model.timed_calls import CallKind
from slowlink.parsers.nccl.inspector_metrics import PARSER


def samples(gpu: int, time_us: float, *, node: str = "node07", nodes: int = 1, size: str = "4-5MB") -> list[str]:
    labels = (
        f'version="v5.1",slurm_job_id="77",node="{node}",gpu="GPU{gpu}",comm_name="TP 3",n_nodes="{nodes}",nranks="8",'
        f'collective="AllReduce",message_size="{size}",algo_proto="Ring_ll"'
    )
    return [
        f"nccl_bus_bandwidth_gbs{{{labels}}} 120.5",
        f"nccl_collective_exec_time_microseconds{{{labels}}} {time_us:.6g}",
    ]


def test_each_gpu_and_communicator_has_its_means() -> None:
    (one, two) = feed(PARSER, [*samples(0, 61.25), *samples(0, 410, size="64-65MB"), *samples(1, 15)])
    assert (one.tool, one.comm, one.comm_name) == (
        "nccl-inspector-metrics",
        "TP 3 of 8 ranks on node07, job 77",
        "TP 3",
    )
    assert (one.host, one.gpu, one.nranks, one.nnodes) == ("node07", 0, 8, 1)
    assert one.kinds == (
        CallKind("all_reduce", 4 << 20, method="Ring_ll"),
        CallKind("all_reduce", 64 << 20, method="Ring_ll"),
    )
    assert array("f", one.time_us).tolist() == [61.25, 410]
    assert two.gpu == 1


def test_the_order_of_algorithms_makes_no_difference() -> None:
    """The exporter counts calls of each apart."""
    ring = samples(0, 2600)
    tree = [text.replace("Ring_ll", "Tree_ll") for text in samples(0, 400)]
    ((one,), (other,)) = feed(PARSER, [*ring, *tree]), feed(PARSER, [*tree, *ring])
    means = [
        dict(zip((kind.method for kind in each.kinds), array("f", each.time_us), strict=True)) for each in (one, other)
    ]
    assert means == [{"Ring_ll": 2600, "Tree_ll": 400}] * 2


def test_a_communicator_of_several_nodes_is_one() -> None:
    found = feed(PARSER, [*samples(0, 61, nodes=2), *samples(0, 61, nodes=2, node="node08")])
    assert [each.comm for each in found] == ["TP 3 of 8 ranks, job 77"] * 2


def test_sends_and_bandwidths_are_known_and_give_nothing() -> None:
    sends = [text.replace("nccl_", "nccl_p2p_").replace("collective_", "") for text in samples(0, 61)]
    assert feed(PARSER, sends) == []
    assert all(PARSER.wants(text) for text in sends)


def test_labels_that_are_not_there_give_nothing() -> None:
    for label in ("gpu", "node", "nranks", "message_size"):
        assert feed(PARSER, [text.replace(f'{label}="', f'x{label}="') for text in samples(0, 61)]) == []


@given(st.lists(st.text(max_size=120), max_size=5), st.integers(0, 300))
def test_any_text_gives_a_result(lines: list[str], cut: int) -> None:
    torn = [text[:cut] for text in samples(0, 61)]
    assert isinstance(feed(PARSER, [*lines, *torn]), list)
