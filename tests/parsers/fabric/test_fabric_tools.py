"""The fabric's tools: what every one of their lines says."""

from __future__ import annotations

import json
from typing import Any

import fabric_texts as texts
import pytest
from feeding import feed
from inline_snapshot import snapshot

from slowlink.parsers.fabric.dotted import Dotted
from slowlink.parsers.fabric.ibdiagnet_ber import IbdiagnetBer
from slowlink.parsers.fabric.ibdiagnet_blocks import IbdiagnetBlocks
from slowlink.parsers.fabric.ibdiagnet_csv import IbdiagnetCsv
from slowlink.parsers.fabric.ibdiagnet_links import IbdiagnetLinks
from slowlink.parsers.fabric.ibdiagnet_log import IbdiagnetLog
from slowlink.parsers.fabric.ibswinfo import IbSwInfo
from slowlink.parsers.fabric.linkinfo import LinkInfo
from slowlink.parsers.fabric.mlxlink import MlxLink, MlxLinkJson
from slowlink.parsers.fabric.node_lists import NodeLists
from slowlink.parsers.fabric.ports_report import PortsReport
from slowlink.parsers.fabric.query_errors import QueryErrors
from slowlink.parsers.fabric.routes import Routes
from slowlink.parsers.fabric.saquery import SaQuery
from slowlink.parsers.fabric.subnet_manager import SubnetManager
from slowlink.parsers.fabric.topology import Topology
from slowlink.parsers.fabric.tracert import Tracert


def said(parser: Any, text: str) -> list[tuple[str, str, object]]:
    return [(r.part.name, r.attribute, r.value) for r in feed(parser, text.splitlines())]


def test_topology_of_ibnetdiscover() -> None:
    assert said(Topology, texts.TOPOLOGY) == snapshot(
        [
            ("leafa", "fabric-node-type", "switch"),
            ("leafa", "fabric-node-guid", "0x0c42a10300aa1000"),
            ("leafa", "fabric-node-ports", 65),
            ("leafa", "fabric-node-lid", 7),
            ("leafa", "fabric-node-device", "0xd2f2"),
            ("leafa/1", "link-peer", "gpu01 mlx5_0/1"),
            ("leafa/1", "link-width", 4),
            ("leafa/1", "link-speed", 106.25),
            ("leafa/2", "link-peer", "gpu02 mlx5_0/1"),
            ("leafa/2", "link-width", 2),
            ("leafa/2", "link-speed", 106.25),
            ("leafa/33", "link-peer", "0x0c42a10300aa2000/3"),
            ("leafa/33", "link-width", 4),
            ("leafa/33", "link-speed", 106.25),
            ("leafa/65", "link-peer", "0x0c42a10300aa1008/1"),
            ("leafa/65", "link-width", 4),
            ("leafa/65", "link-speed", 106.25),
            ("gpu01 mlx5_0", "fabric-node-type", "ca"),
            ("gpu01 mlx5_0", "fabric-node-guid", "0x0c42a10300aa0100"),
            ("gpu01 mlx5_0", "fabric-node-ports", 1),
            ("gpu01 mlx5_0", "fabric-node-device", "0x1021"),
            ("gpu01 mlx5_0/1", "link-peer", "leafa/1"),
            ("gpu01 mlx5_0/1", "link-lid", 21),
            ("gpu01 mlx5_0/1", "link-width", 4),
            ("gpu01 mlx5_0/1", "link-speed", 106.25),
        ]
    )


def test_ports_report_of_ibnetdiscover() -> None:
    assert said(PortsReport, texts.PORTS) == snapshot(
        [
            ("gpu01 mlx5_0", "fabric-node-type", "ca"),
            ("gpu01 mlx5_0/1", "link-lid", 21),
            ("gpu01 mlx5_0/1", "link-connected", True),
            ("gpu01 mlx5_0/1", "link-peer", "leafa/1"),
            ("gpu01 mlx5_0/1", "link-width", 4),
            ("gpu01 mlx5_0/1", "link-speed", 106.25),
            ("leafa", "fabric-node-type", "switch"),
            ("leafa", "fabric-node-lid", 7),
            ("leafa/1", "link-connected", True),
            ("leafa/1", "link-peer", "gpu01 mlx5_0/1"),
            ("leafa/1", "link-width", 4),
            ("leafa/1", "link-speed", 106.25),
            ("leafa/5", "link-connected", False),
        ]
    )


def test_lists_of_nodes() -> None:
    assert said(NodeLists, texts.LISTS) == snapshot(
        [
            ("gpu01 mlx5_0", "fabric-node-type", "ca"),
            ("gpu01 mlx5_0", "fabric-node-guid", "0x0c42a10300aa0100"),
            ("gpu01 mlx5_0", "fabric-node-ports", 1),
            ("gpu02 mlx5_0", "fabric-node-type", "ca"),
            ("gpu02 mlx5_0", "fabric-node-guid", "0x0c42a10300aa0200"),
            ("gpu02 mlx5_0", "fabric-node-ports", 1),
            ("gpu02 mlx5_0", "fabric-node-device", "0x1021"),
            ("leafa", "fabric-node-type", "switch"),
            ("leafa", "fabric-node-guid", "0x0c42a10300aa1000"),
            ("leafa", "fabric-node-ports", 65),
            ("leafa", "fabric-node-lid", 7),
            ("0x0c42a10300aa2000", "fabric-node-type", "switch"),
            ("0x0c42a10300aa2000", "fabric-node-guid", "0x0c42a10300aa2000"),
            ("0x0c42a10300aa2000", "fabric-node-ports", 65),
            ("0x0c42a10300aa2000", "fabric-node-lid", 9),
        ]
    )


def test_links_of_iblinkinfo() -> None:
    assert said(LinkInfo, texts.LINKS) == snapshot(
        [
            ("gpu01 mlx5_0", "fabric-node-type", "ca"),
            ("gpu01 mlx5_0/1", "link-lid", 21),
            ("gpu01 mlx5_0/1", "link-guid", "0x0c42a10300aa0100"),
            ("gpu01 mlx5_0/1", "link-state", "Active"),
            ("gpu01 mlx5_0/1", "link-physical-state", "LinkUp"),
            ("gpu01 mlx5_0/1", "link-width", 4),
            ("gpu01 mlx5_0/1", "link-speed", 106.25),
            ("gpu01 mlx5_0/1", "link-peer", "leafa/1"),
            ("leafa", "fabric-node-type", "switch"),
            ("leafa", "fabric-node-lid", 7),
            ("leafa/1", "link-state", "Active"),
            ("leafa/1", "link-physical-state", "LinkUp"),
            ("leafa/1", "link-width", 4),
            ("leafa/1", "link-speed", 106.25),
            ("leafa/1", "link-peer", "gpu01 mlx5_0/1"),
            ("leafa/2", "link-state", "Init"),
            ("leafa/2", "link-physical-state", "LinkUp"),
            ("leafa/2", "link-width", 1),
            ("leafa/2", "link-speed", 25.78125),
            ("leafa/2", "link-peer", "gpu02 mlx5_0/1"),
            ("leafa/2", "link-width-max", 4),
            ("leafa/2", "link-speed-max", 106.25),
            ("leafa/3", "link-state", "Active"),
            ("leafa/3", "link-physical-state", "LinkUp"),
            ("leafa/3", "link-width", 4),
            ("leafa/3", "link-speed", 10.3125),
            ("leafa/3", "link-peer", "gpu03 mlx5_0/1"),
            ("leafa/4", "link-state", "Down"),
            ("leafa/4", "link-physical-state", "Polling"),
            ("leafa/5", "link-state", "Down"),
            ("leafa/5", "link-physical-state", "Disabled"),
        ]
    )


def test_line_mode_tells_switches_by_their_ports() -> None:
    found = said(LinkInfo, texts.LINE_MODE)
    assert [entry for entry in found if "node-type" in entry[1] or entry[1] in ("link-peer", "link-state")] == snapshot(
        [
            ("gpu01 mlx5_0/1", "link-state", "Active"),
            ("gpu01 mlx5_0/1", "link-peer", "leafa/1"),
            ("leafa/1", "link-state", "Active"),
            ("leafa/1", "link-peer", "gpu01 mlx5_0/1"),
            ("leafa/2", "link-state", "Down"),
            ("gpu01 mlx5_0", "fabric-node-type", "ca"),
            ("leafa", "fabric-node-type", "switch"),
        ]
    )


def test_errors_of_ibqueryerrors() -> None:
    assert said(QueryErrors, texts.ERRORS) == snapshot(
        [
            ("leafa/2", "link-guid", "0x0c42a10300aa1000"),
            ("leafa/2", "port-xmit-discards", 1300),
            ("leafa/2", "port-xmit-wait", 77),
            ("leafa/2", "port-rcv-data", 4000),
            ("leafa/2", "link-state", "Active"),
            ("leafa/2", "link-physical-state", "LinkUp"),
            ("leafa/2", "link-width", 4),
            ("leafa/2", "link-speed", 106.25),
            ("leafa/2", "link-peer", "gpu02 mlx5_0/1"),
            ("gpu01 mlx5_0/1", "link-guid", "0x0c42a10300aa0100"),
            ("gpu01 mlx5_0/1", "port-symbol-errors", 12),
            ("gpu01 mlx5_0/1", "port-link-downed", 2),
            ("", "fabric-nodes-checked", 5),
            ("", "fabric-nodes-bad", 2),
            ("", "fabric-ports-checked", 200),
            ("", "fabric-ports-bad", 2),
            ("", "fabric-query-failures", 1),
        ]
    )


def test_no_answer_of_the_subnet_administrator() -> None:
    text = "Query SA failed: Connection timed out; sa call path_query failed"
    assert said(QueryErrors, text) == [("", "sm-reachable", False)]


def test_counters_of_perfquery() -> None:
    assert said(Dotted, texts.PERFQUERY) == snapshot(
        [
            ("lid 7/2", "link-lid", 7),
            ("lid 7/2", "port-xmit-data", 400),
            ("lid 7/2", "port-rcv-packets", 9),
            ("lid 7/2", "port-symbol-errors", 4),
            ("lid 21/1", "link-lid", 21),
            ("lid 21/1", "port-local-physical-errors", 3),
            ("lid 21/1", "port-malformed-packets", 0),
        ]
    )


def test_port_and_node_of_smpquery() -> None:
    assert said(Dotted, texts.PORT_INFO) == snapshot(
        [
            ("lid 7/2", "link-lid", 7),
            ("lid 7/2", "link-state", "Active"),
            ("lid 7/2", "link-physical-state", "LinkUp"),
            ("lid 7/2", "link-lid", 7),
            ("lid 7/2", "link-sm-lid", 1),
            ("lid 7/2", "link-width-supported", 4),
            ("lid 7/2", "link-width", 4),
            ("lid 7/2", "link-mtu", 4096),
            ("lid 7/2", "link-speed", 106.25),
            ("lid 7/2", "link-speed-supported", 106.25),
            ("lid 7", "fabric-node-type", "switch"),
            ("lid 7", "fabric-node-ports", 65),
            ("lid 7", "fabric-node-guid", "0x0c42a10300aa1000"),
            ("lid 7", "fabric-node-device", "0xd2f2"),
        ]
    )


def test_records_of_saquery() -> None:
    assert said(SaQuery, texts.SA_RECORDS) == snapshot(
        [
            ("leafa", "fabric-node-type", "switch"),
            ("leafa", "fabric-node-guid", "0x0c42a10300aa1000"),
            ("leafa", "fabric-node-ports", 65),
            ("leafa", "fabric-node-lid", 7),
            ("", "sm-reachable", True),
            ("lid 1", "sm-state", "standby"),
            ("lid 1", "sm-priority", 3),
        ]
    )


def test_route_of_ibtracert() -> None:
    assert said(Tracert, texts.ROUTE) == snapshot(
        [("gpu01 mlx5_0/1", "link-peer", "leafa/1"), ("leafa/2", "link-peer", "gpu02 mlx5_0/1")]
    )


def test_names_of_lids_in_forwarding_tables() -> None:
    assert said(Routes, texts.ROUTES) == [
        ("leafa", "fabric-node-type", "switch"),
        ("leafa", "fabric-node-lid", 7),
        ("gpu01 mlx5_0", "fabric-node-type", "ca"),
        ("gpu01 mlx5_0", "fabric-node-lid", 21),
    ]


def test_subnet_managers() -> None:
    assert said(SubnetManager, texts.MANAGER) == snapshot(
        [
            ("", "sm-reachable", True),
            ("lid 7", "sm-state", "master"),
            ("lid 7", "sm-priority", 14),
            ("lid 7", "fabric-node-guid", "0x0c42a10300aa1000"),
            ("", "sm-reachable", False),
            ("", "sm-version", "5.17.2"),
            ("this subnet manager", "sm-state", "standby"),
            ("", "fabric-cas", 3),
            ("", "fabric-switches", 2),
            ("", "sm-routing", "updn"),
            ("", "sm-subnet-up", True),
        ]
    )


def test_parts_of_a_switch() -> None:
    assert said(IbSwInfo, texts.SWITCH) == snapshot(
        [
            ("0x0c42a10300aa3000", "fabric-node-part-number", "MQM8790-HS2F"),
            ("0x0c42a10300aa3000", "fabric-node-serial", "MT0000X00001"),
            ("0x0c42a10300aa3000", "fabric-node-model", "Jaguar Unmng IB 200"),
            ("0x0c42a10300aa3000", "fabric-node-ports", 80),
            ("0x0c42a10300aa3000", "fabric-node-psid", "MT_0000000063"),
            ("0x0c42a10300aa3000", "fabric-node-guid", "0x0c42a10300aa3000"),
            ("0x0c42a10300aa3000", "fabric-node-type", "switch"),
            ("0x0c42a10300aa3000", "fabric-node-firmware", "27.2010.3118"),
            ("0x0c42a10300aa3000", "fabric-node-uptime", 176405),
            ("0x0c42a10300aa3000/PSU0", "switch-part-status", "OK"),
            ("0x0c42a10300aa3000/PSU0 DC power", "switch-part-status", "OK"),
            ("0x0c42a10300aa3000/PSU0 fan", "switch-part-status", "ERROR"),
            ("0x0c42a10300aa3000", "switch-temperature", 41.0),
            ("0x0c42a10300aa3000", "switch-temperature-max", 50.0),
            ("0x0c42a10300aa3000/fan", "switch-part-status", "OK"),
            ("0x0c42a10300aa3000/fan#1", "switch-fan-speed", 5600.0),
        ]
    )


def test_a_port_in_depth() -> None:
    assert said(MlxLink, texts.MLXLINK) == snapshot(
        [
            ("mlx5_3/1", "port-state", "Active"),
            ("mlx5_3/1", "port-physical-state", "LinkUp"),
            ("mlx5_3/1", "port-rate", 400.0),
            ("mlx5_3/1", "port-width", 4),
            ("mlx5_3/1", "link-fec", "Standard_RS-FEC - (544,514)"),
            ("mlx5_3/1", "link-recommendation", "No issue was observed"),
            ("mlx5_3/1", "link-counted-for", 12.5),
            ("mlx5_3/1", "link-symbol-errors", 3),
            ("mlx5_3/1", "link-symbol-ber", 4e-13),
            ("mlx5_3/1", "link-effective-errors", 0),
            ("mlx5_3/1", "link-effective-ber", 0.0),
            ("mlx5_3/1", "link-raw-ber", 2e-08),
            ("mlx5_3/1", "port-link-downed", 1),
            ("mlx5_3/1", "link-cable-part", "MCP4Y10-N001"),
            ("mlx5_3/1", "link-temperature", 48.0),
        ]
    )


def test_a_port_in_depth_as_json() -> None:
    document = {
        "result": {
            "output": {
                "Operational Info": {"State": "Active", "Speed": "200G", "Width": "4x"},
                "Physical Counters and BER Info": {"Symbol BER": "15E-255", "Raw Physical Errors Per Lane": ["1", "2"]},
            }
        },
        "status": {"code": 0, "message": "success"},
    }
    assert MlxLinkJson.wants_document(json.loads(json.dumps(document)))
    assert not MlxLinkJson.wants_document({"result": {"output": []}})
    found = [(r.part.name, r.attribute, r.value) for r in MlxLinkJson().read(document, "t", 5)]
    assert found == snapshot(
        [
            ("port at line 5", "port-state", "Active"),
            ("port at line 5", "port-width", 4),
            ("port at line 5", "port-rate", 200.0),
            ("port at line 5", "link-symbol-ber", 0.0),
        ]
    )


def test_a_port_of_the_fabric_in_depth() -> None:
    found = said(MlxLink, texts.MLXLINK.replace("-d mlx5_3", "-d /dev/mst/SW_MT54002_lid-0x0007 -p 3"))
    assert {name for name, _, _ in found} == {"lid 7/3"}
    assert ("lid 7/3", "link-state", "Active") in found


def test_counters_of_ibdiagnet() -> None:
    assert said(IbdiagnetBlocks, texts.PM) == snapshot(
        [
            ("leafa/2", "link-lid", 7),
            ("leafa/2", "link-guid", "0x0c42a10300aa1000"),
            ("leafa/2", "port-link-downed", 258),
            ("leafa/2", "port-symbol-errors", 65535),
            ("leafa/2", "port-xmit-wait", 4294967295),
            ("gpu01 mlx5_0/1", "link-lid", 21),
            ("gpu01 mlx5_0/1", "link-guid", "0x0c42a10300aa0100"),
            ("gpu01 mlx5_0/1", "port-symbol-errors", 0),
            ("gpu01 mlx5_0/1", "port-xmit-data", 400),
        ]
    )


def test_firmware_of_ibdiagnet() -> None:
    assert said(IbdiagnetBlocks, texts.NODES_INFO) == snapshot(
        [
            ("0x0c42a10300aa2000", "fabric-node-guid", "0x0c42a10300aa2000"),
            ("0x0c42a10300aa2000", "fabric-node-device", "0xd2f2"),
            ("0x0c42a10300aa2000", "fabric-node-psid", "MT_0000000579"),
            ("0x0c42a10300aa2000", "fabric-node-firmware", "31.2014.1204"),
            ("gpu01 mlx5_0", "fabric-node-firmware", "28.43.1014"),
        ]
    )


def test_subnet_managers_of_ibdiagnet() -> None:
    assert said(IbdiagnetBlocks, texts.SM) == snapshot(
        [
            ("lid 7", "sm-state", "master"),
            ("lid 7", "sm-priority", 14),
            ("", "sm-reachable", True),
            ("lid 21", "sm-state", "standby"),
            ("lid 21", "sm-priority", 3),
            ("", "sm-reachable", True),
        ]
    )


def test_links_of_ibdiagnet() -> None:
    assert said(IbdiagnetLinks, texts.NET_DUMP) == snapshot(
        [
            ("leafa", "fabric-node-type", "switch"),
            ("leafa", "fabric-node-guid", "0x0c42a10300aa1000"),
            ("leafa", "fabric-node-lid", 7),
            ("leafa/1", "link-state", "Active"),
            ("leafa/1", "link-physical-state", "LinkUp"),
            ("leafa/1", "link-mtu", 4096),
            ("leafa/1", "link-width", 4),
            ("leafa/1", "link-speed", 106.25),
            ("leafa/1", "link-fec", "RS_FEC_544_514"),
            ("leafa/2", "link-state", "Active"),
            ("leafa/2", "link-physical-state", "LinkUp"),
            ("leafa/2", "link-mtu", 2048),
            ("leafa/2", "link-width", 2),
            ("leafa/2", "link-speed", 53.125),
            ("leafa/3", "link-state", "Down"),
            ("leafa/3", "link-physical-state", "Polling"),
            ("leafb", "fabric-node-type", "switch"),
            ("leafb", "fabric-node-guid", "0x0c42a10300aa4000"),
            ("leafb", "fabric-node-lid", 9),
            ("leafb/3", "link-state", "Active"),
            ("leafb/3", "link-physical-state", "LinkUp"),
            ("leafb/3", "link-mtu", 2048),
            ("leafb/3", "link-width", 2),
            ("leafb/3", "link-speed", 53.125),
            ("leafa/1", "link-peer", "gpu01 mlx5_0/1"),
            ("leafa/2", "link-peer", "leafb/3"),
            ("leafb/3", "link-peer", "leafa/2"),
        ]
    )


def test_bit_errors_of_ibdiagnet() -> None:
    assert said(IbdiagnetBer, texts.NET_DUMP_EXT) == snapshot(
        [
            ("leafa", "fabric-node-type", "switch"),
            ("leafa/1", "link-lid", 7),
            ("leafa/1", "link-state", "Active"),
            ("leafa/1", "link-physical-state", "LinkUp"),
            ("leafa/1", "link-width", 4),
            ("leafa/1", "link-speed", 106.25),
            ("leafa/1", "link-fec", "RS_FEC_544_514"),
            ("leafa/1", "link-raw-ber", 2e-08),
            ("leafa/1", "link-effective-ber", 0.0),
            ("leafa/1", "link-symbol-ber", 3e-14),
            ("leafa/1", "link-symbol-errors", 12),
            ("leafa/1", "link-effective-errors", 0),
            ("gpu01 mlx5_0", "fabric-node-type", "ca"),
            ("gpu01 mlx5_0/1", "link-lid", 21),
            ("gpu01 mlx5_0/1", "link-state", "Active"),
            ("gpu01 mlx5_0/1", "link-physical-state", "LinkUp"),
            ("gpu01 mlx5_0/1", "link-width", 4),
            ("gpu01 mlx5_0/1", "link-speed", 106.25),
            ("leafa", "fabric-node-type", "switch"),
            ("leafa/2", "link-lid", 7),
            ("leafa/2", "link-state", "Down"),
            ("leafa/2", "link-physical-state", "Polling"),
        ]
    )


def test_links_of_an_older_ibdiagnet() -> None:
    assert said(IbdiagnetLinks, texts.OLD_NET_DUMP) == snapshot(
        [
            ("leafc", "fabric-node-type", "switch"),
            ("leafc", "fabric-node-guid", "0x0c42a10300aa5000"),
            ("leafc", "fabric-node-lid", 4),
            ("leafc/1", "link-state", "Active"),
            ("leafc/1", "link-physical-state", "LinkUp"),
            ("leafc/1", "link-mtu", 4096),
            ("leafc/1", "link-width", 4),
            ("leafc/1", "link-speed", 14.0625),
            ("leafc/2", "link-state", "Down"),
            ("leafc/2", "link-physical-state", "Polling"),
            ("leafc/1", "link-peer", "gpu01 HCA-1/1"),
        ]
    )


def test_links_of_an_older_iblinkinfo() -> None:
    assert said(LinkInfo, texts.OLD_LINKS) == snapshot(
        [
            ("leafa", "fabric-node-type", "switch"),
            ("leafa", "fabric-node-lid", 7),
            ("leafa/1", "link-state", "Active"),
            ("leafa/1", "link-physical-state", "LinkUp"),
            ("leafa/1", "link-width", 4),
            ("leafa/1", "link-speed", 10.0),
            ("leafa/1", "link-peer", "gpu01 HCA-1/1"),
            ("leafa/2", "link-state", "Active"),
            ("leafa/2", "link-physical-state", "LinkUp"),
            ("leafa/2", "link-width", 4),
            ("leafa/2", "link-speed", 10.0),
            ("leafa/2", "link-peer", "gpu02 HCA-1/1"),
            ("leafa/2", "link-speed-max", 10.3125),
        ]
    )


def test_modules_of_ibdiagnet() -> None:
    assert said(IbdiagnetBlocks, texts.CABLES) == snapshot(
        [
            ("leafa/2", "link-lid", 7),
            ("leafa/2", "link-guid", "0x0c42a10300aa1000"),
            ("leafa/2", "link-cable-part", "MCP4Y10-N001"),
            ("leafa/2", "link-cable-serial", "MT0000VS00001"),
            ("leafa/2", "link-temperature", 45.0),
        ]
    )


def test_list_of_links_of_ibdiagnet() -> None:
    assert said(IbdiagnetLinks, texts.LST) == snapshot(
        [
            ("leafa", "fabric-node-type", "switch"),
            ("leafa", "fabric-node-lid", 7),
            ("leafa/11", "link-peer", "gpu01 mlx5_0/1"),
            ("leafa/11", "link-width", 4),
            ("leafa/11", "link-state", "Active"),
            ("leafa/11", "link-speed", 106.25),
            ("gpu01 mlx5_0", "fabric-node-type", "ca"),
            ("gpu01 mlx5_0/1", "link-lid", 21),
            ("gpu01 mlx5_0/1", "link-peer", "leafa/11"),
            ("gpu01 mlx5_0/1", "link-width", 4),
            ("gpu01 mlx5_0/1", "link-state", "Active"),
            ("gpu01 mlx5_0/1", "link-speed", 106.25),
        ]
    )


def test_log_of_ibdiagnet() -> None:
    assert said(IbdiagnetLog, texts.DIAG_LOG) == snapshot(
        [
            ("", "fabric-switches", 2),
            ("", "fabric-adapters", 4),
            ("ibdiagnet/leafa/U1/P1/1/2", "ibdiagnet-message", "Speed is lower than supported"),
            ("", "fabric-nodes", 6),
            ("", "fabric-switches", 2),
            ("", "fabric-cas", 3),
            ("", "fabric-aggregation-nodes", 1),
            ("", "fabric-ar-switches", 2),
            ("", "fabric-links", 5),
            ("4x 100", "fabric-link-class", 4),
            ("1x 100", "fabric-link-class", 1),
            ("lid 7", "sm-state", "master"),
            ("lid 7", "sm-priority", 14),
            ("lid 7", "fabric-node-guid", "0x0c42a10300aa1000"),
            ("", "sm-reachable", True),
            ("", "fabric-standby-sms", 0),
            ("ibdiagnet/Discovery", "ibdiagnet-warnings", 3),
            ("ibdiagnet/Discovery", "ibdiagnet-errors", 0),
            ("ibdiagnet/Speed / Width checks", "ibdiagnet-warnings", 0),
            ("ibdiagnet/Speed / Width checks", "ibdiagnet-errors", 2),
        ]
    )


def test_tables_of_ibdiagnet() -> None:
    assert said(IbdiagnetCsv, texts.CSV) == snapshot(
        [
            ("leafa", "fabric-node-guid", "0x0c42a10300aa1000"),
            ("leafa", "fabric-node-type", "switch"),
            ("leafa", "fabric-node-ports", 65),
            ("gpu01 mlx5_0", "fabric-node-guid", "0x0c42a10300aa0100"),
            ("gpu01 mlx5_0", "fabric-node-type", "ca"),
            ("gpu01 mlx5_0", "fabric-node-ports", 1),
            ("leafa/1", "link-state", "Active"),
            ("leafa/1", "link-physical-state", "LinkUp"),
            ("leafa/1", "link-width", 4),
            ("leafa/2", "link-state", "Down"),
            ("leafa/2", "link-physical-state", "Polling"),
            ("leafa/1", "link-peer", "gpu01 mlx5_0/1"),
            ("gpu01 mlx5_0/1", "link-peer", "leafa/1"),
            ("gpu01 mlx5_0/1", "port-symbol-errors", 300),
            ("gpu01 mlx5_0/1", "port-xmit-data", 400),
        ]
    )


@pytest.mark.parametrize("word", ["N/A", "Unknown", "??", "", "12E5x", "1E999", "7"])
def test_a_rate_that_says_nothing_is_no_rate(word: str) -> None:
    text = texts.MLXLINK.replace("4E-13", word).replace("15E-255", word).replace("2E-8", word)
    assert [entry for entry in said(MlxLink, text) if entry[1].endswith("-ber")] == []
