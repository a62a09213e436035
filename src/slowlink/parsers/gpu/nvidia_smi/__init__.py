"""NVIDIA's ``nvidia-smi`` in all its forms, a module for each: table, ``-q`` as text and XML, CSV, monitors, links::

    +-----------------------------------------------------------------------------------------+
    | NVIDIA-SMI 550.54.15              Driver Version: 550.54.15      CUDA Version: 12.4     |
    |-----------------------------------------+------------------------+----------------------+
    |   0  NVIDIA H100 80GB HBM3          On  |   00000000:1B:00.0 Off |                    0 |
    | N/A   28C    P0             70W /  700W |       1MiB /  81559MiB |      0%      Default |
    +-----------------------------------------+------------------------+----------------------+

What nvidia-smi prints is "not guaranteed to be backwards compatible" (its manual page), so every form is read by the
names in it, and a name that is not known says nothing. Forms name a GPU in three ways (index, PCI address, UUID); what
belongs to which GPU is decided in ``facts/state.py``. ``nvidia_smi_errors`` reads what it prints when it fails,
``topology_matrix`` the matrices of ``nvidia-smi topo``.

Source: nvidia-smi of drivers 375 to 595; the modules say which versions each of them knows.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import ClassVar, Protocol

from slowlink.model.source import Line
from slowlink.model.state import Reading
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.lines import shape_of
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.gpu.nvidia_smi.csv import Csv
from slowlink.parsers.gpu.nvidia_smi.links import Links
from slowlink.parsers.gpu.nvidia_smi.monitor import Monitor
from slowlink.parsers.gpu.nvidia_smi.query import Query
from slowlink.parsers.gpu.nvidia_smi.summary import Summary
from slowlink.parsers.gpu.nvidia_smi.versions import Versions
from slowlink.parsers.gpu.nvidia_smi.xml import Xml


class Form(Protocol):
    """One form of output. Total, as every parser; it keeps what it needs from line to line."""

    marks: ClassVar[tuple[str, ...]]
    """Literals, one of which stands in each line of this form."""

    @staticmethod
    def wants(text: str) -> bool:
        """Could a line of this shape be mine? Blind to which digits stand in it."""

    def feed(self, line: Line) -> Use:
        """Take one line, or say that it is another form's."""

    def finish(self) -> list[Reading]:
        """All readings, after the last line."""


_FORMS: tuple[type[Form], ...] = (Xml, Links, Summary, Monitor, Csv, Versions, Query)

_MOST_CHARACTERS = 1 << 14
_REMEMBERED = 400
"""Characters of a line that is remembered as a whole."""


@lru_cache(1 << 13)
def _wanting(text: str) -> tuple[int, ...]:
    """Numbers of the forms that want this line: GPU after GPU and node after node prints the same."""
    return _wanting_shape(shape_of(text))


@lru_cache(1 << 14)
def _wanting_shape(shape: bytes) -> tuple[int, ...]:
    """Those that want lines of this shape: they are blind to which digits stand in it."""
    text = shape.decode("utf-8", "replace")
    return tuple(index for index, form in enumerate(_FORMS) if form.wants(text))


class NvidiaSmi:
    """Offers each line to the forms, in this order, until one takes it."""

    kind: ClassVar[str] = "nvidia-smi"
    literals: ClassVar[Literals] = Literals(dict.fromkeys(mark for form in _FORMS for mark in form.marks))
    form_decides: ClassVar[bool] = True

    def __init__(self) -> None:
        self._xml, self._csv = Xml(), Csv()
        self._query = Query()
        self._forms: tuple[Form, ...] = (
            self._xml,
            Links(),
            Summary(),
            Monitor(),
            self._csv,
            Versions(),
            self._query,
        )

    @staticmethod
    def wants(text: str) -> bool:
        return any(form.wants(text) for form in _FORMS)

    @staticmethod
    def hears(text: str) -> bool:
        return Csv.is_command(text)

    def hear(self, line: Line) -> None:
        self._csv.hear(line)

    @property
    def greedy(self) -> bool:
        """Inside a document text may have lines of its own; after a command a column may hold anything; and what stands
        below a GPU in the text of ``-q`` is nobody else's."""
        return self._query.open or self._csv.open or self._xml.open

    def feed(self, line: Line) -> Use:
        text = line.text[:_MOST_CHARACTERS]
        asked = _wanting(text) if len(text) <= _REMEMBERED else _wanting_shape(shape_of(text))
        if self._csv.open or self._xml.open:
            greedy = [form for form in (self._csv, self._xml) if form.open]
            asked = tuple(index for index, form in enumerate(self._forms) if index in asked or form in greedy)
        for index in asked:
            use = self._forms[index].feed(line)
            if use is not Use.NOT_MINE:
                return use
        self._query.pass_by(line)
        return Use.NOT_MINE

    @property
    def unfinished(self) -> str:
        """Of a ``-q`` log: the XML is not closed, or the text shows fewer GPUs than it says are there."""
        return self._xml.unfinished or self._query.unfinished

    def finish(self) -> Iterable[Reading]:
        return [found for form in self._forms for found in form.finish()]


PARSER = NvidiaSmi
