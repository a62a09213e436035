"""DCGM's fields that are attributes: by the name in dcgm-exporter, and by the short name in ``dcgmi dmon``.

Source: ``dcgmlib/src/dcgm_fields.cpp`` of DCGM 3.3 and 4.6, which renamed some.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from slowlink.model.state import Value
from slowlink.parsers.gpu.nvidia_smi.csv_fields import REASON_BITS
from slowlink.parsers.gpu.nvidia_smi.values import lanes, transfers


class Field(Struct, frozen=True):
    """One attribute and how its value is made from the number printed."""

    attribute: str
    convert: Callable[[float], Value | None] = float


def _count(number: float) -> Value:
    return int(number)


def _mebibytes(number: float) -> Value:
    return int(number) << 20


def _answer(number: float) -> Value:
    return number != 0


def _lanes(number: float) -> Value | None:
    return lanes(f"{number:.0f}")


def _transfers(number: float) -> Value | None:
    return transfers(f"{number:.0f}")


def _bit(bit: int) -> Callable[[float], Value]:
    return lambda number: bool(int(number) & bit)


_TEMPERATURE, _MEMORY_TEMPERATURE = Field("gpu-temperature"), Field("gpu-memory-temperature")
_POWER, _UTILISATION, _XID = Field("gpu-power"), Field("gpu-utilisation"), Field("gpu-last-xid", _count)
_REPLAYS = Field("gpu-pcie-replays", _count)
_REASONS = tuple(Field(attribute, _bit(bit)) for bit, attribute in REASON_BITS.items())
"""DCGM hands NVML's mask of clock event reasons on."""

_EXPORTED = {
    "DCGM_FI_DEV_GPU_TEMP": _TEMPERATURE,
    "DCGM_FI_DEV_GPU_TEMP_CELSIUS": _TEMPERATURE,
    "DCGM_FI_DEV_MEMORY_TEMP": _MEMORY_TEMPERATURE,
    "DCGM_FI_DEV_MEMORY_TEMP_CELSIUS": _MEMORY_TEMPERATURE,
    "DCGM_FI_DEV_POWER_USAGE": _POWER,
    "DCGM_FI_DEV_BOARD_POWER_WATTS": _POWER,
    "DCGM_FI_DEV_GPU_UTIL": _UTILISATION,
    "DCGM_FI_DEV_MEM_COPY_UTIL": Field("gpu-memory-utilisation"),
    "DCGM_FI_DEV_SM_CLOCK": Field("gpu-clock-sm"),
    "DCGM_FI_DEV_MEM_CLOCK": Field("gpu-clock-memory"),
    "DCGM_FI_DEV_FB_USED": Field("gpu-memory-used", _mebibytes),
    "DCGM_FI_DEV_FB_TOTAL": Field("gpu-memory-total", _mebibytes),
    "DCGM_FI_DEV_XID_ERRORS": _XID,
    "DCGM_FI_DEV_XID_ERROR": _XID,
    "DCGM_FI_DEV_PCIE_REPLAY_COUNTER": _REPLAYS,
    "DCGM_FI_DEV_PCIE_REPLAY_TOTAL": _REPLAYS,
    "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL": Field("gpu-ecc-volatile-correctable", _count),
    "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL": Field("gpu-ecc-volatile-uncorrectable", _count),
    "DCGM_FI_DEV_ECC_SBE_AGG_TOTAL": Field("gpu-ecc-aggregate-correctable", _count),
    "DCGM_FI_DEV_ECC_DBE_AGG_TOTAL": Field("gpu-ecc-aggregate-uncorrectable", _count),
    "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS": Field("gpu-rows-remapped-uncorrectable", _count),
    "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS": Field("gpu-rows-remapped-correctable", _count),
    "DCGM_FI_DEV_ROW_REMAP_FAILURE": Field("gpu-remap-failed", _answer),
    "DCGM_FI_DEV_ROW_REMAP_PENDING": Field("gpu-remap-pending", _answer),
    "DCGM_FI_DEV_RETIRED_SBE": Field("gpu-retired-pages-single-bit", _count),
    "DCGM_FI_DEV_RETIRED_DBE": Field("gpu-retired-pages-double-bit", _count),
    "DCGM_FI_DEV_RETIRED_PENDING": Field("gpu-retirement-pending", _answer),
    "DCGM_FI_DEV_PCIE_LINK_WIDTH": Field("pcie-width", _lanes),
    "DCGM_FI_DEV_PCIE_MAX_LINK_WIDTH": Field("pcie-width-max", _lanes),
    "DCGM_FI_DEV_PCIE_LINK_GEN": Field("pcie-speed", _transfers),
    "DCGM_FI_DEV_PCIE_MAX_LINK_GEN": Field("pcie-speed-max", _transfers),
    "DCGM_FI_DEV_POWER_MGMT_LIMIT": Field("gpu-power-limit"),
    "DCGM_FI_DEV_POWER_MGMT_LIMIT_DEF": Field("gpu-power-limit-default"),
    "DCGM_FI_DEV_SLOWDOWN_TEMP": Field("gpu-temperature-slowdown"),
    "DCGM_FI_DEV_SHUTDOWN_TEMP": Field("gpu-temperature-shutdown"),
    "DCGM_FI_DEV_GPU_TEMP_LIMIT": Field("gpu-temperature-margin"),
}
_SHORT = {
    "TMPTR": _TEMPERATURE,
    "MMTMP": _MEMORY_TEMPERATURE,
    "POWER": _POWER,
    "GPUTL": _UTILISATION,
    "MCUTL": Field("gpu-memory-utilisation"),
    "SMCLK": Field("gpu-clock-sm"),
    "MMCLK": Field("gpu-clock-memory"),
    "FBUSD": Field("gpu-memory-used", _mebibytes),
    "FBTTL": Field("gpu-memory-total", _mebibytes),
    "XIDER": _XID,
    "RPCTR": _REPLAYS,
    "ESVTL": Field("gpu-ecc-volatile-correctable", _count),
    "EDVTL": Field("gpu-ecc-volatile-uncorrectable", _count),
}

EXPORTED = {name: (field,) for name, field in _EXPORTED.items()} | {
    "DCGM_FI_DEV_CLOCKS_EVENT_REASONS": _REASONS,
    "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS": _REASONS,
}
SHORT = {name: (field,) for name, field in _SHORT.items()} | {"DVCCTR": _REASONS}
"""By name; the bits of a mask are an attribute each."""
