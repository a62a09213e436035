"""Outputs of the fabric's tools in our own words and values: two leaves, a spine, three hosts."""

from __future__ import annotations

TOPOLOGY = """\
#
# Topology file: generated on Thu Jan  1 12:00:00 2026
#
# Initiated from node 0c42a10300aa0100 port 0c42a10300aa0100

vendid=0x2c9
devid=0xd2f2
sysimgguid=0x0c42a10300aa1000
switchguid=0xc42a10300aa1000(c42a10300aa1000)
Switch\t65 "S-0c42a10300aa1000"\t\t# "MF0;leafa:MQM9700/U1" enhanced port 0 lid 7 lmc 0
[1]\t"H-0c42a10300aa0100"[1](c42a10300aa0100) \t\t# "gpu01 mlx5_0" lid 21 4xNDR
[2](1/1/2) "H-0c42a10300aa0200"[1](c42a10300aa0200) \t\t# "gpu02 mlx5_0" lid 22 2xNDR
[33][ext 17]\t"S-0c42a10300aa2000"[3][ext 2]\t\t# "Quantum-2 Mellanox Technologies" lid 9 4xNDR s=4 w=2 v=4 e=8
[65]\t"H-0c42a10300aa1008"[1](c42a10300aa1008) \t\t# "Mellanox Technologies Aggregation Node" lid 30 4xNDR

vendid=0x2c9
devid=0x1021
sysimgguid=0x0c42a10300aa0100
caguid=0x0c42a10300aa0100
Ca\t1 "H-0c42a10300aa0100"\t\t# "gpu01 mlx5_0"
[1](c42a10300aa0100) \t"S-0c42a10300aa1000"[1]\t\t# lid 21 lmc 0 "MF0;leafa:MQM9700/U1" lid 7 4xNDR
"""

PORTS = """\
CA    21  1 0x0c42a10300aa0100 4x NDR - SW     7  1 0x0c42a10300aa1000 ( 'gpu01 mlx5_0' - 'leafa' )
SW     7  1 0x0c42a10300aa1000 4x NDR - CA    21  1 0x0c42a10300aa0100 ( 'leafa' - 'gpu01 mlx5_0' )
SW     7  5 0x0c42a10300aa1000 4x ???                                    'leafa'
"""

LISTS = """\
Ca\t: 0x0c42a10300aa0100 ports 1 "gpu01 mlx5_0"
Ca\t : 0x0c42a10300aa0200 ports 1 devid 0x1021 vendid 0x2c9 "gpu02 mlx5_0"
Switch\t: 0x0c42a10300aa1000 ports 65 "MF0;leafa:MQM9700/U1" enhanced port 0 lid 7 lmc 0
Switch\t: 0x0c42a10300aa2000 ports 65 "Quantum-2 Mellanox Technologies" base port 0 lid 9 lmc 0
"""

LINKS = """\
CA: gpu01 mlx5_0:
      0x0c42a10300aa0100     21    1[  ] ==( 4X        106.25 Gbps Active/  LinkUp)==>       7    1[  ] "leafa" ( )
Switch: 0x0c42a10300aa1000 leafa:
           7    1[  ] ==( 4X        106.25 Gbps Active/  LinkUp)==>      21    1[  ] "gpu01 mlx5_0" ( )
           7    2[ 1] ==( 1X      25.78125 Gbps   Init/  LinkUp)==>      22    1[  ] "gpu02 mlx5_0" (Could be 4X Could be 106.25 Gbps)
           7    3[  ] ==( 4X     10.0 Gbps (FDR10) Active/  LinkUp)==>      23    1[  ] "gpu03 mlx5_0" ( )
           7    4[  ] ==(                Down/ Polling)==>             [  ] "" ( )
           7    5[  ] ==(                Down/Disabled)==>             [  ] "" ( )
"""

LINE_MODE = """\
0x0c42a10300aa0100 "                  gpu01 mlx5_0"     21    1[  ] ==( 4X        106.25 Gbps Active/  LinkUp)==>  0x0c42a10300aa1000      7    1[  ] "leafa" ( )
0x0c42a10300aa1000 "                         leafa"      7    1[  ] ==( 4X        106.25 Gbps Active/  LinkUp)==>  0x0c42a10300aa0100     21    1[  ] "gpu01 mlx5_0" ( )
0x0c42a10300aa1000 "                         leafa"      7    2[  ] ==(                Down/ Polling)==>             [  ] "" ( )
"""

ERRORS = """\
ibwarn: [4711] mad_rpc: _do_madrpc failed; dport (Lid 9)
Errors for 0xc42a10300aa1000 "leafa"
   GUID 0xc42a10300aa1000 port ALL: [PortXmitDiscards == 255]
   GUID 0xc42a10300aa1000 port 2: [PortXmitDiscards == 1300] [PortXmitWait == 77 (0.077K)] [PortRcvData == 1000 (3.906KB)]
       Link info:      7   2[  ] ==( 4X        106.25 Gbps Active/  LinkUp)==>  0x0c42a10300aa0200     22    1[  ] "gpu02 mlx5_0" ( )
Errors for "gpu01 mlx5_0"
   GUID 0xc42a10300aa0100 port 1: [SymbolErrors == 12] [LinkDowned == 2]

## Summary: 5 nodes checked, 2 bad nodes found
##          200 ports checked, 2 ports have errors beyond threshold
## Thresholds:
##          1 PMA query failures
## Suppressed: PortRcvSwitchRelayErrors
"""

PERFQUERY = """\
# Port extended counters: Lid 7 port 2 (CapMask: 0x5300 CapMask2: 0x0000002)
PortSelect:......................2
CounterSelect:...................0x0000
PortXmitData:....................100
PortRcvPkts:.....................9
SymbolErrorCounter:..............4
# Port counters: Lid 7 port 255 (CapMask: 0x1200)
PortSelect:......................255
SymbolErrorCounter:..............65535
# PortRcvErrorDetails counters: Lid 21 port 1
PortLocalPhysicalErrors:.........3
PortMalformedPktErrors:..........0
"""

PORT_INFO = """\
# Port info: Lid 7 port 2
LinkState:.......................Active
PhysLinkState:...................LinkUp
Lid:.............................7
SMLid:...........................1
\t\t\t\tIsExtendedSpeedsSupported
LinkWidthSupported:..............1X or 4X
LinkWidthActive:.................4X
LinkSpeedActive:.................10.0 Gbps
LinkSpeedExtSupported:...........25.78125 Gbps or 53.125 Gbps or 106.25 Gbps
LinkSpeedExtActive:..............106.25 Gbps
NeighborMTU:.....................4096
# Node info: Lid 7
NodeType:........................Switch
NumPorts:........................65
Guid:............................0x0c42a10300aa1000
DevId:...........................0xd2f2
"""

SA_RECORDS = """\
NodeRecord dump:
\t\tlid.....................0x7
\t\tnode_type...............Switch
\t\tnum_ports...............65
\t\tnode_guid...............0x0c42a10300aa1000
\t\tport_num................0
\t\tNodeDescription.........leafa
SMInfoRecord dump:
\t\tRID
\t\tLID...................1
\t\tSMInfo dump:
\t\tPriority..............3
\t\tSMState...............2
"""

ROUTE = """\
From ca {0x0c42a10300aa0100} portnum 1 lid 21-21 "gpu01 mlx5_0"
[1] -> switch port {0x0c42a10300aa1000}[1] lid 7-7 "leafa"
[2] -> ca port {0x0c42a10300aa0200}[1] lid 22-22 "gpu02 mlx5_0"
To ca {0x0c42a10300aa0200} portnum 1 lid 22-22 "gpu02 mlx5_0"
"""

ROUTES = """\
Unicast lids [0x0-0x9] of switch DR path slid 0; dlid 0; 0,1 guid 0x0c42a10300aa1000 (leafa):
  Lid  Out   Destination
       Port     Info
0x0007 000 : (Switch portguid 0x0c42a10300aa1000: 'MF0;leafa:MQM9700/U1')
0x0015 001 : (Channel Adapter portguid 0x0c42a10300aa0100: 'gpu01 mlx5_0')
2 valid lids dumped
"""

MANAGER = """\
sminfo: sm lid 7 sm guid 0xc42a10300aa1000, activity count 90 priority 14 state 3 SMINFO_MASTER
sminfo: iberror: failed: query
Jan 01 12:00:00 100200 [1A2B3C40] 0x03 -> OpenSM 5.17.2
Jan 01 12:00:01 100200 [1A2B3C40] 0x80 -> Entering STANDBY state
Jan 01 12:00:02 100200 [1A2B3C40] 0x02 -> fabric_dump_general_info:   - Fabric has 3 CAs, 3 CA ports (3 of them CNs), 2 switches
Jan 01 12:00:03 100200 [1A2B3C40] 0x02 -> osm_ucast_mgr_process: updn tables configured on all switches
Jan 01 12:00:04 100200 [1A2B3C40] 0x02 -> SUBNET UP
Jan 01 12:00:05 100200 [1A2B3C40] 0x01 -> log_trap_info: Received Generic Notice type:1
"""

SWITCH = """\
=================================================
Quantum Mellanox Technologies
=================================================
part number        | MQM8790-HS2F
serial number      | MT0000X00001
product name       | Jaguar Unmng IB 200
ports              | 80
PSID               | MT_0000000063
GUID               | 0x0c42a10300aa3000
firmware version   | 27.2010.3118
-------------------------------------------------
uptime (d-h:m:s)   | 2d-01:00:05
-------------------------------------------------
PSU0 status        | OK
     P/N           | MTEF-X
     DC power      | OK
     fan status    | ERROR
     power (W)     | 90
PSU1 status        |
-------------------------------------------------
temperature (C)    | 41
max temp (C)       | 50
-------------------------------------------------
fan status         | OK
fan#1 (rpm)        | 5600
fan#2 (rpm)        |
-------------------------------------------------
"""

MLXLINK = """\
mlxlink -d mlx5_3 -c -m

Operational Info
----------------
State                              : Active
Physical state                     : LinkUp
Speed                              : IB-NDR
Width                              : 4x
FEC                                : Standard_RS-FEC - (544,514)
Loopback Mode                      : No Loopback

Troubleshooting Info
--------------------
Status Opcode                      : 0
Group Opcode                       : N/A
Recommendation                     : No issue was observed.

Physical Counters and BER Info
------------------------------
Time Since Last Clear [Min]        : 12.5
Symbol Errors                      : 3
Symbol BER                         : 4E-13
Effective Physical Errors          : 0
Effective Physical BER             : 15E-255
Raw Physical Errors Per Lane       : 9,8,7,6
Raw Physical BER                   : 2E-8
Link Down Counter                  : 1

Module Info
-----------
Vendor Part Number                 : MCP4Y10-N001
Temperature [C]                    : 48 [-10..80]
"""

DATABASE = """\
# This database file was automatically generated by IBDIAG
# Running version   : "IBDIAGNET 2.13.0"

"""

PM = (
    DATABASE
    + """\
-------------------------------------------------------
Port=2 Lid=0x0007 GUID=0x0c42a10300aa1000 Device=54002 Port Name=leafa/U1/P1/1/2
-------------------------------------------------------
link_down_counter=0x01
symbol_error_counter=0xffff
port_xmit_wait=0xffffffff
symbol_error_counter_extended=0x0000000000000000
link_downed_counter_extended=0x0000000000000102
port_rcv_errors_extended=0xffffffffffffffd8
port_looping_errors=NA

-------------------------------------------------------
Port=1 Lid=0x0015 GUID=0x0c42a10300aa0100 Device=4129 Port Name=gpu01/mlx5_0/B134D0F0/0/0/1
-------------------------------------------------------
symbol_error_counter=0x0000
port_xmit_data=0x00000064
"""
)

NODES_INFO = (
    DATABASE
    + """\
-------------------------------------------------------
Node Name=S0c42a10300aa2000/N0c42a10300aa2000
-------------------------------------------------------
GUID=0x0c42a10300aa2000
HWInfo_DeviceID=0xd2f2
FWInfo_PSID=MT_0000000579
FWInfo_Extended_Version=31.2014.1204

-------------------------------------------------------
Node Name=gpu01/mlx5_0
-------------------------------------------------------
FWInfo_Extended_Version=28.43.1014
SWInfo_Version=0.0.0
"""
)

SM = (
    DATABASE
    + """\
ibdiagnet fabric SM report

  SM - master
    Port=0 lid=0x0007 guid=0x0c42a10300aa1000 dev=54002 priority:14
  SM - standby
    Port=1 lid=0x0015 guid=0x0c42a10300aa0100 dev=4129 priority:3
"""
)

NET_DUMP = (
    DATABASE
    + """\
"MF0;leafa:MQM9700/U1", Mellanox, 0x0c42a10300aa1000, LID 7
  #          : IB# : Sta  : PhysSta    : MTU : LWA     : LSA     : FEC mode            : Retran : Neighbor Guid      : N#         : NLID : Neighbor Description
  1/1/1      : 1   : ACT  : LINK UP    : 5   : 4x      : 100     : RS_FEC_544_514      : NO-RTR : 0x0c42a10300aa0100 : B134D0F0/0/0/1 : 21   : "gpu01 mlx5_0"
  1/1/2      : 2   : ACT  : LINK UP    : 4   : 2x      : 50      : N/A                 : NO-RTR : 0x0c42a10300aa4000 : 1/2/1      : 9    : "MF0;leafb:MQM9700/U1"
  1/2/1      : 3   : DOWN : POLL       : N/A : N/A     : N/A     : N/A                 : N/A    :                    :            :      :

"MF0;leafb:MQM9700/U1", Mellanox, 0x0c42a10300aa4000, LID 9
  1/2/1      : 3   : ACT  : LINK UP    : 4   : 2x      : 50      : N/A                 : NO-RTR : 0x0c42a10300aa1000 : 1/1/2      : 7    : "MF0;leafa:MQM9700/U1"
"""
)

OLD_NET_DUMP = """\
"leafc", Mellanox, 0x0c42a10300aa5000, LID 4
  #   : Sta : PhysSta : MTU : LWA : LSA : Neighbor Guid      : N# : NLID : Neighbor Description
  1   : ACT : LINK UP : 5   : 4x  : 14  : 0x0c42a10300aa0100 : 1  : 21   : "gpu01 HCA-1"
  2   : DOWN : POLL   : N/A : N/A : N/A :                    :    :      :
"""

CABLES = (
    DATABASE
    + """\
-------------------------------------------------------
Port=2 Lid=0x0007 GUID=0x0c42a10300aa1000 Port Name=leafa/U1/P1/1/2
-------------------------------------------------------
Vendor: Mellanox
OUI: 0x2c9
PN: MCP4Y10-N001
SN: MT0000VS00001
Rev: A2
Temperature: 45C
"""
)

OLD_LINKS = """\
Switch 0x0c42a10300aa1000 leafa:
           7    1[  ] ==( 4X 10.0 Gbps Active/  LinkUp)==>      21    1[  ] "gpu01 HCA-1" ( )
           7    2[  ] ==( 4X 10.0 Gbps Active/  LinkUp)==>      22    1[  ] "gpu02 HCA-1" ( Could be FDR10 (Found link at QDR but expected speed is FDR10))
"""

NET_DUMP_EXT = (
    DATABASE
    + """\
Ty  : #       : #IB : GUID               : LID      : Sta : PhysSta : LWA : LSA : Conn LID (#) : FEC mode       : RTR    : Raw BER : Effective BER : Symbol BER : Symbol Err : Effective Err : Node Desc
SW  : 1/1/1   : 1   : 0x0c42a10300aa1000 : 7 (0x7)  : ACT : LINK UP : 4x  : 100 : 21 (1)       : RS_FEC_544_514 : NO-RTR : 2e-08   : 1.5e-254      : 3e-14      : 12         : 0             : "MF0;leafa:MQM9700/U1"
CA  : 1       : 1   : 0x0c42a10300aa0100 : 21 (0x15) : ACT : LINK UP : 4x  : 100 : 7 (1)        : N/A            : NO-RTR : N/A     : N/A           : N/A        : N/A        : N/A           : "gpu01 mlx5_0"
SW  : 1/1/2   : 2   : 0x0c42a10300aa1000 : 7 (0x7)  : DOWN : POLL   : N/A : N/A : N/A          : N/A            : N/A    : N/A     : N/A           : N/A        : N/A        : N/A           : "MF0;leafa:MQM9700/U1"
"""
)

LST = """\
{ SW Ports:41 SystemGUID:0c42a10300aa1000 NodeGUID:0c42a10300aa1000 PortGUID:0c42a10300aa1000 VenID:000002C9 DevID:D2F20000 Rev:000000A0 {leafa} LID:0007 PN:0b } { CA Ports:01 SystemGUID:0c42a10300aa0100 NodeGUID:0c42a10300aa0100 PortGUID:0c42a10300aa0100 VenID:000002C9 DevID:10210000 Rev:00000000 {gpu01 mlx5_0} LID:0015 PN:01 } PHY=4x LOG=ACT SPD=100
"""

DIAG_LOG = """\
Running version:   "IBDIAGNET 2.13.0"
Running command:   /usr/bin/ibdiagnet --pc

---------------------------------------------
Discovery
-I- Fabric Discover finished successfully

-I- No scope files. Total switches/ports [2/130], CAs/ports [4/4]
-E- Links Check finished with errors
-E- leafa/U1/P1/1/2 - Speed is lower than supported
---------------------------------------------
Fabric Summary

Total Nodes             : 6
IB Switches             : 2
IB Channel Adapters     : 3
IB Aggregation Nodes    : 1
IB Routers              : 0

Adaptive Routing is enabled on 2 switches.
Hashed Based Forwarding is enabled on 0 switches.

Total number of links   : 5
Links at 4x100          : 4
Links at 1x100          : 1

Master SM: Port=0 LID=7 GUID=0x0c42a10300aa1000 devid=54002 Priority:14 Node_Type=SW Node_Description=leafa
Standby SM : No Standby SM

---------------------------------------------
Summary
-I- Stage                               Warnings   Errors     Comment
-I- Discovery                           3          0
-I- Speed / Width checks                0          2
"""

CSV = """\
START_NODES
NodeDesc,NumPorts,NodeType,ClassVersion,BaseVersion,SystemImageGUID,NodeGUID,PortGUID
"MF0;leafa:MQM9700/U1",65,2,1,1,0x0c42a10300aa1000,0x0c42a10300aa1000,0x0c42a10300aa1000
"gpu01 mlx5_0",1,1,1,1,0x0c42a10300aa0100,0x0c42a10300aa0100,0x0c42a10300aa0100
END_NODES

START_PORTS
NodeGuid,PortGuid,PortNum,LinkWidthActv,PortPhyState,PortState
0x0c42a10300aa1000,0x0c42a10300aa1000,1,2,5,4
0x0c42a10300aa1000,0x0c42a10300aa1000,2,1,2,1
END_PORTS

START_LINKS
NodeGuid1,PortNum1,NodeGuid2,PortNum2
0x0c42a10300aa1000,1,0x0c42a10300aa0100,1
END_LINKS

START_PM_INFO
NodeGUID,PortGUID,PortNumber,SymbolErrorCounter,PortXmitDataExt,SymbolErrorCounterExt
0x0c42a10300aa0100,0x0c42a10300aa0100,1,255,100,300
END_PM_INFO

START_OTHER_TABLE
NodeGUID,PortGUID,PortNumber,Word
0x0c42a10300aa0100,0x0c42a10300aa0100,1,x
END_OTHER_TABLE
"""
