"""A node's settings as files below a fake root, and programs that read and write them: what ``prepare`` works on."""

from __future__ import annotations

import stat
from pathlib import Path

GPUS = ("00000000:3B:00.0", "00000000:86:00.0")
BRIDGES = ("0000:3a:00.0", "0000:85:00.0")
PROGRAMS = ("nvidia-smi", "setpci", "modprobe", "rmmod", "id")

_NVIDIA_SMI = """\
#!/bin/sh
# -i GPU, --query-gpu=FIELDS, -pm, -pl, -lgc, -rgc; state in ROOT/gpu/GPU/FIELD.
root={root} gpu= fields= field= value=
while [ $# -gt 0 ]; do
  case $1 in
    -i) gpu=$2; shift ;;
    --query-gpu=*) fields=${{1#--query-gpu=}} ;;
    -pm) field=persistence_mode; shift; if [ "$1" = 1 ]; then value=Enabled; else value=Disabled; fi ;;
    -pl) field=power.limit value=$2; shift ;;
    -lgc) field=locked value=$2; shift ;;
    -rgc) field=locked value=none ;;
    --mode=*) value="$value ${{1#--}}" ;;
  esac
  shift
done
if [ -n "$field" ]; then
  [ ! -e "$root/gpu/$gpu/broken" ] || {{ echo 'Unable to set: Unknown Error'; exit 255; }}
  echo "$value" >"$root/gpu/$gpu/$field"
  exit 0
fi
for path in "$root"/gpu/${{gpu:-*}}; do
  line=${{path##*/}}
  for name in $(echo "$fields" | tr , ' '); do
    [ "$name" = pci.bus_id ] || line="$line, $(cat "$path/$name")"
  done
  echo "$line"
done
"""
_SETPCI = """\
#!/bin/sh
# -s BRIDGE ECAP_ACS+6.w[=VALUE]
[ ! -e {root}/slow ] || sleep 0.15
file={root}/config/$2
[ -e "$file" ] || {{ echo "setpci: $2: no such capability" >&2; exit 1; }}
case $3 in *=*) echo "${{3#*=}}" >"$file" ;; *) cat "$file" ;; esac
"""
_MODPROBE = """\
#!/bin/sh
[ ! -e {root}/no-module ] || {{ echo 'modprobe: FATAL: Module nvidia_peermem not found' >&2; exit 1; }}
mkdir -p {root}/sys/module/nvidia_peermem
"""
_RMMOD = "#!/bin/sh\nrmdir {root}/sys/module/nvidia_peermem\n"
_ID = "#!/bin/sh\necho 0\n"


def make_programs(directory: Path, root: str) -> None:
    """The fake programs, for a node whose root is ``root`` there."""
    directory.mkdir(parents=True, exist_ok=True)
    for name, text in zip(PROGRAMS, (_NVIDIA_SMI, _SETPCI, _MODPROBE, _RMMOD, _ID), strict=True):
        path = directory / name
        path.write_text(text.format(root=root) if "{root}" in text else text)
        path.chmod(path.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)


def make_root(root: Path, *, right: bool = False) -> None:
    """A node with two GPUs, an HCA beside the first, two policies; everything wrong, or everything right."""
    devices = {
        "0000:3a:00.0/0000:3b:00.0": ("0x030200", "0x10de"),
        "0000:3a:00.0/0000:3c:00.0": ("0x020000", "0x15b3"),
        "0000:85:00.0/0000:86:00.0": ("0x030200", "0x10de"),
        "0000:00:1c.0/0000:02:00.0": ("0x030000", "0x1a03"),  # of a management controller
        "0000:00:1d.0/0000:03:00.0": ("0x020000", "0x8086"),  # Ethernet without RDMA
    }
    bus = root / "sys/bus/pci/devices"
    bus.mkdir(parents=True)
    for path, (kind, vendor) in devices.items():
        home = root / "sys/devices/pci0000:00" / path
        home.mkdir(parents=True)
        (home / "class").write_text(f"{kind}\n")
        (home / "vendor").write_text(f"{vendor}\n")
        (bus / home.name).symlink_to(Path("../../../devices/pci0000:00") / path)
    hca = root / "sys/devices/pci0000:00/0000:3a:00.0/0000:3c:00.0/infiniband/mlx5_0"
    hca.mkdir(parents=True)
    (root / "sys/class/infiniband").mkdir(parents=True)
    target = Path("../../devices/pci0000:00/0000:3a:00.0/0000:3c:00.0/infiniband/mlx5_0")
    (root / "sys/class/infiniband/mlx5_0").symlink_to(target)
    _write(root, "sys/module/nvidia/version", "570.86.15")
    if right:
        (root / "sys/module/nvidia_peermem").mkdir()
    for bridge, value in (
        *zip(BRIDGES, ("001d", "005f"), strict=True),
        ("0000:00:1c.0", "001d"),
        ("0000:00:1d.0", "001d"),
    ):
        _write(root, f"config/{bridge}", "0000" if right else value)
    for gpu in GPUS:
        for field, value in (
            ("persistence_mode", "Enabled" if right else "Disabled"),
            ("power.limit", "700.00"),
            ("power.min_limit", "200.00"),
            ("power.max_limit", "700.00"),
            ("clocks.max.gr", "1980"),
            ("locked", "none"),
        ):
            _write(root, f"gpu/{gpu}/{field}", value)
    for policy in ("policy0", "policy1"):
        place = f"sys/devices/system/cpu/cpufreq/{policy}"
        _write(root, f"{place}/scaling_governor", "performance" if right else "powersave")
        _write(root, f"{place}/scaling_available_governors", "performance powersave ")
    _write(root, "proc/sys/kernel/numa_balancing", "0" if right else "1")
    _write(root, "etc/security/limits.conf", "# nothing\n*  -  memlock  unlimited" if right else "# nothing")
    (root / "etc/security/limits.d").mkdir()


def _write(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(f"{text}\n")


def tree(root: Path) -> dict[str, bytes | str]:
    """Every path below the root: the bytes of files, where links lead, and that a directory is one."""
    found: dict[str, bytes | str] = {}
    for path in sorted(root.rglob("*")):
        name = str(path.relative_to(root))
        found[name] = (
            str(path.readlink()) if path.is_symlink() else path.read_bytes() if path.is_file() else "directory"
        )
    return found


def changed(before: dict[str, bytes | str], after: dict[str, bytes | str]) -> dict[str, tuple[str, str]]:
    """Path to what was and what is, for what differs; ``-`` is absence."""
    return {
        path: (_text(before.get(path)), _text(after.get(path)))
        for path in sorted(before.keys() | after.keys())
        if before.get(path) != after.get(path)
    }


def _text(found: bytes | str | None) -> str:
    return "-" if found is None else found if isinstance(found, str) else found.decode().strip()
