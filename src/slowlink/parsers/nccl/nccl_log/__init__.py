"""The debug log of NCCL, RCCL and MCCL (``NCCL_DEBUG=INFO``, ``WARN``, ``TRACE``).

A version, a network and one channel; the last line was quoted without its prefix::

    gpu01:4711:4711 [0] NCCL INFO NCCL version 2.21.5+cuda12.4
    gpu01:4711:4760 [0] NCCL INFO Using network IB
    gpu01:4711:4760 [0] NCCL INFO Channel 00/0 : 0[0] -> 8[0] [send] via NET/IB/0/GDRDMA
    NCCL INFO Bootstrap : Using eth0:10.0.0.7<0>

Source: NCCL 2.7 to 2.30, RCCL and MCCL; each message names the versions of its samples. The prefix is read apart from
the message, and a message that is unknown is counted. Each message family is one module with a tuple ``MESSAGES``; it
is found by being here. ``fold.NcclFold`` takes the lines during the scan, because most of them repeat; ``PARSER`` takes
the few lines that the libraries print without their prefix.
"""

from slowlink.parsers.nccl.nccl_log.bare import BareNcclLines

PARSER = BareNcclLines

__all__ = ["PARSER"]
