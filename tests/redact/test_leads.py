"""Whatever stands before each line of a program or a file, what goes on over its lines is found behind it."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redact.harmless import ALL
from redact.planted import planted
from redact.test_planted import NEXT, OVER_LINES, redacted
from slowlink.redact.over_lines.leads import end_of_lead, form_of, leads_before, looks_like_lead
from test_redact_twice import texts

LEADS: dict[str, Callable[[int], str]] = {
    "mpirun": lambda at: "[1,3]<stdout>:",
    "srun": lambda at: "17: ",
    "clush": lambda at: "gpu17: ",
    "clush of groups": lambda at: "gpu[17-18]: ",
    "torchrun": lambda at: "[default3]:",
    "kubectl": lambda at: "[pod/trainer-0/main] ",
    "containerd": lambda at: f"2026-11-22T10:00:0{at % 10}.123456{at:03d}Z stdout F ",
    "journal": lambda at: f"Nov 22 10:00:{at:02d} gpu17 train[3301]: ",
    "syslog": lambda at: f"<13>1 2026-11-22T10:00:{at:02d}Z gpu17 train 3301 - - ",
    "compose": lambda at: "trainer-1  | ",
    "Ray": lambda at: "(RayTrainWorker pid=3301, ip=10.40.3.17) ",
    "Python": lambda at: f"2026-11-22 10:00:00,{at:03d} - INFO - train.settings:{at + 8} - ",
    "Python, short": lambda at: "INFO:root:",
    "Python, level first": lambda at: f"INFO 11-22 10:00:{at:02d} settings.py:{at + 98}] ",
    "loguru": lambda at: f"2026-11-22 10:00:00.{at:03d} | INFO     | train:main:{at + 8} - ",
    "klog": lambda at: f"I1122 10:00:00.{at:06d}       1 main.go:{at + 8}] ",
    "Loki": lambda at: f'2026-11-22T10:00:{at:02d}Z {{app="train", pod="a-0"}} ',
    "elapsed": lambda at: f"[{at * 7}.{at:03d}s] ",
    "since 1970": lambda at: f"{1795341600 + at}.{at:06d} gpu17 ",
    "diff": lambda at: "+",
    "diff, taken out": lambda at: "-",
    "quoted": lambda at: "> ",
    "comment": lambda at: "# ",
    "comment of C": lambda at: "// ",
    "grep": lambda at: f"/etc/train.conf:{at + 8}:",
    "cat -n": lambda at: f"{at + 8:6d}\t",
    "nl": lambda at: f"{at + 8:6d}  ",
    "bar": lambda at: "| ",
    "two": lambda at: f"[1,3]<stdout>:2026-11-22 10:00:00,{at:03d} - INFO - train:{at + 8} - ",
}
DOCUMENTS = (
    *OVER_LINES,
    "config:\n  password: >-\n    ~word~\n  retries: 3",
    "- name: DB_PASSWORD\n  value: ~word~\n- name: NCCL_DEBUG\n  value: INFO",
    '  {\n    "name": "DB_PASSWORD",\n    "value": "~word~"\n  }',
    "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\nstringData:\n  db.conf: ~word~\n  more: |\n    ~word~",
    "apiVersion: v1\nkind: Secret\ndata:\n  ca: ~base40~\ntype: Opaque",
    "CUSTOM_THING=~word~\nHOME=/home/ada\nSHELL=/bin/bash\nOTHER_THING=~word~",
    "-----BEGIN EC PRIVATE KEY-----\n~base64~\n~base64~\n~base20~==\n-----END EC PRIVATE KEY-----",
    "args:\n- sshpass\n- -p\n- ~word~\n- ssh\n- gpu17",
    'command:\n  - "ipmitool"\n  - "-P"\n  - "~word~"\n  - "sdr"',
    '"Cmd": [\n    "mysql",\n    "-p~word~",\n    "jobs"\n]',
    '"Path": "curl",\n"Args": [\n    "-u",\n    "ada:~word~",\n    "https://n1"\n]',
    "ipmitool -H bmc17 -U ada \\\n  -P ~word~ \\\n  sdr",
    "<Password>\n  <Value>~word~</Value>\n</Password>",
    "<property>\n  <name>fs.secret.key</name>\n  <value>~word~</value>\n</property>",
    'spawn ssh root@gpu17\nexpect "assword:"\nsend -- "~word~\\r"',
)


def behind(lead: Callable[[int], str], text: str) -> str:
    return "".join(f"{lead(at)}{line}\n" for at, line in enumerate(text.split("\n")))


@pytest.mark.parametrize("lead", LEADS)
def test_no_secret_over_lines_survives_behind_a_lead(lead: str) -> None:
    surviving = []
    for template in DOCUMENTS:
        one = planted(template, 1)
        out = redacted(behind(LEADS[lead], f"{one.text.rstrip()}\n{NEXT.strip()}"))
        at = len(one.text.rstrip().split("\n"))
        if one.surviving(out) or redacted(out) != out or f"{LEADS[lead](at)}{NEXT}" not in out:
            surviving.append((template, out))
    assert surviving == []


@pytest.mark.parametrize("lead", LEADS)
def test_harmless_lines_stay_behind_a_lead(lead: str) -> None:
    lines = behind(LEADS[lead], "\n".join(ALL)).splitlines()
    assert [(a, b) for a, b in zip(lines, redacted("\n".join(lines)).splitlines(), strict=True) if a != b] == []


AT_THE_SAME_TIME = [text for text in DOCUMENTS if "HOME=" not in text] + ["HOME=/home/ada\nCUSTOM_THING=~word~"]


@given(
    st.lists(st.sampled_from(AT_THE_SAME_TIME), min_size=2, max_size=6), st.sampled_from(["[1,{}]<stdout>:", "gpu{}: "])
)
def test_ranks_that_print_at_the_same_time_hide_nothing_of_one_another(templates: list[str], lead: str) -> None:
    documents = [planted(template, seed) for seed, template in enumerate(templates)]
    rows = [f"{one.text.rstrip()}\n{NEXT.strip()}".split("\n") for one in documents]
    lines = [
        f"{lead.format(rank + 10)}{rows[rank][at]}\n"
        for at in range(max(map(len, rows)))
        for rank in range(len(rows))
        if at < len(rows[rank])
    ]
    out = redacted("".join(lines))
    assert [one.text for one in documents if one.surviving(out)] == []
    assert redacted(out) == out


documents = st.one_of(texts, st.sampled_from(DOCUMENTS).map(lambda template: planted(template, 1).text))


@given(st.lists(st.tuples(st.sampled_from(sorted(LEADS)), documents), max_size=5), st.randoms(use_true_random=False))
def test_twice_is_as_good_as_once_in_any_order_of_lines(blocks: list[tuple[str, str]], source: random.Random) -> None:
    rows = [behind(LEADS[lead], text).splitlines(keepends=True) for lead, text in blocks]
    lines: list[str] = []
    while any(rows):
        lines.append(source.choice([row for row in rows if row]).pop(0))
    once = redacted("".join(lines))
    assert redacted(once) == once
    assert redacted("".join(lines), 3, 7, 50, 1, 20) == once


@pytest.mark.parametrize(
    ("first", "later", "other"),
    [
        ("[1,3]<stdout>:", "[1,3]<stdout>:", "[1,4]<stdout>:"),
        ("2026-11-22 10:00:00,1 - INFO - a.b:9 -", "2026-12-02 09:17:33,22 - INFO - a.b:10 -", "2026-11-22 - INFO -"),
        ("I1122 10:00:00.1   1 main.go:17]", "I1122 10:00:01.2  1 main.go:18]", "I1122 10:00:01.2  2 main.go:18]"),
        ("gpu01:", "gpu01:", "gpu02:"),
        ("/etc/a.conf:9:", "/etc/a.conf-10-", "/etc/b.conf:9:"),
        ("     9", "    10", "    x"),
        ("+", "++", "-"),
    ],
)
def test_times_and_numbers_of_lines_differ_and_all_else_says_whose_line_it_is(
    first: str, later: str, other: str
) -> None:
    assert end_of_lead(form_of(first), later + " x") > 0
    assert end_of_lead(form_of(first), other + " x") == -1


def test_each_reading_of_what_stands_before_an_entry() -> None:
    text = "gpu17:   - password: |"
    readings = leads_before(text, text.index("password"))
    assert [(end_of_lead(lead.form, text), lead.indent) for lead in readings] == [(10, 1), (6, 5), (0, 0)]


@given(st.text(max_size=40))
def test_a_lead_is_found_again_before_any_line(lead: str) -> None:
    lead = "".join(lead.split("\n")).rstrip()
    assert end_of_lead(form_of(lead), lead + " x") == len(lead)


TAKEN = """\
gpu01: config:
gpu01:   password: >-
gpu02:   password: >-
gpu01:     <redacted:password>
gpu02:     <redacted:password>
gpu01:   retries: 3
gpu02:   retries: 3
2026-11-22 10:00:00,123 - INFO - train:42 - kind: Secret
2026-11-22 10:00:00,123 - INFO - train:43 - stringData:
2026-11-22 10:00:00,124 - INFO - train:44 -   db.conf: <redacted:secret>
2026-11-22 10:00:00,124 - INFO - train:45 - type: Opaque
[default3]:CUSTOM_THING=<redacted:environment>
[default4]:STEP=3
[default3]:HOME=<redacted:environment>
[default3]:NCCL_DEBUG=INFO
[default3]:step 4 loss 2.31
- sshpass
- -p
- <redacted:password>
- ssh
"""


def test_what_is_taken_out_and_what_stays() -> None:
    given_ = TAKEN
    for value in ("Quartz9-Vel", "Onyx4-Brook"):
        given_ = given_.replace("<redacted:password>", value, 1)
    for kind in ("secret", "environment", "password"):
        given_ = given_.replace(f"<redacted:{kind}>", "Umber7-Lake")
    assert redacted(given_) == TAKEN


def test_nothing_very_long_is_a_lead() -> None:
    """Each name on a line asks for one: a long line of names would take the square of its length."""
    assert looks_like_lead("node07: ", 8)
    assert not looks_like_lead("secret_id " * 1000 + ":", 10001)
