"""Port fail-over and recovery of NCCL 2.29 and later (p2p resiliency), and virtual devices across NUMA nodes."""

from __future__ import annotations

from slowlink.parsers.nccl.nccl_log.message import Sample, sample
from slowlink.parsers.nccl.nccl_log.warning import warning

_INFO = ("INFO",)
_PLACE = r"(?:NET/IB ?: )?(?:\w+ ?: )?"

MESSAGES = (
    warning(
        "ib-resiliency-single-device",
        "Fail-over is on, and the communicator has one device: there is nothing to fail over to.",
        _PLACE + r"Resiliency is (?:being )?enabled on a (?P<side>send |recv )?communicator \(?.{0,60}?\)? ?with a "
        r"single (?:local )?device",
        *sample(
            "2.29+",
            "NET/IB: Resiliency is enabled on a recv communicator (0x7f2a40) with a single device. This does not",
            "NET/IB: ncclIbResiliencyDeviceNumSet: Resiliency is being enabled on a communicator (0x7f2a40) with a "
            "single local device. In case of failure there will be no device to fail-over to.",
        ),
        levels=("WARN", "INFO"),
        bare=True,
    ),
    warning(
        "ib-device-failed",
        "A device was taken out of use after an error.",
        _PLACE + r"Device (?P<device>\d{1,4}) (?:was |is )?marked as failed",
        *sample(
            "2.29+",
            "Device 0 marked as failed. Initiating recovery? Yes (recv comm=0x7f2a40)",
            "NET/IB: Device 0 marked as failed. Initiating recovery? No (send comm=0x7f2a40)",
        ),
        levels=_INFO,
        bare=True,
    ),
    warning(
        "ib-device-recovered",
        "A failed device is in use again.",
        _PLACE
        + r"(?:Port recovery succeeded for devIndex=|Device )(?P<device>\d{1,4})(?: has been recovered\b|(?= \())",
        *sample(
            "2.29+",
            "Port recovery succeeded for devIndex=0 (send comm=0x7f2a40)",
            "Device 0 has been recovered for resiliency context (send comm=0x7f2a40, outstandingRecovery=0)",
            "NET/IB: Port recovery succeeded for devIndex=1 (recv comm=0x7f2a40)",
        ),
        levels=_INFO,
        bare=True,
    ),
    warning(
        "ib-port-recovery",
        "A step of fail-over or recovery.",
        _PLACE
        + r"(?:Port recovery|ACK phase completed|Sender received an ACK|Receiver received in-order alive|p2p_resiliency"
        r"|Resiliency context|Fail-?over|Recovery)\b"
        r"(?:.{0,80}? is configured with (?P<local_devices>\d{1,5}) local devices"
        r"(?: and (?P<remote_devices>\d{1,5}) remote devices)?)?",
        *sample(
            "2.29+",
            "Port recovery failed for devIndex=0 (send comm=0x7f2a40)",
            "ACK phase completed for device 0 (send comm=0x7f2a40)",
            "Sender received an ACK message from the receiver for device 0",
            "Receiver received in-order alive message 0 for device 0",
            "NET/IB: ncclIbResiliencyDeviceNumSet: Resiliency context (0x7f2a40) is configured with 2 local devices",
            "NET/IB: Resiliency context (0x7f2a40) is configured with 2 local devices and 2 remote devices",
            "NET/IB: p2p_resiliency: replaying request 3 on device 1",
        ),
        levels=_INFO,
        secondary=True,
        bare=True,
    ),
    warning(
        "nic-fusion-refused",
        "Devices of different NUMA nodes were to be merged; NCCL stops there with an invalid argument.",
        r"Fusing NET devices from different NUMA domains is not supported",
        Sample("2.30", "Fusing NET devices from different NUMA domains is not supported."),
    ),
    warning(
        "nic-fusion-across-numa",
        "Devices of different NUMA nodes were merged to one: half of the traffic crosses the sockets.",
        r"(?:TOPO/NET ?: |NET/IB ?: )?Fus(?:ing|ed) NET devices from different NUMA (?:domains|nodes)"
        r"(?P<devices>.{0,200})",
        *sample(
            "2.25+",
            "Fusing NET devices from different NUMA domains: mlx5_0 mlx5_4",
            "TOPO/NET : Fusing NET devices from different NUMA domains",
        ),
        levels=("WARN", "INFO"),
    ),
    warning(
        "nic-fusion-failed",
        "Devices that were to be merged could not be.",
        r"TOPO/NET ?: Tried merging multiple devices together and failed",
        Sample("2.24+", "TOPO/NET : Tried merging multiple devices together and failed. vProps={ndevs=2, devs=[0 1]}."),
        levels=("WARN", "INFO"),
    ),
    warning(
        "net-devices-differ",
        "The ranks see different numbers of network devices.",
        r"(?:Rank (?P<rank>\d{1,9}) .{0,80}?)?Detected mixed local Net device counts across ranks "
        r"\(min (?P<min>\d{1,5}), max (?P<max>\d{1,5})\)",
        Sample("2.30", "Rank 3 node1 Detected mixed local Net device counts across ranks (min 3, max 4). Set NCCL_"),
        levels=("WARN", "INFO"),
    ),
)
