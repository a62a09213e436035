"""One rank, node, HCA or path holds the collectives of a running job up."""

from __future__ import annotations

from inline_snapshot import snapshot
from msgspec.structs import replace
from text_findings import findings_of, remedies_of, said

from slowlink.facts.assemble import assemble
from slowlink.model.records import Records
from slowlink.rules.engine import discover, run
from slowlink.simulate.training.columns import columns_of
from slowlink.simulate.training.inspector_output import files_of
from slowlink.simulate.training.job import Job, Noise, Shape, Sick
from slowlink.workflows.analyze import analyze

RULE = "collectives-held-up"


def texts(sick: Sick, shape: Shape = Shape(4, 4, 2)) -> list[str]:  # noqa: B008  (frozen)
    return [text for _, text in files_of(columns_of(Job(shape, Noise(), sick, 1), 30))]


def suspects(*given: str) -> list[list[tuple[str, str]]]:
    return [[(each.kind, each.name) for each in found.suspects] for found in findings_of(RULE, *given)]


def test_a_late_rank() -> None:
    given = texts(Sick(gpu={9: 0.8}, since=0.5))
    assert said(RULE, *given) == snapshot(
        [
            (
                "straggler-gpu",
                "error",
                "likely",
                "process 4101 on node03 (number 1 of the 4 there): last to come to the collectives, by 4.9 ms in the middle of 60 calls of all_reduce of 64 MiB in communicator TP (0xa000002, 4 ranks), last of all in 100%; the others wait for it 15% of the time; since 2026-09-21 14:13:22 UTC (call 60 of 120); it waited for nobody itself. Its GPU is slow, or its process gets its work late",
            )
        ]
    )
    assert suspects(*given) == [[("process", "process 4101 on node03"), ("node", "node03")]]
    assert remedies_of(RULE, *given)[0][1][1] == "py-spy dump --pid PID"


def test_a_late_node() -> None:
    given = texts(Sick(gpu=dict.fromkeys(range(8, 12), 0.8)))
    assert said(RULE, *given) == snapshot(
        [
            (
                "straggler-node",
                "error",
                "likely",
                "all 4 processes on node03: last to come to the collectives, by 19.7 ms in the middle of 30 calls of reduce_scatter of 128 MiB in communicator DP (0xb000002, 4 ranks), last of all in 100%; the others wait for it 20% of the time; it waited for nobody itself. Its GPUs or its processor are slow, or its processes get their work late",
            )
        ]
    )
    assert suspects(*given) == [[("node", "node03")]]


def test_a_slow_hca() -> None:
    given = texts(Sick(hca={17: 0.5}), Shape(4, 4, 3))
    assert said(RULE, *given) == snapshot(
        [
            (
                "straggler-nic",
                "error",
                "likely",
                "process 4101 on node05 (number 1 of the 4 there): its HCA, or what lies between it and the GPU, is slow; its peers are not: with everybody there, recv of 32 MiB in communicator PP (0xc000001, 3 ranks) takes 1.5 ms where 31 alike take 749 us (2.0 times as long; so do 3 other transfers there)",
            )
        ]
    )
    assert suspects(*given) == [[("process", "process 4101 on node05"), ("node", "node05")]]


def test_a_slow_path() -> None:
    given = texts(Sick(path={(0, 4): 0.5}), Shape(4, 4, 3))
    assert said(RULE, *given) == snapshot(
        [
            (
                "slow-path",
                "error",
                "likely",
                "the path between node01 and node05 is slow; both are fast elsewhere: with everybody there, recv of 32 MiB in communicator PP (0xc000001, 3 ranks) takes 1.5 ms where 31 alike take 750 us (2.0 times as long; so do 3 other transfers there)",
            )
        ]
    )
    assert suspects(*given) == [[("node", "node01"), ("node", "node05")]]


def test_an_hca_that_cannot_be_told_from_others() -> None:
    assert said(RULE, *texts(Sick(hca={9: 0.4}), Shape(4, 8, 1))) == snapshot(
        [
            (
                "straggler-nic",
                "error",
                "possible",
                "an HCA of one of 8 processes (node01, node02, node03 and 5 more), or a path between them, is slow; nothing here tells which: with everybody there, all_gather of 64 MiB in communicator DP (0xb000001, 8 ranks) takes 29.8 ms where 3 alike take 11.9 ms (2.5 times as long; so does another transfer there)",
            )
        ]
    )


def test_a_healthy_job() -> None:
    given = texts(Sick())
    assert findings_of(RULE, *given) == ()
    report = analyze([text.encode() for text in given])
    assert report.verdict == "inconclusive"
    assert report.facts["proofs"] == snapshot(
        [
            "nobody holds the collectives up: of 32 ranks none comes later than the others, and none of 40 transfers is slower than others alike"
        ]
    )


def test_times_of_the_processor_allow_a_suspicion() -> None:
    columns = [
        replace(calls, timed_by={"collective_cpu": len(calls)})
        for calls in columns_of(Job(Shape(4, 4, 2), Noise(), Sick(gpu={9: 0.8}), 1), 30)
    ]
    (rule,) = (each for each in discover() if each.id == RULE)
    (found,) = run(assemble(Records(timed=tuple(columns))), None, rules=[rule]).findings
    assert found.confidence == "possible"


def metrics(late: tuple[int, int], algorithm: str = "Ring_simple", usual_us: int = 2600) -> list[str]:
    """Of four nodes with four GPUs; the collectives of ``late`` (node, GPU) are the shortest."""
    labels = 'version="v5.1",slurm_job_id="7",node="node0{}",gpu="GPU{}",comm_name="TP",n_nodes="1",nranks="4"'
    more = f',collective="AllReduce",message_size="64-65MB",algo_proto="{algorithm}"'
    return [
        "".join(
            f"nccl_collective_exec_time_microseconds{{{labels.format(node, gpu)}{more}}} "
            f"{400 if (node, gpu) == late else usual_us + 10 * gpu + 7 * node + (2000 if node == late[0] else 0)}\n"
            for gpu in range(4)
        )
        for node in range(1, 5)
    ]


def test_means_allow_a_suspicion() -> None:
    ((cause, _, confidence, message),) = said(RULE, *metrics((2, 3)))
    assert (cause, confidence) == ("straggler-gpu", "possible")
    assert message.startswith("GPU 3 on node02: last to come to the collectives, by 4.2 ms in the mean of its calls of")


def test_nobody_is_accused_for_the_order_of_his_means() -> None:
    """Calls of one size with two algorithms: what one GPU exports lists them the other way around."""
    for late, messages in (((0, 0), []), ((2, 3), ["GPU 3 on node02"])):
        both = zip(metrics(late), metrics(late, "Tree_ll", 1500), strict=True)
        given = [one_gpu(node, gpu) for node in both for gpu in range(4)]
        assert [found.message.split(":")[0] for found in findings_of(RULE, *given)] == messages


def one_gpu(node: tuple[str, str], gpu: int) -> str:
    """Its file; the last GPU of the second node lists its means from the last to the first."""
    lines = [text.splitlines(keepends=True)[gpu] for text in node]
    odd = gpu == 3 and 'node="node02"' in node[0]
    return "".join(reversed(lines) if odd else lines)
