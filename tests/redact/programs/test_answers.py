"""What a program answers below the command that asked, or below a line that says what follows, goes; other lines stay."""

from __future__ import annotations

import pytest

from redact.test_planted import redacted

MADE = "Umber-Sledge41"
ALL_LETTERS = "umbersledge"
BOOTSTRAP = "q2wz8k.t5m1xhv0bd9r3ycj"
LEADS = ("", "[1,3]<stdout>: ", "17: ", "2026-11-22T10:00:00.123456789Z ", "gpu17: ")

ANSWERED = (
    (f"# kubeadm token create\n{BOOTSTRAP}\nnext 1 2 3", "token"),
    (f"$ sudo kubeadm token create --ttl 2h\nW1129 10:00:00.1 1 configset.go:348] a warning\n{BOOTSTRAP}", "token"),
    (f"kubeadm token generate\n\n{BOOTSTRAP}\n", "token"),
    (f"TOKEN                     TTL         EXPIRES\n{BOOTSTRAP}   23h         2031-01-02T03:04:05Z", "token"),
    (
        "TOKEN     TTL   EXPIRES   USAGES   DESCRIPTION   EXTRA GROUPS\n"
        f"{BOOTSTRAP}   <forever>   <never>   signing   <none>   system:bootstrappers:kubeadm:default-node-token",
        "token",
    ),
    ("argocd admin initial-password -n argocd\nUmberSledge-Qo\n\n This password must be only used once.", "password"),
    (f"Password for the [beats_system] user successfully reset.\nNew value: {MADE}", "password"),
    (f"Password for the [elastic] user successfully reset.\nNew value: {ALL_LETTERS}", "password"),
    (f"root@gpu17:~# cat /run/secrets/db_password\n{MADE}", "password"),
    ("+ sudo cat /sys/class/nvme/nvme3/dhchap_ctrl_secret\nDHHC-1:00:" + "uK4z" * 12 + ":", "secret"),
    (f'set superusers="ops"\npassword ops {ALL_LETTERS}\npassword_pbkdf2 eve {MADE}', "password"),
    (f'Content-Disposition: form-data; name="password"\r\n\r\n{MADE}\r\n--b0', "password"),
    (f'content-disposition: form-data; name=api_token\nContent-Type: text/plain\n\n{MADE} x\n--b0', "token"),
)  # fmt: skip
VALUES = (BOOTSTRAP, "UmberSledge-Qo", f"{MADE} x", MADE, ALL_LETTERS, "DHHC-1:00:" + "uK4z" * 12 + ":")


def expected(text: str, kind: str) -> str:
    for value in VALUES:
        text = text.replace(value, f"<redacted:{kind}>")
    return text.replace("\r\n", "\n")


@pytest.mark.parametrize("lead", LEADS)
@pytest.mark.parametrize(("text", "kind"), ANSWERED)
def test_the_answer_alone_goes(text: str, kind: str, lead: str) -> None:
    lines = text.replace("\r\n", "\n").split("\n")
    dressed = "".join(f"{lead}{line}\n" for line in (*lines, "step 4 loss 2.31"))
    clean = redacted(dressed)
    assert clean == expected(dressed, kind)
    assert redacted(clean) == clean


def test_lines_that_end_as_those_of_http_do() -> None:
    text = f'Content-Disposition: form-data; name="password"\r\n\r\n{MADE}\r\n--b0\r\n'
    assert redacted(text) == text.replace(MADE, "<redacted:password>")
    written = f"send: b'Content-Disposition: form-data; name=\"password\"\\r\\n\\r\\n{MADE}\\r\\n--b0--'\n"
    assert redacted(written) == written.replace(MADE, "<redacted:password>")


@pytest.mark.parametrize(
    "text",
    [
        "kubeadm token list\nnode17.rack4q2wz8k3b1c2\n",
        f"kubeadm token create --print-join-command\n{BOOTSTRAP}\n",
        f"NAME     ADDRESS\n{BOOTSTRAP}   10.0.0.7\n",
        "NAME     TOKEN\ngpu001   worker.abcdefghij1klmno\n",
        "argocd admin initial-password\nerror\n",
        "Password for the [elastic] user successfully reset.\nlistening on 10.0.0.7:9200\n",
        "New value: Umber-Sledge41\n",
        "cat /etc/passwd\nroot:x:0:0:root7:/root:/bin/bash\n",
        "cat /sys/module/mlx5_core/parameters/prof_sel\nnode17\n",
        "cat /run/secrets/db_password\ncat: permission denied\n",
        "cat /sys/class/nvme/nvme0/dhchap_secret\nnone\n",
        "set superusers=root\nmenuentry 'Linux 6.8' --unrestricted {\n",
        'Content-Disposition: form-data; name="file"\n\nUmber-Sledge41\n',
        'Content-Disposition: form-data; name="password"\nstep 4 loss 2.31\nUmber-Sledge41\n',
        'Content-Disposition: form-data; name="password"\n\n--b0\nUmber-Sledge41\n',
    ],
)
def test_what_no_one_asked_for_stays(text: str) -> None:
    assert redacted(text) == text


TRACED = """\
  File "/opt/job/login.py", line 12, in login
    db.open(user, password, cfg.api_token)
    │  │    │     │         │   └ 'Umber Sledge 41'
    │  │    │     │         └ <Config object at 0x7f00>
    │  │    │     └ 'umber'
    │  │    └ 'ada'
    │  └ <function open at 0x7f01>
    └ <Db object at 0x7f02>
    tokens = count(batch)
             │     └ 'Umber-Sledge41'
    password = given
               └ 'Umber-Sledge41'
└── 'node17'
"""


def test_what_a_traceback_draws_below_a_secret_s_name() -> None:
    clean = redacted(TRACED)
    before, source, after = TRACED.partition("    password = given\n")  # a variable, which tells nothing
    before = before.replace("Umber Sledge 41", "<redacted:token>").replace("'umber'", "'<redacted:password>'")
    assert clean == before + source + after.replace("Umber-Sledge41", "<redacted:password>")
    assert redacted(clean) == clean
