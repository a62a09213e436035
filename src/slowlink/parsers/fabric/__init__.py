"""The InfiniBand fabric, as its tools print it: one file a tool. ``names`` gives each node and port one name.

A port of a switch is ``leaf1/5``, one of an adapter ``node03 mlx5_0/1``. Readings belong to the node that was asked: it
sees the whole fabric; ``facts.fabric`` joins both ends of each link.
"""

from __future__ import annotations

from slowlink.parsers.fabric.dotted import Dotted
from slowlink.parsers.fabric.ibdiagnet_ber import IbdiagnetBer
from slowlink.parsers.fabric.ibdiagnet_blocks import IbdiagnetBlocks
from slowlink.parsers.fabric.ibdiagnet_csv import IbdiagnetCsv
from slowlink.parsers.fabric.ibdiagnet_links import IbdiagnetLinks
from slowlink.parsers.fabric.ibdiagnet_log import IbdiagnetLog
from slowlink.parsers.fabric.ibswinfo import IbSwInfo
from slowlink.parsers.fabric.linkinfo import LinkInfo
from slowlink.parsers.fabric.mlnx_os import MlnxOs
from slowlink.parsers.fabric.mlxcables import MlxCables
from slowlink.parsers.fabric.mlxlink import MlxLink, MlxLinkJson
from slowlink.parsers.fabric.node_lists import NodeLists
from slowlink.parsers.fabric.ports_report import PortsReport
from slowlink.parsers.fabric.query_errors import QueryErrors
from slowlink.parsers.fabric.routes import Routes
from slowlink.parsers.fabric.saquery import SaQuery
from slowlink.parsers.fabric.smp_tables import SmpTables
from slowlink.parsers.fabric.subnet_manager import SubnetManager
from slowlink.parsers.fabric.topology import Topology
from slowlink.parsers.fabric.tracert import Tracert

PARSERS = (
    Dotted,
    IbdiagnetBer,
    IbdiagnetBlocks,
    IbdiagnetCsv,
    IbdiagnetLinks,
    IbdiagnetLog,
    IbSwInfo,
    LinkInfo,
    MlnxOs,
    MlxCables,
    MlxLink,
    NodeLists,
    PortsReport,
    QueryErrors,
    Routes,
    SaQuery,
    SmpTables,
    SubnetManager,
    Topology,
    Tracert,
)
DOCUMENT = MlxLinkJson
