"""What managed switches print at their command line, in our own values."""

from __future__ import annotations

HEALTH = """\
rack7-leaf [standalone: master] # show power
----------------------------------------------------------------------------------
Module      Device     Sensor     Power     Voltage   Current   Capacity Feed Status
                                  [Watts]   [Volts]   [Amp]     [Watts]
----------------------------------------------------------------------------------
PS1         power-mon  input      140.50    229.00    0.61      1100.00  AC   OK
PS2         -          -          -         -         -         -        -    FAIL
Total power used : 140.50 Watts
rack7-leaf [standalone: master] # show fan
=====================================================
Module          Device          Fan  Speed     Status
                                     (RPM)
=====================================================
FAN1            FAN             F1   6100.00   OK
PS2             FAN             -    -         NOT PRESENT
rack7-leaf [standalone: master] # show temperature
---------------------------------------------------------
Module      Component              Reg  CurTemp    Status
                                        (Celsius)
---------------------------------------------------------
MGMT        QUANTUM                T1   51.00      OK
"""

PORTS = """\
rack7-leaf [standalone: master] (config) # show interfaces ib 1/4

IB1/4 state:
  Logical port state          : Active
  Physical port state         : LinkUp
  Current line rate           : 100.0 Gbps
  Supported speeds            : sdr, fdr, edr, hdr
  Speed                       : edr
  Supported widths            : 1X, 4X
  Width                       : 4X
  MTU                         : 4096

RX:
  bytes          : 111
  Symbol errors  : 7

TX:
  wait           : 90
  discarded packets : 3
rack7-leaf [standalone: master] (config) # show interfaces ib status
Interface      Description           Speed     Current line rate   Logical port state   Physical port state
---------      -----------           -----     -----------------   ------------------   -------------------
IB1/4                                edr       100.0 Gbps          Active               LinkUp
IB1/5/1        to storage            hdr       100.0 Gbps          Active               LinkUp
IB1/6                                -         -                   Down                 Polling
"""
