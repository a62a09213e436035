"""Every setting: each module of this package with a ``SETTING``."""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from functools import cache
from importlib import import_module

import slowlink.settings
from slowlink.settings.interface import Setting


@cache
def settings() -> Mapping[str, Setting]:
    """By name, in the order in which they are applied."""
    modules = (import_module(f"slowlink.settings.{found.name}") for found in pkgutil.iter_modules(_PATH))
    known = [setting for module in modules for setting in (getattr(module, "SETTING", None),) if setting is not None]
    return {setting.name: setting for setting in sorted(known, key=lambda setting: setting.order)}


_PATH = slowlink.settings.__path__
