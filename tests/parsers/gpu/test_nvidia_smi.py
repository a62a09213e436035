"""nvidia-smi in all its forms."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st
from inline_snapshot import snapshot

from nvidia_smi_outputs import (
    CSV,
    DMON,
    MIG_TABLE,
    OLD_QUERY,
    OLD_TABLE,
    PMON,
    TABLE,
    XML,
    link_errors,
    link_status,
    node,
    query,
    query_gpu,
)
from slowlink.facts.assemble import assemble
from slowlink.inputs import Input
from slowlink.model.source import Line
from slowlink.model.state import Reading
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.gpu.nvidia_smi import NvidiaSmi
from slowlink.parsers.reading.read import read

Told = list[tuple[str, str, object]]


def readings(text: str) -> list[Reading]:
    return list(read([Input("t", None, [text.encode()])], workers=1).readings)


def told(text: str, *attributes: str) -> Told:
    """(part, attribute, value), of some attributes or of all."""
    return [
        (f"{r.part.kind} {r.part.name}".strip(), r.attribute, r.value)
        for r in readings(text)
        if not attributes or r.attribute in attributes
    ]


def unread(text: str) -> int:
    (source,) = read([Input("t", None, [text.encode()])], workers=1).sources
    assert source.used + source.ignored + source.unread == source.lines
    return source.unread


def test_a_whole_query() -> None:
    assert told(query(query_gpu("3B:00.0", pending="Yes", width="8x"))) == snapshot(
        [
            ("node", "driver-version", "570.99.01"),
            ("node", "cuda-version", "12.8"),
            ("node", "gpu-count", 1),
            ("gpu 0", "gpu-bus-id", "0000:3b:00.0"),
            ("gpu 0", "gpu-name", "NVIDIA H100 80GB HBM3"),
            ("gpu 0", "gpu-persistence", True),
            ("gpu 0", "gpu-mig", False),
            ("gpu 0", "gpu-uuid", "GPU-5e1f7a20-1111-2222-3333-000000000059"),
            ("gpu 0", "gpu-reset-required", False),
            ("gpu 0", "gpu-recovery-action", "None"),
            ("gpu 0", "gpu-gsp-firmware", "570.99.01"),
            ("gpu 0", "pcie-speed-max", 32.0),
            ("gpu 0", "pcie-speed", 32.0),
            ("gpu 0", "pcie-speed-device", 32.0),
            ("gpu 0", "pcie-speed-host", 32.0),
            ("gpu 0", "pcie-width-max", 16),
            ("gpu 0", "pcie-width", 8),
            ("gpu 0", "gpu-pcie-replays", 3),
            ("gpu 0", "gpu-pstate", "P0"),
            ("gpu 0", "gpu-clocks-idle", False),
            ("gpu 0", "gpu-clocks-application-setting", False),
            ("gpu 0", "gpu-clocks-power-cap", True),
            ("gpu 0", "gpu-clocks-hw-slowdown", False),
            ("gpu 0", "gpu-clocks-hw-thermal", False),
            ("gpu 0", "gpu-clocks-power-brake", False),
            ("gpu 0", "gpu-clocks-sync-boost", False),
            ("gpu 0", "gpu-clocks-sw-thermal", False),
            ("gpu 0", "gpu-time-power-cap", 123456),
            ("gpu 0", "gpu-time-sync-boost", 0),
            ("gpu 0", "gpu-time-sw-thermal", 777),
            ("gpu 0", "gpu-time-hw-thermal", 0),
            ("gpu 0", "gpu-time-power-brake", 0),
            ("gpu 0", "gpu-memory-total", 85520809984),
            ("gpu 0", "gpu-memory-used", 4194304),
            ("gpu 0", "gpu-utilisation", 100.0),
            ("gpu 0", "gpu-memory-utilisation", 7.0),
            ("gpu 0", "gpu-ecc", True),
            ("gpu 0", "gpu-ecc-pending", True),
            ("gpu 0", "gpu-ecc-volatile-sram-correctable", 0),
            ("gpu 0", "gpu-ecc-volatile-sram-parity", 0),
            ("gpu 0", "gpu-ecc-volatile-sram-secded", 0),
            ("gpu 0", "gpu-ecc-volatile-dram-correctable", 2),
            ("gpu 0", "gpu-ecc-volatile-dram-uncorrectable", 0),
            ("gpu 0", "gpu-ecc-aggregate-dram-uncorrectable", 1),
            ("gpu 0", "gpu-sram-threshold-exceeded", False),
            ("gpu 0", "gpu-rows-remapped-correctable", 0),
            ("gpu 0", "gpu-rows-remapped-uncorrectable", 1),
            ("gpu 0", "gpu-remap-pending", True),
            ("gpu 0", "gpu-remap-failed", False),
            ("gpu 0", "gpu-remap-banks-exhausted", 0),
            ("gpu 0", "gpu-temperature", 61.0),
            ("gpu 0", "gpu-temperature-margin", 26.0),
            ("gpu 0", "gpu-power-average", 611.1),
            ("gpu 0", "gpu-power", 640.25),
            ("gpu 0", "gpu-power-limit", 700.0),
            ("gpu 0", "gpu-clock-sm", 1980.0),
            ("gpu 0", "gpu-clock-memory", 2619.0),
            ("gpu 0", "gpu-clock-sm-max", 1980.0),
            ("gpu 0", "gpu-fabric-state", "Completed"),
            ("gpu 0", "gpu-fabric-status", "Success"),
            ("gpu 0", "gpu-fabric-clique", "0"),
            ("gpu 0", "gpu-fabric-health", "Healthy"),
            ("gpu 0", "gpu-fabric-bandwidth", "Full"),
            ("process 4711", "process-gpu", "0"),
            ("process 4711", "process-name", "python"),
            ("process 4711", "process-gpu-memory", 2147483648),
        ]
    )


def test_an_old_query() -> None:
    assert told(OLD_QUERY) == snapshot(
        [
            ("node", "driver-version", "450.80.02"),
            ("node", "cuda-version", "11.0"),
            ("node", "gpu-count", 1),
            ("gpu 0", "gpu-bus-id", "0000:3b:00.0"),
            ("gpu 0", "gpu-name", "Tesla V100-SXM2-32GB"),
            ("gpu 0", "gpu-persistence", False),
            ("gpu 0", "pcie-speed-max", 8.0),
            ("gpu 0", "pcie-speed", 2.5),
            ("gpu 0", "pcie-width-max", 16),
            ("gpu 0", "pcie-width", 8),
            ("gpu 0", "gpu-clocks-idle", True),
            ("gpu 0", "gpu-clocks-hw-slowdown", True),
            ("gpu 0", "gpu-clocks-hw-thermal", True),
            ("gpu 0", "gpu-clocks-power-brake", False),
            ("gpu 0", "gpu-ecc", True),
            ("gpu 0", "gpu-ecc-volatile-dram-correctable", 4),
            ("gpu 0", "gpu-ecc-volatile-correctable", 4),
            ("gpu 0", "gpu-ecc-volatile-dram-uncorrectable", 1),
            ("gpu 0", "gpu-ecc-volatile-uncorrectable", 1),
            ("gpu 0", "gpu-retired-pages-single-bit", 2),
            ("gpu 0", "gpu-retired-pages-double-bit", 1),
            ("gpu 0", "gpu-retirement-pending", True),
            ("gpu 0", "gpu-power", 45.1),
            ("gpu 0", "gpu-power-limit", 300.0),
        ]
    )


def test_a_document() -> None:
    assert told(XML) == snapshot(
        [
            ("node", "driver-version", "550.1.2"),
            ("node", "cuda-version", "12.4"),
            ("node", "gpu-count", 1),
            ("gpu 0", "gpu-bus-id", "0000:3b:00.0"),
            ("gpu 0", "gpu-name", "NVIDIA A100-SXM4-80GB"),
            ("gpu 0", "gpu-persistence", True),
            ("gpu 0", "pcie-speed-max", 16.0),
            ("gpu 0", "pcie-speed", 16.0),
            ("gpu 0", "pcie-width", 8),
            ("gpu 0", "gpu-clocks-hw-slowdown", False),
            ("gpu 0", "gpu-memory-used", 52428800),
            ("gpu 0", "gpu-ecc-volatile-dram-uncorrectable", 0),
            ("gpu 0", "gpu-ecc-aggregate-dram-uncorrectable", 2),
            ("gpu 0", "gpu-remap-pending", False),
            ("process 815", "process-gpu", "0"),
            ("process 815", "process-name", "a&b"),
            ("process 815", "process-gpu-memory", 429916160),
        ]
    )


def test_a_document_indented_otherwise() -> None:
    flat = XML.replace("\t", "").replace("\n", "")
    spread = XML.replace("<product_name>", "<product_name>\n   ").replace("</product_name>", "\n  </product_name>")
    assert told(flat) == told(XML) == told(spread)


def test_a_table() -> None:
    assert told(TABLE) == snapshot(
        [
            ("node", "driver-version", "535.1.2"),
            ("node", "cuda-version", "12.2"),
            ("gpu 0", "gpu-name", "NVIDIA A100-SXM4-80GB"),
            ("gpu 0", "gpu-bus-id", "0000:3b:00.0"),
            ("gpu 0", "gpu-persistence", True),
            ("gpu 0", "gpu-ecc-volatile-uncorrectable", 0),
            ("gpu 0", "gpu-temperature", 31.0),
            ("gpu 0", "gpu-pstate", "P0"),
            ("gpu 0", "gpu-power", 62.0),
            ("gpu 0", "gpu-power-limit", 400.0),
            ("gpu 0", "gpu-memory-used", 4194304),
            ("gpu 0", "gpu-memory-total", 85899345920),
            ("gpu 0", "gpu-utilisation", 23.0),
            ("gpu 0", "gpu-compute-mode", "Default"),
            ("gpu 0", "gpu-mig", False),
            ("gpu 1", "gpu-name", "NVIDIA A100-SXM4-80GB"),
            ("gpu 1", "gpu-bus-id", "0000:5e:00.0"),
            ("gpu 1", "gpu-persistence", False),
            ("gpu 1", "gpu-ecc-volatile-uncorrectable", 2),
            ("gpu 1", "gpu-pstate", "P0"),
            ("gpu 1", "gpu-power-limit", 400.0),
            ("gpu 1", "gpu-memory-used", 4194304),
            ("gpu 1", "gpu-memory-total", 85899345920),
            ("gpu 1", "gpu-compute-mode", "Default"),
            ("gpu 1", "gpu-sensors-failed", "temperature"),
            ("gpu 1", "gpu-mig", False),
            ("node", "gpu-count", 2),
            ("process 4711", "process-gpu", "1"),
            ("process 4711", "process-name", "python"),
            ("process 4711", "process-gpu-memory", 2690646016),
        ]
    )


def test_an_old_table() -> None:
    assert told(OLD_TABLE) == snapshot(
        [
            ("node", "driver-version", "418.67"),
            ("node", "cuda-version", "10.1"),
            ("gpu 0", "gpu-name-cut", "Tesla V100-SXM2"),
            ("gpu 0", "gpu-bus-id", "0000:00:1e.0"),
            ("gpu 0", "gpu-persistence", True),
            ("gpu 0", "gpu-ecc-volatile-uncorrectable", 0),
            ("gpu 0", "gpu-temperature", 45.0),
            ("gpu 0", "gpu-pstate", "P0"),
            ("gpu 0", "gpu-power", 38.0),
            ("gpu 0", "gpu-power-limit", 300.0),
            ("gpu 0", "gpu-memory-used", 11534336000),
            ("gpu 0", "gpu-memory-total", 16913530880),
            ("gpu 0", "gpu-utilisation", 0.0),
            ("gpu 0", "gpu-compute-mode", "Default"),
            ("node", "gpu-count", 1),
            ("process 4711", "process-gpu", "0"),
            ("process 4711", "process-name", "app"),
            ("process 4711", "process-gpu-memory", 11522801664),
        ]
    )


def test_a_table_with_slices() -> None:
    assert told(MIG_TABLE) == snapshot(
        [
            ("node", "driver-version", "515.1.2"),
            ("node", "cuda-version", "11.7"),
            ("gpu 0", "gpu-name-cut", "NVIDIA A100-SXM"),
            ("gpu 0", "gpu-bus-id", "0000:07:00.0"),
            ("gpu 0", "gpu-persistence", True),
            ("gpu 0", "gpu-temperature", 29.0),
            ("gpu 0", "gpu-pstate", "P0"),
            ("gpu 0", "gpu-power", 64.0),
            ("gpu 0", "gpu-power-limit", 400.0),
            ("gpu 0", "gpu-memory-used", 1073741824),
            ("gpu 0", "gpu-memory-total", 42949672960),
            ("gpu 0", "gpu-compute-mode", "Default"),
            ("gpu 0", "gpu-mig", True),
            ("gpu 1", "gpu-name-cut", "NVIDIA A100-SXM"),
            ("gpu 1", "gpu-bus-id", "0000:1b:00.0"),
            ("gpu 1", "gpu-persistence", True),
            ("gpu 1", "gpu-ecc-volatile-uncorrectable", 0),
            ("gpu 1", "gpu-temperature", 29.0),
            ("gpu 1", "gpu-pstate", "P0"),
            ("gpu 1", "gpu-power", 64.0),
            ("gpu 1", "gpu-power-limit", 400.0),
            ("gpu 1", "gpu-memory-used", 3145728),
            ("gpu 1", "gpu-memory-total", 42949672960),
            ("gpu 1", "gpu-utilisation", 0.0),
            ("gpu 1", "gpu-compute-mode", "E. Process"),
            ("gpu 1", "gpu-mig", False),
            ("node", "gpu-count", 2),
            ("process 4711", "process-gpu", "0"),
            ("process 4711", "process-name", "python"),
            ("process 4711", "process-gpu-memory", 3492806656),
            ("process 4712", "process-gpu", "1"),
            ("process 4712", "process-name", "render"),
        ]
    )
    assert unread(MIG_TABLE) == 0


def test_separated_values() -> None:
    assert told(
        CSV, "gpu-name", "gpu-memory-used", "gpu-clocks-hw-slowdown", "gpu-clocks-hw-thermal", "gpu-power"
    ) == snapshot(
        [
            ("gpu 0", "gpu-name", "NVIDIA H100 80GB HBM3"),
            ("gpu 0", "gpu-memory-used", 12582912),
            ("gpu 0", "gpu-clocks-hw-slowdown", False),
            ("gpu 0", "gpu-clocks-hw-thermal", False),
            ("gpu 1", "gpu-name", "NVIDIA H100 80GB HBM3"),
            ("gpu 1", "gpu-memory-used", 14680064),
            ("gpu 1", "gpu-clocks-hw-slowdown", True),
            ("gpu 1", "gpu-clocks-hw-thermal", True),
            ("gpu 1", "gpu-power", 650.1),
        ]
    )


def test_values_without_a_header_need_the_command() -> None:
    rows = "Enabled, 45\nDisabled, 46\n"
    assert told(rows) == []
    command = "$ nvidia-smi --query-gpu=persistence_mode,temperature.gpu --format=csv,noheader,nounits\n"
    assert told(command + rows, "gpu-persistence") == snapshot(
        [("gpu ?", "gpu-persistence", True), ("gpu ?2", "gpu-persistence", False)]
    )


def test_one_column_is_a_table_behind_its_command() -> None:
    assert told("name\nNVIDIA L4\n") == []
    command = "# nvidia-smi --query-gpu=name --format=csv\n"
    assert told(f"{command}name\nNVIDIA L4\n") == snapshot([("gpu ?", "gpu-name", "NVIDIA L4")])


def test_units_of_columns() -> None:
    text = "pci.bus_id, memory.used [MiB]\n00000000:1A:00.0, 12\n"
    assert told(text, "gpu-memory-used") == [("gpu 0000:1a:00.0", "gpu-memory-used", 12 << 20)]


def test_processes_of_a_query() -> None:
    text = (
        "gpu_bus_id, pid, process_name, used_gpu_memory [MiB]\n"
        "00000000:1A:00.0, 4711, /opt/bin/python --password=secret, 128 MiB\n"
    )
    assert told(text) == snapshot(
        [
            ("process 4711", "process-gpu", "0000:1a:00.0"),
            ("process 4711", "process-name", "python"),
            ("process 4711", "process-gpu-memory", 134217728),
        ]
    )


def test_samples_of_processes() -> None:
    assert told(PMON) == snapshot(
        [
            ("process 4711", "process-gpu", "0"),
            ("process 4711", "process-name", "gpu_burn"),
            ("process 4711", "process-gpu-utilisation", 99.0),
        ]
    )


def test_samples_of_devices() -> None:
    assert told(DMON, "gpu-utilisation", "gpu-memory-temperature", "gpu-clock-sm") == snapshot(
        [
            ("gpu 0", "gpu-utilisation", 100.0),
            ("gpu 0", "gpu-clock-sm", 1980.0),
            ("gpu 1", "gpu-utilisation", 0.0),
            ("gpu 1", "gpu-clock-sm", 345.0),
        ]
    )


def test_links() -> None:
    assert told(link_status(gpus=1, links=2, inactive=("0/1",))) == snapshot(
        [
            ("gpu 0", "gpu-name", "NVIDIA H100 80GB HBM3"),
            ("gpu 0", "gpu-uuid", "GPU-5e1f7a20-1111-2222-3333-000000000000"),
            ("nvlink 0/0", "nvlink-active", True),
            ("nvlink 0/0", "nvlink-speed", 26.562),
            ("nvlink 0/1", "nvlink-active", False),
        ]
    )
    assert told(link_errors(gpus=1, links=1, replay=0)) == snapshot(
        [
            ("gpu 0", "gpu-name", "NVIDIA H100 80GB HBM3"),
            ("gpu 0", "gpu-uuid", "GPU-5e1f7a20-1111-2222-3333-000000000000"),
            ("nvlink 0/0", "nvlink-replay-errors", 0),
            ("nvlink 0/0", "nvlink-recovery-errors", 0),
            ("nvlink 0/0", "nvlink-crc-errors", 0),
        ]
    )


def test_more_of_links() -> None:
    text = (
        "GPU 0: NVIDIA B200 (UUID: GPU-5e1f7a20-1111-2222-3333-000000000001)\n"
        "\t Link 0: Data Tx: 100 KiB\n"
        "\t Link 0: Raw Rx: 200 KiB\n"
        "\t Link 0: Remote Device 00000000:C1:00.0: Link 3\n"
        "\t Link 0, P2P is supported: true\n"
        "\t Link 0, P2P atomics supported: true\n"
        "\t Link 0: Tx packets: 4711\n"
        "\t Link 0: Local link integrity Errors: 5\n"
        "\t Link 0: Effective BER: 15e-255\n"
        "\t Link 0: Symbol Errors: 2\n"
    )
    assert told(text) == snapshot(
        [
            ("gpu 0", "gpu-name", "NVIDIA B200"),
            ("gpu 0", "gpu-uuid", "GPU-5e1f7a20-1111-2222-3333-000000000001"),
            ("nvlink 0/0", "nvlink-tx-bytes", 102400),
            ("nvlink 0/0", "nvlink-raw-rx-bytes", 204800),
            ("nvlink 0/0", "nvlink-remote", "0000:c1:00.0 link 3"),
            ("nvlink 0/0", "nvlink-p2p", True),
            ("nvlink 0/0", "nvlink-integrity-errors", 5),
            ("nvlink 0/0", "nvlink-effective-ber", 1.5e-254),
            ("nvlink 0/0", "nvlink-symbol-errors", 2),
        ]
    )


def test_all_links_of_a_gpu_inactive() -> None:
    text = (
        "GPU 0: NVIDIA H200 (UUID: GPU-5e1f7a20-1111-2222-3333-000000000001)\n"
        "NVML: Unable to retrieve NVLink information as all links are inActive\n"
    )
    assert told(text, "gpu-nvlinks-inactive") == [("gpu 0", "gpu-nvlinks-inactive", True)]


def test_links_that_grep_left_alone() -> None:
    text = "\t Link 3: <inactive>\n\t Link 7: <inactive>\n\t Link 3: <inactive>\n"
    assert told(text) == snapshot(
        [
            ("nvlink ?/3", "nvlink-active", False),
            ("nvlink ?/7", "nvlink-active", False),
            ("nvlink ?2/3", "nvlink-active", False),
        ]
    )


def test_gpus_get_their_index_when_all_are_there() -> None:
    whole = query(query_gpu("1A:00.0"), query_gpu("3B:00.0"))
    part = query(query_gpu("1A:00.0"), query_gpu("3B:00.0"), attached=8)
    assert [part for part, _, _ in told(whole, "gpu-name")] == ["gpu 0", "gpu 1"]
    assert [part for part, _, _ in told(part, "gpu-name")] == ["gpu 0000:1a:00.0", "gpu 0000:3b:00.0"]


def test_a_second_look_is_read_again() -> None:
    text = node(util="0") + node(util="93")
    assert [v for p, _, v in told(text, "gpu-utilisation") if p == "gpu 2"] == [0.0, 93.0]


def test_a_section_that_grep_left_alone() -> None:
    section = "    Remapped Rows\n        Correctable Error                 : 0\n        Pending                           : Yes\n"
    assert told(section + "--\n" + section) == snapshot(
        [
            ("gpu ?", "gpu-rows-remapped-correctable", 0),
            ("gpu ?", "gpu-remap-pending", True),
            ("gpu ?2", "gpu-rows-remapped-correctable", 0),
            ("gpu ?2", "gpu-remap-pending", True),
        ]
    )


def test_lines_that_grep_left_alone() -> None:
    line = "    Persistence Mode                      : Enabled\n"
    assert told(line * 2) == snapshot([("gpu ?", "gpu-persistence", True), ("gpu ?2", "gpu-persistence", True)])
    assert told("Driver Version                            : 550.1.2\n") == [("node", "driver-version", "550.1.2")]


def test_an_elided_block_keeps_its_gpu() -> None:
    text = query(
        "GPU 00000000:3B:00.0\n    Product Name                          : NVIDIA L4\n    [...]\n"
        "    Remapped Rows\n        Pending                           : No\n[...]\n",
        attached=8,
    )
    assert told(text, "gpu-remap-pending") == [("gpu 0000:3b:00.0", "gpu-remap-pending", False)]
    assert unread(text) == 0


def test_manuals_are_no_state() -> None:
    manual = (
        '"clocks_event_reasons.hw_slowdown" or "clocks_throttle_reasons.hw_slowdown"\n'
        "HW Slowdown (reducing the core clocks by a factor of 2 or more) is engaged. This is an indicator of:\n"
        "    HW Slowdown                           : Active when the GPU is too hot\n"
        "    -pm,  --persistence-mode=   Set persistence mode: 0/DISABLED, 1/ENABLED\n"
        '"persistence_mode"\n'
        "A flag that indicates whether persistence mode is enabled for the GPU.\n"
    )
    assert told(manual) == []


def test_secrets_in_arguments_are_not_kept() -> None:
    text = query(query_gpu("3B:00.0")) + XML
    assert [v for _, _, v in told(text, "process-name")] == ["python", "a&b"]


def test_nothing_is_left_unread() -> None:
    for text in (node(), OLD_QUERY, XML, TABLE, OLD_TABLE, CSV, PMON, DMON, link_status(), link_errors()):
        assert unread(text) == 0


def test_versions() -> None:
    text = (
        "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.1.2  Release Build  (builder@host)\n"
        "GCC version:  gcc version 12.2.0\n"
        "DRIVER version      : 570.1.2\n"
        "installed nvidia kernel module: 575.3.4\n"
    )
    assert told(text) == snapshot(
        [
            ("node", "gpu-driver-open", True),
            ("node", "driver-version", "570.1.2"),
            ("node", "driver-version", "570.1.2"),
            ("node", "driver-installed", "575.3.4"),
        ]
    )


ALL = (query(query_gpu("1A:00.0"), query_gpu("3B:00.0")), XML, TABLE, OLD_TABLE, CSV, PMON, DMON, link_status(2, 3))


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(ALL), st.integers(0, 250))
def test_a_cut_output_invents_nothing(text: str, lines: int) -> None:
    whole = {(a, v) for _, a, v in told(text) if a != "process-gpu"}
    cut = "\n".join(text.splitlines()[:lines])
    assert {(a, v) for _, a, v in told(cut) if a != "process-gpu"} <= whole


def test_the_scan_may_ask_once_for_each_shape() -> None:
    lines = {line for text in (*ALL, MIG_TABLE, OLD_QUERY, node(), link_errors()) for line in text.splitlines()}
    differ = [line for line in lines if NvidiaSmi.wants(line) != NvidiaSmi.wants(re.sub(r"\d", "0", line))]
    assert differ == []


LINES = st.sampled_from([line for text in ALL for line in text.splitlines()])


@settings(max_examples=60, deadline=None)
@given(st.lists(LINES | st.text(max_size=60), max_size=30))
def test_any_text_gives_a_result(lines: list[str]) -> None:
    text = "\n".join(lines)
    (source,) = read([Input("t", None, [text.encode("utf-8", "replace")])], workers=1).sources
    assert source.used + source.ignored + source.unread == source.lines


def test_a_gpu_named_by_uuid_gets_its_number() -> None:
    text = (
        "GPU 3: NVIDIA L4 (UUID: GPU-5e1f7a20-1111-2222-3333-000000000003)\n"
        "gpu_uuid, remapped_rows.pending\n"
        "GPU-5e1f7a20-1111-2222-3333-000000000003, Yes\n"
    )
    state = assemble(read([Input("t", None, [text.encode()])], workers=1)).state
    assert state is not None
    assert [r.part.name for r in state.readings["gpu-remap-pending"].all] == ["3"]


def test_remapped_rows_are_answered_by_number() -> None:
    text = (
        "gpu_bus_id, remapped_rows.uncorrectable, remapped_rows.pending, remapped_rows.failure\n"
        "00000000:3B:00.0, 2, 1, 0\n"
    )
    assert told(text, "gpu-remap-pending", "gpu-remap-failed") == snapshot(
        [("gpu 0000:3b:00.0", "gpu-remap-pending", True), ("gpu 0000:3b:00.0", "gpu-remap-failed", False)]
    )


def test_samples_without_their_gpu_are_known() -> None:
    text = (
        "    GPU Utilization Samples\n"
        "        Number of Samples                 : 99\n"
        "        Max                               : 100 %\n"
        "    Supported Clocks\n"
        "        Memory                            : 1593 MHz\n"
        "            Graphics                      : 1410 MHz\n"
    )
    assert (told(text), unread(text)) == ([], 0)


def test_torn_lines_give_no_values() -> None:
    """A missing heading, a width that no link has, a unit that is none, a share above one."""
    ecc = "GPU 00000000:3B:00.0\n    ECC Errors\n        Volatile\n            DRAM Uncorrectable : 0\n"
    assert told(ecc + "            DRAM Uncorrectable : 7\n", "gpu-ecc-volatile-dram-uncorrectable") == snapshot(
        [("gpu 0000:3b:00.0", "gpu-ecc-volatile-dram-uncorrectable", 0)]
    )
    later = (
        ecc.replace("DRAM Uncorrectable", "SRAM Correctable")
        + "            SRAM Correctable : 4\n            DRAM Uncorrectable : 7\n"
    )
    assert told(later, "gpu-ecc-volatile-dram-uncorrectable") == []
    assert told("index, pcie.link.width.current\n0, 6\n", "pcie-width") == []
    assert told("GPU 00000000:3B:00.0\n    FB Memory Usage\n        Used : 3 iB\n", "gpu-memory-used") == []
    gpu = "GPU 0: NVIDIA B200 (UUID: GPU-5e1f7a20-1111-2222-3333-000000000059)\n"
    assert told(gpu + "\t Link 0: Effective BER: 15e255\n", "nvlink-effective-ber") == []


def test_sizes_in_gigabytes() -> None:
    text = "GPU 00000000:3B:00.0\n    FB Memory Usage\n        Total : 80 GB\n"
    assert told(text, "gpu-memory-total") == snapshot([("gpu 0000:3b:00.0", "gpu-memory-total", 85899345920)])


def test_reasons_of_clocks_that_a_search_left_without_their_heading() -> None:
    text = """\
        HW Slowdown                       : Active
            HW Thermal Slowdown           : Not Active
            HW Power Brake Slowdown       : Active
"""
    assert told(text) == snapshot(
        [
            ("gpu ?", "gpu-clocks-hw-slowdown", True),
            ("gpu ?", "gpu-clocks-hw-thermal", False),
            ("gpu ?", "gpu-clocks-power-brake", True),
        ]
    )
    assert told("            HW Thermal Slowdown           : 120 us\n") == []  # its counter, below another heading


def test_the_answer_of_the_next_command_is_no_row() -> None:
    """``nvidia-smi --query-gpu=count ...; cat ...`` sent at once: what comes behind the number is another answer."""
    lines = (
        "$ nvidia-smi --query-gpu=count --format=csv,noheader | head -1; uname -r; cat /proc/sys/kernel/numa_balancing",
        "8",
        "5.15.0-139-generic",
        "0",
    )
    parser = NvidiaSmi()
    uses = [parser.feed(Line("a", number, line)) for number, line in enumerate(lines, 1)]
    assert [reading.value for reading in parser.finish() if reading.attribute == "gpu-count"] == [8]
    assert uses[2:] == [Use.NOT_MINE, Use.NOT_MINE]
