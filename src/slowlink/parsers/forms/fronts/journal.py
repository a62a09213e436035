"""What syslog and the journal print before a line: a stamp, a host, and the program that said it."""

from __future__ import annotations

from slowlink.patterns import regex

ANY_MONTH = r"(?:[^\W\d_]{2,6}\.?|\d{1,2}月)"
"""As the journal prints it in any language: ``Okt``, ``févr.``, ``11月``."""
TIME = r"[ \d]?\d \d\d:\d\d:\d\d(?:\.\d{1,9})?"
"""Day and time, behind the month."""
_DAEMONS = (
    r"(?:kernel|systemd|nv-|nvidia-|slurm|prted|orted|opensm|ssh|kube|containerd|dockerd|podman|dcgm|mce|ras|udev|dbus"
    r"|cron|CRON|chronyd|ntpd|rsyslogd|auditd|NetworkManager|multipathd|smartd|sudo|[\w-]{1,40}daemon)"
)
DAEMON = regex(_DAEMONS)
"""The name of a program whose messages are read with its name."""
NUMBERED = r"[\w./@+-]{1,200}\[\d{1,10}\]:(?: |$)"
"""A program with the number of its process."""
UNIT = rf"(?!{_DAEMONS}){NUMBERED}"
"""A program whose output the journal keeps; messages of daemons are read with their names."""
NAMED = r"[\w./-]+(?:\[\d+\])?:(?: |$)"
"""A program with or without its number."""
