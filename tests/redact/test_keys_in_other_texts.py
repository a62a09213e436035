"""Keys that stand in what some program wrote about a text: its repr, a table, source text, a line of syslog."""

from __future__ import annotations

import pprint
import subprocess
from collections.abc import Callable

import pytest

from slowlink.redact.redaction import Redaction

BODY = ["A1b2C3d4" * 8, "Z9y8X7w6" * 8, "Q1w2E3r4" * 8, "zz9/QUE="]
KEY = "\n".join(["-----BEGIN RSA PRIVATE KEY-----", *BODY, "-----END RSA PRIVATE KEY-----"])
TOKENS = ("AKIAQ3EGR5TZYXWVUTSR", "glpat-aB3dE5fG7hJ9kL1mN3pQ", "hf_AbcdefghijKLMNOPqrstuvwxYZabcdefgh")


@pytest.mark.parametrize(
    "escape", ["\\n", "\\t", "\\r\\n", "\\x00", "\\x1b", "\\012", "#012", "#011", "^M", "^J"], ids=lambda each: each
)
@pytest.mark.parametrize("token", TOKENS)
def test_a_token_behind_an_escape_is_taken_out(token: str, escape: str) -> None:
    assert token not in Redaction().text(f"Output: b'out{escape}{token}{escape}end'\n")


WRITTEN: dict[str, Callable[[str], str]] = {
    "pprint": lambda key: pprint.pformat({"key": key, "host": "db"}),
    "box": lambda key: "".join(f"│ {line:<66} │\n" for line in key.split("\n")),
    "table": lambda key: "".join(f"| {line} |\n" for line in key.split("\n")),
    "psql": lambda key: " +\n".join(key.split("\n")),
    "C": lambda key: "".join(f'    "{line}\\n"\n' for line in key.split("\n")),
    "shell": lambda key: "".join(f"echo '{line}' >> key.pem\n" for line in key.split("\n")),
}


@pytest.mark.parametrize("form", WRITTEN)
def test_no_line_of_a_key_stays_whatever_stands_around_it(form: str) -> None:
    kept = Redaction().text(f"before\n{WRITTEN[form](KEY)}\nbehind it all\n")
    assert [line for line in BODY if line in kept] == []
    assert "before\n" in kept
    assert "behind it all" in kept


def test_a_line_between_that_is_no_key_stays() -> None:
    lines = KEY.split("\n")
    text = "".join(f"| {line} |\n" for line in [*lines[:2], "rank 3 is ready", *lines[2:]])
    assert "rank 3 is ready" in Redaction().text(text)


COMMANDS = (
    ["ipmitool", "-H", "bmc01", "-U", "ADMIN", "-P", "Zr8kkQw1", "chassis", "status"],
    ["sshpass", "-p", "Zr8kkQw1", "ssh", "gpu01"],
    ["mysql", "-pZr8kkQw1", "-u", "root"],
    ["curl", "-u", "me:Zr8kkQw1", "https://bmc01/redfish"],
)


@pytest.mark.parametrize("argv", COMMANDS, ids=lambda argv: argv[0])
def test_the_words_of_a_command_that_failed_in_python(argv: list[str]) -> None:
    for error in (subprocess.CalledProcessError(1, argv), subprocess.TimeoutExpired(argv, 30)):
        kept = Redaction().text(f"subprocess.{type(error).__name__}: {error}\n")
        assert "Zr8kkQw1" not in kept
        assert argv[0] in kept
