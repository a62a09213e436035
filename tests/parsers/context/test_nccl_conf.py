"""What /etc/nccl.conf gives every job on a node."""

from __future__ import annotations

from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from text_findings import said

from slowlink.model.nccl import EnvSetting
from slowlink.model.state import Reading
from slowlink.parsers.context.nccl_conf import NcclConf

TEXT = """\
/etc/nccl.conf:NCCL_SOCKET_IFNAME=eth0
/etc/nccl.conf:NCCL_IB_DISABLE=1
/root/.nccl.conf:#
"""


def test_each_setting_and_all_of_them_together_are_read() -> None:
    found = feed(NcclConf, TEXT.splitlines(), host="gpu02")
    assert [(s.name, s.value, s.process.host) for s in found if isinstance(s, EnvSetting)] == [
        ("NCCL_SOCKET_IFNAME", "eth0", "gpu02"),
        ("NCCL_IB_DISABLE", "1", "gpu02"),
    ]
    assert [(r.attribute, r.value) for r in found if isinstance(r, Reading)] == [
        ("nccl-conf", "NCCL_IB_DISABLE=1 NCCL_SOCKET_IFNAME=eth0")
    ]


def test_files_that_set_nothing_say_so() -> None:
    assert [r.value for r in feed(NcclConf, ["/etc/nccl.conf:#"]) if isinstance(r, Reading)] == ["nothing"]


def test_a_node_whose_file_differs_is_named() -> None:
    nodes = (("gpu01", "#"), ("gpu02", "NCCL_IB_DISABLE=1"), ("gpu03", "#"))
    text = "".join(f"[root@{node} ~]# grep -H . /etc/nccl.conf\n/etc/nccl.conf:{line}\n" for node, line in nodes)
    assert said("node-differs", text) == snapshot(
        [
            (
                "node-differs",
                "error",
                "certain",
                "settings of NCCL in /etc/nccl.conf and ~/.nccl.conf: 2 of 3 nodes say nothing, gpu02 says NCCL_IB_DISABLE=1",
            )
        ]
    )


@given(st.text(max_size=80))
def test_any_other_line_is_left_alone(text: str) -> None:
    assert feed(NcclConf, [text]) == [] or "nccl.conf:" in text
