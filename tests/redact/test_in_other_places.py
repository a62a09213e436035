"""Environments and arguments where programs write them down in a way of their own."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable

import pytest

from redact.planted import planted
from redact.test_planted import redacted

SECRET = "Quartz9-Vel"
ENVIRONMENT = f"CUSTOM_THING={SECRET}\nHOME=/root\nNCCL_DEBUG=INFO\nSHELL=/bin/bash\nOTHER_THING={SECRET}\n"
PROC = ENVIRONMENT.replace("\n", "\0").encode()
PLACES: dict[str, str] = {
    "JSON": json.dumps({"message": ENVIRONMENT}),
    "JSON, another name": json.dumps({"output": ENVIRONMENT}),
    "repr": f"Output: {ENVIRONMENT!r}",
    "repr of bytes": f"Output: {ENVIRONMENT.encode()!r}",
    "repr of /proc/PID/environ": f"environ: {PROC!r}",
    "JSON of /proc/PID/environ": json.dumps({"environ": PROC.decode()}),
    "Base64 of /proc/PID/environ": f"environ: {base64.b64encode(PROC).decode()}",
    "coloured": "".join(f"\x1b[32m{line}\x1b[0m\n" for line in ENVIRONMENT.splitlines()),
    "marked as UTF-8": "\ufeff" + ENVIRONMENT,
}


@pytest.mark.parametrize("place", PLACES)
def test_of_an_environment_in_another_text_only_what_matters_is_left(place: str) -> None:
    text = f"before\n{PLACES[place]}\nbehind 1 2 3\n"
    out = redacted(text)
    assert SECRET not in out
    assert "before\n" in out
    assert "\nbehind 1 2 3\n" in out
    assert place.startswith("Base64") or "NCCL_DEBUG=INFO" in out
    assert redacted(out) == out


COMMANDS = (
    ("sshpass", "-p", "~word~", "ssh", "gpu17"),
    ("ipmitool", "-H", "bmc17", "-U", "ada", "-P", "~word~", "sdr"),
    ("mysql", "-p~word~", "-u", "root"),
    ("curl", "-k", "-u", "ada:~word~", "https://bmc17/redfish"),
    ("ldapsearch", "-x", "-w", "~word~", "-b", "dc=x"),
    ("redis-cli", "-h", "n1", "-a", "~word~", "ping"),
    ("/usr/bin/7z", "x", "-p~word~", "logs.7z"),
    ("schtasks", "/create", "/ru", "ada", "/rp", "~word~", "/tr", "y"),
    ("docker", "login", "-u", "ada", "-p", "~word~", "nvcr.io"),
)
WRITTEN: dict[str, Callable[[tuple[str, ...]], str]] = {
    "JSON": lambda argv: json.dumps({"Cmd": argv}, indent=2),
    "docker inspect": lambda argv: json.dumps({"Path": argv[0], "Args": argv[1:]}, indent=4),
    "YAML, quoted": lambda argv: "command:\n" + "".join(f'  - "{word}"\n' for word in argv),
    "pod": lambda argv: f'command:\n- "{argv[0]}"\nargs:\n' + "".join(f"- '{word}'\n" for word in argv[1:]),
    "auditd": lambda argv: (
        f"type=EXECVE msg=audit(1.1:2): argc={len(argv)} " + " ".join(f'a{at}="{word}"' for at, word in enumerate(argv))
    ),
    "pstree -ap": lambda argv: f"  |   `-{argv[0]},4711 {' '.join(argv[1:])}",
    "shell": lambda argv: " \\\n  ".join(argv),
}


@pytest.mark.parametrize("form", WRITTEN)
def test_no_secret_argument_survives_however_the_words_are_written(form: str) -> None:
    surviving = []
    for argv in COMMANDS:
        one = planted(WRITTEN[form](argv), 1)
        out = redacted(one.text + "\nnext 1 2 3\n")
        if one.surviving(out) or redacted(out) != out or not out.endswith("\nnext 1 2 3\n"):
            surviving.append(out)
    assert surviving == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("packages:\n- mysql\n- curl\n- openssl\n- wget\n", None),
        ("- name: docker\n- redis\n- zip\n", None),
        ('"tools": [\n  "curl",\n  "-p",\n  "18515"\n]\n', None),
        ("curl \\\n  -o out.json \\\n  https://n1/metrics\n", None),
        ("rocommunity Quartz9 10.0.0.0/8\n", "rocommunity <redacted:password> 10.0.0.0/8\n"),
        ("rwcommunity6 Quartz9\n", "rwcommunity6 <redacted:password>\n"),
        ("com2sec local 10.0.0.0/8 Quartz9\n", "com2sec local 10.0.0.0/8 <redacted:password>\n"),
        ("trap2sink 10.0.0.9 Quartz9\n", "trap2sink 10.0.0.9 <redacted:password>\n"),
        (
            "snmp-server host 10.0.0.9 version 2c Quartz9\n",
            "snmp-server host 10.0.0.9 version 2c <redacted:password>\n",
        ),
        ("heat sink temperature: 41 C\n", None),
        (
            'expect -c "spawn ssh n1; expect password:; send Quartz9\\r"\n',
            'expect -c "spawn ssh n1; expect password:; send <redacted:password>\\r"\n',
        ),
        (
            "INSERT INTO t (name, password) VALUES ('ann', 'Quartz''9'), (now(), 'Vel7'), ('bob', 'Mid12",
            "INSERT INTO t (name, password) VALUES ('ann', '<redacted:password>'), (now(), '<redacted:password>'),"
            " ('bob', '<redacted:password>",
        ),
        (f"INSERT INTO t (name, password) VALUES ({'x' * 60_000}\n", None),
        (
            "<AutoLogon><Password><Value>Quartz9</Value><PlainText>true</PlainText></Password></AutoLogon>\n",
            "<AutoLogon><Password><Value><redacted:secret></Value><PlainText>true</PlainText></Password></AutoLogon>\n",
        ),
    ],
)
def test_what_is_taken_out_of_settings_and_lists(text: str, expected: str | None) -> None:
    assert redacted(text) == (text if expected is None else expected)


def test_a_name_and_its_value_are_words_of_their_own_between_null_bytes() -> None:
    text = "aws\0configure\0set\0aws_secret_access_key\0SH83oLNmvTOJxW14\0--profile\0x\0\n"
    assert redacted(text) == text.replace("SH83oLNmvTOJxW14", "<redacted:key>")


@pytest.mark.parametrize("lead", ["", "0: ", "n1: "])
@pytest.mark.parametrize("sign", ["= ", "=", ": ", ""])
def test_a_name_of_properties_whose_value_is_on_the_next_line(lead: str, sign: str) -> None:
    """White space parts them, too; a word that is none of a secret's may go on in a sentence."""
    text = f"{lead}db.password \\\n{lead}    {sign}q7Rz!k \\\n{lead}    rest\n{lead}next = 1\n"
    out = text.replace("q7Rz!k", "<redacted:password>").replace("rest", "<redacted:password>")
    assert redacted(text) == out
    assert redacted(out) == out
    said = f"{lead}the db.password \\\n{lead}is known\n"
    assert redacted(said) == said
