"""Secrets between signs that words may hold, too: bars, brackets, quotes, ``@``, and what stands there instead."""

from __future__ import annotations

import pytest

from slowlink.redact import Redaction

WORD = "Xk9mQ2vT7z"


@pytest.mark.parametrize(
    ("text", "out"),
    [
        # bars without blanks, with blanks on one side, of two kinds, behind a lead
        ("|password|@@|", "|password|<redacted:password>|"),
        ("|user|ada|password|@@|x y|", "|user|ada|password|<redacted:password>|x y|"),
        ("|password|@@| a note", "|password|<redacted:password>| a note"),
        ("db_password|@@ | x", "db_password|<redacted:password> | x"),
        ("| user |password|@@|", "| user |password|<redacted:password>|"),
        ("| password | a|@@ |", "| password | <redacted:password> |"),
        ("2026-11-22 10:00:00 | INFO | |password|@@|", "2026-11-22 10:00:00 | INFO | |password|<redacted:password>|"),
        ("\u2502password\u2502@@\u2502 | x", "\u2502password\u2502<redacted:password>\u2502 | x"),
        # cells with a quote that nothing closes, and rows with other signs than their headings
        ('"DB_PASSWORD",@@"', '"DB_PASSWORD",<redacted:password>"'),
        ('DB_PASSWORD,"@@', 'DB_PASSWORD,"<redacted:password>'),
        ("DB_PASSWORD '@@", "DB_PASSWORD '<redacted:password>"),
        ("user,password,host\nada,@@;n1", "user,password,host\nada,<redacted:password>;n1"),
        ("\u2502 user \u2502 password \u2502\n\u2502 ada \u2502 @@ |", "\u2502 user \u2502 password \u2502\n\u2502 ada \u2502 <redacted:password> |"),
        # what echo prints goes through more
        ("PASSWORD=$(echo @@ | base64 -d)", "PASSWORD=$(echo <redacted:password> | base64 -d)"),
        ('PASSWORD="$(echo "@@"|tr a b)"', 'PASSWORD="$(echo "<redacted:password>"|tr a b)"'),
        ("PASSWORD=$(printf %s '@@' | rev)", "PASSWORD=$(printf %s '<redacted:password>' | rev)"),
        ("PASSWORD=$(echo a)b@@)", "PASSWORD=$(echo <redacted:password>)"),
        ("PASSWORD=$(echo @@", "PASSWORD=$(echo <redacted:password>"),
        ("PASSWORD=$(echo $@@)", "PASSWORD=$(echo <redacted:password>)"),
        ("PASSWORD=${P:-@@)b}", "PASSWORD=${P:-<redacted:password>}"),
        # numbers of flows are called cookies, and nothing else that a header tells
        ("Authorization: 0xdeadbeef12345678", "Authorization: <redacted:authorization>"),
        ("Proxy-Authorization: 0xdeadbeef", "Proxy-Authorization: <redacted:authorization>"),
        # a password with a slash is no path
        ("prog -u root -p @@/x", "prog -u root -p <redacted:password>"),
        ("prog -u root -p x:@@", "prog -u root -p <redacted:password>"),
        # hosts that are written in another way
        ("https_proxy=lab:@@@host!", "https_proxy=lab:<redacted:password>@host!"),
        ("https_proxy=lab:a@@@@${HOST}:3128", "https_proxy=lab:<redacted:password>@${HOST}:3128"),
        ("jdbc:oracle:thin:a/@@@(DESCRIPTION=(HOST=x))", "jdbc:oracle:thin:a/<redacted:password>@(DESCRIPTION=(HOST=x))"),
        ("jdbc:oracle:thin:a/b@@@@[::1]:1521/x", "jdbc:oracle:thin:a/<redacted:password>@[::1]:1521/x"),
        ("jdbc:oracle:thin:a/@@@DB; next", "jdbc:oracle:thin:a/<redacted:password>@DB; next"),
        ("redis://:@@@a,b@^cache:6379/0", "redis://:<redacted:password>@^cache:6379/0"),
        ("redis://:a@!/@@@cache:6379/0", "redis://:<redacted:password>@cache:6379/0"),
        # a remark behind a command, a colon in what was typed
        ("vault login @@ # for ada", "vault login <redacted:password> # for ada"),
        ("htpasswd -b f ada @@ # x", "htpasswd -b f ada <redacted:password> # x"),
        ("htpasswd -b f ada #@@", "htpasswd -b f <redacted:password> <redacted:password>"),
        ("[sudo] password for ada:a:@@", "[sudo] password for ada:<redacted:password>"),
        ("kinit ada <<< '@@", "kinit ada <<< '<redacted:password>"),
        # dots up to a colon, a variable in quotes beside others
        ("password........: @@", "password........: <redacted:password>"),
        (
            'Environment=HOME=/root NCCL_DEBUG=INFO "THING=a @@"',
            'Environment=HOME=<redacted:environment> NCCL_DEBUG=INFO "THING=<redacted:environment>"',
        ),
        # a lone quote is a sign of its word
        ("stringData: {a: don't, b: @@}", "stringData: {a: <redacted:secret>, b: <redacted:secret>}"),
        ('stringData: {a: "(,}" b: @@}', 'stringData: {a: "<redacted:secret>" b: <redacted:secret>}'),
        ("stringData: {a: \"x\", b: @@'}", 'stringData: {a: "<redacted:secret>", b: <redacted:secret>}'),
        ('stringData: {a: "(,}", b: @@}', 'stringData: {a: "<redacted:secret>", b: <redacted:secret>}'),
        ("data: {a: it's, b: WGs5bVEydlQ3eg==}", "data: {a: it's, b: <redacted:secret>}"),
    ],
)  # fmt: skip
def test_the_secret_goes_and_what_is_around_it_stays(text: str, out: str) -> None:
    once = Redaction().text(text.replace("@@", WORD, 1).replace("@@", "@"))
    assert once == out.replace("@@", "@")
    assert Redaction().text(once) == once


@pytest.mark.parametrize(
    "text",
    [
        "cookie=0xdeadbeef12345678, duration=3s",
        "launch -u root -p GPU-5f3c0a1e-0d4b:A100_SXM4/x",
        "launch -u root -p node17:/data/Llama3-8B/Run2",
        "launch -u root -p Partition_A100:Qwen2MoeForCausalLM",
        "https_proxy=lab:$PROXY_PASSWORD@${HOST}:3128",
        "PASSWORD=$(echo $OTHER | base64 -d)",
        "stringData: {a: 'b'",
        "| token | p99 |",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert Redaction().text(text) == text
