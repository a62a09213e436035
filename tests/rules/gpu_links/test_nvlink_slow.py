from __future__ import annotations

from inline_snapshot import snapshot
from state_proofs import on_nodes
from text_findings import findings_of, remedies_of, said

from nvidia_smi_outputs import link_status


def test_a_link_below_the_others() -> None:
    slow = link_status().replace("\t Link 7: 26.562 GB/s", "\t Link 7: 13.281 GB/s", 1)
    assert said("nvlink-slow", on_nodes(node01=link_status(), node02=slow)) == snapshot(
        [
            (
                "nvlink-down",
                "warning",
                "likely",
                "node02 GPU 0: 1 NVLink at 13.281 GB/s, slower than the others of the node",
            )
        ]
    )


def test_nodes_may_differ_from_one_another() -> None:
    other = link_status(name="NVIDIA A100-SXM4-80GB", links=12).replace("26.562", "25")
    assert findings_of("nvlink-slow", on_nodes(node01=link_status(), node02=other)) == ()


def test_it_says_what_to_do() -> None:
    slow = link_status().replace("\t Link 7: 26.562 GB/s", "\t Link 7: 13.281 GB/s", 1)
    assert remedies_of("nvlink-slow", on_nodes(node01=link_status(), node02=slow)) == snapshot(
        [[("Reset all GPUs of the node together, and test it.", "nvidia-smi --gpu-reset && dcgmi diag -r 3")]]
    )
