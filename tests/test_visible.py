"""A text as somebody sees it, in the characters that programs print."""

from __future__ import annotations

import pytest

from slowlink.visible import visible


@pytest.mark.parametrize(
    ("copied", "printed"),
    [
        ("\ufeff# nThread 1", "# nThread 1"),
        ("Width\u00a0x8", "Width x8"),
        (
            "Test CUDA failure a.cu:9 \u2018invalid device ordinal\u2019",
            "Test CUDA failure a.cu:9 'invalid device ordinal'",
        ),
        ("said \u201cno\u201d", 'said "no"'),
        ("mpirun \u2013np 8", "mpirun -np 8"),
        ("\u22121", "-1"),
        ("Grüße", "Grüße"),
    ],
)
def test_what_word_processors_made_of_it(copied: str, printed: str) -> None:
    assert visible(copied) == printed
