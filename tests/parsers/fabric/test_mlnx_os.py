"""MLNX-OS: sensors and ports of managed switches."""

from __future__ import annotations

import mlnx_os_texts
import pytest
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st

from slowlink.model.source import Line
from slowlink.parsers.fabric.mlnx_os import MlnxOs
from slowlink.parsers.forms.interface import Use


def _said(text: str) -> list[tuple[str, str, object]]:
    return [(r.attribute, r.part.name, r.value) for r in feed(MlnxOs, text.splitlines())]


def test_sensors() -> None:
    assert _said(mlnx_os_texts.HEALTH) == [
        ("switch-part-status", "rack7-leaf/PS1 power-mon input", "OK"),
        ("switch-part-status", "rack7-leaf/PS2", "FAIL"),
        ("switch-part-status", "rack7-leaf/FAN1 F1", "OK"),
        ("switch-fan-speed", "rack7-leaf/FAN1 F1", 6100.0),
        ("switch-part-status", "rack7-leaf/PS2 FAN", "NOT PRESENT"),
        ("switch-part-status", "rack7-leaf/MGMT QUANTUM T1", "OK"),
        ("switch-sensor-temperature", "rack7-leaf/MGMT QUANTUM T1", 51.0),
    ]


def test_ports() -> None:
    assert _said(mlnx_os_texts.PORTS) == [
        ("link-state", "rack7-leaf/4", "Active"),
        ("link-physical-state", "rack7-leaf/4", "LinkUp"),
        ("link-speed", "rack7-leaf/4", 25.78125),
        ("link-width", "rack7-leaf/4", 4),
        ("link-mtu", "rack7-leaf/4", 4096),
        ("port-symbol-errors", "rack7-leaf/4", 7),
        ("port-xmit-wait", "rack7-leaf/4", 90),
        ("port-xmit-discards", "rack7-leaf/4", 3),
        ("link-speed", "rack7-leaf/4", 25.78125),
        ("link-state", "rack7-leaf/4", "Active"),
        ("link-physical-state", "rack7-leaf/4", "LinkUp"),
        ("link-speed", "rack7-leaf/1-5-1", 53.125),
        ("link-state", "rack7-leaf/1-5-1", "Active"),
        ("link-physical-state", "rack7-leaf/1-5-1", "LinkUp"),
        ("link-state", "rack7-leaf/6", "Down"),
        ("link-physical-state", "rack7-leaf/6", "Polling"),
    ]


@pytest.mark.parametrize("text", [mlnx_os_texts.HEALTH, mlnx_os_texts.PORTS])
def test_every_line_is_known(text: str) -> None:
    parser = MlnxOs()
    unread = [row for n, row in enumerate(text.splitlines()) if row and parser.feed(Line("t", n, row)) is Use.NOT_MINE]
    assert unread == []


@pytest.mark.parametrize("text", [mlnx_os_texts.HEALTH, mlnx_os_texts.PORTS])
def test_cut_output_invents_nothing(text: str) -> None:
    whole, rows = _said(text), text.splitlines()
    for end in range(len(rows)):
        assert _said("\n".join(rows[:end])) == whole[: len(_said("\n".join(rows[:end])))]


def test_a_row_without_its_table_is_not_read() -> None:
    assert _said("PS1         power-mon  input      140.50    229.00    FAIL") == []


@given(st.text(max_size=200))
def test_any_text_gives_a_result(text: str) -> None:
    parser = MlnxOs()
    assert parser.feed(Line("t", 1, text)) in Use
    list(parser.finish())
