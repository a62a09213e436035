"""Outputs of nvidia-smi as its drivers print them, with values made up here."""

from __future__ import annotations

UUID = "GPU-5e1f7a20-1111-2222-3333-{:012d}"


def query_gpu(bus: str, **changed: str) -> str:
    """One GPU's block of ``nvidia-smi -q`` (driver 570), with some values changed."""
    value = {
        "name": "NVIDIA H100 80GB HBM3",
        "persistence": "Enabled",
        "width": "16x",
        "gen": "5",
        "idle": "Not Active",
        "hw": "Not Active",
        "thermal": "Not Active",
        "brake": "Not Active",
        "sw_thermal": "Not Active",
        "hw_us": "0",
        "sm": "1980",
        "util": "100",
        "dram_unc": "0",
        "sram_thr": "No",
        "pending": "No",
        "failed": "No",
        "state": "Completed",
        "status": "Success",
        "health": "Healthy",
        **changed,
    }
    return f"""GPU 00000000:{bus}
    Product Name                                       : {value["name"]}
    Product Architecture                               : Hopper
    Persistence Mode                                   : {value["persistence"]}
    MIG Mode
        Current                                        : Disabled
        Pending                                        : Disabled
    GPU UUID                                           : {UUID.format(int(bus[:2], 16))}
    GPU Reset Status
        Reset Required                                 : No
        Drain and Reset Recommended                    : N/A
    GPU Recovery Action                                : None
    GSP Firmware Version                               : 570.99.01
    PCI
        Bus Id                                         : 00000000:{bus}
        GPU Link Info
            PCIe Generation
                Max                                    : 5
                Current                                : {value["gen"]}
                Device Current                         : {value["gen"]}
                Device Max                             : 5
                Host Max                               : 5
            Link Width
                Max                                    : 16x
                Current                                : {value["width"]}
        Replays Since Reset                            : 3
    Performance State                                  : P0
    Clocks Event Reasons
        Idle                                           : {value["idle"]}
        Applications Clocks Setting                    : Not Active
        SW Power Cap                                   : Active
        HW Slowdown                                    : {value["hw"]}
            HW Thermal Slowdown                        : {value["thermal"]}
            HW Power Brake Slowdown                    : {value["brake"]}
        Sync Boost                                     : Not Active
        SW Thermal Slowdown                            : {value["sw_thermal"]}
        Display Clock Setting                          : Not Active
    Clocks Event Reasons Counters
        SW Power Capping                               : 123456 us
        Sync Boost                                     : 0 us
        SW Thermal Slowdown                            : 777 us
        HW Thermal Slowdown                            : {value["hw_us"]} us
        HW Power Braking                               : 0 us
    FB Memory Usage
        Total                                          : 81559 MiB
        Used                                           : 4 MiB
    MIG Device
        Index                                          : 0
        FB Memory Usage
            Total                                      : 9856 MiB
            Used                                       : 13 MiB
    Utilization
        GPU                                            : {value["util"]} %
        Memory                                         : 7 %
    ECC Mode
        Current                                        : Enabled
        Pending                                        : Enabled
    ECC Errors
        Volatile
            SRAM Correctable                           : 0
            SRAM Uncorrectable Parity                  : 0
            SRAM Uncorrectable SEC-DED                 : 0
            DRAM Correctable                           : 2
            DRAM Uncorrectable                         : {value["dram_unc"]}
        Aggregate
            DRAM Uncorrectable                         : 1
            SRAM Threshold Exceeded                    : {value["sram_thr"]}
    Retired Pages
        Single Bit ECC                                 : N/A
        Double Bit ECC                                 : N/A
        Pending Page Blacklist                         : N/A
    Remapped Rows
        Correctable Error                              : 0
        Uncorrectable Error                            : 1
        Pending                                        : {value["pending"]}
        Remapping Failure Occurred                     : {value["failed"]}
        Bank Remap Availability Histogram
            Max                                        : 2559 bank(s)
            None                                       : 0 bank(s)
    Temperature
        GPU Current Temp                               : 61 C
        GPU T.Limit Temp                               : 26 C
    GPU Power Readings
        Average Power Draw                             : 611.10 W
        Instantaneous Power Draw                       : 640.25 W
        Current Power Limit                            : 700.00 W
    GPU Memory Power Readings
        Average Power Draw                             : 88.00 W
    Clocks
        SM                                             : {value["sm"]} MHz
        Memory                                         : 2619 MHz
    Applications Clocks
        Graphics                                       : Requested functionality has been deprecated
    Max Clocks
        SM                                             : 1980 MHz
    Fabric
        State                                          : {value["state"]}
        Status                                         : {value["status"]}
        CliqueId                                       : 0
        ClusterUUID                                    : 00000000-0000-0000-0000-000000000000
        Health
            Summary                                    : {value["health"]}
            Bandwidth                                  : Full
    Processes
        GPU instance ID                                : N/A
        Compute instance ID                            : N/A
        Process ID                                     : 4711
            Type                                       : C
            Name                                       : /opt/env/bin/python train.py --token secret
            Used GPU Memory                            : 2048 MiB
"""


BUSES = ("1A:00.0", "3B:00.0", "4C:00.0", "5D:00.0", "9B:00.0", "BB:00.0", "CA:00.0", "DB:00.0")


def query(*blocks: str, attached: int | None = None) -> str:
    """A whole log; ``attached`` GPUs, as many as blocks by default."""
    return (
        "\n==============NVSMI LOG==============\n\n"
        "Timestamp                                              : Fri Jan  2 03:04:05 2026\n"
        "Driver Version                                         : 570.99.01\n"
        "CUDA Version                                           : 12.8\n\n"
        f"Attached GPUs                                          : {len(blocks) if attached is None else attached}\n"
        + "\n".join(blocks)
    )


def node(**changed: str) -> str:
    """A node of eight GPUs, of which the third has other values."""
    return query(*(query_gpu(bus, **(changed if index == 2 else {})) for index, bus in enumerate(BUSES)))


OLD_QUERY = """
==============NVSMI LOG==============

Timestamp                                 : Fri Jan  2 03:04:05 2026
Driver Version                            : 450.80.02
CUDA Version                              : 11.0

Attached GPUs                             : 1
GPU 00000000:3B:00.0
    Product Name                          : Tesla V100-SXM2-32GB
    Persistence Mode                      : Disabled
    PCI
        GPU Link Info
            PCIe Generation
                Max                       : 3
                Current                   : 1
            Link Width
                Max                       : 16x
                Current                   : 8x
    Clocks Throttle Reasons
        Idle                              : Active
        HW Slowdown                       : Active
            HW Thermal Slowdown           : Active
            HW Power Brake Slowdown       : Not Active
    Ecc Mode
        Current                           : Enabled
    ECC Errors
        Volatile
            Single Bit
                Device Memory             : 4
                Register File             : 0
                Total                     : 4
            Double Bit
                Device Memory             : 1
                Total                     : 1
    Retired Pages
        Single Bit ECC                    : 2
        Double Bit ECC                    : 1
        Pending Page Blacklist            : Yes
    Power Readings
        Power Draw                        : 45.10 W
        Power Limit                       : 300.00 W
    Processes                             : None
"""

XML = """<?xml version="1.0" ?>
<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v12.dtd">
<nvidia_smi_log>
\t<timestamp>Fri Jan  2 03:04:05 2026</timestamp>
\t<driver_version>550.1.2</driver_version>
\t<cuda_version>12.4</cuda_version>
\t<attached_gpus>1</attached_gpus>
\t<gpu id="00000000:3B:00.0">
\t\t<product_name>NVIDIA A100-SXM4-80GB</product_name>
\t\t<persistence_mode>Enabled</persistence_mode>
\t\t<mig_devices>
\t\t\t<mig_device>
\t\t\t\t<fb_memory_usage>
\t\t\t\t\t<used>12 MiB</used>
\t\t\t\t</fb_memory_usage>
\t\t\t</mig_device>
\t\t</mig_devices>
\t\t<pci>
\t\t\t<pci_gpu_link_info>
\t\t\t\t<pcie_gen>
\t\t\t\t\t<max_link_gen>4</max_link_gen>
\t\t\t\t\t<current_link_gen>4</current_link_gen>
\t\t\t\t</pcie_gen>
\t\t\t\t<link_widths>
\t\t\t\t\t<current_link_width>8x</current_link_width>
\t\t\t\t</link_widths>
\t\t\t</pci_gpu_link_info>
\t\t\t<tx_util>0 KB/s</tx_util>
\t\t</pci>
\t\t<clocks_event_reasons>
\t\t\t<clocks_event_reason_hw_slowdown>Not Active</clocks_event_reason_hw_slowdown>
\t\t</clocks_event_reasons>
\t\t<fb_memory_usage>
\t\t\t<used>50 MiB</used>
\t\t</fb_memory_usage>
\t\t<ecc_errors>
\t\t\t<volatile>
\t\t\t\t<dram_uncorrectable>0</dram_uncorrectable>
\t\t\t</volatile>
\t\t\t<aggregate>
\t\t\t\t<dram_uncorrectable>2</dram_uncorrectable>
\t\t\t</aggregate>
\t\t</ecc_errors>
\t\t<remapped_rows>
\t\t\t<remapped_row_pending>No</remapped_row_pending>
\t\t</remapped_rows>
\t\t<fabric>
\t\t\t<state>N/A</state>
\t\t</fabric>
\t\t<processes>
\t\t\t<process_info>
\t\t\t\t<pid>815</pid>
\t\t\t\t<process_name>/usr/bin/a&amp;b --key=secret</process_name>
\t\t\t\t<used_memory>410 MiB</used_memory>
\t\t\t</process_info>
\t\t</processes>
\t</gpu>
</nvidia_smi_log>
"""

TABLE = """Fri Jan  2 03:04:05 2026
+---------------------------------------------------------------------------------------+
| NVIDIA-SMI 535.1.2                Driver Version: 535.1.2      CUDA Version: 12.2     |
|-----------------------------------------+----------------------+----------------------+
| GPU  Name                 Persistence-M | Bus-Id        Disp.A | Volatile Uncorr. ECC |
| Fan  Temp  Perf           Pwr:Usage/Cap |         Memory-Usage | GPU-Util  Compute M. |
|                                         |                      |               MIG M. |
|=========================================+======================+======================|
|   0  NVIDIA A100-SXM4-80GB          On  | 00000000:3B:00.0 Off |                    0 |
| N/A   31C    P0              62W / 400W |      4MiB / 81920MiB |     23%      Default |
|                                         |                      |             Disabled |
+-----------------------------------------+----------------------+----------------------+
|   1  NVIDIA A100-SXM4-80GB          Off | 00000000:5E:00.0 Off |                    2 |
| N/A   ERR!  P0              N/A / 400W  |      4MiB / 81920MiB |      N/A     Default |
|                                         |                      |             Disabled |
+-----------------------------------------+----------------------+----------------------+

+---------------------------------------------------------------------------------------+
| Processes:                                                                            |
|  GPU   GI   CI        PID   Type   Process name                            GPU Memory |
|        ID   ID                                                             Usage      |
|=======================================================================================|
|    1   N/A  N/A      4711      C   /opt/conda/bin/python                     2566MiB |
+---------------------------------------------------------------------------------------+
"""

OLD_TABLE = """+-----------------------------------------------------------------------------+
| NVIDIA-SMI 418.67       Driver Version: 418.67       CUDA Version: 10.1     |
|-------------------------------+----------------------+----------------------+
| GPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |
| Fan  Temp  Perf  Pwr:Usage/Cap|         Memory-Usage | GPU-Util  Compute M. |
|===============================+======================+======================|
|   0  Tesla V100-SXM2...  On   | 00000000:00:1E.0 Off |                    0 |
| N/A   45C    P0    38W / 300W |  11000MiB / 16130MiB |      0%      Default |
+-------------------------------+----------------------+----------------------+

+-----------------------------------------------------------------------------+
| Processes:                                                       GPU Memory |
|  GPU       PID   Type   Process name                             Usage      |
|=============================================================================|
|    0      4711      C   ./app                                      10989MiB |
+-----------------------------------------------------------------------------+
"""


MIG_TABLE = """+-----------------------------------------------------------------------------+
| NVIDIA-SMI 515.1.2      Driver Version: 515.1.2      CUDA Version: 11.7     |
|-------------------------------+----------------------+----------------------+
| GPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |
| Fan  Temp  Perf  Pwr:Usage/Cap|         Memory-Usage | GPU-Util  Compute M. |
|                               |                      |               MIG M. |
|===============================+======================+======================|
|   0  NVIDIA A100-SXM...  On   | 00000000:07:00.0 Off |                   On |
| N/A   29C    P0    64W / 400W |   1024MiB / 40960MiB |     N/A      Default |
|                               |                      |              Enabled |
+-------------------------------+----------------------+----------------------+
|   1  NVIDIA A100-SXM...  On   | 00000000:1B:00.0 Off |                    0 |
| 30%   29C    P0    64W / 400W |      3MiB / 40960MiB |      0%   E. Process |
|                               |                      |             Disabled |
+-------------------------------+----------------------+----------------------+

+-----------------------------------------------------------------------------+
| MIG devices:                                                                |
+------------------+----------------------+-----------+-----------------------+
| GPU  GI  CI  MIG |         Memory-Usage |        Vol|         Shared        |
|      ID  ID  Dev |           BAR1-Usage | SM     Unc| CE  ENC  DEC  OFA  JPG|
|                  |                      |        ECC|                       |
|==================+======================+===========+=======================|
|  0    7   0   0  |      3MiB /  4864MiB | 14      0 |  1   0    0    0    0 |
|                  |      0MiB /  8191MiB |           |                       |
+------------------+----------------------+-----------+-----------------------+
|  0    8   0   1  |      3MiB /  4864MiB | 14      0 |  1   0    0    0    0 |
|                  |      0MiB /  8191MiB |           |                       |
+------------------+----------------------+-----------+-----------------------+

+-----------------------------------------------------------------------------+
| Processes:                                                                  |
|  GPU   GI   CI        PID   Type   Process name                  GPU Memory |
|        ID   ID                                                   Usage      |
|=============================================================================|
|    0    7    0      4711      C   python                            3331MiB |
|    1   N/A  N/A     4712    C+G   /opt/bin/render --key=abc             N/A |
+-----------------------------------------------------------------------------+
"""


def link_status(
    gpus: int = 8, links: int = 18, inactive: tuple[str, ...] = (), name: str = "NVIDIA H100 80GB HBM3"
) -> str:
    """``nvidia-smi nvlink -s``; ``inactive`` names links as ``3/17``."""
    lines = []
    for number in range(gpus):
        lines.append(f"GPU {number}: {name} (UUID: {UUID.format(number)})")
        for link in range(links):
            state = "<inactive>" if f"{number}/{link}" in inactive else "26.562 GB/s"
            lines.append(f"\t Link {link}: {state}")
    return "\n".join(lines) + "\n"


def link_errors(gpus: int = 8, links: int = 18, replay: int = 0, crc: int = 0) -> str:
    """``nvidia-smi nvlink -e``, with errors on link 4 of GPU 2."""
    lines = []
    for number in range(gpus):
        lines.append(f"GPU {number}: NVIDIA H100 80GB HBM3 (UUID: {UUID.format(number)})")
        for link in range(links):
            bad = (number, link) == (2, 4)
            lines.append(f"\t Link {link}: Replay Errors: {replay if bad else 0}")
            lines.append(f"\t Link {link}: Recovery Errors: 0")
            lines.append(f"\t Link {link}: CRC Errors: {crc if bad else 0}")
            lines.append("")
    return "\n".join(lines) + "\n"


CSV = """index, name, pci.bus_id, driver_version, memory.used [MiB], utilization.gpu [%], clocks_event_reasons.active, power.draw [W]
0, NVIDIA H100 80GB HBM3, 00000000:1A:00.0, 550.1.2, 12 MiB, 0 %, 0x0000000000000001, [N/A]
1, NVIDIA H100 80GB HBM3, 00000000:3B:00.0, 550.1.2, 14 MiB, 97 %, 0x0000000000000048, 650.10 W
"""

PMON = """# gpu         pid   type     sm    mem    enc    dec    jpg    ofa    command
# Idx           #    C/G      %      %      %      %      %      %    name
    0       4711     C     99      7      -      -      -      -    gpu_burn
    1          -     -      -      -      -      -      -      -    -
"""

DMON = """#Date       Time         gpu    pwr  gtemp  mtemp     sm    mem   mclk   pclk
#YYYYMMDD   HH:MM:SS     Idx      W      C      C      %      %    MHz    MHz
 20260102   03:04:05       0    300     53      -    100      8   2619   1980
 20260102   03:04:05       1     70     30      -      0      0   2619    345
"""
