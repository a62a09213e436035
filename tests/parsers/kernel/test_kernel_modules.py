"""Modules as lsmod and modinfo print them; what is loaded, and what a whole list shows to be missing."""

from __future__ import annotations

from typing import Any

import pytest
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.parsers.forms.lines import shape_of
from slowlink.parsers.kernel.kernel_modules import KernelModules

LSMOD = "Module                  Size  Used by\n" + "".join(
    f"{name:<20} {40960 + n:>8}  {n}\n"
    for n, name in enumerate(("mlx5_core", "nvidia", *(f"snd_{letter}" for letter in "abcdefghij")))
)
MODINFO = """\
filename:       /lib/modules/5.15.0-91-generic/updates/dkms/nvidia.ko.zst
firmware:       nvidia/550.54.15/gsp_tu10x.bin
version:        550.54.15
license:        Dual MIT/GPL
srcversion:     0A1B2C3D
"""


def said(text: str) -> list[tuple[str, str, Any]]:
    return [(r.attribute, r.part.name, r.value) for r in feed(KernelModules, text.splitlines())]


def test_a_whole_list_of_modules_says_what_is_not_loaded() -> None:
    assert said(LSMOD) == snapshot(
        [
            ("module-loaded", "mlx5_core", True),
            ("module-loaded", "nvidia", True),
            ("module-loaded", "nvidia_peermem", False),
        ]
    )


def test_a_short_list_of_modules_says_only_what_is() -> None:
    assert said("nvidia_peermem         16384  0\nnvidia 56717312 41 nvidia_uvm,nvidia_peermem\n") == [
        ("module-loaded", "nvidia_peermem", True),
        ("module-loaded", "nvidia", True),
    ]


def test_a_list_that_was_cut_says_only_what_is() -> None:
    cut = "\n".join(LSMOD.splitlines()[:5])
    assert said(cut) == [("module-loaded", "mlx5_core", True), ("module-loaded", "nvidia", True)]


def test_the_older_module_counts_as_loaded_too() -> None:
    assert said(LSMOD + "nv_peer_mem            16384  0\n")[-1] == ("module-loaded", "nv_peer_mem", True)


def test_modinfo() -> None:
    assert said(MODINFO) == [("module-version", "nvidia", "550.54.15"), ("gpu-driver-open", "", True)]


def test_the_closed_module_and_another_one() -> None:
    closed = MODINFO.replace("Dual MIT/GPL", "NVIDIA")
    assert said(closed) == [("module-version", "nvidia", "550.54.15"), ("gpu-driver-open", "", False)]
    other = "filename:       /lib/modules/5.15.0-91-generic/kernel/mlx5-core.ko\nversion:        5.8-1.0\nlicense:        GPL\n"
    assert said(other) == [("module-version", "mlx5_core", "5.8-1.0")]


@pytest.mark.parametrize(
    "text",
    [
        "snd_hda_intel          57344  3\n",
        "version:        550.54.15\nlicense:        NVIDIA\n",
        "filename: report.txt\nversion: 2\n",
        "nvidia-smi 550 0 1\n",
    ],
)
def test_what_says_nothing_of_a_module(text: str) -> None:
    assert said(text) == []


@given(st.lists(st.text(max_size=60) | st.sampled_from((LSMOD + MODINFO).splitlines()), max_size=40))
def test_any_lines_give_a_result(lines: list[str]) -> None:
    for found in feed(KernelModules, lines):
        assert 1 <= found.ref.line <= len(lines)
    assert all(KernelModules.wants(text) == KernelModules.wants(shape_of(text).decode()) for text in lines)
