"""Names that end in ``pw`` are names of passwords in every notation; words and units that only begin so are none."""

from __future__ import annotations

import pytest

from slowlink.redact import Redaction

NAMES = ("pw", "PW", "dbPw", "bindpw", "rootPw", "bmc_pw", "bind-pw")
VALUES = ("Vq8-mZr3Lx!7", "kettleharbour", "zX8qLm2RtV9bNc4W", "harbour2026", "v@w;xyz1")
NOTATIONS = (
    '{"a": 1, "~": "@", "b": 2}',
    '  "~": "@",',
    "{'a': 1, '~': '@'}",
    '<property name="~" value="@"/>',
    '- name: ~\n  value: "@"',
    '- key: ~\n  value: "@"',
    '["--~", "@"]',
    '{"key": "~", "value": "@"}',
    '{"m":"{\\"~\\":\\"@\\"}"}',
    '"~":\n    "@"',
    "'~' => '@',",
    ":~ => '@'",
    "cfg['~'] = '@'",
    '~ = "@"',
    '~: "@"',
    "~=@",
    "C(user='x', ~='@', b=1)",
    "<key>~</key>\n<string>@</string>",
    "- --~\n- '@'",
)
LEADS = ("", "[1,3]<stderr>:", "Nov 28 08:01:02 gpu07 app[12]: ", "worker-3 | ")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("notation", NOTATIONS)
def test_values_go(name: str, notation: str) -> None:
    surviving = []
    for value in VALUES:
        for lead in LEADS:
            lines = notation.replace("~", name).replace("@", value).split("\n")
            text = "".join(lead + line + "\n" for line in ("gpu01:1:2 [0] NCCL INFO x", *lines))
            out = Redaction().text(text)
            if value in out or Redaction().text(out) != out:
                surviving.append((text, out))
    assert surviving == []


def test_markup() -> None:
    assert Redaction().text("<x><pw>kettleharbour</pw></x>\n") == "<x><pw><redacted:secret></pw></x>\n"


@pytest.mark.parametrize(
    "text",
    [
        "pw_rate=5 pwr=700W pwd",
        "PWD=/home/ada/run",
        '{"pwr": "700W", "pw_rate": "5 per s1", "cwd": "/data/x1"}',
        "power=412.5W pwm0: 128 pwcap: max1",
        "bw 38.1 busbw: 361.2 algbw=190.4",
        "spw-2: link up4",
    ],
)
def test_others_stay(text: str) -> None:
    assert Redaction().text(text) == text
