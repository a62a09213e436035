from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from text_findings import diagnoses_of, said


def test_a_device_number_that_does_not_exist() -> None:
    text = "gpu-13: Test CUDA failure common.cu:892 'invalid device ordinal'\n"
    assert said("gpus-over-requested", text) == snapshot(
        [
            (
                "gpus-over-requested",
                "critical",
                "likely",
                "gpu-13: a rank has no GPU of its number: more ranks than GPUs that they see, or a GPU of the node is gone",
            )
        ]
    )
    assert [each.cause for each in diagnoses_of(text)] == snapshot(["gpus-over-requested"])
    assert [
        each.cause
        for each in diagnoses_of(f"gpu-13: NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.\n{text}")
    ] == snapshot(["gpu-missing"])


def test_a_benchmark_counts_the_gpus_that_it_sees() -> None:
    text = "Invalid number of GPUs: 8 requested but only 4 were found.\n"
    assert said("gpus-over-requested", text) == snapshot(
        [("gpus-over-requested", "critical", "likely", "8 GPUs were asked for where the job sees 4")]
    )
    assert [each.cause for each in diagnoses_of(text)] == ["gpus-over-requested"]
    assert [each.cause for each in diagnoses_of(text.replace("4", "7"))] == ["gpu-missing"]


@pytest.mark.parametrize(
    "command",
    [
        "srun -p gpu -N1 -n1 --gres=gpu:6 ./all_reduce_perf -b 8 -e 128M -g 8",
        "srun --gres gpu:h100:6 --nodes 1 ./all_reduce_perf -g 8",
        "CUDA_VISIBLE_DEVICES=0,1,2,3,4,5 ./all_reduce_perf -g 8",
        "srun --gpus-per-node=6 ./all_reduce_perf -g 8",
    ],
)
def test_a_command_that_gives_as_many_as_were_found(command: str) -> None:
    text = f"[me@login ~]$ {command}\nInvalid number of GPUs: 8 requested but only 6 were found.\n"
    assert [(each.cause, each.confidence) for each in diagnoses_of(text)] == [("gpus-over-requested", "certain")]


@pytest.mark.parametrize("command", ["srun --gres=gpu:8 ./all_reduce_perf -g 8", "./all_reduce_perf -g 8"])
def test_where_the_command_gives_more_or_says_nothing_one_may_be_gone(command: str) -> None:
    text = f"[me@login ~]$ {command}\nInvalid number of GPUs: 8 requested but only 6 were found.\n"
    assert [(each.cause, each.confidence) for each in diagnoses_of(text)] == [("gpu-missing", "possible")]
