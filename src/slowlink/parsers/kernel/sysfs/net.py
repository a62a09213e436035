"""Network interfaces in /sys/class/net."""

from __future__ import annotations

from slowlink.model.state import Value
from slowlink.parsers.forms.make_reading import whole
from slowlink.parsers.kernel.sysfs.paths import Convert, PathFact

_INTERFACE = r"sys/class/net/(?P<interface>[\w.-]{1,40})"
_KINDS = {"1": "ether", "32": "infiniband", "772": "loopback"}


def _file(file: str, attribute: str, convert: Convert, content: str, value: Value | None) -> PathFact:
    return PathFact(
        f"{_INTERFACE}/{file}", attribute, "{interface}", convert, {f"/sys/class/net/ens1np0/{file}:{content}": value}
    )


def _speed(content: str) -> float | None:
    """Mb/s to Gb/s; None for -1, which an interface without a link says."""
    speed = whole(content)
    return speed / 1000 if speed else None


PATHS = (
    _file("operstate", "interface-state", lambda text: None if text == "unknown" else text, "up", "up"),
    _file("carrier", "interface-carrier", lambda text: {"0": False, "1": True}.get(text), "1", True),
    _file("mtu", "interface-mtu", whole, "9000", 9000),
    _file("speed", "interface-speed", _speed, "400000", 400.0),
    _file("speed", "interface-speed", _speed, "-1", None),
    _file("type", "interface-kind", _KINDS.get, "32", "infiniband"),
    _file("address", "interface-address", lambda text: text or None, "a0:88:c2:12:34:56", "a0:88:c2:12:34:56"),
    _file("duplex", "interface-duplex", lambda text: text if text in ("full", "half") else None, "full", "full"),
    _file("carrier_changes", "interface-carrier-changes", whole, "4", 4),
    *(
        _file(f"statistics/{side}_{name}", f"interface-{side}-{name}", whole, "12", 12)
        for side in ("rx", "tx")
        for name in ("bytes", "packets", "errors", "dropped")
    ),
    _file("statistics/rx_crc_errors", "interface-crc-errors", whole, "0", 0),
)
