"""Networks that NCCL reaches only through a plug-in, and what shows that the machines of a job have one."""

from __future__ import annotations

from typing import NamedTuple

from slowlink.model.facts import Environment, Network, Observations
from slowlink.model.source import Ref


class Fabric(NamedTuple):
    """A network that NCCL reaches only through a plug-in."""

    name: str
    plugin: str


class Shown(NamedTuple):
    """A fabric, and what shows that it is there."""

    fabric: Fabric
    ref: Ref | None
    sure: bool
    """False: only a kind of machine or an image is named."""


_FABRICS = {
    "efa": Fabric("AWS EFA", "aws-ofi-nccl"),
    "slingshot": Fabric("HPE Slingshot", "aws-ofi-nccl over libfabric cxi"),
    "tcpx": Fabric("GPUDirect-TCPX", "Google's plug-in for it"),
}
# First letters of its interfaces or devices.
_INTERFACES = {"hsn": "slingshot", "rdmap": "efa"}
# First letters of settings that only this fabric has.
_SETTINGS = {
    "FI_EFA_": "efa",
    "FI_CXI_": "slingshot",
    "NCCL_GPUDIRECTTCPX_": "tcpx",
    "NCCL_FASTRAK_": "tcpx",
}


def plugin_fabric(
    network: Network | None, environment: Environment | None, observations: Observations | None
) -> Shown | None:
    """Interfaces and settings of the job go before what other lines show, and these before words."""
    found = _by_interface(network) or _by_setting(environment)
    if found is not None:
        return found
    seen = [o for o in (observations.all if observations is not None else ()) if o.kind == "plugin-fabric"]
    named = sorted((o for o in seen if o.subject in _FABRICS), key=lambda o: o.value != "shown")
    return Shown(_FABRICS[named[0].subject], named[0].ref, named[0].value == "shown") if named else None


def _by_interface(network: Network | None) -> Shown | None:
    if network is None:
        return None
    names = [(d.name, d.ref) for d in network.devices] + [(b.interface, b.ref) for b in network.bootstraps]
    for prefix, fabric in _INTERFACES.items():
        for name, ref in names:
            if name.startswith(prefix):
                return Shown(_FABRICS[fabric], ref, True)
    return None


def _by_setting(environment: Environment | None) -> Shown | None:
    for setting in environment.settings if environment is not None else ():
        for prefix, fabric in _SETTINGS.items():
            if setting.name.startswith(prefix):
                return Shown(_FABRICS[fabric], setting.ref, True)
    return None
