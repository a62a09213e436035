"""Slingshot, Omni-Path, bonds, modules and long forms of known tools."""

from __future__ import annotations

import host_link_texts
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.inputs import Input
from slowlink.model.records import Records
from slowlink.parsers.reading.read import read

WHOLE = "\n".join(host_link_texts.ALL.values())


def records(text: str) -> Records:
    return read([Input("t", None, [text.encode()])], workers=1)


def said(text: str) -> list[str]:
    return [f"{r.attribute} {r.part.name} = {r.value}{f' @{r.host}' if r.host else ''}" for r in records(text).readings]


@pytest.mark.parametrize("name", sorted(host_link_texts.ALL))
def test_no_line_stays_unread(name: str) -> None:
    (source,) = records(host_link_texts.ALL[name]).sources
    assert [ref.text for ref in source.unread_samples] == []


def test_bonding() -> None:
    assert said(host_link_texts.BONDING) == snapshot(
        [
            "interface-bond-mode bond2 = fault-tolerance (active-backup)",
            "interface-bond ens7f0np0 = bond2",
            "interface-bond-leg-up ens7f0np0 = True",
            "interface-speed ens7f0np0 = 25.0",
            "interface-bond-leg-failures ens7f0np0 = 1",
            "interface-bond ens7f1np1 = bond2",
            "interface-bond-leg-up ens7f1np1 = False",
            "interface-bond-leg-failures ens7f1np1 = 9",
        ]
    )


def test_a_module() -> None:
    assert said(host_link_texts.MODULE) == snapshot(
        [
            "interface-module-length ens7f0np0 = 2.0",
            "interface-module-vendor ens7f0np0 = Maker",
            "interface-module-part-number ens7f0np0 = XX-1",
            "interface-module-temperature ens7f0np0 = 41.5",
        ]
    )


def test_queue_sizes_are_no_pause_frames() -> None:
    assert said(host_link_texts.QUEUES) == []


def test_counters_that_grep_left() -> None:
    assert said(host_link_texts.FILTERED) == snapshot(
        ["interface-rx-discards ens7f0np0 = 17", "priority-pause-received ens7f0np0/5 = 18"]
    )


def test_counters_of_interfaces_without_names_are_not_mixed() -> None:
    assert said(f"{host_link_texts.UNNAMED}\nsome words\n" + "\n" * 20 + host_link_texts.UNNAMED) == snapshot(
        [
            "interface-crc-errors unnamed-1 = 19",
            "interface-tx-errors unnamed-1 = 20",
            "interface-crc-errors unnamed-2 = 19",
            "interface-tx-errors unnamed-2 = 20",
        ]
    )


def test_kinds_of_errors_are_no_counters() -> None:
    assert [text for text in said(host_link_texts.ERRORS_OF_IP) if "errors" in text] == snapshot(
        ["interface-rx-errors p4p1 = 14"]
    )


@given(st.integers(0, WHOLE.count("\n")))
@settings(max_examples=25)
def test_cutting_never_raises_and_never_invents(lines: int) -> None:
    cut = records("\n".join(WHOLE.splitlines()[:lines]))
    whole = {(r.attribute, r.part, r.value) for r in records(WHOLE).readings}
    assert {(r.attribute, r.part, r.value) for r in cut.readings} <= whole
    assert all(source.used + source.ignored + source.unread == source.lines for source in cut.sources)


@given(st.lists(st.sampled_from(sorted({word for line in WHOLE.splitlines() for word in (line, line[:30], line[9:])}))))
@settings(max_examples=25)
def test_any_order_gives_a_result(lines: list[str]) -> None:
    (source,) = records("\n".join(lines)).sources
    assert source.used + source.ignored + source.unread == source.lines
