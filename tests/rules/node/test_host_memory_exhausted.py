from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

RULE = "host-memory-exhausted"
FREE = "              total        used        free      shared  buff/cache   available\n"
VMSTAT = " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n"
LEAST = f"{FREE}Mem:        1031754     1021846        3120         911        6788        4512\n"


def test_next_to_nothing_is_available() -> None:
    text = f"node03: {FREE}node03: Mem:        1031754       42117      961203         311       28433      983510\n"
    least = "".join(f"node04: {line}\n" for line in LEAST.splitlines())
    assert said(RULE, text + least) == snapshot(
        [("host-memory-exhausted", "error", "likely", "node04: only 0.4 % of the memory is available")]
    )


def test_little_is_available() -> None:
    assert said(RULE, f"{FREE}Mem:        1000       970        3         9        6        30\n") == snapshot(
        [("host-memory-exhausted", "warning", "likely", "only 3.0 % of the memory is available")]
    )


def test_what_is_free_says_nothing_beside_what_is_available() -> None:
    assert (
        findings_of(RULE, f"{FREE}Mem:        1031754       42117      1203         311       988433      983510\n")
        == ()
    )


def test_a_full_swap_that_nobody_touches_costs_nothing() -> None:
    text = "MemTotal: 1000 kB\nMemAvailable: 700 kB\nSwapTotal: 100 kB\nSwapFree: 0 kB\n"
    assert findings_of(RULE, text) == ()


def test_pages_that_move_now_and_not_in_the_average_since_the_start() -> None:
    now = "44 31 8321888 1502210   112 811064 91204 120312 93012 120512 241021 560211 38 24  2 36  0\n"
    still = " 8  0      0 1987101021 204112 49815064    0    0     0    12 41021 60211  4  1 95  0  0\n"
    assert said(RULE, VMSTAT + still + now + now) == snapshot(
        [("host-memory-exhausted", "error", "likely", "memory goes to swap and comes back at 207 MiB/s")]
    )
    assert findings_of(RULE, VMSTAT + now + still + still) == ()


def test_time_lost() -> None:
    text = "/proc/pressure/memory:full avg10=55.02 avg60=51.31 avg300=38.82 total=61201120112\n"
    assert said(RULE, text) == snapshot(
        [("host-memory-exhausted", "error", "likely", "for 51 % of a minute everything waited for memory")]
    )
    assert findings_of(RULE, text.replace("51.31", "1.02")) == ()


def test_the_kernel_searches_for_memory() -> None:
    text = (
        "USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND\n"
        "root         412 99.9  0.0      0     0 ?        R    Oct12  99:41 [kswapd0]\n"
    )
    assert said(RULE, text) == snapshot(
        [("host-memory-exhausted", "warning", "likely", "the kernel searches for free memory all the time (kswapd)")]
    )


def test_what_to_do() -> None:
    assert remedies_of(RULE, LEAST) == snapshot(
        [
            [
                (
                    "See who holds the memory, and what lies in memory file systems.",
                    "ps aux --sort=-rss | head; df -h -t tmpfs",
                ),
                ("See whether the kernel has ended processes for it.", "dmesg -T | grep -iE 'out of memory|oom-kill'"),
            ]
        ]
    )


def test_who_keeps_the_memory_is_named_where_the_node_was_watched() -> None:
    text = (
        "[root@node07 ~]# sh watch\nslowlink-sample 1795000000.00 every 1 s\n"
        "process 4714 loader 41.7 % memory\nprocess 4715 agent 12.0 % memory\n"
        "/proc/pressure/memory:full avg10=55.02 avg60=51.31 avg300=38.82 total=61201120112\n"
        "slowlink-sample 1795000001.00 every 1 s\n"
        "/proc/pressure/memory:full avg10=1.02 avg60=1.31 avg300=38.82 total=61201120112\n"
    )
    (found,) = findings_of(RULE, text)
    assert found.message == snapshot("for 51 % of a minute everything waited for memory; loader keeps 42 % of it")
    assert [(each.kind, each.name) for each in found.suspects] == snapshot([("process", "loader")])
