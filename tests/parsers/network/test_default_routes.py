from __future__ import annotations

import pytest

from slowlink.inputs import Input
from slowlink.parsers.reading.read import read


def routes(text: str) -> list[tuple[str, object]]:
    found = read([Input("t", None, [text.encode()])], workers=1).readings
    return [(each.part.name, each.value) for each in found if each.attribute == "interface-default-route"]


def test_through_which_interface_the_default_route_leads() -> None:
    text = (
        "default via 10.0.0.1 dev eth0 proto dhcp metric 100 \n"
        "default via fe80::1 dev ib0 metric 1024 pref medium\n"
        "10.1.0.0/16 dev ib1 proto kernel scope link src 10.1.0.7\n"
    )
    assert routes(text) == [("eth0", True), ("ib0", True)]


@pytest.mark.parametrize("line", ["default dev", "the default via eth0", "default settings dev eth0 are used"])
def test_other_defaults_are_no_routes(line: str) -> None:
    assert routes(line) == []
