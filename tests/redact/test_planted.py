"""Every planted secret with a name or a known form goes, every line that diagnosis needs stays."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from redact.harmless import ALL
from redact.planted import all_templates, planted
from slowlink.redact import Redactor

SEEDS = (1, 2, 3)
NEXT = "next 1 2 3\n"


def redacted(text: str, *lengths: int) -> str:
    """``text`` redacted; with ``lengths`` in pieces of these."""
    redactor = Redactor()
    out = ""
    for length in lengths:
        out += redactor.feed(text[:length])
        text = text[length:]
    return out + redactor.feed(text) + redactor.finish()


def test_there_are_as_many_as_promised() -> None:
    templates = [template for _, template in all_templates()]
    assert len(templates) == len(set(templates)) > 2 * 126
    assert len(ALL) == len(set(ALL)) > 150


@pytest.mark.parametrize("topic", sorted({topic for topic, _ in all_templates()}))
def test_no_planted_secret_survives(topic: str) -> None:
    surviving = [
        (template, left)
        for own, template in all_templates()
        if own == topic
        for seed in SEEDS
        for one in (planted(template, seed),)
        if (left := one.surviving(redacted(one.text)))
    ]
    assert surviving == []


def test_what_follows_a_secret_stays() -> None:
    gone = []
    for _, template in all_templates():
        text = planted(template, SEEDS[0]).text
        if NEXT not in redacted(text + ("" if text.endswith("\n") else "\n") + NEXT):
            gone.append(template)
    assert gone == []


def test_no_secret_survives_however_the_text_is_cut() -> None:
    surviving = []
    for _, template in all_templates():
        one = planted(template, SEEDS[0])
        out = redacted(one.text, 3, 5, 1, 7, 2, 11)
        if one.surviving(out) or out != redacted(one.text):
            surviving.append(template)
    assert surviving == []


def test_twice_is_as_good_as_once() -> None:
    texts = [planted(template, SEEDS[0]).text for _, template in all_templates()]
    changed = [text for text in texts if redacted(redacted(text)) != redacted(text)]
    assert changed == []


def test_all_of_them_in_one_text() -> None:
    every = [planted(template, SEEDS[0]) for _, template in all_templates()]
    out = redacted("\n".join(one.text for one in every) + "\n")
    assert [one.text for one in every if one.surviving(out)] == []
    assert redacted(out) == out


def test_harmless_lines_stay() -> None:
    taken = [(line, out) for line in ALL if (out := redacted(line + "\n")) != line + "\n"]
    assert taken == []


LEADS = (
    "[1,3]<stdout>: ",
    "[1,3]<stdout>:",
    "17: ",
    "2026-11-22T10:00:00.123456789Z ",
    "2026-11-22T10:00:00.123456789Z stdout F ",
    "[pod/trainer-0/main] ",
    "Nov 22 10:00:00 gpu17 train[3301]: ",
    "\x1b[36m(RayTrainWorker pid=3301, ip=10.40.3.17)\x1b[0m ",
    "trainer-1  | ",
)
OVER_LINES = (
    "db:\n  password: |\n    ~word~\n    ~word~\n  port: 5432",
    "token: >-\n  ~word~\n",
    "password:\n  ~word~\n",
    "secrets:\n  - ~word~\n  - ~word~\nport: 5432",
    "args:\n  - --password\n  - ~word~\n",
    '{\n  "password":\n    "~word~"\n}',
    '{"api_keys": [\n  "~word~",\n  "~word~"\n]}',
    '[\n  "--password",\n  "~word~",\n  "-b"\n]',
    "db_password = <<EOT\n~word~\nEOT",
    "machine host.example\n  login ~user~\n  password ~word~\n",
    'variable "bmc_password" {\n  type    = string\n  default = "~word~"\n}',
    "#cloud-config\nchpasswd:\n  list: |\n    root:~word~\n    ubuntu:~word~\n  expire: false",
)


def docker(line: str, number: int = 0) -> str:
    """As docker's ``json-file`` keeps a line."""
    time = f"2026-11-22T10:00:00.1234{number:05d}Z"
    return json.dumps({"log": f"{line}\n", "stream": "stdout", "time": time}, separators=(",", ":"))


def journal(line: str, number: int) -> str:
    """As ``journalctl -o json`` prints it."""
    return json.dumps({"__CURSOR": f"s=ab;i={number:x}", "MESSAGE": line, "_PID": "77", "_HOSTNAME": "gpu17"})


def logged(line: str, number: int) -> str:
    """As a program logs it that writes JSON itself, here below mpirun's tags."""
    return json.dumps({"ts": 1795341600.5 + number, "msg": f"[1,3]<stdout>:{line}", "level": "info", "rank": 3})


DRESSES = (*(lambda line, _, lead=lead: lead + line for lead in LEADS), docker, journal, logged)


@pytest.mark.parametrize("dress", DRESSES)
def test_no_secret_survives_where_each_line_has_a_lead(dress: Callable[[str, int], str]) -> None:
    surviving = []
    taken = []
    for template in OVER_LINES:
        one = planted(template, SEEDS[0])
        lines = (*one.text.rstrip("\n").split("\n"), NEXT.strip())
        out = redacted("".join(f"{dress(line, at)}\n" for at, line in enumerate(lines)))
        if left := one.surviving(out):
            surviving.append((template, left))
        if f"{dress(NEXT.strip(), len(lines) - 1)}\n" not in out:
            taken.append(template)
    assert (surviving, taken) == ([], [])


def test_harmless_lines_stay_in_records() -> None:
    lines = [docker(line) for line in ALL]
    out = redacted("".join(f"{line}\n" for line in lines)).splitlines()
    assert [line for line in out if line not in lines] == []


def test_a_whole_environment_in_records() -> None:
    lines = ("API=Quartz-Velvet9", "HOME=/home/ada", "NCCL_DEBUG=INFO", "OTHER=Quartz-Velvet9", "step 4", "A=b")
    out = redacted("".join(f"{docker(line)}\n" for line in lines))
    hidden = ["API=<redacted:environment>", "HOME=<redacted:environment>", "NCCL_DEBUG=INFO"]
    assert out.splitlines() == [docker(line) for line in (*hidden, "OTHER=<redacted:environment>", "step 4", "A=b")]


def test_ranks_that_print_the_same_at_the_same_time_have_their_own_values() -> None:
    lines = ("  password: >-", "    Quartz-Velvet9", "  user: ops", "  step 4 loss 2.31")
    text = "".join(f"{rank}: {line}\n" for line in lines for rank in range(16))
    assert redacted(text) == text.replace("Quartz-Velvet9", "<redacted:password>")


def test_the_streams_of_a_container_have_their_own_values() -> None:
    stamp = "2026-11-22T10:00:00.123456789Z"
    text = f"{stamp} stdout F --db-password\n{stamp} stderr F hello\n{stamp} stdout F Quartz-Velvet9\n"
    assert redacted(text) == text.replace("Quartz-Velvet9", "<redacted:password>")


def test_another_rank_s_lines_stay_between() -> None:
    text = (
        "[1,3]<stdout>:   password: >-\n"
        "[1,4]<stdout>:     step 4 loss 2.31\n"
        "[1,3]<stdout>:     Quartz-Velvet9\n"
        "[1,3]<stdout>:   user: ops\n"
    )
    assert redacted(text) == text.replace("Quartz-Velvet9", "<redacted:password>")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"])
def test_utf_16_that_was_taken_for_utf_8(encoding: str) -> None:
    text = "export HF_TOKEN=hf_abcdefghijklmnopqrstuvwxyzABCDEFGH\nstep 4 loss 2.31\n"
    out = redacted(text.encode(encoding).decode("utf-8", "replace")).replace("\0", "")
    assert out.lstrip("\ufffd") == "export HF_TOKEN=<redacted:token>\nstep 4 loss 2.31\n"


def test_harmless_lines_stay_in_one_log() -> None:
    log = "".join(f"node01:4711:4720 [0] NCCL INFO {line}\n" for line in ALL)
    changed = [(a, b) for a, b in zip(log.splitlines(), redacted(log).splitlines(), strict=True) if a != b]
    assert changed == []


def test_a_quote_that_is_never_closed_takes_a_few_lines_and_no_record_of_a_log() -> None:
    out = redacted("PASSWORD='abc7Xy\nnode01:4711:4720 [0] NCCL INFO hello\nmore\n")
    assert out == "PASSWORD='<redacted:password>\nnode01:4711:4720 [0] NCCL INFO hello\nmore\n"
    long = redacted("PASSWORD='abc7Xy\n" + "words without end\n" * 100)
    assert long.count("<redacted:password>") == 13
    assert redacted(long) == long


@pytest.mark.parametrize(
    "text",
    [
        "-password authentication: disabled\n",
        "-token bucket rate 100, burst 200\n",
        "chpasswd:\n  expire: false\n  users: [{name: root, type: RANDOM}]\nhostname: n1:22\n",
    ],
)
def test_harmless_lines_stay_where_a_line_begins(text: str) -> None:
    assert redacted(text) == text


def test_other_lines_stay_among_those_of_a_key_behind_a_stamp() -> None:
    stamp = "Nov 22 03:12:4{} gpu07 train[41]: "
    key = "".join(stamp.format(n) + line + "\n" for n, line in ((1, "aB3/" * 16), (2, "aB3xaB3xaB3x")))
    begin, end = (stamp.format(n) + f"-----{word} PRIVATE KEY-----\n" for n, word in ((0, "BEGIN"), (4, "END")))
    out = redacted(begin + key + stamp.format(3) + "step 4 loss 2.31\n" + end + stamp.format(5) + "done\n")
    assert out == (
        "Nov 22 03:12:40 gpu07 train[41]: <redacted:private-key>\n"
        "Nov 22 03:12:43 gpu07 train[41]: step 4 loss 2.31\n"
        "\nNov 22 03:12:45 gpu07 train[41]: done\n"
    )
