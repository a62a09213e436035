from __future__ import annotations

from inline_snapshot import snapshot
from state_proofs import on_nodes, proofs_of
from text_findings import findings_of, remedies_of, said

from nvidia_smi_outputs import BUSES, UUID, node, query, query_gpu


def gpus(count: int, name: str = "NVIDIA L40S") -> str:
    return "".join(f"GPU {number}: {name} (UUID: {UUID.format(number)})\n" for number in range(count))


def test_fewer_than_on_the_other_nodes() -> None:
    text = on_nodes(node01=gpus(8), node02=gpus(7), node03=gpus(8), node04=gpus(8))
    assert said("gpu-count-low", text) == snapshot(
        [("gpu-missing", "error", "likely", "node02: 7 of 8 GPUs (most nodes have 8)")]
    )


def test_seven_of_a_model_that_nobody_names_are_a_warning() -> None:
    assert said("gpu-count-low", "root@n1:~# nvidia-smi -L | wc -l\n7\n") == [
        ("gpu-missing", "warning", "possible", "n1: 7 of 8 GPUs (hardly a node is built with 7)")
    ]
    assert findings_of("gpu-count-low", "root@n1:~# nvidia-smi -L | wc -l\n6\n") == ()


def test_two_nodes_that_differ_prove_nothing() -> None:
    assert findings_of("gpu-count-low", on_nodes(node01=gpus(8), node02=gpus(4))) == ()


def test_seven_of_a_board() -> None:
    seven = query(*(query_gpu(bus) for bus in BUSES[:7]))
    assert said("gpu-count-low", seven) == snapshot(
        [("gpu-missing", "error", "likely", "7 of 8 GPUs (boards with NVIDIA H100 SXM carry 4 or 8)")]
    )
    assert findings_of("gpu-count-low", gpus(7)) == ()


def test_a_cut_paste_is_no_fault() -> None:
    one = query(query_gpu(BUSES[0]), attached=8)
    assert findings_of("gpu-count-low", on_nodes(node01=node(), node02=one, node03=node())) == ()


def test_all_alike() -> None:
    assert proofs_of("gpu-count-low", on_nodes(node01=gpus(4), node02=gpus(4), node03=gpus(4))) == snapshot(
        [("3 nodes have 4 GPUs each", 0)]
    )


def test_lspci_shows_one_more() -> None:
    cards = "".join(f"{bus.lower()} 3D controller: NVIDIA Corporation AD102GL [L40S] (rev a1)\n" for bus in BUSES)
    assert said("gpu-count-low", cards + query(*(query_gpu(bus, name="NVIDIA L40S") for bus in BUSES[:7]))) == snapshot(
        [("gpu-missing", "error", "likely", "7 of 8 GPUs (lspci shows 8, the driver does not start them all)")]
    )
    assert findings_of("gpu-count-low", cards + query(*(query_gpu(bus, name="NVIDIA L40S") for bus in BUSES))) == ()


def test_it_says_what_to_do() -> None:
    text = on_nodes(node01=gpus(8), node02=gpus(7), node03=gpus(8), node04=gpus(8))
    assert remedies_of("gpu-count-low", text) == snapshot(
        [
            [
                ("Count what the driver sees and what PCIe sees.", "nvidia-smi -L | wc -l; lspci -d 10de: | wc -l"),
                ("See why the driver lost it.", "dmesg -T | grep -e Xid -e NVRM"),
            ]
        ]
    )


def listed(*numbers: int) -> str:
    """``nvidia-smi -L`` of these GPUs."""
    return "".join(f"GPU {n}: NVIDIA L40S (UUID: GPU-00000000-1111-2222-3333-{n:012})\n" for n in numbers)


def test_a_number_that_a_list_leaves_out() -> None:
    assert said("gpu-count-low", listed(0, 1, 3, 4, 5)) == snapshot(
        [("gpu-missing", "warning", "possible", "the list of 6 GPUs lacks one: GPU 2 is gone, or was not asked for")]
    )
    assert said("gpu-count-low", listed(0, 1, 3, 5, 6)) == snapshot(
        [
            (
                "gpu-missing",
                "warning",
                "possible",
                "the list of 7 GPUs lacks 2: GPU 2 and GPU 4 are gone, or were not asked for",
            )
        ]
    )


def test_a_choice_of_gpus_and_a_whole_list_leave_nothing_out() -> None:
    for numbers in ((0, 1, 2, 3), (2, 3, 4), (0, 2), (0, 4), (0, 7)):
        assert findings_of("gpu-count-low", listed(*numbers)) == (), numbers
