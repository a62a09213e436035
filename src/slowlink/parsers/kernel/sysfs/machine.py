"""What a node is as a machine: its firmware, its memory and its disks."""

from __future__ import annotations

from slowlink.parsers.forms.make_reading import whole
from slowlink.parsers.kernel.sysfs.paths import PathFact

_DMI = r"sys/(?:class/dmi|devices/virtual/dmi)/id"
_NOTHING = ("", "none", "n/a", "default string", "to be filled by o.e.m.", "not specified", "system product name")
"""What makers leave in. The product's name tells the whole system, and is read as that (``hardware_mentions``)."""


def _name(content: str) -> str | None:
    return None if content.lower() in _NOTHING else content[:120]


PATHS = (
    PathFact(f"{_DMI}/sys_vendor", "node-maker", "", _name, {"/sys/class/dmi/id/sys_vendor:Supermicro": "Supermicro"}),
    PathFact(f"{_DMI}/board_name", "board-model", "", _name, {"/sys/class/dmi/id/board_name:X13DEG-OAD": "X13DEG-OAD"}),
    PathFact(f"{_DMI}/bios_version", "bios-version", "", _name, {"/sys/class/dmi/id/bios_version:2.1": "2.1"}),
    PathFact(f"{_DMI}/bios_date", "bios-date", "", _name, {"/sys/class/dmi/id/bios_date:01/10/2024": "01/10/2024"}),
    PathFact(r"proc/sys/vm/nr_hugepages", "huge-pages", "", whole, {"/proc/sys/vm/nr_hugepages:1024": 1024}),
    PathFact(
        r"sys/devices/system/edac/mc/mc(?P<controller>\d{1,4})/ce_count",
        "memory-errors-corrected",
        "mc{controller}",
        whole,
        {"/sys/devices/system/edac/mc/mc0/ce_count:12": 12},
    ),
    PathFact(
        r"sys/devices/system/edac/mc/mc(?P<controller>\d{1,4})/ue_count",
        "memory-errors-uncorrected",
        "mc{controller}",
        whole,
        {"/sys/devices/system/edac/mc/mc1/ue_count:1": 1},
    ),
    PathFact(
        r"sys/class/nvme/(?P<disk>nvme\d{1,4})/state",
        "nvme-state",
        "{disk}",
        lambda text: text if text.isalpha() and len(text) <= 20 else None,
        {"/sys/class/nvme/nvme0/state:live": "live", "/sys/class/nvme/nvme1/state:dead": "dead"},
    ),
)
