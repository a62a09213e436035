"""Whatever stands before a known program on its line, its secret arguments are found; and what only looks like one stays."""

from __future__ import annotations

import pytest

from slowlink.redact.redaction import Redaction

PASSWORD = "Basil-4471rook"
COMMANDS = (
    f"ipmitool -I lanplus -H 10.0.9.7 -U ops -P {PASSWORD} sel list",
    f"podman login registry.local -u ops -p {PASSWORD}",
    f"rabbitmqctl change_password ops {PASSWORD}",
    f"mysqldump -u ops -p{PASSWORD} jobs",
)
BEFORE = (
    "##[command]%s",
    "##[debug]%s",
    "[command]/usr/bin/%s",
    "Nov  3 04:05:06 gpu07 sudo:  ops : TTY=pts/0 ; PWD=/root ; USER=root ; COMMAND=/usr/bin/%s",
    "x=`%s`",
    "4711,root,%s",
    "/proc/4711/cmdline:%s",
    "<cmd>%s</cmd>",
    "cmd:=%s",
    "argv0=>%s",
    "{{%s}}",
    "@@%s",
    "!%s",
    "\u00bb%s",
    "12-%s",
    "sh---%s",
)


def clean(text: str) -> str:
    once = Redaction().text(text)
    assert Redaction().text(once) == once
    return once


@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize("command", COMMANDS)
def test_any_sign_may_stand_before_a_program(before: str, command: str) -> None:
    assert PASSWORD not in clean(before % command + "\n")


@pytest.mark.parametrize(
    "text",
    [
        f"smbclient //nas/share {PASSWORD} -U ops -c 'ls'",
        f"smbclient -U ops //nas/share {PASSWORD}",
        f"ossutil config -i LTAI5tabc -k {PASSWORD} -e oss.example.com",
        f"ipa-client-install --principal admin -w {PASSWORD} --unattended",
        f"ipa-server-install -p {PASSWORD} -a {PASSWORD} -n example.com",
        f"ipmitool\x1b[1C-U\x1b[1Cops\x1b[1C-P\x1b[1C{PASSWORD}",
    ],
)
def test_passwords_of_more_programs(text: str) -> None:
    assert PASSWORD not in clean(text + "\n")


@pytest.mark.parametrize(
    "text",
    [
        "smbclient -N -L nas -W WORK",
        "smbclient //nas/share -c ls -U ops",
        "smbclient: connection to nas failed",
        "ops@mysql -p3306 is the address",
        "WANDB_API_KEY: ${{ secrets.WANDB_API_KEY }}",
        '  key: "${{ secrets.DEPLOY_KEY }}"',
        "secret: optional: false",
    ],
)
def test_what_gives_nothing_away_stays(text: str) -> None:
    assert clean(text + "\n") == text + "\n"


ENVIRONMENT = ("HOME=/root", "SHELL=/bin/bash", "USER=ops", f"SITE_WORD={PASSWORD}", "NCCL_DEBUG=INFO")


@pytest.mark.parametrize("lead", ["\u2502 ", "gpu07 train.service ", "n07 \u258f", "%% ", "\u2502 declare -x "])
def test_an_environment_behind_a_bar_or_a_unit(lead: str) -> None:
    text = clean("".join(f"{lead}{line}\n" for line in ENVIRONMENT))
    assert PASSWORD not in text
    assert "NCCL_DEBUG=INFO" in text


def test_an_environment_in_json_on_a_page() -> None:
    entries = ", ".join(
        f"&quot;{name}&quot;: &quot;{value}&quot;" for name, _, value in (x.partition("=") for x in ENVIRONMENT)
    )
    text = clean(f"<pre>got the environment {{ {entries} }}</pre>\n")
    assert PASSWORD not in text
    assert "&quot;NCCL_DEBUG&quot;: &quot;INFO&quot;" in text


@pytest.mark.parametrize(
    "lead",
    [
        "I1103 04:05:06.123456      12 main.go:33] ",
        "2026-11-03 04:05:06,123 - root - INFO - ",
        "[INFO 2026-11-03 04:05:06] ",
        "\u2502 ",
        "",
    ],
)
def test_a_value_on_the_line_below_its_export(lead: str) -> None:
    lines = ("+ export SITE_TOKEN=\\", PASSWORD, "+ srun hostname")
    assert clean("".join(f"{lead}{line}\n" for line in lines)) == (
        f"{lead}+ export SITE_TOKEN=\\\n{lead}<redacted:token>\n{lead}+ srun hostname\n"
    )


def test_a_block_behind_an_entity() -> None:
    assert PASSWORD not in clean(f"secret_key: &gt;-\n    {PASSWORD}\nbucket: ckpt\n")
