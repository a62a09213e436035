"""Plain values of GPU state, for the report's facts."""

from __future__ import annotations

from inline_snapshot import snapshot

from nvidia_smi_outputs import OLD_QUERY, PMON, link_errors, link_status, query, query_gpu
from slowlink.facts.assemble import assemble
from slowlink.facts.summary.state.gpus import summarise
from slowlink.inputs import Input
from slowlink.model.state import Part
from slowlink.parsers.reading.read import read
from slowlink.workflows.analyze import analyze


def summary(text: str) -> dict[str, object]:
    state = assemble(read([Input("t", None, [text.encode()])], workers=1)).state
    assert state is not None
    return summarise(state)


def test_a_node() -> None:
    text = query(query_gpu("1A:00.0"), query_gpu("3B:00.0", hw="Active", brake="Active"))
    assert summary(text) == snapshot(
        {
            "gpu_count": [2],
            "gpu_names": ["NVIDIA H100 80GB HBM3"],
            "gpu_bus_ids": ["0000:1a:00.0", "0000:3b:00.0"],
            "driver_versions": ["570.99.01"],
            "cuda_versions": ["12.8"],
            "gpu_temperature_margin_c": [26.0],
            "gpu_clock_sm_max_mhz": [1980.0],
            "gpu_memory_utilisation_percent": [7.0],
            "gpu_persistence": [True],
            "gpu_mig": [False],
            "gpu_ecc": [True],
            "gpu_performance_states": ["P0"],
            "gpu_recovery_actions": ["None"],
            "gpu_gsp_firmware": ["570.99.01"],
            "gpu_fabric_states": ["Completed"],
            "gpu_power_limit_w": [700.0],
            "gpu_utilisation_percent": [100.0],
            "gpu_temperature_c": [61.0],
            "gpu_power_w": [640.25],
            "gpu_clock_sm_mhz": [1980.0],
            "gpu_clock_memory_mhz": [2619.0],
            "gpu_fabric_status": ["Success"],
            "gpu_fabric_health": ["Healthy"],
            "gpu_pcie_replays": [3],
            "gpu_reset_required": [False],
            "gpu_sram_threshold_exceeded": [False],
            "gpu_ecc_volatile_dram_uncorrectable": [0],
            "gpu_remap_pending": [False],
            "gpu_remap_failed": [False],
            "gpu_rows_remapped_correctable": [0],
            "gpu_rows_remapped_uncorrectable": [1],
            "gpu_ecc_dram_uncorrectable": [1],
            "gpus_shown": 2,
            "gpu_indices": ["0", "1"],
            "gpu_memory_mib": [81559],
            "gpu_memory_used_mib": [4],
            "gpu_clock_reasons": ["SW power cap", "HW slowdown", "HW power brake slowdown"],
            "gpu_pcie_gts": [32.0],
            "gpu_pcie_generation": [5],
            "gpu_pcie_gts_max": [32.0],
            "gpu_pcie_generation_max": [5],
            "gpu_pcie_width": [16],
            "gpu_pcie_width_max": [16],
            "gpu_processes": {"4711": "python"},
            "gpu_process_names": ["python"],
            "gpu_process_count": 1,
        }
    )


def test_an_old_node() -> None:
    assert summary(OLD_QUERY) == snapshot(
        {
            "gpu_count": [1],
            "gpu_names": ["Tesla V100-SXM2-32GB"],
            "gpu_bus_ids": ["0000:3b:00.0"],
            "driver_versions": ["450.80.02"],
            "cuda_versions": ["11.0"],
            "gpu_ecc_volatile_correctable": [4],
            "gpu_persistence": [False],
            "gpu_ecc": [True],
            "gpu_power_limit_w": [300.0],
            "gpu_power_w": [45.1],
            "gpu_ecc_volatile_dram_uncorrectable": [1],
            "gpu_retirement_pending": [True],
            "gpu_retired_pages_double_bit": [1],
            "gpu_retired_pages_single_bit": [2],
            "gpu_ecc_volatile_uncorrectable": [1],
            "gpus_shown": 1,
            "gpu_indices": ["0"],
            "gpu_fabric_states": [],
            "gpu_clock_reasons": ["idle", "HW slowdown", "HW thermal slowdown"],
            "gpu_pcie_gts": [2.5],
            "gpu_pcie_generation": [1],
            "gpu_pcie_gts_max": [8.0],
            "gpu_pcie_generation_max": [3],
            "gpu_pcie_width": [8],
            "gpu_pcie_width_max": [16],
        }
    )


def test_links() -> None:
    text = link_status(2, 2, ("1/0",)) + link_errors(gpus=2, links=2)
    assert summary(text) == snapshot(
        {
            "gpu_names": ["NVIDIA H100 80GB HBM3"],
            "nvlink_speed_gbs": [26.562],
            "nvlink_replay_errors": [0],
            "nvlink_recovery_errors": [0],
            "nvlink_crc_errors": [0],
            "gpus_shown": 2,
            "gpu_indices": ["0", "1"],
            "gpu_fabric_states": [],
            "nvlinks_per_gpu": [2],
            "nvlink_numbers": [0, 1],
            "nvlinks_inactive": ["1/0"],
            "nvlinks_inactive_count": 1,
        }
    )


def test_growth_of_traffic_and_of_errors() -> None:
    traffic = "GPU 0: NVIDIA H800 (UUID: GPU-5e1f7a20-1111-2222-3333-000000000001)\n\t Link 0: Data Tx: {} KiB\n"
    text = traffic.format(100) + traffic.format(900) + link_errors(4, 5, replay=1) + link_errors(4, 5, replay=4)
    values = summary(text)
    assert {
        name: values[name] for name in ("nvlink_tx_kib_first", "nvlink_tx_kib_last", "nvlink_errors_grown")
    } == snapshot(
        {
            "nvlink_tx_kib_first": {"0 link 0": 100},
            "nvlink_tx_kib_last": {"0 link 0": 900},
            "nvlink_errors_grown": {"2/4": 3},
        }
    )


def test_processes() -> None:
    assert summary(PMON) == snapshot(
        {"gpu_processes": {"4711": "gpu_burn"}, "gpu_process_names": ["gpu_burn"], "gpu_process_count": 1}
    )


def test_a_link_without_a_number_keeps_its_name() -> None:
    """Records may come from a node that sends anything."""
    assert [Part("nvlink", name).number for name in ("0/17", "0/x", "", "0/\u0665")] == [17, "x", "", "\u0665"]


def test_a_table_that_names_no_gpu_shows_as_many_as_have_a_clock() -> None:
    rows = "".join(f"{gpu}, 1980 MHz, 689.13 W, 61\n" for gpu in range(4))
    ask = "$ nvidia-smi --query-gpu=index,clocks.sm,power.draw,temperature.gpu --format=csv,noheader\n"
    facts = analyze((ask + rows + rows).encode()).facts
    assert (facts["gpus_shown"], facts["gpu_indices"]) == (4, ["0", "1", "2", "3"])
