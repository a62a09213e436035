"""Names that announce a secret: ``HF_TOKEN``, ``dbPassword``, ``--api-key``."""

from __future__ import annotations

from slowlink.patterns import regex

ENDING = (
    r"(?:(?i:pass(?:word|wd|phrase|code)|secret|token|credentials?|webhook[_.-]?url|connection[_.-]?string"
    r"|(?:api|access|secret|private|auth|account|encryption|signing|session|license|subscription)[_.-]?key)"
    r"|(?<=[A-Z\d]_)(?:KEY|PASS|PWD|AUTH|PSK|PAT|CREDS|DSN|SAS|COOKIE|SALT|PIN)"
    r"|(?<![A-Za-z\d])Pwd|(?<=[\"'])auth(?=[\"']))"
)
"""Pattern of the end of a secret's name; what stands before it does not matter. Short last words count only in
variables in capitals: in running text they mean too many other things."""
_ENDS = regex(ENDING + r"\d{0,2}$")


def is_secret_name(name: str) -> bool:
    """Does ``name`` say that its value is a secret?"""
    return _ENDS.search(name[-200:]) is not None
