"""Tables of amd-smi and rocm-smi: the default view, CSV, RAS blocks, xGMI links."""

from __future__ import annotations

from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.inputs import Input
from slowlink.parsers.gpu.amd_smi import AmdSmi
from slowlink.parsers.gpu.amd_smi_csv import AmdSmiCsv
from slowlink.parsers.gpu.amd_smi_monitor import AmdSmiMonitor
from slowlink.parsers.gpu.amd_smi_table import AmdSmiTable
from slowlink.parsers.gpu.rocm_ras import RocmRas
from slowlink.parsers.reading.read import read

VIEW = """\
+------------------------------------------------------------------------------+
| AMD-SMI 26.1.0+5df6c765  amdgpu version: 6.16.6   ROCm version: 7.1.0        |
| VBIOS version: 113-X-001                                                     |
| Platform: Linux Baremetal                                                    |
|-------------------------------------+----------------------------------------|
| BDF                        GPU-Name | Mem-Uti   Temp   UEC       Power-Usage |
| GPU  HIP-ID  OAM-ID  Partition-Mode | GFX-Uti    Fan               Mem-Usage |
|=====================================+========================================|
| 0000:43:00.0    AMD Instinct MI325X | 3 %      51 °C   2        612/1000 W  |
|   4       4       4        SPX/NPS1 | 97 %       N/A         20011/262128 MB |
|-------------------------------------+----------------------------------------|
| 0000:63:00.0                    N/A | N/A        N/A   N/A          N/A/N/A  |
|   5       5       5             N/A | N/A        N/A             285/262128 MB |
+-------------------------------------+----------------------------------------+
| Processes:                                                                   |
|  GPU        PID  Process Name          GTT_MEM  VRAM_MEM  MEM_USAGE     CU % |
|==============================================================================|
|    4       4711  python3               2.0 MB   19.5 GB    19.6 GB       N/A |
+------------------------------------------------------------------------------+
"""
CSV = """\
gpu,gfx_activity,umc_activity,mm_activity,socket_power,total_correctable_count,total_uncorrectable_count
0,3,0,N/A,140,7,0
1,N/A,N/A,N/A,N/A,0,2
2,3
"""
RAS = """\
GPU[2]\t\t: \tRAS INFO
         Block       Status       Correctable Error       Uncorrectable Error
           UMC      ENABLED                       5                         1
          SDMA      ENABLED                       0                         2
     XGMI_WAFL      ENABLED                       0                         0
"""
LINKS = """\
LINK METRIC TABLE:
       bdf          bit_rate  max_bandwidth  link_type  0000:43:00.0  0000:63:00.0
GPU0   0000:43:00.0 32 Gb/s   512 Gb/s       XGMI
 Read                                                   N/A           1.2 GB
XGMI LINK STATUS:
       bdf                 link_status
GPU0   0000:43:00.0        SELF U D X
"""


def told(parser: type, text: str) -> list[tuple[str, str, object]]:
    return [(f"{r.part.kind} {r.part.name}".strip(), r.attribute, r.value) for r in feed(parser, text.splitlines())]


def test_the_default_view() -> None:
    assert told(AmdSmiTable, VIEW) == snapshot(
        [
            ("node", "amd-smi-version", "26.1.0+5df6c765"),
            ("node", "driver-version", "6.16.6"),
            ("node", "rocm-version", "7.1.0"),
            ("gpu 4", "gpu-bus-id", "0000:43:00.0"),
            ("gpu 4", "gpu-name", "AMD Instinct MI325X"),
            ("gpu 4", "gpu-memory-utilisation", 3.0),
            ("gpu 4", "gpu-temperature", 51.0),
            ("gpu 4", "gpu-ecc-volatile-uncorrectable", 2),
            ("gpu 4", "gpu-power", 612.0),
            ("gpu 4", "gpu-power-limit", 1000.0),
            ("gpu 4", "gpu-partition", "SPX/NPS1"),
            ("gpu 4", "gpu-utilisation", 97.0),
            ("gpu 4", "gpu-memory-used", 20983054336),
            ("gpu 4", "gpu-memory-total", 274861129728),
            ("gpu 5", "gpu-bus-id", "0000:63:00.0"),
            ("gpu 5", "gpu-partition", "N/A"),
            ("gpu 5", "gpu-memory-used", 298844160),
            ("gpu 5", "gpu-memory-total", 274861129728),
            ("process 4711", "process-gpu", "4"),
            ("process 4711", "process-name", "python3"),
            ("process 4711", "process-gpu-memory", 21045339750),
        ]
    )


def test_nothing_of_it_stays_unread() -> None:
    for text in (VIEW, RAS, LINKS):
        (source,) = read([Input("t", None, [text.encode()])], workers=1).sources
        assert (source.unread, source.used + source.ignored) == (0, source.lines)


def test_csv_and_a_row_that_is_cut() -> None:
    assert told(AmdSmiCsv, CSV) == snapshot(
        [
            ("gpu 0", "gpu-utilisation", 3.0),
            ("gpu 0", "gpu-memory-utilisation", 0.0),
            ("gpu 0", "gpu-ecc-volatile-correctable", 7),
            ("gpu 0", "gpu-ecc-volatile-uncorrectable", 0),
            ("gpu 1", "gpu-ecc-volatile-correctable", 0),
            ("gpu 1", "gpu-ecc-volatile-uncorrectable", 2),
        ]
    )
    assert told(AmdSmiCsv, "gpu,name,users\n0,x,3\n") == []


def test_blocks_are_added_up() -> None:
    assert told(RocmRas, RAS) == snapshot(
        [
            ("gpu 2", "xgmi-errors", 0),
            ("gpu 2", "gpu-ecc-volatile-correctable", 5),
            ("gpu 2", "gpu-ecc-volatile-uncorrectable", 3),
        ]
    )


def test_rates_and_states_of_links() -> None:
    assert told(AmdSmi, LINKS) == snapshot(
        [
            ("gpu 0", "xgmi-lane-rate", 32.0),
            ("gpu 0", "xgmi-link-rate", 512.0),
            ("nvlink 0/1", "xgmi-link", True),
            ("nvlink 0/2", "xgmi-link", False),
        ]
    )


@given(
    st.lists(st.sampled_from((VIEW + CSV + RAS + LINKS).splitlines()) | st.text(max_size=60), max_size=25),
    st.integers(0, 90),
)
def test_any_text(lines: list[str], cut: int) -> None:
    text = "\n".join([*lines, *(line[:cut] for line in lines)])
    (source,) = read([Input("t", None, [text.encode()])], workers=1).sources
    assert source.used + source.ignored + source.unread == source.lines


MONITOR = """\
GPU  XCP  POWER   GPU_T   MEM_T   GFX_CLK   GFX%   MEM%   ENC%      VRAM_USAGE
  3    0  641 W   72 °C   66 °C  2088 MHz  100 %   31 %    N/A  180.1/192.0 GB
  4    0  141 W     N/A   36 °C   132 MHz    0 %
"""


def test_the_monitor() -> None:
    assert told(AmdSmiMonitor, MONITOR) == snapshot(
        [
            ("gpu 3", "gpu-power", 641.0),
            ("gpu 3", "gpu-temperature", 72.0),
            ("gpu 3", "gpu-memory-temperature", 66.0),
            ("gpu 3", "gpu-clock-sm", 2088.0),
            ("gpu 3", "gpu-utilisation", 100.0),
            ("gpu 3", "gpu-memory-utilisation", 31.0),
        ]
    )
