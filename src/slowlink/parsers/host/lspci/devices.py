"""Lines of lspci that name a device: address, class, name."""

from __future__ import annotations

from msgspec import Struct

from slowlink.catalog.pci import Role, role_of
from slowlink.model.state import Part
from slowlink.parsers.forms.make_reading import bus_id
from slowlink.parsers.forms.rdma_values import RDMA_NAME
from slowlink.patterns import regex

_ADDRESS = r"(?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.\d"
_CLASSES = (
    r"Host bridge|ISA bridge|PCI bridge|Bridge|CardBus|VGA|\dD controller|Display|Ethernet|Infiniband|Network|Fabric"
    "|Non-Volatile|SATA|RAID|IDE|SCSI|Serial|Mass storage|USB|SMBus|System peripheral|Generic|Performance|Communication"
    "|Processing|Co-processor|Audio|Multimedia|Memory|RAM|FLASH|Unassigned|Unclassified|Unknown|Signal|Encryption"
    "|IOMMU|PIC|DMA|Timer|RTC|SD Host|Non-Essential|Instrumentation|Class|Input|InfiniBand|Modem|SPI|Canbus|IPMI"
    "|Smart Card|Wireless|Bluetooth|Virtio|Floppy|Non-VGA|Coprocessor|PCI Hot-plug|Semi-transparent|Intelligent"
)
_HEADER = regex(
    rf"\s{{0,40}}(?P<address>{_ADDRESS}) (?:"
    rf"(?P<kind>(?:{_CLASSES})[^:\[\n]{{0,60}}?)(?: \[(?P<code>[0-9a-f]{{4}})\])?|(?P<number>[0-9a-f]{{4}}))"
    r": (?P<name>\S.{0,300})"
)
_QUOTED = regex(
    rf'\s{{0,40}}(?P<address>{_ADDRESS}) "(?P<kind>[^"]{{1,80}})" "(?P<vendor>[^"]{{0,120}})" "(?P<name>[^"]{{0,160}})"'
)
"""``lspci -mm``."""
_REVISION = regex(r" \((?:rev|prog-if) [^)]{1,60}\)")
_GONE = regex(r"\(rev ff\)")
_LOOKED_UP = r"['\"]?(?:\$\(|`)[^\n]{0,120}?/sys/class/infiniband/(?P<hca>[\w.${}-]{2,40})/device"
_COMMAND = regex(
    rf"\blspci\b(?:[^|\n]{{0,60}}? -[a-zA-RT-Z]{{0,6}}s ?(?:{_LOOKED_UP}|['\"]?(?P<address>[0-9a-f:.]{{4,16}})))?"
)
_HCA = regex(r"\s{0,8}(?:[=#*-]{1,8} ?)?(?P<hca>" + RDMA_NAME + r"):?(?: ?[=#*-]{1,8})?\s{0,8}")

_BESIDE = regex(
    rf"\s{{0,8}}(?:[=#*-]{{1,8}} ?)?(?:[a-z]{{2,12}} ){{0,2}}(?P<address>{_ADDRESS})(?: ?[:=-]{{1,3}}>?)?\s{{1,20}}"
    rf"(?:[A-Za-z]{{2,12}} {{1,4}}(?:[A-Za-z]{{2,12}} {{1,4}}){{0,2}}{_ADDRESS}\s{{1,20}})?"
    r"(?P<rest>[A-Z]\w{2,12}:\s.{1,400})"
)
_OF_VENDOR = regex(r"\blspci\b[^|\n]{0,60}? -[a-zA-Z]{0,6}d ?['\"]?(?P<vendor>10de|1002|15b3):")
_ROLES: dict[str, Role] = {"10de": "gpu", "1002": "gpu", "15b3": "hca"}
"""What a loop over all devices of a vendor is about."""


class Device(Struct, frozen=True):
    """The PCI device that the lines below it are about."""

    address: str
    """``0000:10:1c.0``; ``mlx5_7`` where the shell looked the address up; ``#3`` for the third device of an output
    without names."""
    name: str = ""
    """As printed, without revision: ``NVIDIA Corporation GH100 [H100 SXM5 80GB] [10de:2330]``."""
    role: Role = "other"
    gone: bool = False
    """It answers with ones alone: it fell off the bus, or sleeps."""

    @property
    def part(self) -> Part:
        """The device as a PCI device."""
        return Part("pci", self.address)

    @property
    def linked(self) -> Part:
        """The device as what its link serves: a GPU and an HCA have their link, whoever prints it."""
        return Part(self.role, self.address) if self.role in ("gpu", "hca") else self.part


def named(text: str) -> Device | None:
    """The device that a line begins, of any of lspci's formats; None for other lines."""
    found = _HEADER.match(text)
    if found is not None:
        kind, name = found["code"] or found["kind"] or found["number"], found["name"]
    else:
        found = _QUOTED.match(text)
        if found is None:
            return None
        kind, name = found["kind"], f"{found['vendor']} {found['name']}"
    address = bus_id(found["address"])
    if address is None:
        return None
    plain = _REVISION.sub("", name).strip()
    return Device(address, plain, role_of(kind, plain), gone=_GONE.search(name) is not None)


def beside(text: str) -> tuple[Device, str] | None:
    """The device whose address a loop printed before what ``grep`` left of it (``3d:00.0 LnkSta: Speed ...``, ``bridge
    3c:00.0 above GPU 3d:00.0 ACSCtl: ...``), and the rest; None for other lines."""
    found = _BESIDE.fullmatch(text)
    address = bus_id(found["address"]) if found is not None else None
    return (Device(address), found["rest"]) if found is not None and address is not None else None


def role_asked_for(text: str) -> Role:
    """What a command asks for by a vendor's number (``lspci -d 10de:``); ``other`` where it does not."""
    found = _OF_VENDOR.search(text)
    return _ROLES[found["vendor"]] if found is not None else "other"


def asked_for(text: str) -> Device | None:
    """The device that ``lspci -s`` was given: by its address, or by the name of an HCA whose address the shell looked
    up; ``EACH`` where a loop looks up one after the other. Without an address for a call without ``-s``; None where the
    line is no call."""
    found = _COMMAND.search(text)
    if found is None:
        return None
    hca = found["hca"]
    if hca is not None:
        return EACH if "$" in hca else Device(hca, role="hca")
    return Device(bus_id(found["address"] or "") or "")


EACH = Device("", role="hca")
"""An HCA that a line of its own names above what lspci prints of it."""


def hca_alone(text: str) -> Device | None:
    """The HCA that a line holds and nothing else, as loops print it."""
    found = _HCA.fullmatch(text)
    return Device(found["hca"], role="hca") if found is not None else None
