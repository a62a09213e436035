from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, said

RULE = "cpu-busy"
PS = "USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND\n"
HPL = "bob       777012 6381 59.8 1028841172 316033000 ? Rl  Nov21 9112:11 ./xhpl\n"
TRAINING = "mia        41022 51.3  2.2 64172112 11953112 ?   Rl   Nov20 812:11 python train.py\n"


def test_a_benchmark_beside_a_job() -> None:
    assert said(RULE, PS + HPL + TRAINING) == snapshot(
        [("cpu-busy", "error", "likely", "xhpl takes 64 cores beside python")]
    )


def test_a_benchmark_alone_is_the_job() -> None:
    assert findings_of(RULE, PS + HPL) == ()


def test_a_job_alone() -> None:
    assert findings_of(RULE, PS + TRAINING) == ()


def loads(*values: float) -> str:
    return "".join(
        f"gpu{n:02}:  14:02:11 up 41 days,  3:12,  1 user,  load average: {value:.2f}, {value:.2f}, {value:.2f}\n"
        for n, value in enumerate(values, 1)
    )


def test_one_node_has_a_load_far_above_the_others() -> None:
    assert said(RULE, loads(9.04, 8.91, 298.12)) == snapshot(
        [("cpu-busy", "warning", "possible", "gpu03: a load of 298; the median of 3 nodes is 9")]
    )
    assert findings_of(RULE, loads(9.04, 8.91, 20.0)) == ()
    assert findings_of(RULE, loads(298.0, 301.0, 298.12)) == ()


MPSTAT = "02:11:40 PM  CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle\n"


def test_a_virtual_machine_that_gets_less_than_it_wants() -> None:
    row = "02:11:41 PM  all   41.12    0.00    6.03    0.00    0.00    1.26   32.41    0.00    0.00   19.18\n"
    assert said(RULE, MPSTAT + row) == snapshot(
        [("cpu-busy", "warning", "likely", "the host of this virtual machine kept 32 % of the processors' time")]
    )


def test_one_processor_serves_all_interrupts() -> None:
    row = "02:11:41 PM    0   12.00    0.00    4.00    0.00    0.00   84.00    0.00    0.00    0.00    0.00\n"
    assert said(RULE, MPSTAT + row) == snapshot(
        [("cpu-busy", "warning", "possible", "processor 0 does next to nothing but software interrupts")]
    )
