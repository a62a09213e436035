"""Secrets that are known by their own form, or by what is around them.

Sources: ``forms`` names those of the issuers' keys; RFC 6750 for bearer tokens, RFC 3986 for user information in
addresses, the manuals of Azure, AWS and Google for signatures of addresses.
"""

from __future__ import annotations

import re
from collections import Counter

from slowlink.patterns import regex
from slowlink.redact.forms import KEYS, has_form
from slowlink.redact.harmless import gives_nothing, looks_secret
from slowlink.redact.issuers.own_writings import OWN_WRITINGS
from slowlink.redact.issuers.unlisted import is_name
from slowlink.redact.names import is_secret_name
from slowlink.redact.places import is_place
from slowlink.redact.reading.held import ask_for
from slowlink.redact.replaced import replace_with, without_marks
from slowlink.redact.switches import ON_SWITCHES

_BEARER = regex(r"(?i:\bbearer)\s{1,4}(?P<value>(?=\S{0,200}\d)[\w.~+/=-]{8,8000}|[\w.~+/=-]{16,8000})")
_SIGNED = regex(
    r"(?i:(?<![\w-])(?:sig|signature|x-amz-signature|x-goog-signature)=)"
    r"(?P<value>(?=[\w%+/=-]{16})[\w%+/=-]{8,1000}|(?<=[?&]sig=)[\w%+/=-]{8,1000}|(?<=[?&]signature=)[\w%+/=-]{8,1000})"
)
_REFERENCE = r"\$(?:[A-Z_][A-Z\d_]{0,100}|[a-z_][a-z\d_]{0,100}|\{[^{}\s]{1,100}\}|\([^()]{1,100}\))"
_HOST = (
    r"(?:[\w.-]{1,253}|\[[\da-fA-F:.]{2,60}\]|\$?\{{1,2}[\w. -]{1,60}\}{1,2}|\$\w{1,60})(?![^\s\"'`:/?#,;)\]}\\<>&|])"
)
"""A name, an address, or what will be one: ``${HOST}``."""
_PASSWORD_IN_ADDRESS = regex(
    r"[A-Za-z][\w+.-]{0,30}://(?P<user>[^\s/@:\"'<>]{0,200}):(?P<value>(?!<redacted:)"
    rf"(?:(?=[^\s/\"']{{1,400}}@{_HOST})[^\s/\"']{{1,400}}(?=@)|[^\s\"']{{1,400}}?(?=@{_HOST})|[^\s/\"']{{1,400}}(?=@)|[^\s\"'@]{{1,400}}(?=@)))@"
)
"""Before the last ``@`` behind which a host may stand: a password may hold one, and slashes."""
_ORACLE = regex(
    r"jdbc:oracle:\w{1,10}:[\w$#]{1,100}/"
    r"(?P<value>(?!<redacted:)(?:[^\s\"']{1,100}(?=@(?:/{0,2}[\w.-]{1,253}(?:[:/)?,;>\s\"']|$)|[(\[$]))|[^\s@\"']{1,100}(?=@)))"
)
_WANDB = regex(r"(?i:wandb)(?P<between>[^\n]{0,80}?)(?<![A-Za-z\d])(?P<value>[a-f\d]{40})(?![A-Za-z\d])")
_REVISION = regex(r"(?i:commit|sha|revision|rev|head|git|hash|digest)")
_PORT = regex(r"\d{1,5}(?:/.*)?")
_TOKEN_IN_ADDRESS = regex(
    r"[A-Za-z][\w+.-]{0,30}://(?P<value>(?=[^\s/@]{0,200}\d)[\w.~%+-]{20,400})(?=[:@][^\s/]{0,400})(?=[^\s/]{0,400}@|@)"
)
_CHANNEL = regex(
    r"://[^\s/\"']{1,253}/t/(?P<value>(?!<redacted:)(?:[a-z]{2}-(?=[A-Za-z_-]{0,60}\d)[\w-]{12,200}"
    r"|(?=[\w-]{0,60}[a-z])(?=[\w-]{0,60}[A-Z])(?=[\w-]{0,60}\d)[\w-]{16,200}))(?=/)"
)
"""conda: the token of a channel stands in its path."""
_WORKFLOW = regex(
    r"::add-mask::(?P<mask>(?!<redacted:)[^\s`][^\r\n\"']{0,4000})"
    r"|::(?:set-output|set-env|save-state)\s{1,4}name=(?P<name>[\w.-]{1,100})::(?P<value>(?!<redacted:)[^\s\"']{1,4000})"
)
"""GitHub Actions: workflow commands."""
_GENERATED = regex(
    r"(?i:\b(?:generated|temporary|initial|random|default|one-time|bootstrap)\b[^\n:]{0,80}\bpass(?:word|phrase|code)\b"
    r"|\bpass(?:word|phrase|code)\b[^\n:]{0,40}\bgenerated\b)[^\n:]{0,100}:\s{1,4}[\"']?"
    r"(?P<value>(?!<redacted:|/\S*/)(?=\S{0,200}\d)(?=\S{0,200}[a-z!#$%&()*+;<=>?@\[\]^{|}~])"
    r"(?=\S{0,200}[A-Z!#$%&*+?~^@])[^\s\"']{6,200})(?=[\"']?\s*$)"
)
"""What an installation says of the password that it has made."""
_IN_OTHER_LANGUAGES = (
    *("kennwort", "passwort", "wachtwoord", "contrase", "senha", "mot_de_passe", "motdepasse", "mot de passe"),
    *("\u5bc6\u7801", "\u5bc6\u78bc", "\u53e3\u4ee4", "\u30d1\u30b9\u30ef\u30fc\u30c9"),
    *("\u043f\u0430\u0440\u043e\u043b\u044c", "has\u0142o", "l\u00f6senord"),
    *("passord", "adgangskode", "salasana", "jelsz\u00f3", "heslo", "lozinka", "parola", "\u015fifre"),
    *("\ube44\ubc00\ubc88\ud638", "m\u1eadt kh\u1ea9u", "\u6697\u8a3c\u756a\u53f7"),
    "\u03ba\u03c9\u03b4\u03b9\u03ba\u03cc\u03c2",
)
"""Password in German, Dutch, Spanish, Portuguese, French, Chinese, Japanese, Russian, Polish, Swedish, Norwegian,
Danish, Finnish, Hungarian, Czech, Croatian, Italian, Turkish, Korean, Vietnamese and Greek."""
_FOREIGN_NAME = rf"(?i:{'|'.join(_IN_OTHER_LANGUAGES)})(?:na|\u00f1a| d'ordine)?"
_BEFORE_FOREIGN = r"[\"']?\s{0,4}[:=\uff1a]\s{0,4}[\"']?"
_FOREIGN = regex(
    rf"{_FOREIGN_NAME}{_BEFORE_FOREIGN}"
    r"(?P<value>(?!<redacted:)[^\s\"',;](?:[^\s\"',;]|[,;](?![\s\"'\\]|$|[A-Za-z_][\w.-]{1,60}=[\w\"'/]|[A-Za-z_]{2,60}:)){3,400})"
)
_WHOSE_FOREIGN = regex(
    rf"(?:{_FOREIGN_NAME}|(?i:(?<![a-z])clave))(?:\s{{1,4}}(?!<redacted:)[^\s:=\uff1a\"',;.]{{1,40}}){{1,5}}\s{{0,4}}[:=\uff1a]\s{{1,4}}[\"']?"
    r"(?P<value>(?!<redacted:)[^\s\"',;]{5,400})"
)
"""The same with words between, of a sentence perhaps: what is mixed as secrets are."""
_KEY_OR_PASSWORD = regex(
    rf"(?i:(?<![a-z])clave){_BEFORE_FOREIGN}"
    r"(?P<value>(?![a-z\d_.-]{0,100}/)(?=[^\s\"']{0,40}\d)(?=[^\s\"']{0,40}[A-Za-z])[^\s\"']{6,400})(?<![,;])"
)
"""In Spanish both are called so."""
_UNSEAL = regex(r"(?i:(?:unseal|recovery) key \d{1,2}): {0,4}(?P<value>[\w+/=-]{20,200})")
_PROMPT = regex(
    r"(?i:(?:\benter (?:the )?(?:[a-z]{1,12} )?|\[sudo\] )(?:pass ?(?:phrase|word|code)|pin) for )"
    r"(?:[a-z]{1,12} ){0,2}\S{1,300}?: {0,2}(?P<value>[^\s\"'\\<&](?:[^\s\"'\\<]|<(?!/[A-Za-z]{1,12}>|br)){3,200})"
    r"(?=\s*$|\s?[\"'\\<&])"
)
"""What somebody typed after a prompt, where the terminal or a script wrote it down; a message is several words."""
_FTP = regex(
    r"\bs?ftp> {1,4}(?:user {1,4}\S{1,100}|(?:(?:quote|literal) {1,4})?(?i:pass)) {1,4}"
    r"(?P<value>(?!<redacted:)\S{1,400})"
)
"""ftp(1): the name and the password, typed on one line, or what the server is told."""
_SUBSTITUTED = regex(
    r"(?P<name>[\w.-]{1,100})[\"']?\s{0,4}[:=]\s{0,4}(?:!{1,2}\w{1,20}\s{1,4})?[\"']?\$"
    r"(?:\((?:echo|printf)(?: -n| %s)? {1,4}[\"']?"
    rf"(?P<echoed>(?!<redacted:|{_REFERENCE}[\s\"'|)])(?:[^\s\"']{{4,400}}(?=[\"']?\s{{0,4}}(?:\||\)))|[^\s\"'(){{}}]{{4,400}}))"
    rf"|\{{(?:oc\.env:\w{{1,100}},|(?!oc\.env:)[\w.]{{1,100}}(?::?[-=]|:(?![-=?+])))[\"']?"
    rf"(?P<value>(?!<redacted:|{_REFERENCE}[\"'}}])(?:[^\s\"']{{4,400}}(?=[\"']?\}})|[^\s\"'(){{}}]{{4,400}})))"
)
"""A default (of shells, Spring, OmegaConf), or a value that goes through ``echo``, and perhaps through more."""
_DEFAULTED = regex(
    r"variable\s{1,4}\"(?P<name>[\w.-]{1,100})\"\s{0,4}\{[^{}\n]{0,400}?\bdefault\s{0,4}=\s{0,4}\"(?P<value>(?!<redacted:)[^\"\n]{1,400})"
)
"""A variable of Terraform on one line."""
_SUBSTITUTED_FILE = regex(
    r"(?:(?i:pass|secret|token|key)[\w-]{0,40}"
    r"|\b(?:ipmi|ldap)[\w-]{0,20}\s[^|;&<>\n]{0,300}?-[fy])[ =]<\(\s{0,4}(?:echo|printf)(?: -n| %s)?\s{1,4}[\"']?"
    r"(?P<value>(?!<redacted:|\$)(?:[^\s\"'()]|[()](?=[^\s\"')])){1,400})"
)
"""An option that wants a file, and a shell that makes one."""
_LOGGED_IN = regex(
    r"\b(?:(?:wandb|swanlab|neptune|comet_ml|clearml|mlflow)\.(?:login|init)|(?<![\w.])login)"
    r"\([^()\n]{0,200}?\bkey\s{0,4}=\s{0,4}[\"']"
    r"(?P<value>(?!<redacted:)[^\s\"']{4,400})"
)
_BASIC = regex(
    r"HTTP(?:Basic|Digest|Proxy)Auth\(\s{0,4}(?:username\s{0,4}=\s{0,4})?[\"'][^\"'\n]{0,200}[\"']\s{0,4},\s{0,4}"
    r"(?:password\s{0,4}=\s{0,4})?[\"'](?P<value>(?!<redacted:)[^\"'\n]{1,400})"
)
"""Python's requests."""
_NEXT_ELEMENT = regex(
    r"<(?:string|key|name)>(?P<name>[\w.-]{1,100})</(?:string|key|name)>\s{0,20}<(?:string|value)>"
    r"(?P<value>(?!<redacted:)[^<>\n]{1,4000})(?=</)"
)
"""Entries of a map in XML, as Java writes them, and of property lists."""
_PARAMETER = regex(r"\tSecureString\t(?P<value>(?!<redacted:)[^\t\n]{1,4096})")
"""AWS: a row of ``ssm get-parameter --output text``."""
_PRINTED = regex(
    r"(?P<name>[\w.-]{1,100})[_-](?i:command|cmd)[\"']?(?:\s{0,4}[:=]\s{0,4}|\s{1,4})[\"']?"
    r"(?:echo|printf)(?: -n| %s)? {1,4}[\"']?(?P<value>(?![<$])[^\s\"']{4,400})"
)
"""A command that only prints the secret for which it is asked (``PASSWORD_COMMAND``)."""
_IN_PROXY = regex(
    r"(?i:proxy)[\"']?\s{0,4}[:=]\s{0,4}[\"']?[\w.%+-]{1,100}:"
    rf"(?P<value>(?!<redacted:|//|{_REFERENCE}@)(?:[^\s\"']{{1,400}}(?=@{_HOST})|[^\s\"'@]{{1,400}}(?=@[\w.\[])))@"
)
"""The address of a proxy needs no scheme. Source: curl(1), ``--proxy``."""
_OF_GO = regex(
    r"(?<![^\s\"'])(?:[\w.-]{1,60}=)?[\w.%+-]{1,100}:(?P<value>(?!<redacted:)[^\s\"']{1,400}?)(?=@(?:tcp6?|unix)\()"
)
"""The address of a database as Go's drivers of MySQL take it, without a scheme."""
_ROUTING = regex(
    r"(?i:(?:routing|integration)[_.-]?key)[\"']?\s{0,4}[:=]\s{0,4}[\"']?"
    r"(?P<value>(?=[A-Za-z]{0,40}\d)(?=\d{0,40}[A-Za-z])[A-Za-z\d]{32,40})(?![\w-])"
)
"""PagerDuty's Events API; queues have names of routes there."""
_PASSWORD_FILE_MARKS = (":5432:", ":6432:", ":*:")
_PASSWORD_FILE = regex(
    r"(?<![\w.*-])[\w.*-]{1,253}:(?:5432|6432|\*):(?:[A-Za-z_*][^\s:\"']{0,63}:){2}"
    r"(?P<value>(?!<redacted:)[^\s:\"'][^\s\"']{0,400})(?=\s*$|[\"'\\])"
)
"""PostgreSQL: the password file; the ports of the server and of PgBouncer."""
_BESIDE_ITS_NAME = regex(
    r"(?:<redacted:key>|(?:AKIA|ASIA)[A-Z\d]{16})(?:[\"']?[:,][\"']?|\t\S{10,35}\t|\s{1,4})"
    r"(?P<value>(?=[A-Z\d/+]{0,39}[a-z])(?=[a-z\d/+]{0,39}[A-Z])[A-Za-z\d/+]{40})(?![\w/+=])"
)
"""AWS: a secret key behind its public half, as the password file of s3fs and the console's CSV have them."""
_KEYRING = regex(
    r"(?i:(?<![\w.-])(?<!public )key)[\"']?\s{0,4}[:=]\s{0,4}[\"']?"
    r"(?P<value>(?=[^\s=]{0,90}\d)(?=[^\s=]{0,90}[a-z])(?=[^\s=]{0,90}[A-Z])[A-Za-z\d+/]{30,90}={1,2})(?![\w+/=])"
)
"""A key of bytes, in Base64, that is only called so: rings of Ceph, of clocks and of tunnels."""
_SECRET_ID = regex(
    r"(?i:(?<![a-z])secret[_ -]?id)[\"']?\s{0,20}[\s:=]\s{0,20}[\"']?"
    r"(?P<value>[a-f\d]{8}-[a-f\d]{4}-[a-f\d]{4}-[a-f\d]{4}-[a-f\d]{12})(?![\w-])"
)
"""Vault, Consul, Nomad: what belongs to an accessor. Elsewhere it is the name of a secret."""
_TUNNELS = regex(
    r"(?<![^\s\"'])[\w.=-]{1,15}(?:\t|\\t)(?P<value>[A-Za-z\d+/]{43}=)(?:\t|\\t)[A-Za-z\d+/]{43}=(?:\t|\\t)\d{1,5}(?:\t|\\t)"
)
"""``wg show all dump``: the interface, its private and its public key."""
_KAGGLE = regex(
    r"[\"']username\\{0,3}[\"']\s{0,4}:\s{0,4}\\{0,3}[\"'][\w.-]{1,60}\\{0,3}[\"']\s{0,4},\s{0,4}"
    r"\\{0,3}[\"']key\\{0,3}[\"']\s{0,4}:\s{0,4}\\{0,3}[\"'](?P<value>[a-f\d]{32})(?![\w-])"
)
_CLOCKS = regex(
    r"(?<![\w.])\d{1,10}\s{1,4}(?:M|MD5|SHA-?\d{1,3}(?:-\d{3})?|AES-?(?:128|256)(?:CMAC)?)\s{1,4}"
    r"(?:(?:HEX|ASCII):(?P<value>[^\s\"'\\]{4,400})|(?P<commented>[^\s\"'\\]{8,200})(?=\s{1,4}#.{0,40}\bkey\b))"
)
"""chrony(5) and ntp-keygen(8): rows of a file of keys."""
_OF_IPSEC = regex(
    r"(?<![\w-])(?:auth(?:-trunc)?|enc|aead)\s{1,4}[\"']?[a-z][a-z\d(),_-]{2,40}[\"']?\s{1,4}"
    r"(?P<value>0x[a-fA-F\d]{16,512})(?!\w)"
)
"""ip-xfrm(8): the keys of a state, as it is made and as it is shown."""
_SPOKEN = regex(
    r"(?<!\w)AUTH\s(?:PLAIN|LOGIN)\s(?P<plain>[A-Za-z\d+/]{8,2000}={0,2})(?![\w+/=])"
    r"|(?:-{2,3}>|(?<![\w])C:|(?<=[(\s])\")\s{0,2}PASS\s(?P<value>[^\s\"'\\]{3,400})(?=\s*$|\s?[\\#\"'|<&])"
    r"|(?<![\w.])[A-Za-z]{0,4}\d{1,8}\sLOGIN\s[^\s]{1,100}\s\\?\"?(?P<login>[^\s\"'\\]{3,400})"
)
"""What clients of SMTP, FTP, POP and IMAP say to log in. Sources: RFC 4954, 959, 1939, 3501."""
_PROXIED = regex(
    r"(?<![\w-])(?:stats\s{1,4}auth\s{1,4}|login=)[\w.@-]{1,100}:(?P<value>(?!//|<redacted:)[^\s\"'\\]{3,400})(?<![,;])"
    r"|(?<!\w)\[[\w.:-]{1,253}\]:\d{2,5}\s{1,4}[\w.@+-]{1,100}:(?P<relay>(?!//|<redacted:|\d{1,5}\b)[^\s\"'\\]{4,400})(?=\s*$|\s[\\#|<&]|[\\\"'])"
)
"""HAProxy's statistics, Squid's neighbours, Postfix's map of passwords."""
_OF_MAAS = regex(r"(?<![\w:])[A-Za-z\d]{18}:[A-Za-z\d]{18}:(?P<value>[\w-]{30,36})(?![\w:-])")
"""MAAS: the key of its interface, in three parts."""
_TYPED = regex(
    r"(?<![\w-])-[uU]\s{1,4}[\w.@\\$-]{1,64}\s{1,4}-p\s{1,4}[\"']?"
    r"(?P<value>(?=\S{0,60}\d)(?=\S{0,60}[a-z])(?=\S{0,60}[A-Z!#$%^&*+?~@])(?![\d.:]{1,60}(?:[\s:/]|$))[^\s\"'\\]{8,200})"
)
"""A user and then a password, of a program that nobody here knows: many take both so."""
_OTHERWISE = regex(
    r"(?<!\w)(?:squeue|sinfo|sacct|srun|sbatch|salloc|scancel|sstat|sprio|sreport|scontrol|sview|bsub|bjobs|qsub|docker|podman|nerdctl"
    r"|mysql\w{0,12}|mariadb\w{0,12})(?![\w-])"
)
"""There ``-p`` is a partition, a port, or asks for the password before the name of a database."""
IN_ASCII = tuple(word for word in _IN_OTHER_LANGUAGES if word.isascii() and " " not in word)
OTHER_LANGUAGES = tuple(word for word in _IN_OTHER_LANGUAGES if not word.isascii())
_SHAPES = (
    *((mark, _FOREIGN, "password") for mark in _IN_OTHER_LANGUAGES),
    ("clave", _KEY_OR_PASSWORD, "password"),
    *((mark, _WHOSE_FOREIGN, "password") for mark in (*_IN_OTHER_LANGUAGES, "clave")),
    *((f"</{mark}>", _NEXT_ELEMENT, "secret") for mark in ("string", "key", "name")),
    ("/t/", _CHANNEL, "token"),
    ("::add-mask::", _WORKFLOW, "secret"),
    (" name=", _WORKFLOW, "secret"),
    ("generated", _GENERATED, "password"),
    *(
        (f"{mark} ", _GENERATED, "password")
        for mark in ("temporary", "initial", "random", "default", "one-time", "bootstrap")
    ),
    (" key ", _UNSEAL, "key"),
    ("enter ", _PROMPT, "password"),
    ("[sudo]", _PROMPT, "password"),
    ("enable ", ON_SWITCHES, "password"),
    ("username ", ON_SWITCHES, "password"),
    ("-server key", ON_SWITCHES, "password"),
    ("neighbor ", ON_SWITCHES, "password"),
    ("vtp ", ON_SWITCHES, "password"),
    (" aaa ", ON_SWITCHES, "password"),
    ("passkey", ON_SWITCHES, "password"),
    ("=$", _SUBSTITUTED, "password"),
    ('="$', _SUBSTITUTED, "password"),
    ("${", _SUBSTITUTED, "password"),
    ("variable ", _DEFAULTED, "password"),
    ("<(", _SUBSTITUTED_FILE, "password"),
    ("key", _LOGGED_IN, "key"),
    ("auth(", _BASIC, "password"),
    ("\tsecurestring\t", _PARAMETER, "secret"),
    ("echo ", _PRINTED, "password"),
    ("printf ", _PRINTED, "password"),
    ("proxy", _IN_PROXY, "password"),
    *((mark, _OF_GO, "password") for mark in ("@tcp(", "@tcp6(", "@unix(")),
    ("routing", _ROUTING, "key"),
    ("integration", _ROUTING, "key"),
    *((mark, _PASSWORD_FILE, "password") for mark in _PASSWORD_FILE_MARKS),
    ("ftp> ", _FTP, "password"),
    ("sig", _SIGNED, "signature"),
    ("jdbc:", _ORACLE, "password"),
    ("://", _TOKEN_IN_ADDRESS, "token"),
    ("bearer", _BEARER, "token"),
    ("akia", _BESIDE_ITS_NAME, "key"),
    ("asia", _BESIDE_ITS_NAME, "key"),
    ("key", _KEYRING, "key"),
    ("secret", _SECRET_ID, "secret"),
    ("=\t", _TUNNELS, "key"),
    ("=\\t", _TUNNELS, "key"),
    ("username", _KAGGLE, "key"),
    *((mark, _OF_IPSEC, "key") for mark in ("auth", "enc ", "aead ")),
    ("hex:", _CLOCKS, "key"),
    ("ascii:", _CLOCKS, "key"),
    (" key", _CLOCKS, "key"),
    ("auth plain ", _SPOKEN, "password"),
    ("auth login ", _SPOKEN, "password"),
    ("pass ", _SPOKEN, "password"),
    (" login ", _SPOKEN, "password"),
    ("stats", _PROXIED, "password"),
    ("login=", _PROXIED, "password"),
    ("]:", _PROXIED, "password"),
    ("maas", _OF_MAAS, "key"),
    (" -p ", _TYPED, "password"),
    *OWN_WRITINGS,
)
"""A mark that a line must hold, in small letters; the pattern; the kind."""
_ASKS = tuple((ask_for((mark,)), pattern, kind) for mark, pattern, kind in _SHAPES)
_ANY_SHAPE = ask_for(mark for mark, _, _ in _SHAPES)
_ADDRESS, _OF_WANDB = ask_for(("://",)), ask_for(("wandb",))


def redact_shapes(text: str, removed: Counter[str], words: int) -> str:
    """One line with everything of a known form replaced. ``words``: what ``held`` says of it."""
    if words & _ADDRESS:
        text = _PASSWORD_IN_ADDRESS.sub(lambda match: _address(match, removed), text)
    if has_form(text, words):
        text = KEYS.sub(lambda match: match[0] if is_name(match) else replace_with("key", removed), text)
    if words & _OF_WANDB:
        text = _WANDB.sub(lambda match: _wandb(match, removed), text)
    for asks, pattern, kind in _ASKS if words & _ANY_SHAPE else ():
        if words & asks:
            text = _sub_value(pattern, kind, text, removed)
    return text


def _address(match: re.Match[str], removed: Counter[str]) -> str:
    """A password before ``@``, unless it is the port of a host, with a path that holds an ``@``."""
    value = match["value"]
    port = value.rpartition("]:")[2] if match["user"][:1] == "[" else value
    if _PORT.fullmatch(port) is not None and (port != value or "/" in value or "." in match["user"] or len(port) < 3):
        return match[0]
    return match[0][: -len(value) - 1] + replace_with("password", removed) + "@"


def _wandb(match: re.Match[str], removed: Counter[str]) -> str:
    if _REVISION.search(match["between"]) is not None:
        return match[0]
    return match[0][: -len(match["value"])] + replace_with("key", removed)


def _sub_value(pattern: re.Pattern[str], kind: str, text: str, removed: Counter[str]) -> str:
    def put(match: re.Match[str]) -> str:
        if "name" in match.re.groupindex and match["name"] is not None and not is_secret_name(match["name"]):
            return match[0]
        if pattern is _TYPED and (is_place(match["value"]) or _OTHERWISE.search(text, 0, match.start()) is not None):
            return match[0]
        if pattern is _WHOSE_FOREIGN and not looks_secret(match["value"]):
            return match[0]
        span = without_marks(text, *match.span(match.lastgroup or "value"))
        may_be_none = pattern is ON_SWITCHES or (pattern is _SUBSTITUTED and match.lastgroup == "value")
        if span is None or (may_be_none and gives_nothing(text[span.begin : span.end], kind)):
            return match[0]
        begin, end = (at - match.start() for at in span)
        return match[0][:begin] + replace_with(kind, removed) + match[0][end:]

    return pattern.sub(put, text)
