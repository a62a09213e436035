from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, said, table

RULE = "libfabric-no-provider"
LINE = "fi_getinfo() failed: -61 No data available\n"


def test_a_call_that_found_nothing_may_be_why() -> None:
    (found,) = findings_of(RULE, LINE)
    assert (found.cause, found.severity, found.confidence, found.message) == snapshot(
        ("net-plugin-not-loaded", "warning", "possible", "libfabric offers no provider for what was asked")
    )
    assert [(remedy.text, remedy.command) for remedy in found.remedy] == snapshot(
        [
            ("See which providers there are.", "fi_info -l"),
            (
                "Put the library of this fabric first.",
                'export LD_LIBRARY_PATH="/path/to/libfabric/lib:$LD_LIBRARY_PATH"',
            ),
        ]
    )


def test_silent_when_a_run_followed() -> None:
    assert said(RULE, LINE + table()) == []
