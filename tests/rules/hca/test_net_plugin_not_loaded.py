from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from job_findings import check, findings, remedies, skipped

from slowlink.simulate.job import SimulatedJob, job_log

SAYS = "nid001:77:77 [0] NCCL INFO "
NOT_FOUND = SAYS + "NET/Plugin: Could not find: libnccl-net.so. Using internal network plugin.\n"
FAILED = SAYS + "NET/Plugin: Could not find: libnccl-net-ofi.so libfabric.so.1: cannot open shared object file\n"
SLINGSHOT = SAYS + "NET/Socket : Using [0]hsn0:10.253.1.7<0> [1]hsn1:10.253.1.8<0>\n"
ETHERNET = SAYS + "NET/Socket : Using [0]eth0:10.0.0.1<0>\n"
SOCKET = SAYS + "Using network Socket\n"


def test_slingshot_without_its_plugin() -> None:
    assert findings("net-plugin-not-loaded", NOT_FOUND + SLINGSHOT + SOCKET) == snapshot(
        [
            {
                "cause": "net-plugin-not-loaded",
                "message": "the network plug-in libnccl-net.so was not found, so NCCL uses TCP sockets; this machine has HPE Slingshot, which NCCL reaches through aws-ofi-nccl over libfabric cxi alone",
                "how": "error, likely",
                "suspects": ["node nid001"],
                "evidence": [(1, ""), (3, ""), (2, "")],
                "explains": ["socket-fallback", "busbw-below-expected"],
            }
        ]
    )


def test_asked_for_by_name() -> None:
    asked = SAYS + "NCCL_NET_PLUGIN set by environment to ofi\n"
    assert findings("net-plugin-not-loaded", asked + NOT_FOUND + ETHERNET + SOCKET) == snapshot(
        [
            {
                "cause": "net-plugin-not-loaded",
                "message": "the network plug-in libnccl-net.so was not found, so NCCL uses TCP sockets",
                "how": "error, possible",
                "suspects": ["node nid001"],
                "evidence": [(2, ""), (4, "")],
                "explains": ["socket-fallback", "busbw-below-expected"],
            }
        ]
    )


EFA = """\
$ fi_info -p efa -t FI_EP_RDM
provider: efa
    fabric: efa
    domain: rdmap16s27-rdm
"""


@pytest.mark.parametrize(
    ("shown", "fabric"),
    [
        (EFA, "AWS EFA"),
        ("LD_LIBRARY_PATH=/opt/amazon/efa/lib64:/usr/lib\n", "AWS EFA"),
        ("export FI_EFA_USE_DEVICE_RDMA=1\n", "AWS EFA"),
        (SAYS + "NCCL_GPUDIRECTTCPX_UNIX_CLIENT_PREFIX set by environment to /run/tcpx\n", "GPUDirect-TCPX"),
        ("export FI_PROVIDER=cxi\n", "HPE Slingshot"),
        ("NCCL_FASTRAK_CTRL_DEV=eth0\n", "GPUDirect-TCPX"),
    ],
)
def test_whatever_shows_a_fabric_that_needs_the_plugin_explains_sockets(shown: str, fabric: str) -> None:
    (found,) = check("net-plugin-not-loaded", shown + NOT_FOUND + ETHERNET + SOCKET).findings
    assert f"this machine has {fabric}, which NCCL reaches through" in found.message
    assert (found.severity, found.confidence) == ("error", "likely")


def test_a_kind_of_machine_is_a_weaker_sign() -> None:
    assert findings("net-plugin-not-loaded", "We run two p5.48xlarge.\n" + NOT_FOUND + ETHERNET + SOCKET) == snapshot(
        [
            {
                "cause": "net-plugin-not-loaded",
                "message": "the network plug-in libnccl-net.so was not found, so NCCL uses TCP sockets; such machines have AWS EFA, which NCCL reaches through aws-ofi-nccl alone",
                "how": "warning, possible",
                "suspects": ["node nid001"],
                "evidence": [(2, ""), (4, ""), (1, "")],
                "explains": ["socket-fallback", "busbw-below-expected"],
            }
        ]
    )


UNKNOWN = "the network plug-in {} has no interface that this NCCL knows, so NCCL uses TCP sockets"


@pytest.mark.parametrize(
    ("said", "message"),
    [
        (
            "External network plugin /opt/ofi/lib/libnccl-net.so is unsupported",
            UNKNOWN.format("/opt/ofi/lib/libnccl-net.so"),
        ),
        ("NET/Plugin: Failed to find ncclNetPlugin_v6 symbol.", UNKNOWN.format("libnccl-net.so")),
        (
            "NET/Plugin : dlerror=libfabric.so.1: cannot open shared object file: No such file or directory "
            "No plugin found (libnccl-net.so), using internal implementation",
            "the network plug-in libnccl-net.so failed to load (libfabric.so.1: cannot open shared object file: "
            "No such file or directory), so NCCL uses TCP sockets",
        ),
        (
            "NET/Plugin: Plugin load returned 0 : libnccl-net-ofi.so: undefined symbol: fi_dupinfo when loading "
            "libnccl-net-ofi.so",
            "the network plug-in libnccl-net-ofi.so failed to load (libnccl-net-ofi.so: undefined symbol: fi_dupinfo), "
            "so NCCL uses TCP sockets",
        ),
    ],
)
def test_one_that_is_there_and_of_no_use_is_told_on_any_network(said: str, message: str) -> None:
    (found,) = check("net-plugin-not-loaded", SAYS + said + "\n" + ETHERNET + SOCKET).findings
    assert (found.message, found.severity) == (message, "error")


@pytest.mark.parametrize(
    "said",
    [
        "NET/Plugin : Plugin load returned 2 : libnccl-net.so: cannot open shared object file: No such file or directory.",
        "NET/Plugin : dlerror=libnccl-net.so: cannot open shared object file: No such file or directory "
        "No plugin found (libnccl-net.so), using internal implementation",
        "NET/Plugin: Plugin load returned 2 : libnccl-net-x.so: cannot open shared object file: No such file or directory"
        " when loading libnccl-net-x.so",
        "NET/Plugin: Failed to find ncclCollNetPlugin_v8 symbol.",
    ],
)
def test_one_that_nobody_installed_is_no_failure(said: str) -> None:
    assert findings("net-plugin-not-loaded", SAYS + said + "\n" + ETHERNET + SOCKET) == []


def test_an_interface_that_is_missing_is_none_where_another_is_there() -> None:
    probed = SAYS + "NET/Plugin: Failed to find ncclNetPlugin_v9 symbol.\n"
    loaded = SAYS + "NET/Plugin: Loaded net plugin AWS Libfabric (v8)\n"
    assert findings("net-plugin-not-loaded", probed + loaded + ETHERNET + SOCKET) == []
    assert findings("net-plugin-not-loaded", probed + loaded.replace("nid001", "nid002") + ETHERNET + SOCKET) != []


UNSUPPORTED = SAYS + "External network plugin /opt/ofi/lib/libnccl-net.so is unsupported\n"


def test_the_start_of_the_socket_transport_is_the_choice_where_none_is_printed() -> None:
    (found,) = check("net-plugin-not-loaded", UNSUPPORTED + ETHERNET).findings
    assert found.message == UNKNOWN.format("/opt/ofi/lib/libnccl-net.so")
    assert (found.severity, found.confidence) == ("error", "possible")
    assert [evidence.line for evidence in found.evidence] == [1, 2]


@pytest.mark.parametrize(
    "other",
    [
        "Using network IB",
        "NET/IB : Using [0]mlx5_0:1/IB [RO]; OOB eth0:10.0.0.1<0>",
        "Assigned NET plugin IB to comm",
        "Channel 00/0 : 0[0] -> 8[0] [send] via NET/IB/0/GDRDMA",
    ],
)
def test_the_start_of_the_socket_transport_is_none_beside_another_network(other: str) -> None:
    assert findings("net-plugin-not-loaded", UNSUPPORTED + ETHERNET + SAYS + other + "\n") == []
    nameless = (UNSUPPORTED + ETHERNET).replace(SAYS, "NCCL INFO ")
    assert findings("net-plugin-not-loaded", nameless) != []
    assert findings("net-plugin-not-loaded", nameless + SAYS + other + "\n") == []
    elsewhere = SAYS.replace("nid001", "nid002") + other + "\n"
    assert findings("net-plugin-not-loaded", UNSUPPORTED + ETHERNET + elsewhere) != []


def test_the_interface_of_the_start_up_is_no_choice() -> None:
    bootstrap = SAYS + "Bootstrap : Using eth0:10.0.0.1<0>\n"
    threads = SAYS + "NET/Socket: Using 1 threads and 1 sockets per thread\n"
    assert findings("net-plugin-not-loaded", UNSUPPORTED + bootstrap + threads) == []


def test_plain_ethernet_needs_none() -> None:
    assert findings("net-plugin-not-loaded", NOT_FOUND + ETHERNET + SOCKET) == []


def test_switched_off_on_purpose() -> None:
    off = SAYS + "NCCL_NET_PLUGIN set by environment to none\n"
    assert findings("net-plugin-not-loaded", off + NOT_FOUND + ETHERNET + SOCKET) == []


@pytest.mark.parametrize("network", ["IB", "AWS Libfabric"])
def test_another_network_is_in_use(network: str) -> None:
    assert findings("net-plugin-not-loaded", NOT_FOUND + SLINGSHOT + SOCKET.replace("Socket", network)) == []


def test_one_node_alone() -> None:
    alone = SAYS + "comm 0x55d0 rank 0 nRanks 4 nNodes 1 localRanks 4 localRank 0 MNNVL 0\n"
    assert findings("net-plugin-not-loaded", NOT_FOUND + SLINGSHOT + SOCKET + alone) == []


def test_without_nccl_lines() -> None:
    assert skipped("net-plugin-not-loaded", job_log(SimulatedJob(logged=False))) == snapshot(
        "no network lines of NCCL; run with NCCL_DEBUG=INFO"
    )


def test_it_says_what_to_do() -> None:
    assert remedies("net-plugin-not-loaded", NOT_FOUND + SLINGSHOT + SOCKET) == snapshot(
        [
            [
                (
                    "Put the plug-in where the job looks for it, inside the container.",
                    'export LD_LIBRARY_PATH="/path/to/plugin/lib:$LD_LIBRARY_PATH"',
                ),
                ("See what the plug-in itself misses.", "ldd /path/to/libnccl-net.so"),
            ]
        ]
    )
