"""What an Xid or an SXid says: ``xids.toml``, ``sxids.toml``, ``advice.toml``."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from msgspec import Struct

from slowlink.catalog.load import table


class DriverError(Struct, frozen=True):
    """One number."""

    number: int
    says: str
    """A part of a sentence: ``GSP RPC timeout``."""
    advice: str
    """Entry of ``advice.toml``; "" where NVIDIA says nothing about this number alone."""
    cause: str = ""
    """Whose rule names it; "" where it accuses nothing by itself."""
    severe: bool = True
    """Does it end work, or is a part broken? Otherwise it announces, repeats or counts."""
    ends_all: bool = False
    """Does it end every process on the GPU? Then no job goes on there."""


@cache
def xids() -> dict[int, DriverError]:
    """Every Xid of the catalogue, by number, in the order of the document."""
    return {
        int(number): DriverError(
            int(number), says, group["advice"], group["cause"], group["severe"], group.get("ends_all", False)
        )
        for group in table("driver_errors/xids.toml").values()
        for number, says in group["names"].items()
    }


@cache
def xids_of(cause: str) -> dict[int, str]:
    """Names of the Xids that mean ``cause``, by number."""
    return {number: error.says for number, error in xids().items() if error.cause == cause}


def sxid(number: int) -> DriverError | None:
    """What a number of an NVSwitch says; None for one outside the catalogue."""
    entries = table("driver_errors/sxids.toml")
    for name, entry in entries.items():
        if name != "units" and number in entry["numbers"]:
            return DriverError(number, entry["says"], entry["advice"], severe=not entry.get("quiet", False))
    unit = entries["units"].get(str(number // 1000 * 1000))
    return DriverError(number, f"error of a {unit}", advice="") if unit else None


def advised(errors: Iterable[DriverError], kind: str) -> tuple[str, str] | None:
    """The strongest advice on ``errors`` of one kind (``Xid``), as words and command; None where there is none."""
    found = list(errors)
    for name, entry in table("driver_errors/advice.toml").items():
        those = [error for error in found if error.advice == name]
        if those:
            numbers = " and ".join(dict.fromkeys(f"{kind} {error.number}" for error in those))
            return entry["words"].format(errors=numbers), entry.get("command", "")
    return None
