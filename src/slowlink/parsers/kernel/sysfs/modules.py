"""Kernel modules and peer-memory clients in /sys."""

from __future__ import annotations

from slowlink.parsers.forms.make_reading import says_something
from slowlink.parsers.kernel.sysfs.paths import PathFact

_MODULE = (
    r"sys/module/(?P<module>nvidia_peermem|nv_peer_mem|nvidia|nvidia_uvm|gdrdrv|mlx5_core|mlx5_ib|ib_core|ib_uverbs|ib_umad"
    r"|amdgpu|metax|efa|bnxt_re|irdma|hfi1|cxi_ss1)"
)
_CLIENT = r"sys/kernel/mm/memory_peers/(?P<client>[\w-]{1,40})"
_MODULE_ROOT, _CLIENT_ROOT = "/sys/module/nvidia_peermem", "/sys/kernel/mm/memory_peers/nv_mem"


def _text(content: str) -> str | None:
    return content[:80] if says_something(content) and content.isprintable() else None


def _absent(path: str) -> str:
    return f"ls: cannot access '{path}': No such file or directory"


PATHS = (
    PathFact(
        f"{_MODULE}/initstate",
        "module-loaded",
        "{module}",
        lambda content: {"live": True}.get(content),
        {f"{_MODULE_ROOT}/initstate:live": True, f"{_MODULE_ROOT}/initstate:coming": None},
    ),
    PathFact(_MODULE, "module-loaded", "{module}", lambda _content: None, {_absent(_MODULE_ROOT): False}, absent=False),
    PathFact(
        f"{_MODULE}/version",
        "module-version",
        "{module}",
        _text,
        {f"{_MODULE_ROOT}/version:570.86.10": "570.86.10"},
    ),
    PathFact(
        f"{_CLIENT}/version",
        "peer-memory-client",
        "{client}",
        lambda content: True if content else None,
        {f"{_CLIENT_ROOT}/version:1.3": True, _absent(f"{_CLIENT_ROOT}/version"): False},
        absent=False,
    ),
    PathFact(f"{_CLIENT}/version", "peer-memory-version", "{client}", _text, {f"{_CLIENT_ROOT}/version:1.3": "1.3"}),
    PathFact(
        f"{_CLIENT}/[a-z_]{{4,40}}",
        "peer-memory-interface",
        "",
        lambda content: True if content else None,
        {f"{_CLIENT_ROOT}/num_alloc_mrs:7": True},
    ),
    PathFact(
        r"sys/kernel/mm/memory_peers/?\*?",
        "peer-memory-interface",
        "",
        lambda _content: None,
        {_absent("/sys/kernel/mm/memory_peers"): False, _absent("/sys/kernel/mm/memory_peers/*"): False},
        absent=False,
    ),
)
