"""What the kernel says about disks, their file systems and servers of files: the document ``disks`` read as a log."""

from __future__ import annotations

import pytest

from slowlink.inputs import Input
from slowlink.parsers.reading.read import read

FAILING = """\
EXT4-fs error (device sda1): ext4_find_entry:1455: inode #2: comm python: reading directory lblock 0
EXT4-fs error (device sda1) in ext4_reserve_inode_write:5926: Journal has aborted
EXT4-fs (nvme0n1p2): Remounting filesystem read-only
EXT4-fs warning (device sda1): ext4_end_bio:343: I/O error 10 writing to inode 12 starting block 9)
Aborting journal on device dm-0-8.
XFS (sdc1): Metadata CRC error detected at xfs_agf_read_verify+0x1/0x2 [xfs], xfs_agf block 0x1
XFS (sdc1): Corruption of in-memory data (0x8) detected at xfs_trans_cancel+0x1/0x2 [xfs].  Shutting down filesystem.
BTRFS: error (device sdd1 state EA) in btrfs_commit_transaction:2418: errno=-5 IO failure
critical medium error, dev nvme0n1, sector 1234 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 2
I/O error, dev sda, sector 77 op 0x1:(WRITE) flags 0x3 phys_seg 1 prio class 2
nvme0n1: Read(0x2) @ LBA 1234, 8 blocks, Unrecovered Read Error (sct 0x2 / sc 0x81) DNR
nvme nvme1: controller is down; will reset: CSTS=0xffffffff, PCI_STATUS=0xffff
sd 0:0:1:0: [sdb] tag#12 Sense Key : Medium Error [current]
sd 0:0:1:0: Device offlined - not ready after error recovery
md/raid1:md0: Disk failure on sdb1, disabling device.
device-mapper: multipath: 253:0: Failing path 8:16.
dm-3: writeback error on inode 133, offset 0, sector 8
"""
SLOW = """\
nvme nvme1: I/O tag 12 (700c) opcode 0x2 (I/O Cmd) QID 3 timeout, aborting req_op:READ(0) size:4096
nvme nvme1: I/O 12 QID 3 timeout, completion polled
nvme nvme1: Abort status: 0x371
"""
SERVERS = """\
ceph: [1e0e7a9e-0000-4000-8000-000000000001 4123]: mds0 hung
CIFS: VFS: \\\\store has not responded in 180 seconds. Reconnecting...
lockd: server store01 not responding, still trying
"""
HARMLESS = """\
I/O error, dev fd0, sector 0 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 2
Buffer I/O error on dev sr0, logical block 0, async page read
operation not supported error, dev loop0, sector 1 op 0x9:(WRITE_ZEROES) flags 0x800 phys_seg 0 prio class 2
critical target error, dev sda, sector 1 op 0x3:(DISCARD) flags 0x800 phys_seg 1 prio class 2
nvme nvme0: 64/0/0 default/read/poll queues
sd 0:0:0:0: [sda] Synchronizing SCSI cache
EXT4-fs (sda1): mounted filesystem with ordered data mode. Quota mode: none.
XFS (sdc1): Mounting V5 Filesystem
"""


@pytest.mark.parametrize(
    ("lines", "kinds"),
    [
        (FAILING, {"kernel-disk-failing"}),
        (SLOW, {"kernel-disk-slow"}),
        (SERVERS, {"kernel-file-server-slow"}),
        (HARMLESS, set()),
    ],
)
def test_each_line_has_its_meaning(lines: str, kinds: set[str]) -> None:
    for line in lines.splitlines():
        found = read([Input("t", None, [f"[  101.712210] {line}\n".encode()])], workers=1)
        assert {event.kind for event in found.events} == kinds, line
        assert [source.unread for source in found.sources] == [0], line
