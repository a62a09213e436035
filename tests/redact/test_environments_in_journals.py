"""Whole environments in records: whose they are, and where they begin."""

from __future__ import annotations

import json

from redact.test_planted import redacted
from slowlink.redact import Redactor


def record(line: str, number: int, unit: str = "train.service") -> str:
    """As ``journalctl -o json`` prints it."""
    told = {"__REALTIME_TIMESTAMP": str(1795341600000000 + number), "_SYSTEMD_UNIT": unit, "MESSAGE": line}
    return json.dumps(told) + "\n"


def messages(text: str) -> list[str]:
    return [json.loads(line)["MESSAGE"] for line in text.splitlines()]


def test_a_record_of_plain_text_ends_the_variables_before_it() -> None:
    lines = ("busbw=311.2", "auth_type=AUTH_MUNGE", "decode failed: Expired", "HOME=/root")
    text = "".join(record(line, number) for number, line in enumerate(lines))
    assert messages(redacted(text)) == [*lines[:3], "HOME=<redacted:environment>"]


def test_a_record_of_another_unit_is_no_part_of_an_environment() -> None:
    text = record("busbw=311.2", 1, "bench.service") + record("ODD=Quartz-Velvet", 2) + record("SHELL=/bin/sh", 3)
    shell = "SHELL=<redacted:environment>"
    assert messages(redacted(text)) == ["busbw=311.2", "ODD=<redacted:environment>", shell]
    before = record("ODD=Quartz-Velvet", 1) + record("busbw=311.2", 2, "bench.service")
    assert messages(redacted(before + record("SHELL=/bin/sh", 3, "bench.service"))) == [
        "ODD=Quartz-Velvet",
        "busbw=<redacted:environment>",
        shell,
    ]


def test_the_working_directory_stays_and_what_stands_beside_it_goes() -> None:
    assert redacted("PWD=/scratch/ops/run-17\n") == "PWD=/scratch/ops/run-17\n"
    text = "ODD=Quartz-Velvet\nPWD=/scratch/ops\nOTHER=Quartz-Velvet\n"
    assert redacted(text) == text.replace("Quartz-Velvet", "<redacted:environment>")
    assert redacted("PWD=Quartz-Velvet7\n") == "PWD=<redacted:environment>\n"


def test_lines_that_wait_are_put_out_alike_with_and_without_a_mark() -> None:
    plain = "A=1\n" * 700
    marked = "TOKENIZER=gpt2\n" * 3
    for text in (plain + marked, marked + plain, plain + marked + plain):
        assert redacted(text) == text
    dump = redacted("A=1\n" * 3 + "DB_PASSWORD=Quartz7Velvet\nHOME=/root\nstep 4\n")
    assert dump == "A=<redacted:environment>\n" * 3 + (
        "DB_PASSWORD=<redacted:password>\nHOME=<redacted:environment>\nstep 4\n"
    )


def test_variables_wait_no_longer_than_until_a_line_that_is_none() -> None:
    redactor = Redactor()
    assert redactor.feed("A=1\nB=2\n") == ""
    assert redactor.feed("step 4\n") == "A=1\nB=2\nstep 4\n"


def test_a_number_alone_is_a_password_where_the_name_says_so() -> None:
    assert redacted("    auth_pass 48291\n") == "    auth_pass <redacted:password>\n"
    assert redacted("    test_pass 48291\n") == "    test_pass 48291\n"
