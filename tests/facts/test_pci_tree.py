"""Bridges above devices, from the buses that lie behind them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from slowlink.facts.dma_buf import DmaBuf
from slowlink.facts.pci.links import pcie_links
from slowlink.facts.pci.tree import pci_trees
from slowlink.model.facts import Readings
from slowlink.model.source import Ref
from slowlink.model.state import Part, Reading, Value


def pci(attribute: str, name: str, value: Value, kind: str = "pci", host: str = "gpu01", line: int = 1) -> Reading:
    return Reading(attribute, Part(kind, name), value, Ref("t", line), host)


PLACES = (
    pci("pci-buses", "0000:17:01.0", "18-1b"),
    pci("pci-buses", "0000:18:00.0", "19-1b"),
    pci("pci-buses", "0000:19:00.0", "1a-1a"),
    pci("pci-buses", "0001:17:01.0", "18-1b"),
    pci("pci-role", "0000:1a:00.0", "gpu"),
    pci("pci-role", "0000:1b:00.0", "hca"),
    pci("pci-role", "0001:1a:00.0", "nvswitch"),
)


def test_bridges_above_a_device_the_nearest_first() -> None:
    tree = pci_trees(Readings(PLACES))["gpu01"]
    assert [b.address for b in tree.above("0000:1a:00.0")] == ["0000:19:00.0", "0000:18:00.0", "0000:17:01.0"]
    assert tree.is_root_port("0000:17:01.0")
    assert not tree.is_root_port("0000:19:00.0")


def test_what_bridges_carry_is_gpus_and_hcas_of_their_own_domain() -> None:
    assert pci_trees(Readings(PLACES))["gpu01"].carrying == {
        "0000:17:01.0": ["0000:1a:00.0", "0000:1b:00.0"],
        "0000:18:00.0": ["0000:1a:00.0", "0000:1b:00.0"],
        "0000:19:00.0": ["0000:1a:00.0"],
    }


@given(st.text(max_size=20), st.text(max_size=12), st.text(max_size=20))
def test_odd_names_give_a_tree(address: str, buses: str, device: str) -> None:
    tree = pci_trees(Readings((pci("pci-buses", address, buses), pci("pci-role", device, "gpu"))))["gpu01"]
    assert set(tree.carrying) <= {address}


def test_the_best_of_several_samples_counts_and_the_port_above_is_known() -> None:
    links = (
        pci("pcie-width", "3", 16, "gpu", line=1),
        pci("pcie-width-max", "3", 16, "gpu"),
        pci("pcie-speed", "3", 2.5, "gpu", line=1),
        pci("pcie-speed", "3", 32.0, "gpu", line=9),
        pci("pcie-speed-max", "3", 32.0, "gpu"),
        pci("pcie-speed-max", "0000:19:00.0", 64.0),
    )
    names = (pci("gpu-bus-id", "3", "0000:1a:00.0", "gpu"), pci("pci-device", "0000:1a:00.0", "H100"))
    (link, port) = pcie_links(Readings(links), Readings((*PLACES, *names)))
    assert (link.speed, link.port_speed_max, link.name, link.full) == (32.0, 64.0, "H100", True)
    assert (port.width, port.full) == (None, False)


def test_dma_buf_needs_an_open_driver_and_a_new_kernel() -> None:
    def known(driver: bool | None, kernel: str | None) -> bool | None:
        readings = [pci("gpu-driver-open", "", driver, "node")] if driver is not None else []
        readings += [pci("kernel-release", "", kernel, "node")] if kernel is not None else []
        return DmaBuf(readings).serves("gpu01")

    assert known(True, "5.15.0-91-generic") is True
    assert known(True, "5.4.0-150-generic") is False
    assert known(False, "6.8.0") is False
    assert known(True, None) is None
    assert known(True, "4.18.0-553.el8.x86_64") is None, "an enterprise kernel may have it by backport"


def test_one_bridge_leads_to_a_bus_however_many_say_so() -> None:
    """A domain has 256 buses: what a listing makes up does not make each device ask thousands of bridges."""
    made_up = [pci("pci-buses", f"0000:{number // 8:02x}:{number % 8:02x}.0", "20-ff") for number in range(200)]
    tree = pci_trees(Readings((*made_up, *PLACES, pci("pci-role", "0000:30:00.0", "gpu"))))["gpu01"]
    assert [bridge.address for bridge in tree.above("0000:30:00.0")] == ["0000:00:00.0"]
    assert len(tree.bridges["0000"]) == 4
    assert len(tree.listed) == 202, "two of them are there already"
