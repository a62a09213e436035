"""All that is taken out of one stream, line by line, with a memory of what the lines before have opened."""

from __future__ import annotations

from collections import Counter

from slowlink.redact.dumps import EnvironmentArrays, EnvironmentDumps
from slowlink.redact.kubernetes import KubernetesSecrets
from slowlink.redact.private_keys import PrivateKeys
from slowlink.redact.shapes import redact_shapes
from slowlink.redact.values import redact_headers, redact_named

_MARKS = (
    *("pass", "secret", "token", "credential", "webhook", "connection", "key", "auth", "bearer", "cookie"),
    *("_pwd", "pwd=", "pwd:", "_psk", "_pat", "_creds", "_dsn", "_sas", "_salt", "_pin", "sig=", "signature="),
    *("akia", "asia", "aroa", "aida", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat", "glpat", "hf_", "api_org"),
    *("xox", "xapp", "aiza", "ya29", "sk-", "sk_", "rk_", "nvapi", "npm_", "pypi", "dckr", "dop_", "eyj", "slack.com"),
    *("://", "curl", "wget", "data", '"env', "'env"),
    *("home=", "shell=", "logname=", "shlvl=", "ls_colors=", "mail=", "ssh_", "xdg_session"),
)
"""A line that holds none of these, in small letters, holds nothing that is taken out."""


class BlockRedactor:
    """Redacts the lines of one stream."""

    def __init__(self, removed: Counter[str]) -> None:
        self._removed = removed
        self._keys = PrivateKeys(removed)
        self._arrays = EnvironmentArrays(removed)
        self._dumps = EnvironmentDumps(removed)
        self._kubernetes = KubernetesSecrets(removed)

    def passes(self, text: str) -> bool:
        """Can ``text`` (whole lines) stay as it is: nothing is open, and nothing in it is a mark of a secret?"""
        if self._keys.open or self._arrays.open or self._dumps.open or self._kubernetes.open:
            return False
        low = text.lower()
        return not any(mark in low for mark in _MARKS)

    def line(self, line: str) -> str:
        """One line, or a part of a very long one, without secrets."""
        if self.passes(line):
            return line
        text = self._keys.line(line)
        text = self._arrays.line(text)
        text = self._dumps.line(text)
        text = self._kubernetes.line(text)
        text = redact_headers(text, self._removed)
        text = redact_named(text, self._removed)
        return redact_shapes(text, self._removed)
