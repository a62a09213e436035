"""Documents in the shape that Terraform, kubectl and clouds print; every value is made up."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowlink.errors import SlowlinkError
from slowlink.launch.node_sources import machines, parse_document
from slowlink.model.plan import Node


def output(value: Any, *, sensitive: bool = False) -> dict[str, Any]:
    return {"sensitive": sensitive, "type": "dynamic", "value": value}


AWS = {
    "Reservations": [
        {
            "OwnerId": "1",
            "Groups": [],
            "Instances": [
                {
                    "InstanceId": f"i-0{number}",
                    "PrivateIpAddress": f"10.1.0.{number}",
                    "PublicIpAddress": f"203.0.113.{number}",
                    "State": {"Code": 16, "Name": state},
                    "Tags": [{"Key": "team", "Value": "x"}, *tags],
                    "NetworkInterfaces": [
                        {
                            "Status": "in-use",
                            "PrivateIpAddress": f"10.1.0.{number}",
                            "PrivateIpAddresses": [{"Primary": True, "PrivateIpAddress": f"10.1.0.{number}"}],
                            "Groups": [{"GroupName": "default"}],
                        }
                    ],
                }
                for number, state, tags in (
                    (1, "running", [{"Key": "Name", "Value": "gpu 1"}]),
                    (2, "running", []),
                    (3, "stopped", [{"Key": "Name", "Value": "gpu-3"}]),
                )
            ],
        }
    ]
}
GCLOUD = [
    {
        "name": f"gpu-{number}",
        "status": status,
        "disks": [{"deviceName": "boot", "index": 0}],
        "networkInterfaces": [
            {
                "name": "nic0",
                "networkIP": f"10.2.0.{number}",
                "accessConfigs": [{"name": "nat", "natIP": "198.51.100.9"}],
            },
            {"name": "nic1", "networkIP": f"10.3.0.{number}"},
        ],
    }
    for number, status in ((1, "RUNNING"), (2, "TERMINATED"), (3, "RUNNING"))
]
AZURE = [
    {
        "virtualMachine": {
            "name": "gpu1",
            "resourceGroup": "lab",
            "network": {
                "privateIpAddresses": ["10.4.0.1"],
                "publicIpAddresses": [{"name": "gpu1ip", "ipAddress": "192.0.2.1"}],
            },
        }
    }
]
OCI = {
    "data": [
        {
            "display-name": "gpu-1",
            "hostname-label": "h1",
            "lifecycle-state": "AVAILABLE",
            "private-ip": "10.5.0.1",
            "public-ip": None,
        }
    ]
}
CRUSOE = [
    {
        "name": "gpu1",
        "state": "STATE_RUNNING",
        "network_interfaces": [
            {
                "name": "eth0",
                "ips": [{"private_ipv4": {"address": "10.6.0.1"}, "public_ipv4": {"address": "192.0.2.7"}}],
            }
        ],
    }
]
KUBERNETES = {
    "kind": "List",
    "items": [
        {
            "kind": "Node",
            "metadata": {"name": name, "labels": {"pool": "gpu"}},
            "status": {
                "addresses": [
                    {"type": "ExternalIP", "address": "192.0.2.8"},
                    {"type": "InternalIP", "address": address},
                    {"type": "Hostname", "address": name},
                ],
                "conditions": [{"type": "MemoryPressure", "status": "False"}, {"type": "Ready", "status": ready}],
            },
        }
        for name, address, ready in (("n1", "10.7.0.1", "True"), ("n2", "10.7.0.2", "Unknown"))
    ],
}


@pytest.mark.parametrize(
    ("document", "expected", "stopped"),
    [
        (AWS, {"gpu-1": "10.1.0.1", "i-02": "10.1.0.2"}, ("gpu-3",)),
        (GCLOUD, {"gpu-1": "10.2.0.1", "gpu-3": "10.2.0.3"}, ("gpu-2",)),
        (AZURE, {"gpu1": "10.4.0.1"}, ()),
        (OCI, {"gpu-1": "10.5.0.1"}, ()),
        (CRUSOE, {"gpu1": "10.6.0.1"}, ()),
        (KUBERNETES, {"n1": "10.7.0.1"}, ("n2",)),
        ({"node1": "10.8.0.1", "node2": "10.8.0.2"}, {"node1": "10.8.0.1", "node2": "10.8.0.2"}, ()),
        (["10.8.0.1", "node2"], {"10.8.0.1": None, "node2": None}, ()),
    ],
    ids=["aws", "gcloud", "azure", "oci", "crusoe", "kubernetes", "map", "list"],
)
def test_listings(document: Any, expected: dict[str, str | None], stopped: tuple[str, ...]) -> None:
    allocation, left_out = parse_document(json.dumps(document), "standard input")
    assert {node.name: node.address for node in allocation.nodes} == expected
    assert left_out == stopped


def test_the_only_output_with_machines_is_taken() -> None:
    document = {"vpc": output("vpc-1"), "count": output(2), "gpu_ips": output(["10.0.0.1", "10.0.0.2"])}
    allocation, _ = parse_document(json.dumps(document), "standard input")
    assert [node.name for node in allocation.nodes] == ["10.0.0.1", "10.0.0.2"]
    assert allocation.basis == "output gpu_ips of standard input"


def test_private_addresses_come_before_public_ones() -> None:
    document = {"public_ips": output(["192.0.2.1"]), "private_ips": output(["10.0.0.1"])}
    allocation, _ = parse_document(json.dumps(document), "x")
    assert allocation.nodes == (Node("10.0.0.1"),)


def test_an_output_can_be_named() -> None:
    document = {"head": output(["h"]), "gpus": output({"g1": "10.0.0.1"})}
    allocation, _ = parse_document(json.dumps(document), "x", "gpus")
    assert allocation.nodes == (Node("g1", address="10.0.0.1"),)


@pytest.mark.parametrize(
    ("text", "output_name", "slug"),
    [
        ("", None, "bad-json"),
        ("Error: no state", None, "bad-json"),
        ("[" * 100_000, None, "bad-json"),
        ("[]", None, "no-nodes"),
        ("{}", None, "no-nodes"),
        ("null", None, "no-nodes"),
        (json.dumps({"a": output(["h1"]), "b": output(["h2"])}), None, "ambiguous-output"),
        (json.dumps({"a": output(["h1"])}), "z", "unknown-output"),
        (json.dumps({"a": output(["h1"], sensitive=True)}), None, "no-nodes"),
        (json.dumps({"a": output(7)}), None, "no-nodes"),
        (json.dumps([GCLOUD[1]]), None, "no-nodes"),
        (json.dumps(["10.0.0.1", "10.0.0.1"]), None, "duplicate-node"),
        (json.dumps(["-oProxyCommand=x"]), None, "no-nodes"),
    ],
)
def test_what_is_no_list_of_machines(text: str, output_name: str | None, slug: str) -> None:
    with pytest.raises(SlowlinkError) as caught:
        parse_document(text, "standard input", output_name)
    assert caught.value.slug == slug
    assert caught.value.hint


def test_machines_of_one_name_are_told_apart_by_their_address() -> None:
    document = [{"name": "gpu", "private_ip": "10.0.0.1"}, {"name": "gpu", "private_ip": "10.0.0.2"}]
    allocation, _ = parse_document(json.dumps(document), "x")
    assert [node.name for node in allocation.nodes] == ["10.0.0.1", "10.0.0.2"]


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=8), st.sampled_from(["10.0.0.1", "running"])),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(
            st.sampled_from(["name", "Tags", "status", "state", "private_ip", "addresses", "metadata", "value"]),
            inner,
            max_size=5,
        ),
    ),
    max_leaves=20,
)


@given(JSON)
def test_any_json_gives_a_result(document: Any) -> None:
    for node in machines(document).nodes:
        assert node.name
        assert not node.name.startswith("-")


LISTING = json.dumps(
    {
        "vms": {
            "type": "x",
            "value": [
                {"name": "w1", "type": "h100-80gb-sxm-ib.8x", "private_ip": "10.0.0.1"},
                {"name": "w2", "type": "h100-80gb-sxm-ib.8x", "private_ip": "10.0.0.2"},
                {"name": "head", "type": "c1a.8x", "private_ip": "10.0.0.3"},
            ],
        }
    }
)


def test_machines_of_one_type() -> None:
    allocation, _ = parse_document(LISTING, "listing", None, ["H100"])
    assert [node.name for node in allocation.nodes] == ["w1", "w2"]
    with pytest.raises(SlowlinkError, match="is of type b200") as error:
        parse_document(LISTING, "listing", None, ["b200"])
    assert error.value.hint == "there are: c1a.8x, h100-80gb-sxm-ib.8x"


@pytest.mark.parametrize(
    "machine",
    [
        {"metadata": {"name": "w", "labels": {"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3"}}},
        {"name": "w", "machineType": "https://a.example/zones/b/machineTypes/a3-h100"},
        {"name": "w", "hardwareProfile": {"vmSize": "Standard_ND96isr_H100_v5"}},
        {"InstanceId": "w", "InstanceType": "p5-h100"},
    ],
)
def test_clouds_name_types_in_their_own_ways(machine: dict[str, object]) -> None:
    text = json.dumps([{**machine, "privateIp": "10.0.0.1"}, {"name": "other", "privateIp": "10.0.0.2"}])
    allocation, _ = parse_document(text, "listing", None, ["h100"])
    assert [node.name for node in allocation.nodes] == ["w"]


def test_a_machine_without_a_name_is_called_by_its_address() -> None:
    text = json.dumps({"nodes": {"type": "x", "value": [{"private_ip": "10.0.0.1"}, {"private_ip": "10.0.0.2"}]}})
    allocation, _ = parse_document(text, "listing")
    assert [(node.name, node.address) for node in allocation.nodes] == [
        ("10.0.0.1", "10.0.0.1"),
        ("10.0.0.2", "10.0.0.2"),
    ]
