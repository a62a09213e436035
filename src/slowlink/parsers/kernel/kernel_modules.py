"""Kernel modules as ``lsmod`` (or /proc/modules) and ``modinfo`` print them.

A list, and then a module's own answer::

    Module                  Size  Used by
    nvidia_peermem         16384  0
    mlx5_core            2121728  1 mlx5_ib

    filename:       /lib/modules/5.15.0-91-generic/updates/dkms/nvidia.ko
    version:        570.86.10
    license:        Dual MIT/GPL

A whole list also says what is *not* loaded; a list that grep shortened says only what is. But the row of ``nvidia``
names all modules that use it, and the peer-memory module does: where it is not among them, it is not loaded.
``license`` tells NVIDIA's open kernel module (Dual MIT/GPL) from the closed one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading, Value
from slowlink.parsers.forms.gates import Gate, at_start
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, NODE, reading
from slowlink.patterns import regex

PEER_MODULES = ("nvidia_peermem", "nv_peer_mem")
"""Whose absence says something. The second is the older one: only its presence does."""
_NAMES = regex(
    r"nvidia\w{0,20}|nv_peer_mem|gdrdrv|mlx\d_\w{2,10}|ib_(?:core|uverbs|umad|ipoib)|rdma_\w{2,10}|amdgpu|metax\w{0,10}|efa"
    r"|bnxt_re|irdma|hfi\d|cxi_\w{2,10}|mlx_compat|knem|xpmem|iw_cm"
)
_DRIVER, _COMPANION = "nvidia", "nvidia_uvm"
"""The list of its users is whole where CUDA's own module is in it."""
_HEADING = regex(r"\s{0,40}Module +Size +Used by")
_ROW = regex(
    r"\s{0,40}(?P<name>[a-z]\w{1,60}) +(?P<size>\d{4,10}) +-?\d{1,6}(?: +(?P<users>[\w,\[\]-]{1,2000}))?(?: .{0,60})?$"
)
_KEYS = (
    *("filename", "version", "license", "name", "srcversion", "vermagic", "supported", "alias", "firmware", "author"),
    *("description", "depends", "retpoline", "parm", "sig_id", "signer", "sig_key", "sig_hashalgo", "signature"),
    *("import_ns", "softdep", "intree", "rhelversion", "basedon", "file", "livepatch", "staging"),
)
_FIELD = regex(rf"(?P<key>{'|'.join(_KEYS)}):(?:\s+(?P<rest>\S.{{0,300}}))?$")
_FILE = regex(r"(?:/[\w.+~-]{1,80}){0,12}/(?P<name>[\w-]{1,60})\.ko(?:\.(?:xz|zst|gz))?$")
_WHOLE = 10
"""A list with this many modules is one that nobody shortened."""
GAP = 4


class KernelModules:
    """Which modules are loaded, and their versions: readings from lists and from answers of modinfo."""

    kind: ClassVar[str] = "kernel-modules"
    literals: ClassVar[Literals] = Literals(("\nModule ", " 0 ", *(f"\n{key}:" for key in _KEYS)))

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._heading: Line | None = None
        self._rows: set[str] = set()
        self._module = ""
        self._last = 0

    @staticmethod
    def gate() -> Gate:
        return ((at_start(_HEADING, _ROW, _FIELD),),)

    @staticmethod
    def wants(text: str) -> bool:
        return bool(_HEADING.match(text) or _ROW.match(text) or _FIELD.match(text))

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        if line.no - self._last > GAP:
            self._end_of_list()
            self._module = ""
        use = self._feed(line)
        if use is not Use.NOT_MINE:
            self._last = line.no
        return use

    def finish(self) -> Iterable[Reading]:
        self._end_of_list()
        return self._found

    def _feed(self, line: Line) -> Use:
        if _HEADING.match(line.text):
            self._end_of_list()
            self._heading = line
            return Use.IGNORED
        row = _ROW.match(line.text)
        if row is not None:
            return self._row(row["name"], (row["users"] or "").split(","), line)
        field = _FIELD.match(line.text)
        return Use.NOT_MINE if field is None else self._field(field["key"], (field["rest"] or "").strip(), line)

    def _row(self, name: str, users: list[str], line: Line) -> Use:
        known = _NAMES.fullmatch(name) is not None
        if self._heading is None and not known:
            return Use.NOT_MINE
        self._rows.add(name)
        if not known:
            return Use.IGNORED
        self._add("module-loaded", Part("module", name), True, line)
        if name == _DRIVER and _COMPANION in users and not {*PEER_MODULES}.intersection(users):
            self._add("module-loaded", Part("module", PEER_MODULES[0]), False, line)
        return Use.USED

    def _field(self, key: str, rest: str, line: Line) -> Use:
        if key == "filename":
            found = _FILE.search(rest)
            self._module = (found["name"] or "").replace("-", "_") if found is not None else ""
            return Use.IGNORED if self._module else Use.NOT_MINE
        if not self._module:
            return Use.NOT_MINE
        if key == "version" and rest:
            self._add("module-version", Part("module", self._module), rest[:80], line)
            return Use.USED
        if key == "license" and self._module == "nvidia" and rest:
            self._add("gpu-driver-open", NODE, "GPL" in rest, line)
            return Use.USED
        return Use.IGNORED

    def _end_of_list(self) -> None:
        """What a whole list does not name is not loaded."""
        if self._heading is not None and len(self._rows) >= _WHOLE and not self._rows.intersection(PEER_MODULES):
            self._add("module-loaded", Part("module", PEER_MODULES[0]), False, self._heading)
        self._heading, self._rows = None, set()

    def _add(self, attribute: str, part: Part, value: Value, line: Line) -> None:
        if MAX_READINGS.has_room(len(self._found)):
            self._found.append(reading(attribute, part, value, line))


PARSER = KernelModules
