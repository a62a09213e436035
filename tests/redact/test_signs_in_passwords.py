"""A password may hold any sign: where one of letters and digits is found, one of random printable characters is, too."""

from __future__ import annotations

import random
from collections.abc import Sequence
from string import ascii_letters, digits

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowlink.redact import Redaction, sql
from slowlink.redact.command_lines import command_words, commands

SIGNS = "!#$%&()*+,-./:;<=>?@[]^_{|}~"
"""Of all, without quotes, backquote and backslash: most forms want these written in another way."""
COMMANDS = (
    " 4711 pts/2 S+ 0:00 sshpass -p @@ ssh -o BatchMode=yes root@bmc07",
    "root 4711 ipmitool -H 10.2.0.7 -U ADMIN -P @@ power status",
    "Nov 22 03:11:07 gpu17 sudo: ada : TTY=pts/0 ; USER=root ; COMMAND=/usr/bin/ipmitool -U ADMIN -P @@ power cycle",
    "root 4711 curl -s -u ada:@@ https://ufm/app?a=1&b=2",
    "root 4711 curl https://ufm/app?a=1&b=2 -u ada:@@",
    "root 4711 mysql -uroot -p@@ slurm",
    "root 4711 racadm -r 10.3.0.9 -u root -p @@ getsysinfo",
    "root 4711 ldapsearch -D cn=a -w @@ -b dc=x",
    "root 4711 snmpget -v3 -u a -A @@ -X @@ leaf1 oid",
    "sshpass\0-p\0@@\0ssh\0gpu17",
    "rootpw --plaintext @@",
    'expect "assword:"\nsend -- "@@\\r"',
    "sh -c echo '@@' | sudo -S dmesg",
    "echo @@ | kinit ada",
    "xfreerdp /u:a /p:@@ /v:h",
)
WITH_BLANKS = (
    " neighbor 192.0.2.7 password @@",
    "nv set vrf default router bgp neighbor swp51 password @@",
    '    shared-secret "@@";',
    "enable password @@",
    "IpmiPassword  --  @@",
    "    HTTP_Passwd @@",
    ' : PSK "@@"',
    "http_pass @@",
    'authentication-key "@@"; ## SECRET-DATA',
    'client.setPassword("@@");',
    "StoragePass=@@",
)
COLUMNS = (
    "node,bmc_user,bmc_password,rack\ngpu17,ADMIN,@@,r1\ngpu18,ADMIN,@@,r1",
    '#key,username,password,cryptmethod,comments\n"ipmi","ADMIN","@@",,',
    '"key","username","password","cryptmethod"\n"ipmi","ADMIN","@@",""',
    "host;user;password\nn1;ADMIN;@@",
    "| user | password | host |\n|------|----------|------|\n| ann | @@ | n1 |",
    " username | password\n----------+----------\n ann      | @@\n(1 row)",
    "\u2502 db_password        \u2502 @@ \u2502",
    "password | @@",
    "USER   PASSWORD        ROLE\nann    @@  admin",
)
IN_OTHER_FORMS = (
    "kennwort: @@",
    "Enter passphrase for key '/root/.ssh/id': @@",
    "PASSWORD=$(echo @@)",
    "rsync --password-file=<(printf %s @@) a b",
    "http_proxy=lab:@@@proxy:3128",
    "Generated admin password [@@] for the BMC",
    "A temporary password is generated for root@localhost: @@",
    "<Password>@@</Password>",
    "<param name=\"password\" value='@@' />",
    "<property><name>db.password</name><value>@@</value></property>",
    "    stats auth admin:@@",
    "password=\\\n@@",
    "bmctool -i 10.1.7.4 -u ADMIN -p @@ -c GetBmcInfo",
    "INSERT INTO users (name, password) VALUES ('O\\'Brien', '@@'), ('Al', '@@');",
    "INSERT INTO users (name, password) VALUES ('C:\\', '@@');",
    'INSERT INTO users (name, password) VALUES ("O\'Brien", "@@");',
)
EVERY = (*COMMANDS, *WITH_BLANKS, *COLUMNS, *IN_OTHER_FORMS)


def random_password(source: random.Random, signs: str = SIGNS) -> str:
    while True:
        word = "".join(source.choices(ascii_letters + digits + signs, k=14))
        mixed = any(map(str.isdecimal, word)) and any(map(str.isupper, word)) and any(map(str.islower, word))
        if mixed and word[0].isalnum() and word[-1].isalnum() and (not signs or sum(c in signs for c in word) > 1):
            return word


def left_of(word: str, out: str) -> bool:
    return any(word[at : at + 6] in out for at in range(len(word) - 5))


@pytest.mark.parametrize("template", EVERY)
def test_no_half_of_a_password_survives(template: str) -> None:
    source = random.Random(template)
    for signs in ("", *(SIGNS,) * 30):
        word = random_password(source, signs)
        out = Redaction().text(template.replace("@@", word))
        assert not left_of(word, out), (word, out)
        assert Redaction().text(out) == out
        assert "<redacted:password>" in out or "<redacted:secret>" in out or "<redacted:key>" in out


@given(st.sampled_from(EVERY), st.text("".join(map(chr, range(33, 127))), min_size=8, max_size=20), st.booleans())
def test_twice_is_as_good_as_once(template: str, word: str, is_cut: bool) -> None:
    """With quotes and backslashes, too, which may end a word or a text."""
    once = Redaction().text(template.replace("@@", word)[: -5 if is_cut else None])
    assert Redaction().text(once) == once


@pytest.mark.parametrize(
    ("text", "out"),
    [
        ("sshpass -p Zq7&Xw9KfT ssh n1", "sshpass -p <redacted:password> ssh n1"),
        ("sshpass -p ;Zq7Xw9KfT ssh n1", "sshpass -p <redacted:password> ssh n1"),
        ("$(curl -u a:Zq7Xw9) x", "$(curl -u a:<redacted:password>) x"),
        ("mysql -pZq7Xw9; docker run -p 80:80 x", "mysql -p<redacted:password>; docker run -p 80:80 x"),
        ("docker login -p Zq7Xw9 r && docker run -p 80:80 x", "docker login -p <redacted:password> r && docker run -p 80:80 x"),
        ("run([\"mysql\",\"-pZq7Xw9\",\"db\"])", "run([\"mysql\",\"-p<redacted:password>\",\"db\"])"),
        ("<code>curl -u a:Zq7Xw9</code>", "<code>curl -u a:<redacted:password></code>"),
        ("['sshpass', '-p', 'Zq7Xw9', 'ssh']", "['sshpass', '-p', '<redacted:password>', 'ssh']"),
        ('dsn: "host=db password=correcthorse dbname=m"', 'dsn: "host=db password=<redacted:password> dbname=m"'),
        ("StoragePass=correcthorse", "StoragePass=<redacted:password>"),
        ("redis://:Zq7/Xw9@K!q@cache:6379/0", "redis://:<redacted:password>@cache:6379/0"),
        ("INSERT INTO u (a, password) VALUES ('b', 'Zq7Xw9 INSERT INTO u (a, password) VALUES ('c', 'Zq7Xw9",
         "INSERT INTO u (a, password) VALUES ('b', '<redacted:password>'c', '<redacted:password>"),
        ("INSERT INTO u (password, n) VALUES ('Zq7Xw9'::text, 3)", "INSERT INTO u (password, n) VALUES ('<redacted:password>'::text, 3)"),
        ("foo --password=!Zq7Xw9KfT --x", "foo --password=<redacted:password> --x"),
        ("foo --password !Zq7Xw9KfT --x", "foo --password <redacted:password> --x"),
        ("DB_PASSWORD=&Zq7Xw9KfT ./x --a", "DB_PASSWORD=<redacted:password> ./x --a"),
        ("password: !Zq7Xw9KfT", "password: <redacted:password>"),
        ("password: !vault Zq7Xw9KfT", "password: !vault <redacted:password>"),
        ("pulumi config set --secret dbPassword Zq7Xw9 --stack dev", "pulumi config set --secret <redacted:secret> <redacted:password> --stack dev"),
    ],
)  # fmt: skip
def test_what_stands_beside_it_stays(text: str, out: str) -> None:
    assert Redaction().text(text) == out


@pytest.mark.parametrize(
    "text",
    [
        "wandb: Currently logged in. Use `wandb login --relogin` to force relogin",
        "wandb login --relogin to force relogin",
        " cookie=0x0, duration=81.2s, table=0, n_packets=12, priority=100,in_port=1 actions=output:2",
        "sshpass -p <word> ssh n1",
        "docker login < /dev/null",
        "password,latency_p50,latency_p99",
    ],
)
def test_harmless_lines_stay(text: str) -> None:
    assert Redaction().text(text) == text


def test_a_mark_is_put_in_once() -> None:
    text = "tool -u root -p <redacted:password>&vQ2mT7Xk9 x"
    assert Redaction().text(text) == "tool -u root -p <redacted:password> x"


@pytest.mark.parametrize("unit", ["INSERT INTO t (password) VALUES (", "curl (a(a", "curl -u a:b;c ", "curl -u a:b`c "])
def test_a_long_line_costs_no_more_than_its_length(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted in characters of rows and in words of commands that are read: time depends on the machine."""
    read = [0]
    end_of_row, words_of = sql._end_of_row, command_words.secret_words

    def row(text: str, at: int, writing: sql._Writing) -> int:
        end = end_of_row(text, at, writing)
        read[0] += end - at
        return end

    def words(given: Sequence[str], since: int = 0, *, ends: bool = False) -> dict[int, tuple[int, int]]:
        read[0] += len(given)
        return words_of(given, since, ends=ends)

    monkeypatch.setattr(sql, "_end_of_row", row)
    monkeypatch.setattr(commands, "secret_words", words)
    counts = []
    for times in (500, 1000):
        read[0] = 0
        Redaction().text(unit * times + "\n")
        counts.append(read[0])
    assert counts[1] < 2.5 * counts[0] + 1000
