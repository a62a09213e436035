"""The network of a lab: a bridge in a namespace of its own, one cable a host; nothing in this machine's own network."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress

from slowlink.errors import SlowlinkError
from slowlink.lab.state import Host
from slowlink.lab.tools import call

SUBNET = "10.77.0"
MAX_HOSTS = 250
DEVICE = "eth0"

_RATE = re.compile(r"([0-9]{1,6}(?:\.[0-9]{1,3})?)(k|m|g)bit")
_BITS = {"k": 1e3, "m": 1e6, "g": 1e9}
_UNLIMITED = "100gbit"
_TICKS_PER_S = 100
"""The slowest kernel timer in use; a bucket must hold what passes between two ticks."""


def address(number: int) -> str:
    return f"{SUBNET}.{number}"


def parse_rate(text: str) -> str:
    """A link rate as tc takes it: 100kbit to 100gbit. Raises SlowlinkError."""
    found = _RATE.fullmatch(text.strip().lower())
    if not found or not 1e5 <= float(found[1]) * _BITS[found[2]] <= 1e11:
        raise SlowlinkError(
            f"'{text}' is no rate of a link", hint="for instance 200mbit or 1gbit (100kbit to 100gbit)", slug="bad-rate"
        )
    return f"{found[1]}{found[2]}bit"


def make_bridge(fabric: int) -> None:
    """Makes the bridge in the network namespace of process ``fabric``."""
    _ip(fabric, ["link add br0 type bridge", "link set br0 up"])


def connect(fabric: int, host: Host) -> None:
    """Lays the cable from the host to the bridge."""
    if host.holder is None:
        return
    inside = host.holder.pid
    _ip(
        fabric,
        [
            f"link add {host.port} type veth peer name {DEVICE} address {_hardware_address(host)} netns {inside}",
            f"link set {host.port} master br0",
            f"link set {host.port} up",
        ],
    )
    _ip(inside, ["link set lo up", f"addr add {host.address}/24 dev {DEVICE}", f"link set {DEVICE} up"])


def disconnect(fabric: int, host: Host) -> None:
    """Takes away what is left of the cable of a host that died: the kernel removes its namespace in its own time."""
    if f" {host.port}@" in _in_network(fabric, ["ip", "-o", "link", "show"]):
        # It may vanish between the look and the touch.
        with suppress(SlowlinkError):
            _ip(fabric, [f"link del {host.port}"])


def _hardware_address(host: Host) -> str:
    """The same for ever: the others remember it, and a host that was started anew must be found at once."""
    return f"02:00:0a:4d:00:{host.number:02x}"


def set_cut(fabric: int, host: Host, cut: bool) -> None:
    """Takes the cable out at the bridge, or puts it back. The host itself notices nothing but silence."""
    _ip(fabric, [f"link set {host.port} {'down' if cut else 'up'}"])


def limit(fabric: int, host: Host) -> None:
    """Limits what the host sends and what it gets to ``host.slow``, and what it sends to some to ``host.paths``."""
    if host.holder is None:
        return
    _limit_all(fabric, host.port, host.slow)
    if host.paths:
        _limit_paths(host.holder.pid, host)
    else:
        _limit_all(host.holder.pid, DEVICE, host.slow)


def _limit_all(pid: int, device: str, rate: str | None) -> None:
    if rate is None:
        if any(kind in _in_network(pid, ["tc", "qdisc", "show", "dev", device]) for kind in (" tbf ", " htb ")):
            _in_network(pid, ["tc", "qdisc", "del", "dev", device, "root"])
        return
    bucket = ["burst", str(_burst_bytes(rate)), "latency", "50ms"]
    _in_network(pid, ["tc", "qdisc", "replace", "dev", device, "root", "tbf", "rate", rate, *bucket])


def _limit_paths(pid: int, host: Host) -> None:
    """A class for each path, one for everybody else; made anew as a whole."""
    _limit_all(pid, DEVICE, None)
    lines = [f"qdisc add dev {DEVICE} root handle 1: htb default 1", _class(1, host.slow or _UNLIMITED)]
    for number, (other, rate) in enumerate(sorted(host.paths.items()), 2):
        lines.append(_class(number, rate))
        lines.append(
            f"filter add dev {DEVICE} parent 1: protocol ip prio 1 u32 match ip dst {other}/32 flowid 1:{number:x}"
        )
    _in_network(pid, ["tc", "-batch", "-"], "\n".join(lines) + "\n")


def _class(number: int, rate: str) -> str:
    bucket = f"burst {_burst_bytes(rate)} cburst {_burst_bytes(rate)} quantum 60000"
    return f"class add dev {DEVICE} parent 1: classid 1:{number:x} htb rate {rate} {bucket}"


def _burst_bytes(rate: str) -> int:
    found = _RATE.fullmatch(rate)
    assert found is not None
    bits_per_s = float(found[1]) * _BITS[found[2]]
    return max(256 * 1024, int(bits_per_s / 8 / _TICKS_PER_S))


def _ip(pid: int, lines: Iterable[str]) -> None:
    _in_network(pid, ["ip", "-batch", "-"], "\n".join(lines) + "\n")


def _in_network(pid: int, argv: list[str], stdin: str = "") -> str:
    return call(["nsenter", f"--net=/proc/{pid}/ns/net", "--", *argv], stdin)
