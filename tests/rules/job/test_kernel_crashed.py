from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from text_findings import findings_of, said, table

RULE = "kernel-crashed"
PANIC = "Mar 04 02:12:10 gpu21 kernel: Kernel panic - not syncing: Fatal machine check\n"
OOPS = "Mar 04 02:12:09 gpu21 kernel: {}\n"
BOOT = "Mar 04 02:20:10 gpu21 kernel: Linux version 6.8.0-50-generic (build@host) (gcc 13.2.0) #51 SMP\n"


def test_a_panic_takes_the_node_away() -> None:
    assert said(RULE, PANIC) == snapshot(
        [("kernel-crashed", "error", "certain", "gpu21: the kernel panicked (Fatal machine check)")]
    )


@pytest.mark.parametrize(
    "line",
    [
        "BUG: unable to handle page fault for address: ffffb0c0d0e0f000",
        "BUG: kernel NULL pointer dereference, address: 0000000000000008",
        "kernel BUG at mm/slub.c:305!",
        "Oops: 0002 [#1] SMP NOPTI",
        "Unable to handle kernel paging request at virtual address ffff800081234560",
        "general protection fault, probably for non-canonical address 0xdead000000000100: 0000 [#1] SMP PTI",
    ],
)
def test_a_kernel_that_goes_on_is_not_to_be_trusted(line: str) -> None:
    ((cause, severity, _, message),) = said(RULE, OOPS.format(line))
    assert (cause, severity) == ("kernel-crashed", "error")
    assert message.startswith("gpu21: the kernel met a fault of its own")


def test_beside_a_measured_job_in_another_file_it_is_as_bad() -> None:
    assert [severity for _, severity, _, _ in said(RULE, table(), PANIC)] == ["error"]


@pytest.mark.parametrize("later", [BOOT, table()])
def test_what_is_over_is_a_warning(later: str) -> None:
    (found,) = findings_of(RULE, PANIC + later)
    assert (found.severity, found.explains) == ("warning", ())


@pytest.mark.parametrize(
    "line",
    [
        "traps: train[4711] general protection fault ip:7fc1 sp:7fc2 error:0 in libc.so.6[7f+1000]",
        "watchdog: BUG: soft lockup - CPU#7 stuck for 23s! [train:4711]",
        "Kernel command line: panic=10 oops=panic",
    ],
)
def test_what_is_none(line: str) -> None:
    assert findings_of(RULE, OOPS.format(line)) == ()
