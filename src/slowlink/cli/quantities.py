"""Quantities and addresses on the command line: sizes, shares, where to listen, as people write them."""

from __future__ import annotations

import math

import click

LOOPBACK = "127.0.0.1"
_HIGHEST_PORT = 65_535


class Size(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """``8``, ``128M``, ``1G``."""

    name = "size"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        from slowlink.units import parse_size

        size = value if isinstance(value, int) else parse_size(str(value))
        if not size or size > 1 << 46:
            self.fail(f"'{value}' is no size; for instance 8, 64K, 128M, 1G", param, ctx)
        return size


class FiniteRange(click.FloatRange):
    """A number in a range. ``nan`` is neither below nor above any bound, and nothing is more than ``inf``."""

    def convert(self, value: float | str, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = float(super().convert(value, param, ctx))  # type: ignore[arg-type,unused-ignore]
        if not math.isfinite(number):
            self.fail(f"'{value}' is no number", param, ctx)
        return number


class Percent(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """``5%``, ``5`` or ``0.05``: all the same."""

    name = "percent"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        text = str(value).strip()
        try:
            number = float(text.removesuffix("%"))
        except ValueError:
            number = -1.0
        share = number if number < 1 and not text.endswith("%") else number / 100
        if not 0 <= share < 1:
            self.fail(f"'{value}' is no share; for instance 5%", param, ctx)
        return share


class Address(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """``127.0.0.1:8080``, ``[::1]:8080``, or a port alone for loopback."""

    name = "address"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, int]:
        if isinstance(value, tuple):
            return value
        host, _, port = str(value).rpartition(":")
        if not (port.isascii() and port.isdecimal() and len(port) < 6 and int(port) <= _HIGHEST_PORT):
            self.fail(f"'{value}' is no address to listen on; for instance {LOOPBACK}:8080", param, ctx)
        return host.removeprefix("[").removesuffix("]") or LOOPBACK, int(port)
