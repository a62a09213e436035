"""Names that announce a secret: ``HF_TOKEN``, ``dbPassword``, ``--api-key``, ``DB_PASSWORD_PROD``.

A name is read word by word. A word such as ``password`` makes it one of a secret, unless a word after it says that
the value is something about the secret (``password_file``) or a word before it says that it is something else
(``pad_token``, ``P_KEY``).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, NamedTuple

from slowlink.patterns import regex
from slowlink.redact.reading.held import ask_for

Surety = Literal["no", "weak", "sure"]
"""``weak``: only a value that looks like a secret is one (``pass``, ``auth``, ``tokens`` mean other things, too)."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


MOST_CHARS = 100
"""More of a name is not looked at."""
_WORDS = regex(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_IN_TWO = {"pass": _words("phrase word wd code key phrases words codes keys")}
"""One word that is also written as two: ``pass_phrase``."""
_LONG_AT_END = regex(r"(?:pass(?:word|wd|phrase|code|key)|secret|credential|apikey|token)s?$|^webhook")
QUALIFIERS = _words(
    "api access secret private auth authentication account encryption signing session license subscription master"
    " client deploy service hmac jwt ssl tls storage shared preshared admin app consumer bot cookie crypto cipher"
    " decryption vault unseal recovery security gpg pgp aes rsa ssh ssm hf openai anthropic github gitlab aws azure"
    " gcp google slack stripe wandb nvidia ngc docker registry certificate munge fernet activation"
)
_QUALIFIED_KEY = regex("(?:" + "|".join(sorted(QUALIFIERS)) + ")keys?$")
_KEYS_OF_OTHERS = _words(
    "p q r l m v sm am vs cc sa p2p public pub primary foreign sort hash partition cache index lookup group map"
    " dict hot row json field color colour host known"
)
"""Before ``key``: partition keys and their like of InfiniBand, and keys of tables."""
_AFTER_KEY = _words("data base base64 b64 value prod production staging stage dev test old new hex raw main live")
_COUNTED = _words(
    "pad eos bos unk sep cls mask special stop start end image max min num n total new per input output prompt"
    " completion generated context next first last add consumed seen cached reasoning ignore unknown begin"
)
"""Before ``token``: a piece of text, not a secret."""
_ABOUT = _words(
    "file files path paths dir name names ref refs id ids count counts len length size type types url uri"
    " endpoint policy prompt limit ttl expiry expires expiration expired age timeout enabled required method per"
    " second seconds sec s num mode max min format version index idx rate budget throughput helper provider store"
    " source manager server service authentication auth violations errors needed valid validity reuse usage used"
    " seen changed state status rotation stdin fd cmd command program env var variable algorithm alg issuer"
    " audience scope scopes embedding embeddings ratio loss parallel dropout classification generation dispatcher"
    " drop routing bucket buckets batch step window expire regex pattern minimum field header lifetime"
    " cert certificate dtype"
)
"""After the word: the value is about the secret, and no secret."""
_SHORT_SURE = frozenset({"pw", "pwd", "pswd", "passw", "psk", "creds", "rootpw", "userpw", "masterauth", "authtok"})
_SHORT_WEAK = frozenset({"pass", "auth", "pat", "dsn", "sas", "cookie", "cookies", "salt", "community", "jwt", "totp"})
_NEVER_SURE = frozenset({"community", "jwt", "totp"})
"""``SLURM_JWT=daemon`` says that there is none."""
_OF_PASSWORDS = ("pw", "wd", "pass", "passw", "auth", "authtok")
_GLUED_PASS = regex(
    r"(?:(?:db|ssh|user|root|admin|my|ftp|smtp|mail|ldap|bind|sudo|become|key|(?:key)?store|trust|proxy|auth|svn|pg|sql|login"
    r"|require|storage|ipmi|bmc|vrrp|snmp|guest|operator|console)"
    r"){1,2}(?:pass|pwd|pw)"
)
_WORDS_WITH_PASS = _words(
    "bypass compass surpass trespass overpass underpass encompass highpass lowpass bandpass allpass multipass onepass"
    " singlepass twopass nopass"
)
OF_TWO_WORDS: dict[tuple[str, str], Surety] = {
    **dict.fromkeys((("auth", "string"), ("authentication", "string"), ("client", "assertion")), "sure"),
    **dict.fromkeys((("code", "verifier"), ("otp", "seed"), ("totp", "seed"), ("hotp", "seed")), "sure"),
    **dict.fromkeys(((of, code) for of in ("recovery", "unlock") for code in ("code", "codes")), "weak"),
    **dict.fromkeys((("wallet", "seed"), ("bind", "cred"), ("kafka", "sasl"), ("honeycomb", "team")), "weak"),
}
"""Names whose last word is one of a secret only behind the one before it: a seed is a number elsewhere, and codes are
those of errors. Sources: MySQL, ``CREATE USER``; RFC 7521 and 7636; RFC 6238; BIP 39; Honeycomb, its API."""
MARKS_OF_TWO = tuple(f"{first}{between}{second}" for first, second in OF_TWO_WORDS for between in ("_", "-", ".", ""))
"""One of these is in each such name, in small letters."""
_PINNED = _words("mpi cpu cpus gpu mem memory thread threads core cores omp numa proc process kmp map")


_OF_A_HOST = regex(r"(?P<name>(?:[\w-]{1,40}\.){2,6}(?:key|secret|sas|token))\.(?:[\w-]{1,63}\.){2,6}[A-Za-z]{2,10}")
"""The name of a setting with that of a host behind it, as Hadoop has one for each account of a cloud."""


class Name(NamedTuple):
    """What a name says of its value."""

    surety: Surety
    kind: str = "secret"


_NO = Name("no")


SECRET_NAME = ask_for(
    (
        *("pass", "pw", "pswd", "secret", "token", "credential", "key", "webhook", "connection", "auth", "psk", "pat"),
        *("creds", "dsn", "sas", "jwt", "cookie", "salt", "pin", "community", "totp"),
        *MARKS_OF_TWO,
    )
)
"""One of these words is in each name that is one of a secret, or may be."""


def is_secret_name(name: str) -> bool:
    """Does ``name`` say that its value is a secret, whatever the value is?"""
    return reading(name[-MOST_CHARS:]).surety == "sure"


def goes_on(name: str) -> bool:
    """Do more words follow the one of the secret in ``name``? It may be called after one (``secret_sauce``)."""
    words = _WORDS.findall(name)
    return len(words) > 1 and _LONG_AT_END.search(words[-1].lower()) is None


def is_of_a_setting(name: str) -> bool:
    """Is ``name`` one word that only configuration files hold (``bindpw``, ``requirepass``)?"""
    word = name.lower()
    return word in _SHORT_SURE - {"pw", "pwd", "pswd", "passw", "creds"} or _GLUED_PASS.fullmatch(word) is not None


@lru_cache(maxsize=4096)
def reading(name: str) -> Name:
    """What ``name``, without quotes around it, says of its value."""
    of_a_host = _OF_A_HOST.fullmatch(name)
    parts = _WORDS.findall(name if of_a_host is None else of_a_host["name"])
    words = _joined([part.lower() for part in parts if not part.isdecimal()])
    for at in range(len(words) - 1, -1, -1):
        found = _word(words, at, name)
        if found is not None:
            return found
    return _NO


def _joined(words: list[str]) -> list[str]:
    """``words``, each that was written as two as the one it is."""
    out: list[str] = []
    for word in words:
        if out and word in _IN_TWO.get(out[-1], ()):
            out[-1] += word
        else:
            out.append(word)
    return out


def _word(words: list[str], at: int, name: str) -> Name | None:
    """What the word at ``at`` says; None when it says nothing."""
    word, before, after = words[at], words[:at], words[at + 1 :]
    if before and not after and (surety := OF_TWO_WORDS.get((before[-1], word))) is not None:
        return Name(surety)
    if _LONG_AT_END.search(word) is not None:
        return _long(word, before, after)
    if word in ("key", "keys", "string", "url"):
        return _key(word, before, after, name)
    if _QUALIFIED_KEY.search(word) is not None:
        return _NO if set(after) & _ABOUT else Name("sure", "key")
    if after:
        return None
    return _short(word, before, name)


def _long(word: str, before: list[str], after: list[str]) -> Name:
    about = set(after) & _ABOUT
    if word == "secret" and after == ["id"]:
        return Name("weak")  # Vault's is the password of an application, others' are the name of a secret
    if "token" in word:
        if set(before) & _COUNTED or about or "ids" in after:
            return _NO
        return Name("weak" if word == "tokens" and not before else "sure", "token")
    if about or len(after) > 3 or ("pull" in before and "pass" not in word):  # imagePullSecrets: names of secrets
        return _NO
    return Name("sure", kind_of(word))


def _key(word: str, before: list[str], after: list[str], name: str) -> Name | None:
    if word == "string":
        return Name("sure", "secret") if before[-1:] == ["connection"] and not after else None
    if word == "url":
        return Name("sure", "secret") if before[-1:] == ["webhook"] and not after else None
    if any(part not in _AFTER_KEY for part in after):
        return None
    if set(before) & {"public", "pub"} or (before and before[-1] in _KEYS_OF_OTHERS):
        return None
    qualified = any(part in QUALIFIERS for part in before)
    return Name("sure", "key") if qualified or _is_variable(before, name) else None


def _short(word: str, before: list[str], name: str) -> Name | None:
    in_capitals = _is_variable(before, name)
    if word == "pin":
        return Name("weak", "pin") if in_capitals and not set(before) & _PINNED else None
    if word in _SHORT_SURE or _GLUED_PASS.fullmatch(word) is not None:
        return Name("sure", "password" if word.endswith(_OF_PASSWORDS) else "secret")
    if word == "pass" and before and _GLUED_PASS.fullmatch(before[-1] + word) is not None:
        return Name("sure", "password")  # also written as two: ``auth_pass``
    if word.endswith("pass") and word not in _SHORT_WEAK and word not in _WORDS_WITH_PASS:
        return Name("weak", "password")
    if word in _SHORT_WEAK:
        return Name("sure" if in_capitals and word not in _NEVER_SURE else "weak", kind_of(word))
    if word.endswith("passwordhash"):
        return Name("sure", "password")
    return None


def _is_variable(before: list[str], name: str) -> bool:
    """Is it a variable in capitals, of several words? There short words are no words of a language."""
    own = name.rpartition("-")[2]  # behind the file and the number of grep's lines of context
    return own.isupper() and bool(before) and "_" in own


def kind_of(name: str) -> str:
    """The kind of secret that ``name`` announces."""
    low = name.lower()
    for mark, kind in (
        ("token", "token"),
        ("key", "key"),
        ("pass", "password"),
        ("pwd", "password"),
        ("pw", "password"),
    ):
        if mark in low:
            return kind
    return "secret"
