"""What somebody was asked for, or gave beside a name: prompts, Redis, queries, SMTP, headings of LaTeX and AsciiDoc."""

from __future__ import annotations

import pytest

from slowlink.redact import Redaction

WORD = "Vq8mZr3"
LEADS = ("", "[1,3]<stderr>:", "Nov 28 08:01:02 gpu07 app[12]: ", "2026-11-28T08:01:02.123Z stderr F ")


@pytest.mark.parametrize(
    "text",
    [
        '1795.1 [0 10.0.0.1:5] "AUTH" "default" "@"',
        '1795.1 [0 10.0.0.1:5] "auth" "@"',
        '1795.1 [0 10.0.0.1:5] "HELLO" "3" "AUTH" "ada" "@"',
        "127.0.0.1:6379> AUTH @",
        "127.0.0.1:6379> AUTH default @",
        "http://h:8086/write?db=x&u=ada&p=@",
        "http://h:8086/write?u=ada&db=x&p=@&precision=s",
        "curl -d 'p=@&u=ada' http://h/",
        "\\textbf{Password:} @",
        "\\textbf{Password}: @",
        "\\emph{API key:} @",
        "Password:: @",
        "Password for user ada: @",
        "Password for 'https://ada.git.lab.example': @",
        "Enter passphrase for key '/root/.ssh/id_rsa': @ harbour",
        "ftp> PASS @",
        "ftp> quote PASS @",
        "mc admin user add ceph ada @",
        "nmcli dev wifi connect Lab password @",
        "echo @ | zfs load-key tank/x",
        "curl -b 'session=@' https://x",
        "curl -sb 'session=@; id=2' https://x",
        "db_passw=@ db_pswd=@",
        "user ada insecure-password @",
        "sasl user ada pass @",
        "set password @",
    ],
)  # fmt: skip
def test_what_was_given_goes(text: str) -> None:
    surviving = []
    for lead in LEADS:
        out = Redaction().text(lead + text.replace("@", WORD, 2 if "pswd" in text else 1) + "\n")
        if WORD in out or Redaction().text(out) != out or not out.startswith(lead):
            surviving.append(out)
    assert surviving == []


@pytest.mark.parametrize(
    "dialogue",
    [
        (">>> AUTH LOGIN", "<<< 334 VXNlcm5hbWU6", ">>> YWRh", "<<< 334 UGFzc3dvcmQ6", ">>> @", "<<< 235 ok"),
        ("reply: b'334 UGFzc3dvcmQ6\\r\\n'", "reply: retcode (334); Msg: b'UGFzc3dvcmQ6'", "send: '@\\r\\n'", "reply: b'235'"),
        ("S: 334 UGFzc3dvcmQ6", "C: @", "S: 235 2.7.0 Authentication successful"),
    ],
)  # fmt: skip
def test_answers_of_smtp(dialogue: tuple[str, ...]) -> None:
    for lead in LEADS:
        text = "".join(f"{lead}{line}\n" for line in dialogue)
        out = Redaction().text(text.replace("@", "SGFyYm91ci03OA=="))
        assert out == text.replace("@", "<redacted:password>")
        assert Redaction().text(out) == out


@pytest.mark.parametrize(
    "text",
    [
        "Failed password for root: three times",
        "Password for user ada: incorrect",
        "Enter passphrase for key '/root/.ssh/id_rsa': bad permissions",
        "GET /list?u=ada&p=2 HTTP/1.1",
        "\\textbf{Password:} none",
        "\\textbf{Bandwidth:} 361.2GB/s",
        "curl -b cookies.txt https://x",
        "PASS  dcgm diag level 1",
        "std::token:: x; ns::Token::parse",
        "set token ttl 30",
        "user root password authentication failed",
        "334 UGFzc3dvcmQ6\n235 2.7.0 Authentication successful",
    ],
)
def test_others_stay(text: str) -> None:
    assert Redaction().text(text) == text
