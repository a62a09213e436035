from __future__ import annotations

from inline_snapshot import snapshot
from state_proofs import on_nodes
from text_findings import findings_of, remedies_of, said

from nvidia_smi_outputs import node


def test_below_loaded_peers() -> None:
    assert said("gpu-clocks-low", on_nodes(node07=node(sm="1100"))) == snapshot(
        [
            (
                "gpu-clocks-throttled",
                "error",
                "likely",
                "node07 GPU 2: the SM clock under load is 1100 MHz, far below that of the other GPUs",
            )
        ]
    )


def test_an_idle_gpu_may_be_slow() -> None:
    assert findings_of("gpu-clocks-low", node(sm="345", util="0")) == ()


def test_a_little_below_is_usual() -> None:
    assert findings_of("gpu-clocks-low", node(sm="1755")) == ()


def test_it_says_what_to_do() -> None:
    assert remedies_of("gpu-clocks-low", on_nodes(node07=node(sm="1100"))) == snapshot(
        [
            [
                ("See why, under load.", "nvidia-smi -q -d CLOCK,PERFORMANCE,POWER"),
                ("Take locked clocks off.", "nvidia-smi -rgc; nvidia-smi -rac"),
            ]
        ]
    )


HEAD = "| NVIDIA-SMI 550.99.01             Driver Version: 550.99.01      CUDA Version: 12.4     |\n"


def table_of(state: str, percent: str) -> str:
    return HEAD + (
        "|   4  NVIDIA H100 80GB HBM3          On  |   00000000:5D:00.0 Off |                    0 |\n"
        f"| N/A   41C    {state}            91W /  700W   |       4MiB /  81559MiB | {percent:>7}      Default |\n"
    )


def test_a_busy_gpu_that_idles() -> None:
    assert said("gpu-clocks-low", table_of("P8", "98%")) == snapshot(
        [("gpu-clocks-throttled", "warning", "possible", "GPU 4: busy, and in P8, a state for idling")]
    )


def test_states_for_work_idle_gpus_and_cells_without_a_number() -> None:
    for state, percent in (
        ("P0", "100%"),
        ("P2", "100%"),
        ("P8", "3%"),
        ("P8", "N/A"),
        ("N/A", "100%"),
        ("P?", "100%"),
    ):
        assert findings_of("gpu-clocks-low", table_of(state, percent)) == (), (state, percent)


def rows(*watts: int, percent: str = "99%") -> str:
    """A table with a GPU for each power; all busy."""
    return HEAD + "".join(
        f"|   {gpu}  NVIDIA H100 80GB HBM3          On  |   00000000:{0x1A + gpu:02X}:00.0 Off |                    0 |\n"
        f"| N/A   55C    P0            {power:>3}W /  700W |   64801MiB /  81559MiB | {percent:>7}      Default |\n"
        for gpu, power in enumerate(watts)
    )


def test_busy_and_at_a_third_of_the_power() -> None:
    assert said("gpu-clocks-low", rows(612, 598, 190, 605)) == snapshot(
        [("gpu-clocks-throttled", "warning", "possible", "GPU 2: busy, and at 190 W where busy peers draw 605 W")]
    )


def test_power_needs_load_peers_and_a_great_difference() -> None:
    for text in (rows(612, 598, 340, 605), rows(612, 190, 605), rows(612, 598, 190, 605, percent="40%")):
        assert findings_of("gpu-clocks-low", text) == ()
