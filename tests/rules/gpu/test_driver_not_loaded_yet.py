from __future__ import annotations

from inline_snapshot import snapshot
from state_proofs import on_nodes
from text_findings import findings_of, remedies_of, said

LOADED = "/proc/driver/nvidia/version:NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.1.2  Tue Sep 1\n"


def installed(version: str) -> str:
    return f"{LOADED}installed nvidia kernel module: {version}\n"


def test_updated_and_not_rebooted() -> None:
    text = on_nodes(node01=installed("550.1.2"), node02=installed("570.3.4"), node03=installed("570.3.4"))
    assert said("driver-not-loaded-yet", text) == snapshot(
        [
            (
                "version-mismatch",
                "warning",
                "certain",
                "node[02-03]: GPU driver 550.1.2 is loaded and 570.3.4 is installed: new jobs may fail until the next reboot",
            )
        ]
    )


def test_the_same() -> None:
    assert findings_of("driver-not-loaded-yet", installed("550.1.2")) == ()


def test_it_says_what_to_do() -> None:
    text = on_nodes(node01=installed("550.1.2"), node02=installed("570.3.4"), node03=installed("570.3.4"))
    assert remedies_of("driver-not-loaded-yet", text) == snapshot([[("Drain the node and reboot it.", "")]])
