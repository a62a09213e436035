from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

HEAD = "[root@amd3 ~]# amd-smi xgmi --link-status\nXGMI LINK STATUS:\nGPU   BDF           LINKS\n"


def test_a_link_that_is_down() -> None:
    text = HEAD + "GPU0  0000:05:00.0  X U D U\nGPU1  0000:26:00.0  U X U U\n"
    assert said("xgmi-link-down", text) == snapshot(
        [("nvlink-down", "error", "certain", "amd3: 1 xGMI link of GPU 0 is down")]
    )


def test_disabled_links_are_no_fault() -> None:
    assert findings_of("xgmi-link-down", HEAD + "GPU0  0000:05:00.0  X U X U\n") == ()


def test_it_says_what_to_do() -> None:
    text = HEAD + "GPU0  0000:05:00.0  X U D U\nGPU1  0000:26:00.0  U X U U\n"
    assert remedies_of("xgmi-link-down", text) == snapshot(
        [[("Read the links and their errors.", "amd-smi xgmi --link-status; rocm-smi --showxgmierr")]]
    )
