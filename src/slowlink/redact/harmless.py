"""Values that are no secret, whatever their name says."""

from __future__ import annotations

from slowlink.patterns import regex

_STATES = (
    "expired|invalid|missing|incorrect|wrong|denied|rejected|refused|revoked|failed|failure|error|mismatch|unauthorized"
    "|unauthenticated|forbidden|accepted|valid|verified|ok|okay|done|passed|found|present|absent|provided|given|loaded"
    "|reading|checking|skipped|ignored|empty|unknown|unavailable|unchanged|changed|updated|rotated|redacted|hidden|masked"
)
"""What messages say of a secret; nobody's is one of these words."""
_NEGATED = r"(?:not|no longer|never) (?:found|set|valid|given|provided|available|accepted|allowed|known|used)"
NEGATED = regex(
    rf"<?(?i:{_NEGATED})\b"
    r"|\$\{\{[^{}\n]{1,100}\}\}(?=\s*(?:$|[\"'#,;]))|(?:optional: (?:true|false)|expirationSeconds: \d{1,10})\b"
    r"|<set to the key "
    r"|password (?:unchanged|updated|changed|expiry)\b|Authentication token "
    r"|(?:secret|configmap) \\{0,7}\"[\w./-]{1,253}\\{0,7}\" (?:not found|is |already )"
)
"""The same in two words; what passwd(1) says behind its name; where ``kubectl describe`` says that a variable comes
from, or of an object of Kubernetes, or what it mounts; a reference to a secret of GitHub's."""
_SOURCES = r"(?:files|compat|systemd|sss|ldap|winbind|nis|nisplus|db)"
"""Where nsswitch.conf says that accounts are looked up: ``passwd: files sss``."""
_NOTHING = regex(
    r"(?i:true|false|null|none|nil|yes|no|on|off|undefined|unset|required|optional|enabled|disabled|\(null\)|\*+|\.{3}"
    r"|scram-sha-\d{1,3}(?:-plus)?|(?:digest|cram)-md5"
    rf"|{_STATES}|{_NEGATED}|{_SOURCES}(?:\s{{1,4}}{_SOURCES}){{0,5}}|<(?:none|unset|hidden|set)>)?[,;.)\]}}]{{0,3}}"
    r"|\$\{?[A-Za-z_]\w{0,100}(?::?[-+?=]?\})?\}?[,;)\]}]{0,3}|\$\{\{?[^{}]{1,100}\}\}?|\$\([^()]{1,200}\)?|\{\{[^{}]{0,100}(?:\}\})?"
    r"|%s|%\(\w{1,60}\)s|\{(?:[a-z_\d]{0,60}|[A-Z_\d]{0,60}|[A-Za-z_]{0,30})\}|\d{1,2}[,;.)\]}]{0,3}"
)
"""Switches, stars, mechanisms of SASL, references to a variable, and numbers that are too small to be a secret."""
_NUMBER = regex(
    r"[-+]?\d{1,12}(?:[,_]\d{1,12}){0,4}(?:\.\d{0,25})?(?:[eE][-+]?\d{1,3})?(?:[KMGBTkmgbt]i?B?|ms|us|s|%)?(?:/\w{1,12})?[,;.)\]}|]{0,3}"
)
_DECIMAL = regex(r"\d{1,3}\.\d{1,3}[,;)]?")
_SHORT_HEX = regex(r"0[xX][\dA-Fa-f]{1,8}[,;.)\]}]{0,3}")
_SPECIAL = regex(r"<\|?/?[\w|]{1,30}\|?/?>[,;]?|\[[A-Z]{2,6}\d{0,3}\][,;]?")
"""Special tokens of a tokenizer: ``<pad>``, ``[UNK]``."""
_PATH = regex(r"[@~]?(?:/[\w.+-]{1,100}){1,20}/?[,;)\]}]{0,3}")
_KEY_FILE = regex(r"\S{0,300}\.(?:pem|key|crt|cert|pub|json|txt|token|jwt|conf|keytab|ya?ml)[,;)\]}]{0,3}")
_NAME_OF_ROOT = regex(r"/(?:[a-z\d_.+-]+|[A-Z\d_.+-]+|[A-Za-z_.+-]+)")
"""A path of one part; a password may begin with a slash, too."""
_HEX = regex(r"0x[\dA-Fa-f]+\b")
_UNIT = regex(r"[-+]?[\d.,]{1,20}[A-Za-z/%]{0,12}[,;.)\]}]{0,3}")
_HEADING = regex(r"[a-z]{1,20}\d{0,6}(?:[._/:-][a-z\d]{1,20}){1,4}")
_HEADINGS = regex(r"\s*\"[A-Za-z][\w. -]{0,60}\"(?:(?P<sign>[,;])\"[A-Za-z][\w. -]{0,60}\"){2,100}\s*")
_MARKS_OF_PASSWORDS = frozenset("!#$%^&*+?~@")

_FEWEST_DRAWN = 8
_DRAWN = regex(
    r"(?=\D{0,60}\d)(?=[^a-zA-Z]{0,60}[a-zA-Z])(?=[^a-z]{0,60}[a-z!#$%&*?^]|[^!#$%&*?^]{0,60}[!#$%&*?^])(?=[^A-Z]{0,60}[A-Z]|[^!#$%&*?^]{0,60}[!#$%&*?^])"
)


def gives_nothing(value: str, kind: str) -> bool:
    """Does ``value`` of a name of this kind give nothing away?"""
    if _NOTHING.fullmatch(value) is not None:
        return True
    if kind == "token":
        return _NUMBER.fullmatch(value) is not None or _SPECIAL.fullmatch(value) is not None or _is_file(value)
    if kind == "key":
        return (
            _SHORT_HEX.fullmatch(value) is not None
            or (value.rstrip(",;").isdecimal() and len(value) < 9)
            or _is_file(value)
        )
    if kind == "password" and _DECIMAL.fullmatch(value) is not None:
        return True  # of a watt meter, which is called so, too (``pw=12.5``)
    return (
        value.startswith(("/", "~/", "@/")) and _PATH.fullmatch(value) is not None and value.count("/") > 1
    ) or value == "/"


def is_heading(word: str) -> bool:
    """May this be what stands above a column, a device or a host?"""
    return _HEADING.fullmatch(word) is not None


def are_headings(text: str) -> bool:
    """Is this line a row of headings in quotes (``"name","password","host"``)? A list of words stands in brackets."""
    row = _HEADINGS.fullmatch(text)
    return row is not None and not any(map(looks_secret, text.split(row["sign"])))


def looks_secret(value: str) -> bool:
    """Is ``value`` mixed as secrets are: letters with digits, or with marks that names do not hold?"""
    word = value.strip("\"'`,;.)]}")
    if len(word) < 5 or _UNIT.fullmatch(word) is not None or word.startswith("~/") or "://" in word:
        return False
    if _HEX.match(word) is not None or (
        word[0] == "/" and (word.count("/") > 1 or _NAME_OF_ROOT.fullmatch(word) is not None)
    ):
        return False
    letters = any(mark.isalpha() for mark in word)
    return letters and (any(mark.isdecimal() for mark in word) or any(mark in _MARKS_OF_PASSWORDS for mark in word))


def is_drawn(word: str) -> bool:
    """Is ``word`` mixed as nobody's name for a thing is: letters and digits, with capitals among small letters, or with
    marks that names do not hold?"""
    return looks_secret(word) and len(word) >= _FEWEST_DRAWN and _DRAWN.match(word) is not None


def _is_file(value: str) -> bool:
    return "/" in value and len(value) < 300 and _KEY_FILE.fullmatch(value) is not None and value.count("/") > 1
