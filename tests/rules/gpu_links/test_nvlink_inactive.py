from __future__ import annotations

from inline_snapshot import snapshot
from state_proofs import on_nodes, proofs_of
from text_findings import findings_of, remedies_of, said

from nvidia_smi_outputs import link_status


def test_one_link_of_a_board_with_switches() -> None:
    text = on_nodes(node07=link_status(inactive=("3/17",)))
    assert said("nvlink-inactive", text) == snapshot(
        [("nvlink-down", "error", "certain", "node07 GPU 3: NVLink 17 inactive")]
    )


def test_links_of_several_gpus() -> None:
    assert said("nvlink-inactive", link_status(inactive=("3/17", "4/2", "4/3"))) == snapshot(
        [("nvlink-down", "error", "certain", "GPU 3 and GPU 4: 3 NVLinks inactive")]
    )


def test_all_links_of_a_gpu() -> None:
    text = link_status(gpus=1) + (
        "GPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-5e1f7a20-1111-2222-3333-000000000001)\n"
        "NVML: Unable to retrieve NVLink information as all links are inActive\n"
    )
    assert said("nvlink-inactive", text) == snapshot(
        [("nvlink-down", "error", "certain", "GPU 1: all NVLinks inactive")]
    )


def test_bridged_cards_have_spare_links() -> None:
    for name in ("NVIDIA A30", "NVIDIA A100 80GB PCIe", "NVIDIA L40S"):
        assert findings_of("nvlink-inactive", link_status(2, 4, ("0/3", "1/3"), name)) == ()


def test_fewer_links_by_design() -> None:
    assert findings_of("nvlink-inactive", link_status(8, 8, name="NVIDIA H800")) == ()


def test_an_unknown_gpu_is_compared_with_the_others() -> None:
    assert said("nvlink-inactive", link_status(4, 4, ("2/1",), "NVIDIA X9000")) == snapshot(
        [("nvlink-down", "warning", "possible", "GPU 2: NVLink 1 inactive")]
    )
    assert findings_of("nvlink-inactive", link_status(2, 2, ("0/1", "1/1"), "NVIDIA X9000")) == ()


def test_a_gpu_alone_is_part_of_a_board() -> None:
    assert findings_of("nvlink-inactive", link_status(1, 2, ("0/0", "0/1"), "NVIDIA A100-SXM4-40GB")) == ()
    shown_alone = link_status(1, 2, ("0/0", "0/1"), "NVIDIA A100-SXM4-40GB").replace("GPU 0:", "GPU 7:")
    assert [f.severity for f in findings_of("nvlink-inactive", shown_alone)] == ["error"]


def test_half_of_a_cube_mesh_is_a_design() -> None:
    name = "Tesla V100-SXM2-16GB"
    half = tuple(f"{gpu}/{link}" for gpu in range(4) for link in (4, 5))
    assert findings_of("nvlink-inactive", link_status(4, 6, half, name)) == ()
    assert [f.severity for f in findings_of("nvlink-inactive", link_status(8, 6, ("3/5",), name))] == ["error"]


def test_a_board_of_unknown_gpus() -> None:
    text = link_status(4, 12, ("2/1",), "NVIDIA X9000")
    assert [(f.severity, f.confidence) for f in findings_of("nvlink-inactive", text)] == [("error", "likely")]


def test_all_active() -> None:
    assert proofs_of("nvlink-inactive", link_status()) == snapshot([("8 GPUs: 144 NVLinks active at 26.562 GB/s", 0)])


def letters(*rows: str) -> str:
    """What ``dcgmi nvlink -s`` prints of GPUs with these links."""
    gpus = "".join(f"    gpuId {gpu}:\n        {' '.join(row)}\n" for gpu, row in enumerate(rows))
    head = "+----------------------+\n|  NvLink Link Status  |\n+----------------------+\nGPUs:\n"
    return head + gpus + "NvSwitches:\n    No NvSwitches found.\n\nKey: Up=U, Down=D, Disabled=X, Not Supported=_\n"


def test_a_gpu_with_fewer_links_than_its_peers() -> None:
    sound = "UUUUUUUU____"
    for odd in ("UUUUUUU_____", "XUUUUUUU____", "UUUXUUUU____"):
        assert said("nvlink-inactive", letters(*[sound] * 7, odd)) == snapshot(
            [("nvlink-down", "warning", "possible", "GPU 7: 7 NVLinks, and 8 of the other GPUs")]
        )
        assert proofs_of("nvlink-inactive", letters(*[sound] * 7, odd)) == []


def test_links_whose_number_differs_by_design_are_no_fault() -> None:
    assert findings_of("nvlink-inactive", letters("UUUU", "UUU_", "UUUU", "UUU_")) == ()
    assert findings_of("nvlink-inactive", letters("UUUU", "UUUU", "UUU_")) == ()  # too few to tell


def test_a_list_that_was_cut_accuses_nobody() -> None:
    text = "\n".join(link_status(name="NVIDIA X9000").splitlines()[:-2]) + "\n"
    assert findings_of("nvlink-inactive", text) == ()


def test_links_without_a_speed() -> None:
    assert proofs_of("nvlink-inactive", letters(*["UUUU"] * 4)) == snapshot([("4 GPUs: 16 NVLinks active", 0)])


def test_it_says_what_to_do() -> None:
    text = on_nodes(node07=link_status(inactive=("3/17",)))
    assert remedies_of("nvlink-inactive", text) == snapshot(
        [
            [
                ("Read the state and the errors of the links.", "nvidia-smi nvlink --status; nvidia-smi nvlink -e"),
                ("Reset all GPUs of the node together, and test it.", "nvidia-smi --gpu-reset && dcgmi diag -r 3"),
            ]
        ]
    )


def test_a_gpu_of_which_no_link_is_shown() -> None:
    lines = link_status().splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("GPU 5:"))
    last = next(number for number, line in enumerate(lines) if line.startswith("GPU 6:"))
    text = "\n".join(lines[: first + 1] + lines[last:])
    assert said("nvlink-inactive", text) == snapshot(
        [("nvlink-down", "warning", "likely", "GPU 5: no NVLink is shown, where the other GPUs have theirs")]
    )
    assert proofs_of("nvlink-inactive", text) == []
    cut = "\n".join(lines[: first + 1])
    assert findings_of("nvlink-inactive", cut) == ()


def test_a_gpu_whose_links_are_all_off_in_dcgms_table() -> None:
    rows = "".join(f"    gpuId {n}:\n        {'X X X X' if n == 2 else 'U U U U'}\n" for n in range(8))
    text = f"+----------------------+\n|  NvLink Link Status  |\n+----------------------+\nGPUs:\n{rows}"
    assert [entry[:3] for entry in said("nvlink-inactive", text)] == [("nvlink-down", "warning", "likely")]
