"""Who may read: names, origins, tokens, passes."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowlink.errors import SlowlinkError
from slowlink.workflows.web.door import LONGEST_S, LOOPBACK_NAMES, Door, token_in

TOKEN = "k" * 20


class Clock:
    now = 1_000.6

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(
    ("host", "known"),
    [
        ("localhost", True), ("LOCALHOST:8080", True), ("127.0.0.1:1", True), ("[::1]:80", True), ("localhost.", True),
        ("evil.example", False), ("127.0.0.1.evil.example", False), ("localhost:80:80", False), ("", False),
        ("localhost@evil", False), ("[::1", False), ("localhost\x00", False), ("127.0.0.1:x", False), (":80", False),
    ],
)  # fmt: skip
def test_only_our_own_names_are_answered(host: str, known: bool) -> None:
    assert Door(LOOPBACK_NAMES, "").knows_name(host) is known


def test_a_door_without_names_still_wants_a_host() -> None:
    door = Door((), TOKEN)
    assert [door.knows_name(host) for host in ("any.example:443", "10.0.0.7", "", "a b:c")] == [
        True,
        True,
        False,
        False,
    ]


@pytest.mark.parametrize(
    ("origin", "own"),
    [("http://localhost:80", True), ("https://LOCALHOST:80", True), ("http://localhost:81", False), ("null", False),
     ("file://localhost:80", False), ("http://evil.example", False)],
)  # fmt: skip
def test_only_pages_of_ours_ask(origin: str, own: bool) -> None:
    assert Door(LOOPBACK_NAMES, "").is_own_origin(origin, "localhost:80") is own


def test_a_token_or_a_pass_opens_and_nothing_else() -> None:
    clock = Clock()
    door, other = Door((), TOKEN, clock), Door((), TOKEN, clock)
    assert door.admits(f"Bearer {TOKEN}", "")
    assert door.admits(f"bearer  {TOKEN} ", "")
    assert door.admits("", f"a=b; slowlink={door.new_pass()}; c=d")
    assert not door.admits("", f"slowlink={other.new_pass()}"), "a pass is of one process alone"
    forged = door.new_pass().partition(".")
    clock.now += 1
    for cookie in (f"slowlink=99999{forged[1]}{forged[2]}", "slowlink=.", "slowlink=", f"slowlink={TOKEN}", "\x00;=;"):
        assert not door.admits("", cookie)
    for words in (f"Basic {TOKEN}", TOKEN, "Bearer", "Bearer é", f"Bearer {TOKEN}x"):
        assert not door.admits(words, "")


def test_a_pass_ends() -> None:
    clock = Clock()
    door = Door((), TOKEN, clock)
    cookie = f"slowlink={door.new_pass()}"
    clock.now += LONGEST_S - 1
    assert door.admits("", cookie)
    clock.now += 1
    assert not door.admits("", cookie)
    clock.now = 0
    assert not door.admits("", cookie), "of a time to come"


@given(st.text(max_size=200), st.text(max_size=200), st.text(max_size=200))
def test_whatever_is_sent_opens_nothing_and_raises_nothing(host: str, authorization: str, cookies: str) -> None:
    door = Door(LOOPBACK_NAMES, TOKEN)
    door.knows_name(host)
    assert not door.admits(authorization, cookies)
    assert not door.opens(host)


def test_without_a_token_everybody_may_read() -> None:
    assert Door(LOOPBACK_NAMES, "").admits("", "")


@pytest.mark.parametrize(
    ("text", "mode", "said"),
    [
        (TOKEN, 0o644, "others than its owner"),
        ("short", 0o600, "is not one line"),
        ("two words of it aaaaaaaaaa", 0o600, "is not one line"),
        ("ä" * 20, 0o600, "is not one line"),
        ("", 0o600, "is not one line"),
    ],
)
def test_a_file_with_a_bad_token_is_refused(tmp_path: Path, text: str, mode: int, said: str) -> None:
    file = tmp_path / "token"
    file.write_text(text)
    file.chmod(mode)
    with pytest.raises(SlowlinkError, match=said) as refused:
        token_in(file)
    assert text == "" or text not in refused.value.message


def test_a_token_is_read_from_its_file(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(f"{TOKEN}\n")
    file.chmod(0o600)
    assert token_in(file) == TOKEN
    with pytest.raises(SlowlinkError, match="cannot read the token"):
        token_in(tmp_path / "none")
