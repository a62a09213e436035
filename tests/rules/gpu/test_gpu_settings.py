"""Power limits, MIG and ECC of several nodes."""

from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from state_proofs import on_nodes
from text_findings import findings_of, remedies_of, said, table


def gpus(limit: float = 700, default: float = 700, mig: str = "Disabled", ecc: str = "Enabled") -> str:
    """Two GPUs as ``nvidia-smi --query-gpu`` prints them."""
    head = "index, power.limit [W], power.default_limit [W], mig.mode.current, ecc.mode.current\n"
    return head + "".join(f"{n}, {limit:.2f} W, {default:.2f} W, {mig}, {ecc}\n" for n in (0, 1))


def cluster(**odd: str) -> str:
    """Sixteen nodes, those in ``odd`` with their own text."""
    names = [f"node{number:02}" for number in range(1, 17)]
    return on_nodes(**{name: odd.get(name, gpus()) for name in names})


def test_a_power_cap_on_one_node_of_sixteen_is_an_error() -> None:
    text = cluster(node07=gpus(limit=400))
    assert said("gpu-settings", text) == snapshot(
        [
            (
                "gpu-clocks-throttled",
                "error",
                "likely",
                "node07 GPU 0 and GPU 1: the power limit is 400 W where most nodes have 700 W",
            )
        ]
    )
    (found,) = findings_of("gpu-settings", text)
    assert {s.name for s in found.suspects} == {"node07 GPU 0", "node07 GPU 1", "node07"}
    assert remedies_of("gpu-settings", text) == snapshot(
        [
            [
                ("See the limits, and who set them.", "nvidia-smi -q -d POWER"),
                ("Set the default again.", "nvidia-smi -pl WATTS"),
            ]
        ]
    )


def test_a_cap_on_all_nodes_is_a_choice_and_a_warning() -> None:
    capped = {f"node{n:02}": gpus(limit=400) for n in range(1, 17)}
    assert said("gpu-settings", on_nodes(**capped)) == snapshot(
        [
            (
                "gpu-clocks-throttled",
                "warning",
                "possible",
                "32 GPUs of node[01-16]: the power limit is 400 W of 700 W that the board has by default",
            )
        ]
    )
    assert findings_of("gpu-settings", on_nodes(a=gpus(limit=680))) == ()


def test_mig_on_one_node_is_an_error_and_so_it_is_below_a_job() -> None:
    assert said("gpu-settings", cluster(node03=gpus(mig="Enabled"))) == snapshot(
        [
            (
                "p2p-disabled",
                "error",
                "likely",
                "node03 GPU 0 and GPU 1: MIG is on, as on few nodes, and its instances have neither NVLink nor peer-to-peer access",
            )
        ]
    )
    everywhere = on_nodes(node01=gpus(mig="Enabled"), node02=gpus(mig="Enabled"))
    assert [f.severity for f in findings_of("gpu-settings", everywhere)] == ["warning"]
    assert [f.severity for f in findings_of("gpu-settings", everywhere, table())] == ["error"]


def test_ecc_off_on_one_node_is_a_warning_and_everywhere_a_choice() -> None:
    assert said("gpu-settings", cluster(node16=gpus(ecc="Disabled"))) == snapshot(
        [
            (
                "node-differs",
                "warning",
                "certain",
                "node16 GPU 0 and GPU 1: ECC is off, while it is on on most nodes: errors of memory there go unnoticed",
            )
        ]
    )
    off = {f"node{n:02}": gpus(ecc="Disabled") for n in range(1, 5)}
    assert findings_of("gpu-settings", on_nodes(**off)) == ()


def test_nodes_that_are_alike_are_silent() -> None:
    assert findings_of("gpu-settings", cluster()) == ()


def smi(name: str, watts: int) -> str:
    return (
        "| NVIDIA-SMI 550.99.01             Driver Version: 550.99.01      CUDA Version: 12.4     |\n"
        f"|   0  {name:<31} On  |   00000000:5D:00.0 Off |                    0 |\n"
        f"| N/A   41C    P0            81W /  {watts}W   |       4MiB /  81559MiB |     98%      Default |\n"
    )


def test_a_cap_far_below_what_the_model_is_sold_with_where_no_default_is_printed() -> None:
    assert said("gpu-settings", smi("NVIDIA H100 80GB HBM3", 350)) == snapshot(
        [
            (
                "gpu-clocks-throttled",
                "warning",
                "possible",
                "GPU 0: the power limit is 350 W of 700 W that the model is sold with",
            )
        ]
    )
    assert said("gpu-settings", smi("Tesla V100-SXM2...", 150)) == snapshot(
        [
            (
                "gpu-clocks-throttled",
                "warning",
                "possible",
                "GPU 0: the power limit is 150 W of 300 W that the model is sold with",
            )
        ]
    )
    assert said("gpu-settings", smi("NVIDIA H100 80GB HBM3", 500)) == []  # a variant may be sold with less
    assert said("gpu-settings", smi("NVIDIA H100...", 350)) == []  # several models begin so


def alike(name: str, *values: str) -> str:
    """GPUs of one model with one more column."""
    rows = "".join(f"{gpu}, NVIDIA L40S, {value}\n" for gpu, value in enumerate(values))
    return f"index, name, {name}\n{rows}"


def test_one_gpu_of_a_node_that_is_unlike_the_others() -> None:
    found = [
        *said("gpu-settings", alike("vbios_version", "95.02.18", "95.02.18", "95.02.66", "95.02.18")),
        *said("gpu-settings", alike("memory.total [MiB]", "46068 MiB", "46068 MiB", "46068 MiB", "38060 MiB")),
        *said("gpu-settings", alike("ecc.mode.current", "Disabled", "Enabled", "Enabled", "Enabled")),
        *said("gpu-settings", alike("pcie.link.gen.max", "4", "4", "4", "3")),
    ]
    assert found == snapshot(
        [
            (
                "node-differs",
                "warning",
                "certain",
                "GPU 2: VBIOS other than that of all other GPUs of its node (GPU VBIOS of gpu 2: 95.02.66)",
            ),
            (
                "node-differs",
                "warning",
                "certain",
                "GPU 3: memory other than that of all other GPUs of its node (37.17 GiB)",
            ),
            (
                "node-differs",
                "warning",
                "certain",
                "GPU 0: ECC other than that of all other GPUs of its node (ECC of gpu 0: off)",
            ),
            (
                "pcie-link-degraded",
                "warning",
                "likely",
                "GPU 3: its PCIe link can do 8 GT/s at most, those of its peers 16",
            ),
        ]
    )


def test_a_cap_on_one_gpu_of_a_node() -> None:
    assert said("gpu-settings", alike("power.limit [W]", "350.00 W", "350.00 W", "200.00 W", "350.00 W")) == snapshot(
        [
            (
                "gpu-clocks-throttled",
                "warning",
                "possible",
                "GPU 2: the power limit is 200 W where the others of its node have 350 W",
            )
        ]
    )
    assert findings_of("gpu-settings", alike("power.limit [W]", "350.00 W", "350.00 W", "340.00 W", "350.00 W")) == ()


def test_two_that_differ_three_gpus_and_two_models_are_no_odd_one() -> None:
    for text in (
        alike("vbios_version", "1.1", "1.1", "1.2", "1.2"),
        alike("vbios_version", "1.1", "1.1", "1.2"),
        alike("vbios_version", "1.1", "1.1", "1.1", "1.1"),
        alike("vbios_version", "1.1", "1.1", "1.1", "1.2").replace("3, NVIDIA L40S", "3, NVIDIA T1000"),
        alike("pcie.link.gen.max", "3", "3", "3", "4"),
    ):
        assert findings_of("gpu-settings", text) == ()


UNLIKE = (
    ("compute_mode", "Default", "Prohibited"),
    ("mig.mode.current", "Disabled", "Enabled"),
    ("clocks.max.sm [MHz]", "1980 MHz", "1410 MHz"),
    ("pcie.link.width.max", "16", "8"),
)


@pytest.mark.parametrize(("column", "usual", "odd"), UNLIKE)
def test_one_gpu_of_a_node_is_unlike_the_others(column: str, usual: str, odd: str) -> None:
    def rows(*values: str) -> str:
        return f"index, name, {column}\n" + "".join(
            f"{n}, NVIDIA H100 80GB HBM3, {value}\n" for n, value in enumerate(values)
        )

    (found,) = findings_of("gpu-settings", rows(usual, usual, odd, usual))
    assert found.message.startswith("GPU 2: ")
    assert found.severity == ("error" if odd == "Prohibited" else "warning")
    assert findings_of("gpu-settings", rows(usual, usual, usual, usual)) == ()
    assert findings_of("gpu-settings", rows(usual, odd)) == ()
