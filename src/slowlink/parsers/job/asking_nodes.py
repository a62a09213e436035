"""What programs print that ask many nodes, or ask a tool with a limit, where no answer comes.

Five of them::

    pdsh@head: gpu02: ssh exited with exit code 255
    clush: gpu03: command timeout
    gpu04 | UNREACHABLE! => {"changed": false, "unreachable": true}
    [2] 10:22:33 [FAILURE] gpu05 Timed out, Killed by signal 9
    timeout: sending signal TERM to command ‘nvidia-smi’

255 is ssh's own status: the way to the node failed, not the command there. Of other statuses the command's own output
tells more.

Source: pdsh 2.31 to 2.35 (``src/pdsh/dsh.c``, ``src/modules``), ClusterShell 1.8 and 1.9 (``CLI/Clush.py``),
Ansible 2.9 to 2.18 (callbacks ``minimal`` and ``default``), parallel-ssh 2.3 (``psshlib/task.py``), coreutils'
timeout -v, Python 3 (``subprocess.TimeoutExpired``).
"""

from __future__ import annotations

from typing import ClassVar

from slowlink.parsers.forms.message_table import EventPattern, MessageParser

_NODE = r"(?P<host>[A-Za-z0-9][\w.-]{0,119})"
_TOOL = r"(?P<tool>(?:/[\w.+/-]{1,120}/)?[A-Za-z][\w.+-]{0,60})"

MESSAGES = (
    EventPattern(
        "node-silent",
        "ssh exited with exit code",
        rf"^\s*(?:pdsh@\S{{1,120}}: )?{_NODE}: ssh exited with exit code 255\b",
        ("pdsh@head: gpu02: ssh exited with exit code 255",),
    ),
    EventPattern(
        "node-command-failed",
        "ssh exited with exit code",
        rf"^\s*(?:pdsh@\S{{1,120}}: )?{_NODE}: ssh exited with exit code (?P<code>\d+)",
        ("pdsh@head: gpu02: ssh exited with exit code 1",),
        secondary=True,
        harmless=True,  # only repeats that the command on that node failed
    ),
    EventPattern(
        "node-silent",
        "pdsh@",
        rf"^\s*pdsh@\S{{1,120}}: {_NODE}: "
        r"(?P<error>(?:\w{1,12}: )?(?:connect(?: failed)?: .{1,80}|command timeout))",
        ("pdsh@head: gpu02: mcmd: connect failed: No route to host", "pdsh@head: gpu02: command timeout"),
    ),
    EventPattern(
        "node-silent",
        "clush: ",
        rf"^\s*clush: {_NODE}: (?P<error>exited with exit code 255\b|command timeout)",
        ("clush: gpu03: exited with exit code 255", "clush: gpu03: command timeout"),
    ),
    EventPattern(
        "node-silent",
        "UNREACHABLE! =>",
        rf"^\s*{_NODE} \| UNREACHABLE! =>",
        ('gpu04 | UNREACHABLE! => {"changed": false, "unreachable": true}',),
    ),
    EventPattern(
        "node-silent",
        "UNREACHABLE! =>",
        rf"^\s*fatal: \[{_NODE}\]: UNREACHABLE! =>",
        ('fatal: [gpu04]: UNREACHABLE! => {"changed": false, "msg": "Connection timed out"}',),
    ),
    EventPattern(
        "node-silent",
        "unreachable=",
        rf"^\s*{_NODE}\s{{1,80}}: ok=\d+\s{{1,8}}changed=\d+\s{{1,8}}unreachable=0*(?P<times>[1-9]\d*)\b",
        ("gpu04                      : ok=0    changed=0    unreachable=1    failed=0    skipped=0",),
    ),
    EventPattern(
        "node-silent",
        "[FAILURE]",
        rf"^\s*(?:\[\d+\] )?[\d:]{{8}} \[FAILURE\] {_NODE} (?P<error>Timed out\b|Exited with error code 255\b)",
        (
            "[2] 10:22:33 [FAILURE] gpu05 Timed out, Killed by signal 9",
            "[2] 10:22:33 [FAILURE] gpu05 Exited with error code 255",
        ),
    ),
    EventPattern(
        "tool-late",
        "timeout: sending signal",
        rf"^\s*timeout: sending signal \w+ to command [‘'\"]{_TOOL}",
        ("timeout: sending signal TERM to command ‘nvidia-smi’",),
    ),
    EventPattern(
        "tool-late",
        "timed out after ",
        rf"\bTimeoutExpired: Command '?\[?'?{_TOOL}.{{0,400}} timed out after (?P<seconds>[\d.]+) seconds",
        ("subprocess.TimeoutExpired: Command '['nvidia-smi', '-q']' timed out after 60 seconds",),
    ),
)


class AskingNodes(MessageParser):
    """Events of nodes and tools that did not answer, with their names."""

    kind: ClassVar[str] = "asking-nodes"
    origin: ClassVar[str] = "asking-nodes"
    messages: ClassVar[tuple[EventPattern, ...]] = MESSAGES


PARSER = AskingNodes
