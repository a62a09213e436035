from __future__ import annotations

from inline_snapshot import snapshot
from state_proofs import on_nodes
from text_findings import findings_of, remedies_of, said

from nvidia_smi_outputs import node, query, query_gpu


def asks(text: str, action: str = "None", required: str = "No") -> str:
    return text.replace(
        "GPU Recovery Action                                : None", f"GPU Recovery Action : {action}"
    ).replace("Reset Required                                 : No", f"Reset Required : {required}")


def test_an_action() -> None:
    text = on_nodes(node07=asks(query(query_gpu("3B:00.0")), action="Drain and Reset"))
    assert said("gpu-reset-wanted", text) == snapshot(
        [
            (
                "gpu-driver-hung",
                "error",
                "likely",
                "node07 GPU 0: the driver asks for drain and reset: after a fatal error of the GPU, or for memory to be repaired",
            )
        ]
    )


def test_a_reset_is_required() -> None:
    assert said("gpu-reset-wanted", asks(query(query_gpu("3B:00.0")), required="Yes")) == snapshot(
        [
            (
                "gpu-driver-hung",
                "error",
                "likely",
                "GPU 0: the driver asks for a reset: after a fatal error of the GPU, or for memory to be repaired",
            )
        ]
    )


def test_a_repair_of_memory_explains_it() -> None:
    text = asks(query(query_gpu("3B:00.0", pending="Yes")), action="Reset", required="Yes")
    assert findings_of("gpu-reset-wanted", text) == ()


def test_none() -> None:
    assert findings_of("gpu-reset-wanted", node()) == ()


def test_it_says_what_to_do() -> None:
    text = on_nodes(node07=asks(query(query_gpu("3B:00.0")), action="Drain and Reset"))
    assert remedies_of("gpu-reset-wanted", text) == snapshot(
        [
            [
                ("See which error it was.", "dmesg -T | grep -e Xid -e NVRM; nvidia-smi -q -d ECC,ROW_REMAPPER"),
                ("Drain the node and reset the GPU.", "nvidia-smi --gpu-reset -i N && dcgmi diag -r 3"),
            ]
        ]
    )
