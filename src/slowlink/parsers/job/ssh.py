"""What ssh prints when a login fails.

Two of them::

    ssh: connect to host gpu02 port 22: Connection refused
    root@gpu02: Permission denied (publickey,password).

Source: OpenSSH 7 to 9 (``ssh.c sshconnect.c``).
"""

from __future__ import annotations

from typing import ClassVar

from slowlink.parsers.forms.message_table import EventPattern, MessageParser, NoisePattern

_CONNECT = r"connect to (?:host|address) (?P<host>\S{1,120}) port (?P<port>\d+): "

MESSAGES = (
    EventPattern(
        "ssh-permission-denied",
        "Permission denied",
        r"(?:^|[\s:])(?:(?P<user>[\w.-]{1,64})@(?P<host>[\w.-]{1,120}): )?Permission denied"
        r" ?(?:\((?P<methods>[\w,-]{1,120})\)|, please try again)",
        ("root@gpu02: Permission denied (publickey,password).", "Permission denied, please try again."),
    ),
    EventPattern(
        "ssh-host-key",
        "ost key verification failed",
        r"^\W{0,4}(?:\S{1,120}: )?Host key verification failed\.",
        ("Host key verification failed.",),
    ),
    EventPattern(
        "ssh-host-key",
        "REMOTE HOST IDENTIFICATION HAS CHANGED",
        r"REMOTE HOST IDENTIFICATION HAS CHANGED",
        ("@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @",),
    ),
    EventPattern(
        "ssh-connection-refused",
        "onnection refused",
        _CONNECT + r"Connection refused",
        ("ssh: connect to host gpu02 port 22: Connection refused",),
    ),
    EventPattern(
        "ssh-timeout",
        "imed out",
        _CONNECT + r"(?:Connection|Operation) timed out",
        ("ssh: connect to host gpu02 port 2222: Connection timed out",),
    ),
    EventPattern(
        "ssh-no-route",
        "o route to host",
        _CONNECT + r"No route to host",
        ("ssh: connect to host 10.0.0.9 port 22: No route to host",),
    ),
    EventPattern(
        "ssh-unknown-host",
        "ould not resolve hostname",
        r"Could not resolve hostname (?P<host>[^\s:]{1,120})",
        ("ssh: Could not resolve hostname gpu99: Name or service not known",),
    ),
    EventPattern(
        "ssh-connection-closed",
        "kex_exchange_identification",
        r"kex_exchange_identification: (?P<error>.{1,120})",
        ("kex_exchange_identification: Connection closed by remote host",),
    ),
    EventPattern(
        "ssh-connection-closed",
        "onnection ",
        r"Connection (?:closed|reset) by (?P<host>\S{1,120}) port (?P<port>\d+)",
        ("Connection closed by 10.0.0.9 port 22",),
    ),
    EventPattern(
        "ssh-config",
        "Bad owner or permissions",
        r"Bad owner or permissions on (?P<path>\S{1,200})",
        ("Bad owner or permissions on /root/.ssh/config",),
    ),
)

NOISE = (
    NoisePattern(
        "Permanently added",
        r"Warning: Permanently added '",
        ("Warning: Permanently added '10.0.0.9' (ED25519) to the list of known hosts.",),
    ),
)


class Ssh(MessageParser):
    """Events of logins that failed, each with the host where the message names one."""

    kind: ClassVar[str] = "ssh"
    origin: ClassVar[str] = "ssh"
    messages: ClassVar[tuple[EventPattern, ...]] = MESSAGES
    noise: ClassVar[tuple[NoisePattern, ...]] = NOISE


PARSER = Ssh
