from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from state_proofs import on_nodes, proofs_of
from text_findings import findings_of, remedies_of, said

from nvidia_smi_outputs import node


def test_heat() -> None:
    assert said("gpu-clocks-throttled", on_nodes(node07=node(hw="Active", thermal="Active"))) == snapshot(
        [("gpu-clocks-throttled", "error", "certain", "node07 GPU 2: hardware slowdown by heat")]
    )


def test_the_power_brake() -> None:
    assert said("gpu-clocks-throttled", node(hw="Active", brake="Active")) == snapshot(
        [("power-brake", "error", "certain", "GPU 2: hardware slowdown by the power brake")]
    )


def test_of_an_idle_gpu_it_is_a_warning() -> None:
    assert said("gpu-clocks-throttled", node(hw="Active", idle="Active")) == snapshot(
        [("gpu-clocks-throttled", "warning", "likely", "GPU 2: hardware slowdown of an idle GPU")]
    )


def test_heat_is_never_normal() -> None:
    text = node(hw="Active", thermal="Active", idle="Active")
    assert [f.severity for f in findings_of("gpu-clocks-throttled", text)] == ["error"]


def test_slowdown_by_software_is_a_warning() -> None:
    assert said("gpu-clocks-throttled", node(sw_thermal="Active")) == snapshot(
        [("gpu-clocks-throttled", "warning", "likely", "GPU 2: clocks are lowered by heat")]
    )


def test_lifetime_counters_say_nothing_and_their_growth_does() -> None:
    assert findings_of("gpu-clocks-throttled", node(hw_us="888")) == ()
    assert said("gpu-clocks-throttled", node(hw_us="888") + node(hw_us="1888")) == snapshot(
        [
            (
                "gpu-clocks-throttled",
                "error",
                "certain",
                "GPU 2: time in hardware slowdown by heat grew between two readings",
            )
        ]
    )


def test_the_power_limit_is_normal() -> None:
    """All GPUs of the fixture are held by it."""
    assert findings_of("gpu-clocks-throttled", node()) == ()
    assert proofs_of("gpu-clocks-throttled", node()) == snapshot(
        [("8 GPUs: no slowdown of clocks by heat or power", 0)]
    )


def test_bits_of_the_query() -> None:
    text = "index, clocks_throttle_reasons.active\n0, 0x0000000000000001\n1, 0x0000000000000088\n"
    assert said("gpu-clocks-throttled", text) == snapshot(
        [("power-brake", "error", "certain", "GPU 1: hardware slowdown by the power brake")]
    )


def test_it_says_what_to_do() -> None:
    assert remedies_of("gpu-clocks-throttled", on_nodes(node07=node(hw="Active", thermal="Active"))) == snapshot(
        [
            [
                ("Read it under load, beside the other GPUs.", "nvidia-smi -q -d PERFORMANCE,TEMPERATURE,POWER,CLOCK"),
                ("Look at fans, inlet temperature and power supplies.", "ipmitool sel list; ipmitool sensor"),
            ]
        ]
    )


@pytest.mark.parametrize(
    ("heat", "margin", "told"),
    [
        (91, 12, []),
        (91, 0, ["gpu07 GPU 3: 91 C, at the temperature where it slows down"]),
        (34, 0, []),  # no tool knows a margin, and prints 0
    ],
)
def test_a_margin_that_is_spent(heat: int, margin: int, told: list[str]) -> None:
    labels = '{gpu="3",UUID="GPU-3",device="nvidia3",modelName="NVIDIA H100 80GB HBM3",Hostname="gpu07"}'
    text = f"DCGM_FI_DEV_GPU_TEMP{labels} {heat}\nDCGM_FI_DEV_GPU_TEMP_LIMIT{labels} {margin}\n"
    assert [line[3] for line in said("gpu-clocks-throttled", text)] == told


def test_a_gpu_that_heat_slowed_for_long_and_its_peers_not() -> None:
    def log(*times: int) -> str:
        return "==============NVSMI LOG==============\n" + "".join(
            f"GPU 00000000:{number}A:00.0\n    Clocks Event Reasons Counters\n        HW Thermal Slowdown               : "
            f"{time} us\n"
            for number, time in enumerate(times, 1)
        )

    (found,) = findings_of("gpu-clocks-throttled", log(0, 0, 912_345_678, 0))
    assert (found.severity, found.confidence) == ("warning", "possible")
    assert findings_of("gpu-clocks-throttled", log(0, 0, 4_000_000, 0)) == ()
    assert findings_of("gpu-clocks-throttled", log(*[912_345_678] * 4)) == ()
