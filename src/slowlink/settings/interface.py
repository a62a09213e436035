"""What a setting is: how a node's shell reads and writes it, and which values it may ever hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct, field

BLIND = "?"
"""What a setting reads as that can be written but not read."""

PCI_ADDRESS = r"[0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-7]"


def always_fits(wanted: str, detail: str) -> str:  # noqa: ARG001  (the signature of ``Setting.misfit``)
    """For settings whose wanted value every node can hold."""
    return ""


class Setting(Struct, frozen=True):
    """One setting of a node, or of each of its parts (a GPU, a bridge, a CPU frequency policy).

    ``script`` is POSIX sh on top of ``prelude.PRELUDE`` and defines two functions, named after the setting with
    underscores for dashes. ``NAME_read [PART]`` prints ``item NAME PART VALUE DETAIL`` for each part (or that one), or
    ``none NAME WHY``; it changes nothing. ``NAME_write PART VALUE`` sets one part; to apply and to restore are the
    same act with another value. Kernel files and files of the node lie below ``$ROOT``.
    """

    name: str
    title: str
    order: int
    """Settings are applied in this order and restored in the reverse one."""
    parts: str
    """Pattern of a part's whole name. Nothing else is ever put into a script."""
    values: str
    """Pattern of every whole value that it may hold: what a node says is checked before it is written back."""
    wanted: str | None
    """What it should be; None: only planned when the user gives a value."""
    commands: Callable[[str, str], str]
    """(part, value) -> the command that a person would type, for the plan."""
    script: str
    form: str = ""
    """How a person writes a value, for who wrote another."""
    unit: str = ""
    """Behind a value where people read it."""
    right: frozenset[str] = frozenset()
    """Values that are as good as the wanted one."""
    fixed: Mapping[str, str] = field(default_factory=dict)
    """Values that are never touched, and why."""
    torn: frozenset[str] = frozenset()
    """What an interrupted write of ours may leave behind."""
    before: str | None = None
    """What a blind setting is taken to have been."""
    note: str = ""
    """What the plan has to say besides."""
    misfit: Callable[[str, str], str] = always_fits
    """(wanted value, what the node says of its limits) -> why it cannot hold it; empty when it can."""

    @property
    def blind(self) -> bool:
        """Can it be written but not read?"""
        return self.before is not None

    @property
    def function(self) -> str:
        """The stem of its functions' names."""
        return self.name.replace("-", "_")
