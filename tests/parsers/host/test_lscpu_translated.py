"""lscpu in other languages gives what the English one gives."""

from __future__ import annotations

import pytest
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st

from slowlink.model.source import Line
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.host.lscpu_translated import LscpuTranslated

FRENCH = """\
Architecture :                          x86_64
  Boutisme :                            Little Endian
Processeur(s) :                         96
  Nom de modèle :                       AMD EPYC 9454 48-Core Processor
    Thread(s) par cœur :                1
    Socket(s) :                         2
NUMA :
  Nœud(s) NUMA :                        8
"""
GERMAN = """\
Architektur:                  x86_64
CPU(s):                       96
Modellname:                   AMD EPYC 9454 48-Core Processor
Thread(s) pro Kern:           1
Sockel:                       2
NUMA-Knoten:                  8
"""
CHINESE = """\
架构：                 x86_64
CPU:                   96
型号名称：             AMD EPYC 9454 48-Core Processor
每个核的线程数：       1
座：                   2
NUMA 节点：            8
"""
SAID = {
    "cpu-count": 96,
    "cpu-model": "AMD EPYC 9454 48-Core Processor",
    "cpu-threads-per-core": 1,
    "cpu-sockets": 2,
    "numa-nodes": 8,
}


@pytest.mark.parametrize("text", [FRENCH, GERMAN, CHINESE])
def test_languages(text: str) -> None:
    assert {r.attribute: r.value for r in feed(LscpuTranslated, text.splitlines())} == SAID


def test_other_tables_of_names_and_values_are_not_read() -> None:
    assert feed(LscpuTranslated, ["Architecture: amd64", "CPU: 4", "Sockel: 2"]) == []
    assert feed(LscpuTranslated, ["Architektur: x86_64", *("------",) * 4, "CPU(s): 4"]) == []


@given(st.text(max_size=200))
def test_any_text_gives_a_result(text: str) -> None:
    parser = LscpuTranslated()
    for number, row in enumerate(["Architektur: x86_64", text], 1):
        assert parser.feed(Line("t", number, row)) in Use
    list(parser.finish())
