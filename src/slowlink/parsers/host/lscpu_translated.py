"""``lscpu`` in languages other than English: French, German, Spanish, Portuguese, Chinese and Japanese::

    Architektur:                  x86_64
    CPU(s):                       96
    Modellname:                   AMD EPYC 9454 48-Core Processor
    Thread(s) pro Kern:           1
    Sockel:                       2
    NUMA-Knoten:                  8

The translated word for architecture begins the output. All fields that follow belong to it, up to the first line of
another form, because words like ``Sockel`` alone prove nothing. Blanks before the colon and a wide colon depend on the
language.

Source: util-linux, ``po/*.po`` and the outputs of releases 2.3x to 2.40.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Reading
from slowlink.parsers.forms.gates import Gate, as_whole
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, NODE, reading, whole
from slowlink.patterns import regex

_FIRST = frozenset(("architecture", "architektur", "arquitectura", "arquitetura", "架构", "架構", "アーキテクチャ"))
_ENGLISH = "Architecture:"
_NAMES = {
    "cpu-model": (
        "nom de modèle",
        "modellname",
        "nombre del modelo",
        "nome do modelo",
        "型号名称",
        "型號名稱",
        "モデル名",
    ),
    "cpu-count": ("processeur(s)", "cpu(s)", "cpu"),
    "cpu-sockets": ("socket(s)", "sockel", "«socket(s)»", "soquete(s)", "座", "插座", "ソケット数"),
    "cpu-threads-per-core": (
        "thread(s) par cœur",
        "thread(s) pro kern",
        "hilo(s) de procesamiento por núcleo",
        "thread(s) per núcleo",
        "每个核的线程数",
        "コアあたりのスレッド数",
    ),
    "numa-nodes": ("nœud(s) numa", "numa-knoten", "modo(s) numa", "nó(s) de numa", "numa 节点", "numa ノード数"),
}
_GAP = 3
"""Lines that another reader may take in between."""
_ATTRIBUTES = {name: attribute for attribute, names in _NAMES.items() for name in names}
_FIELD = regex(r"[ \t]{0,8}(?P<name>[^\s:：][^:：]{0,59}?)[ \u00a0]?[:：](?:[ \t]{1,60}(?P<value>\S.{0,4000})?)?")
_ITS = regex(
    r"cpu|proc|numa|cache|sock|soquete|kern|thread|hilo|n.cleo|l\d|arch|arquit|virtual|hyper|model|bogo|[mg]hz|takt|famil"
    r"|byte|boutisme|orden|ordem|endian|herstell|fabric|proveedor|vendor|fournisseur|\bid\b|stepping|revis|flags|markier|drapeau"
    r"|indicador|marcas|vulnerab|schwach|sicherheit|modo|mode|adress|direccion|dispatch"
)
"""In words before a colon: names of lscpu in languages with Latin letters. Every log has lines with a colon."""


class LscpuTranslated:
    """Reads fields from the translated word for architecture on, until lines of another form come."""

    kind: ClassVar[str] = "cpu-layout"
    literals: ClassVar[Literals] = Literals((": ", ":\t", ":\n", "："))

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._open = False
        self._last = 0

    @staticmethod
    def gate() -> Gate:
        return ((as_whole(regex(rf"[^:]*(?:{_ITS.pattern})[^:]*:(?:[ \t].*)?", re.IGNORECASE)),),)

    @staticmethod
    def wants(text: str) -> bool:
        field = _FIELD.fullmatch(text) if ":" in text or "：" in text else None
        return field is not None and (not field["name"].isascii() or _ITS.search(field["name"].lower()) is not None)

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        field = _FIELD.fullmatch(line.text)
        if field is None:
            self._open = False
            return Use.NOT_MINE
        name = field["name"].strip().lower()
        self._open, self._last = self._open and line.no - self._last <= _GAP, line.no
        if name in _FIRST:
            self._open = not line.text.lstrip().startswith(_ENGLISH)
        if not self._open:
            return Use.NOT_MINE
        attribute, text = _ATTRIBUTES.get(name), (field["value"] or "").strip()
        value = text if attribute == "cpu-model" else whole(text)
        if attribute is None or not value or not MAX_READINGS.has_room(len(self._found)):
            return Use.IGNORED
        self._found.append(reading(attribute, NODE, value, line))
        return Use.USED

    def finish(self) -> Iterable[Reading]:
        return self._found


PARSER = LscpuTranslated
