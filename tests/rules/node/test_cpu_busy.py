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


def node(
    *, cpus: int | None = 96, idle: float | None = None, running: int = 0, waited: float = 0.0, load: float = 0.0
) -> str:
    """What was asked of one node; what is 0 or None was not."""
    text = f"[root@gpu07 ~]# nproc\n{cpus}\n" if cpus is not None else "[root@gpu07 ~]# top -bn1\n"
    if running:
        text += f"Tasks: 2411 total, {running} running, 2110 sleeping,   0 stopped,   0 zombie\n"
    if idle is not None:
        text += f"%Cpu(s): {97.9 - idle:.1f} us,  1.9 sy,  0.0 ni,  {idle} id,  0.0 wa,  0.0 hi,  0.1 si,  0.0 st\n"
    if waited:
        text += f"[root@gpu07 ~]# cat /proc/pressure/cpu\nsome avg10={waited} avg60={waited} avg300={waited} total=9120846\n"
    if load:
        text += f"[root@gpu07 ~]# uptime\n 14:02:11 up 41 days,  3:12,  1 user,  load average: {load:.2f}, {load:.2f}, {load:.2f}\n"
    return text


def test_two_signs_that_tasks_wait_for_processors() -> None:
    assert said(RULE, node(idle=0.1, running=201, waited=88.12, load=188.5)) == snapshot(
        [
            (
                "cpu-busy",
                "error",
                "likely",
                "gpu07: tasks wait for processors, of which there are 96: 201 are ready to run, the load is 188, some waited 88 % of the last minute and the processors were idle 0.1 % of the time",
            )
        ]
    )
    for text in (
        node(idle=0.1, running=201),
        node(idle=1.5, load=190.0),
        node(cpus=None, idle=0.1, waited=71.0),
        node(waited=71.0, load=190.0),
    ):
        assert [(cause, severity) for cause, severity, *_ in said(RULE, text)] == [("cpu-busy", "error")], text


def test_one_sign_is_possible() -> None:
    for text in (
        node(running=201),
        node(load=190.0),
        node(cpus=None, waited=71.0),
        node(idle=40.0, waited=71.0),
        node(cpus=None, idle=0.2, load=171.0),
    ):
        assert [entry[:3] for entry in said(RULE, text)] == [("cpu-busy", "warning", "possible")], text


def test_processors_that_work_while_nothing_waits() -> None:
    for text in (
        node(idle=0.1, running=97, load=96.4, waited=12.0),
        node(idle=0.1),
        node(cpus=None, load=300.0),
        node(cpus=None, idle=0.2, load=24.0),
        node(idle=61.0, load=190.0),
        node(running=30, load=24.0),
    ):
        assert findings_of(RULE, text) == (), text


PROCESSES = (
    "    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND\n"
    "  41022 mia       20   0   61.2g  11.4g   2.1g R  81.3   0.6 812:11.02 python\n"
    "  51022 bob       20   0    1.2g   1.4g   0.1g R  61.3   0.1  12:11.02 ./solver\n"
    "  51023 bob       20   0    1.2g   1.4g   0.1g R  60.9   0.1  12:11.02 ./solver\n"
)
JOBS = "JOBID USER NAME CPUS\n4712 mia gpt-13b 64\n"


def test_whose_processes_they_are() -> None:
    crowded = node(idle=0.1, running=201)
    assert said(RULE, crowded + PROCESSES)[0][3] == snapshot(
        "gpu07: tasks wait for processors, of which there are 96: 201 are ready to run and the processors were idle 0.1 % of the time; 2 x solver of bob and python of mia take them"
    )
    assert said(RULE, crowded + PROCESSES + JOBS)[0][3] == snapshot(
        "gpu07: tasks wait for processors, of which there are 96: 201 are ready to run and the processors were idle 0.1 % of the time; 2 x solver of bob (who has no job in the list) and python of mia take them"
    )
    assert said(RULE, crowded + PROCESSES + JOBS.replace("mia", "eve"))[0][3] == said(RULE, crowded + PROCESSES)[0][3]


def test_programs_of_several_people_on_a_node_without_a_free_processor() -> None:
    full = node(cpus=None, idle=0.2, load=171.0)
    (alone,) = said(RULE, full)
    (together,) = said(RULE, full + PROCESSES)
    assert (alone[1:3], together[1:3]) == (("warning", "possible"), ("error", "likely"))
    mine = PROCESSES.replace(" bob ", " mia ")
    system = PROCESSES.replace(" bob ", " root")
    assert [said(RULE, full + each)[0][2] for each in (mine, system)] == ["possible", "possible"]
