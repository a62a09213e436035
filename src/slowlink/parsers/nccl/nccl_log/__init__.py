"""The debug log of NCCL, RCCL and MCCL.

Each message family is one module with a tuple ``MESSAGES``; it is found by being here. `fold.NcclFold` takes the
lines of the scan; ``PARSER`` takes the few lines that the libraries print without their prefix.
"""

from slowlink.parsers.nccl.nccl_log.bare import BareNcclLines

PARSER = BareNcclLines

__all__ = ["PARSER"]
