"""nfsstat -c and mountstats: calls that were sent again."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from text_readings import said, unread

CLIENT = """\
Client rpc stats:
calls      retrans    authrefrsh
9012345    812345     9012345

Client nfs v4:
"""
SERVER = """\
Server rpc stats:
calls      badcalls   badfmt     badauth    badclnt
9012345    812345     0          0          0
"""
MOUNT = """\
Stats for nfs:/export mounted on /data:

  NFS mount options: rw,vers=4.2,rsize=1048576,wsize=1048576,timeo=600,retrans=2
  NFS server capabilities: caps=0x1fffff
  NFSv4 capability flags: bm0=0xfdffbfff
  NFS security flavor: 1  pseudoflavor: 1

NFS byte counts:
  applications read 81234567 bytes via read(2)

RPC statistics:
  91234 RPC requests sent, 91200 RPC replies received (0 XIDs not found)
  average backlog queue length: 212

READ:
\t80000 ops (89%) \t5000 retrans (6%) \t12 major timeouts
\tavg bytes sent per op: 200\tavg bytes received per op: 1048700
\tbacklog wait: 512.123000 \tRTT: 412.123000 \ttotal execute time: 925.123000 (milliseconds)
GETATTR:
\t20000 ops (11%)
"""


def test_all_mounts_of_a_client() -> None:
    assert said(CLIENT) == snapshot(["nfs-retransmitted all of NFS = 9.014"])


def test_what_a_server_counts_is_not_this() -> None:
    assert said(SERVER) == []


def test_the_calls_of_one_mount_are_added_up() -> None:
    assert said(MOUNT) == snapshot(["nfs-retransmitted /data = 5.0"])
    assert unread(MOUNT) == []


@given(st.integers(0, len(MOUNT)))
def test_a_cut_text_gives_a_share_or_nothing(end: int) -> None:
    assert all(line.startswith("nfs-retransmitted /data = ") for line in said(MOUNT[:end]))
