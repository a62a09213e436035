"""Secrets that are planted into texts. Their values are made up when they are needed: none stands in the repository.

A template is a text with places for made-up values. ``~word~`` is one (the kinds are in ``_made``), ``«...»`` is put in
as Base64. Where a template has several places, every one of them is a secret, except ``~user~``.
"""

from __future__ import annotations

import base64
import random
import re
from string import ascii_letters, ascii_lowercase, ascii_uppercase, digits
from typing import NamedTuple

from redact.planted_by_others import FOUND_BY_OTHERS
from redact.planted_in_configurations import IN_CONFIGURATIONS
from redact.planted_in_programs import IN_PROGRAMS
from redact.planted_in_sources import IN_SOURCES

_PLACE = re.compile(r"~([a-z]+)(\d*)~")
_ENCODED = re.compile("«(.*?)»", re.DOTALL)
_ALPHABETS = {
    "alnum": ascii_letters + digits,
    "hex": "0123456789abcdef",
    "upper": ascii_uppercase + digits,
    "lower": ascii_lowercase + digits,
    "digits": digits,
    "url": ascii_letters + digits + "-_",
    "base": ascii_letters + digits + "+/",
    "crypt": ascii_letters + digits + "./",
    "age": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
    "letters": ascii_letters,
}
_SYLLABLES = ("ka", "lo", "mi", "ter", "bun", "ras", "vel", "do", "shi", "pon", "gar", "nu")


class Planted(NamedTuple):
    """One text with its secrets."""

    text: str
    secrets: tuple[str, ...]

    def surviving(self, out: str) -> list[str]:
        """The secrets that ``out`` still holds, as they are or as Base64 at any offset."""
        return [secret for secret in self.secrets if any(form in out for form in _forms(secret))]


def planted(template: str, seed: int) -> Planted:
    """``template`` with values that ``seed`` decides."""
    source = random.Random(f"{seed}:{template}")
    secrets: list[str] = []

    def put(match: re.Match[str]) -> str:
        value = _made(match[1], int(match[2] or 20), source)
        if match[1] != "user":
            secrets.append(value)
        return value

    text = _PLACE.sub(put, template)
    text = _ENCODED.sub(lambda match: base64.b64encode(match[1].encode()).decode(), text)
    return Planted(text, tuple(secrets))


def _made(kind: str, length: int, source: random.Random) -> str:
    if kind == "user":
        return "".join(source.choices(ascii_lowercase, k=6))
    if kind == "phrase":
        words = ["".join(source.choices(_SYLLABLES, k=3)) for _ in range(3)]
        return "-".join(words) + str(source.randint(10, 99))
    if kind == "pass":  # what a person chooses: letters, digits and marks
        return "".join(source.choices(ascii_letters, k=6)) + "".join(source.choices("!#%^*+", k=2)) + "7aZ"
    if kind == "word":
        # A short one has no run of characters that is looked at for its own sake.
        return "".join(source.choices(ascii_letters + digits, k=source.choice((8, 17)))) + "q7Z"
    body = "".join(source.choices(_ALPHABETS[kind], k=length))
    mixed = {"alnum": "a7Z", "url": "a7Z", "base": "a7Z", "lower": "a7", "upper": "A7", "hex": "a7"}.get(kind, "")
    return body[: length - len(mixed)] + mixed


def _forms(secret: str) -> list[str]:
    raw = secret.encode()
    shifted = [base64.b64encode(raw[at:]).decode()[: 4 * ((len(raw) - at) // 3)] for at in range(3)]
    return [secret, *(form for form in shifted if len(form) >= 12)]


BY_NAME: dict[str, tuple[str, ...]] = {
    "other tongues": (
        "Kennwort: ~word~", "Passwort=~word~", "mot_de_passe=~word~", "contrase\u00f1a: ~word~", "senha: ~word~",
        "\u5bc6\u7801: ~word~", "\u043f\u0430\u0440\u043e\u043b\u044c = ~word~", "wachtwoord = '~word~'",
        "\ube44\ubc00\ubc88\ud638: ~word~", "jelsz\u00f3: ~word~", "\u015eifre = ~word~", "adgangskode: ~word~", "passord: ~word~",
        "salasana: ~word~", "heslo=~word~", "m\u1eadt kh\u1ea9u: ~word~", "\u6697\u8a3c\u756a\u53f7\uff1a~word~", "clave: ~word~", '{"log": "\\u5bc6\\u7801: ~word~"}',
    ),
    "configurations": (
        "requirepass ~word~", "masterauth ~word~", "ldap_default_authtok = ~word~", "password=\\\n~word~",
        "Unseal Key 3: ~base44~", "enable secret 0 ~word~", "username admin privilege 15 password 7 ~word~",
        "tacacs-server key ~word~", "PASSWORD=$(echo ~word~)", "DB_PASSWORD=\"${DB_PASSWORD:-~word~}\"",
        "variable \"bmc_password\" {\n  type    = string\n  default = \"~word~\"\n}",
    ),
    "columns": (
        "\tPassword                                      ~word~", "db_password" + " " * 60 + "~word~", "password" + " " * 70 + ": ~word~",
        "Secret_Key\t\t\t~word~", "gpu01  IpmiPass  --       ~word~", "n1    BMC_PASSWORD   -    ~word~", "n1  IpmiPassword  default  ~word~",
        "17: \tPassword              ~word~", "2026-01-01T00:00:00.123456789Z stdout F   admin_password      ~word~",
        "        auth_pass ~word~", "require_pass ~word~", "bmc-pass ~word~;", "[default3]:  vrrp_pass ~word~  # backup",
        "http_pass ~word~", "auth_pass: ~word~", "ipmipass=~word~", "proxypass ~word~",
    ),
    "names of switches": (
        'authentication-key "~word~"; ## SECRET-DATA', "authentication_key = ~word~", " ip ospf authentication-key ~word~",
        " ip ospf authentication-key 7 ~upper16~", "ntp authentication-key 12 hmac-sha2-256 ~word~", "ntp authentication-key 3 sha1 7 ~word~",
        " key-string 7 ~upper14~", "  key-string ~word~", " neighbor 192.0.2.7 password 7 ~upper16~", "crypto isakmp key ~word~ address 192.0.2.7",
        'set security ike policy p pre-shared-key ascii-text "~word~"', "preshared-key ascii-text ~word~",
        "snmp-server user ops network-admin auth sha-256 ~word~ priv aes-128 ~word~", "snmp-server user ops grp v3 auth md5 ~word~ priv des ~word~",
        "snmp-server user ops grp v3 auth sha ~word~ priv aes 256 ~word~", "snmp-server user ops auth md5 0x~hex32~ priv 0x~hex32~ localizedkey",
        'createUser ops SHA-256 "~word~" AES "~word~"', "createUser -e 0x8000 ops MD5 ~word~ DES ~word~",
        "snmp-server user ops v3 auth sha ~word~ priv ~word~",
    ),
    "mappings": (
        '{"Name": "/train/wandb/api_key", "Type": "SecureString", "Value": "~word~", "Version": 2}',
        '{\n  "Name": "/train/wandb/api_key",\n  "Type": "String",\n  "Value": "~word~"\n}',
        '{"Name": "/train/settings", "Type": "SecureString", "Value": "~word~"}',
        '{\n  "Name": "/train/settings",\n  "Type": "SecureString",\n  "Value": "~word~",\n  "Version": 1\n}',
        "Name: /train/db_password\nType: String\nVersion: 3\nValue: ~word~",
        "PARAMETER\tarn:aws:ssm:r:1:parameter/train/x\ttext\t2026-01-01\t/train/x\tSecureString\t~word~\t3",
        '{"bmc_password": {"sensitive": true, "type": "string", "value": "~word~"}}', '{"api_key":{"value":"~word~","sensitive":true}}',
        '{\n  "bmc_password": {\n    "sensitive": true,\n    "type": "string",\n    "value": "~word~"\n  }\n}',
        "hf_token:\n  desc: null\n  value: ~word~", "[1,3]<stdout>:hf_token:\n[1,3]<stdout>:  desc: null\n[1,3]<stdout>:  value: ~word~",
        'variable "bmc_password" { default = "~word~" }', 'variable "bmc_password" { type = string, default = "~word~" }',
        "17: {\n17:   \"db_token\": {\n17:     \"type\": \"string\",\n17:     \"value\": \"~word~\"\n17:   }\n17: }",
    ),
    "names": (
        "password=~pass~", "passwd: ~word~", "passphrase = ~phrase~", "pwd=~word~", "Pwd=~word~;Database=jobs",
        "pw=~word~", "pass=~word~", "passwords: [~word~, ~word~]", "secret=~word~", "secrets: ~word~",
        "token=~word~", "tokens = ~word~", "api_key=~word~", "apikey: ~word~", "API_KEYS=~word~,~word~",
        "access-key: ~word~", "secret_key: ~word~", "private_key = ~word~", "signing-key=~word~",
        "encryption_key: ~hex64~", "SECRET_KEY_BASE=~hex128~", "DB_PASSWORD_PROD=~phrase~", "DB_PW=~word~",
        "client-key-data: ~base80~", "client_secret=~word~", "credentials: ~word~", "MASTER_KEY=~hex32~",
        "ConnectionString=Server=db;User=u;Password=~word~", "SharedAccessKey=~base43~=", "AccountKey=~base86~==",
        "APP_TOKEN_STAGING=~word~", "dbPassword: ~word~", "GITHUB_TOKEN_2=~word~", "PGPASSWORD=~phrase~",
        "MYSQL_ROOT_PASSWORD=~phrase~", "ADMIN_PASSWORD_HASH=~hex64~", "JWT_SECRET: ~word~",
        "aws_secret_access_key = ~base40~", "AWS_SESSION_TOKEN=~base120~", "NGC_API_KEY=~base80~",
        "OPENAI_API_KEY=~word~", "WANDB_API_KEY=~hex40~", "REGISTRY_AUTH=~word~", "NPM_AUTH=~word~",
        "SENTRY_DSN=~word~", "SESSION_COOKIE=~word~", "user_pass: ~word~", "db_pass = ~phrase~", "ssh_pass=~word~",
        "ansible_become_pass: ~phrase~", "preshared_key=~base43~=", "PrivateKey = ~base43~=", "otp_secret=~upper32~",
        "wifi_psk=~phrase~", "_authToken=~word~", "hf_token: ~word~", "storage_account_key: ~base80~",
        "ldap_bind_password: ~word~", "keystore_password=~word~", "rootpw --iscrypted ~word~", "rootpw ~word~",
    ),
    "calls and access lists": (
        'wandb.login(key="~word~")', "swanlab.login(relogin=True, key='~word~')", "HTTPBasicAuth('ops', '~word~')",
        "auth=HTTPDigestAuth(username='ops', password='~word~')", "SET PASSWORD FOR 'ops'@'%' = '~word~';", "set password for user 'ops' = '~word~'",
        "user default on >~word~ ~* +@all", "ACL SETUSER ops on resetpass >~word~ +@read", "ipmitool -I lanplus -f <(echo ~word~) power status",
        "rsync --password-file=<(printf %s ~word~) a b", "weka user login ops ~word~", "weka user add ops regular ~word~", "./weka user passwd ~word~",
    ),
    "known to one program": (
        "routing_key: ~alnum32~", "integration_key = \"~alnum32~\"", "username admin secret sha512 ~base86~==",
        "username ops role network-admin secret sha512 ~base86~==", "db1.example.org:5432:acct:slurm:~word~", "*:*:*:ml:~word~",
        "10:00:01 db1:6432:acct:slurm:~word~", "RESTIC_PASSWORD_COMMAND='echo ~word~'", "BORG_PASSPHRASE_CMD: printf %s ~word~",
        "export https_proxy=lab:~word~@proxy:3128", "http_proxy: lab:~word~@proxy:3128", '{"HTTPS_PROXY": "lab:~word~@10.0.0.1:3128"}',
        '{"env": [{"value": "~word~", "name": "DB_PASSWORD"}]}', "- {value: ~word~, name: API_KEY}",
        '[{"value": "~word~", "name": "A_TOKEN"}, {"value": "~word~", "name": "B_TOKEN"}]',
        "machine host.example\n  login ~user~\n  password\n  ~word~\n", "machine host.example login ~user~\npassword\n~word~\n",
        "fence_ipmilan -a bmc07 -l root -p ~word~ --action status", "/usr/sbin/fence_ilo5 -a bmc07 -l root -p~word~", "ftp> user lab ~word~",
        "k8s-aws-v1.~url120~",
    ),
    "words of a name": (
        "pass_phrase=~pass~", "key_pass_phrase = \"~word~\"", "tls.passPhrase: ~phrase~", "PASS-CODE: ~word~",
        "vault write auth/approle/login role_id=ml secret_id=~hex8~-~hex4~-4a89-~hex12~", "SECRET_ID: ~word~",
        "VAULT_SECRET_ID=~hex32~",
    ),
    "dumps and tables": (
        "  redis_password .................................. ~word~", "[INFO] [config.py:1001:print]   db_password .......... ~lower14~",
        "  s3_secret_key .................. ~alnum40~", "[rank0]:   hf_token ................. ~word~",
        "17: 2026-11-22 10:00:01 INFO config:   api_key ...... ~word~", '{"msg": "db_password ..... ~word~", "rank": 3}',
        "| DB_PASSWORD | ~pass~ |", "DB_PASSWORD|~word~", "\u2502 db_password \u2502 ~word~ \u2502", " db_password | ~word~ ",
        "| 3 | `api_key` | `~word~` | ops |", "[1,3]<stdout>:| Password | ~word~ |", "| hf_token | x-~lower12~ |",
    ),
    "sentences": (
        "password for gpu07 set to ~word~", "Password set to ~word~", "Generated admin password [~word~] for the BMC",
        "the password for ml has been reset to ~word~", "secret changed to ~word~", "NCCL_PROXY_TOKEN set by environment to ~word~", "PASSWORD\\x3d~word~", "PASSWORD\\u003d~word~",
    ),
    "separators": (
        "password      : ~word~", "password := ~word~", "PASSWORD ?= ~word~", "'password' => '~word~'",
        ":secret => \"~word~\"", "password ::= ~word~", "password\t=\t~word~", "token==~word~", "--password ~word~",
        "--token=~word~", "-password ~word~", "--api-key '~word~'", "--db-password=\"~phrase~\"",
        "tool --size 8 --client-secret ~word~ --np 4", "password: \"~word~ ~word~\"", "password: ~word~ ~word~",
        "password = ~phrase~ ~word~", "pass: '~word~'", "password=`~word~`", "The password is ~word~",
        "token is: ~word~", "export HF_TOKEN=~word~", "password+=~word~",
        "Enter password: ~word~",
        "{\\'password\\': \\'~word~\\'}", '{\\\\\\"password\\\\\\":\\\\\\"~word~\\\\\\"}',
        '{\\\\\\\\\\\\\\"password\\\\\\\\\\\\\\":\\\\\\\\\\\\\\"~word~\\\\\\\\\\\\\\"}', 'password\\"=>\\"~word~',
    ),
    "colour": (
        "\x1b[32mpassword\x1b[0m: \x1b[33m~word~\x1b[0m", "\x1b[1mtoken\x1b[0m=~word~", "HF_\x1b[31mTOKEN\x1b[m=~word~",
        "\x1b[34m\"api_key\"\x1b[39;49;00m:\x1b[37m \x1b[33m\"~word~\"\x1b[39m", "--password \x1b[36m~word~\x1b[0m",
        "\x1b[01;31m\x1b[Kgh\x1b[m\x1b[Kp_~alnum36~", "{\"log\": \"\\u001b[32mpassword\\u001b[0m=~word~\"}",
    ),
    "json": (
        '{"password": "~word~"}', '{"Password" : "~word~", "n": 1}', '{"db": {"passwd": "~word~"}}',
        '{"tokens": ["~word~", "~word~"]}', '{\n  "password":\n    "~word~"\n}', '"log": "{\\"password\\": \\"~word~\\"}"',
        '{"args": ["--token", "~word~"]}', '[\n  "--password",\n  "~word~",\n  "-b"\n]', '{"secret": ~digits16~}',
        '{"name": "DB_PASSWORD_PROD", "value": "~word~"}', '{"key": "api_key", "value": "~word~"}',
        '{"api_keys": [\n  "~word~",\n  "~word~"\n]}', "{'password': '~word~'}", '{"auth": "«~user~:~word~»"}',
        '{"auths": {"nvcr.io": {"auth": "«$oauthtoken:~word~»"}}}', '{\\"token\\":\\"~word~\\"}',
        '{"authorization": ["Bearer ~word~"]}', '{"credentials": {"username": "u", "password": "~word~"}}',
        '{"identitytoken": "~word~"}', 'data: {"secret_key":"~word~"}',
    ),
    "yaml": (
        "password: ~word~", "db:\n  password: |\n    ~word~\n    ~word~\n  port: 5432", "token: >-\n  ~word~\n",
        "password:\n  ~word~\n", "- password: ~word~", "secrets:\n  - ~word~\n  - ~word~\nport: 5432",
        "password: !vault |\n  $ANSIBLE_VAULT;1.1;AES256\n  ~digits80~\n", "'api-key': '~word~'",
        "args:\n  - --password\n  - ~word~\n", "stringData:\n  some.file: ~word~\n", "env:\n- name: DB_PW\n  value: ~word~\n",
        "password: &anchor ~word~", "password: \"~word~\n  ~word~\"\nport: 1", "auth: {user: u, password: ~word~}",
        "data:\n  password: «~word~»\nkind: Secret",
    ),
    "xml": (
        "<password>~word~</password>", "<Password type=\"string\">~word~</Password>", "<db password=\"~word~\" port='1'/>",
        "<add key=\"ApiKey\" value=\"~word~\"/>", "<property><name>db.password</name><value>~word~</value></property>",
        "<property>\n  <name>fs.secret.key</name>\n  <value>~word~</value>\n</property>", "<password>\n  ~word~\n</password>",
        "<entry key='client_secret'>~word~</entry>", "<ns:token>~word~</ns:token>", "<secret><![CDATA[~word~]]></secret>",
        "&lt;password&gt;~word~&lt;/password&gt;", "<string name=\"api_token\">~word~</string>",
    ),
    "shell": (
        "setenv HF_TOKEN ~word~", "set -x HF_TOKEN ~word~", "set -gx DB_PASSWORD '~word~'", "set --export API_KEY ~word~",
        "$env:API_KEY = \"~word~\"", "set token = ~word~", "ENV DB_PASSWORD ~word~", "setenv(\"HF_TOKEN\", \"~word~\")",
        "machine host.example login ~user~ password ~word~", "machine host.example\n  login ~user~\n  password ~word~\n",
        "os.environ['HF_TOKEN'] = '~word~'", "os.environ.setdefault(\"API_KEY\", \"~word~\")",
        "export DB_PASSWORD='~word~\n~word~'\necho done", "password = \"\"\"\n~word~\n\"\"\"\nport = 1",
        "DB_PASSWORD=\"~word~\n~word~\"\n", "tool --password \\\n  ~word~ \\\n  --size 8", "typeset -x API_TOKEN=~word~",
        "aws configure set aws_secret_access_key ~base40~", "git config user.password ~word~", "[db]\npassword = ~word~\n",
        "read -r PASSWORD <<< ~word~", "kubectl create secret generic x --from-literal=some=~word~", "+ TOKEN=~word~",
    ),
    "environments": (
        "PATH=/bin\nFIRST=~word~\nHOME=/root\nLATER=~word~\n", "A1=~word~\nB2=~word~\nC3=1\nSHELL=/bin/sh\n",
        "export ONE='~word~'\nexport HOME='/root'\n", "declare -x ONE=\"~word~\"\ndeclare -x HOME=\"/root\"\n",
        "n1: ONE=~word~\nn1: HOME=/root\n", "ONE=~word~\0HOME=/root\0TWO=~word~\0",
        "environ({'ONE': '~word~', 'HOME': '/root', 'TWO': '~word~'})", '"env": ["ONE=~word~", "HOME=/root"]',
        "{\n  \"ONE\": \"~word~\",\n  \"HOME\": \"/root\",\n  \"TWO\": \"~word~\"\n}", "setenv ONE ~word~\nsetenv HOME /root\n",
        '{"env": {"ONE": "~word~", "HOME": "/root"}}', "set -x ONE ~word~\nset -x HOME /root\n",
        "[1,0]<stdout>:ONE=~word~\n[1,0]<stdout>:HOME=/root\n",
    ),
    "headers": (
        "Authorization: Basic «~user~:~word~»", "Authorization: Bearer ~word~", "authorization=Token ~word~",
        "X-Api-Key: ~word~", "Cookie: a=1; session=~word~", "Set-Cookie: sid=~word~; Path=/", "PRIVATE-TOKEN: ~word~",
        "x-goog-api-key: ~word~", "Proxy-Authorization: Basic «~user~:~word~»", "sent 'Basic «~user~:~word~»' to it",
        "Authorization: AWS4-HMAC-SHA256 Credential=x, Signature=~hex64~", "Ocp-Apim-Subscription-Key: ~hex32~",
    ),
    "base64": (
        "blob «password=~word~ and more»", "blob «\x1b[36mpassword\x1b[0m=\x1b[1m~word~\x1b[0m»", "«{\"token\": \"~word~\"}»", "data:text/plain;base64,«HF_TOKEN=~word~»",
        "«gh~user~ ghp_~alnum36~»", "echo «export API_KEY=~word~» | base64 -d", "path/«x: 1\npassword: ~word~\n»",
        ".dockerconfigjson: «{\"auths\":{\"h\":{\"auth\":\"«~user~:~word~»\"}}}»",
    ),
}  # fmt: skip

BY_FORM: dict[str, tuple[str, ...]] = {
    "hashes of switches": (
        "hash $9$~crypt14~$~crypt43~", "x $8$~crypt14~$~crypt43~", "shown as $9$~crypt21~", 'is "$9$~crypt10~"',
        "$8$aes256-gcm$hmac-sha2-256$100$~crypt11~$~crypt22~$~crypt22~$~crypt30~", "pbkdf2 $pbkdf2-sha256$29000$~crypt22~$~crypt43~",
        "phpass $P$B~crypt30~", "nt $3$$~hex32~",
    ),
    "more issuers": (
        "t sqp_~hex40~", "t sgp_~hex16~_~hex40~", "t sk_~hex48~ x", "t CLOJARS_~lower60~", "t oy2~lower43~", "t HRKU-AA~url58~",
        "t tvly-dev-~alnum32~", "t vk1.a.~url180~", "t tgp_v1_~url43~", "t nsec1~lower58~", "t EAAA~url60~",
        "t pnu_~alnum36~", "t nfp_~alnum36~", "t phx_~alnum43~", "t jina_~alnum60~", "t unheard_v1_~alnum48~",
        "t SCRAM-SHA-256$4096:~base22~==$~base43~=:~base43~=", "t pbkdf2_sha256$600000$~alnum22~$~base43~=",
    ),
    "clouds": (
        "AKIA~upper16~", "id ASIA~upper16~ here", "AIza~url35~", "ya29.~url80~", "GOCSPX-~url28~", "1//0~url60~",
        "DefaultEndpointsProtocol=https;AccountName=x;AccountKey=~base86~==;EndpointSuffix=y",
        "https://x.blob.core.windows.net/c?sv=1&sig=~alnum43~%3D&se=2", "https://x.blob.core.windows.net/c?sig=~alnum43~%3D",
        "sig=~alnum43~%3D&se=2026", "id abc8Q~~alnum34~", "https://b.s3.amazonaws.com/k?X-Amz-Signature=~hex64~",
        "dop_v1_~hex64~", "doo_v1_~hex64~", "LTAI~alnum20~", "dapi~hex32~",
    ),
    "code": (
        "ghp_~alnum36~", "gho_~alnum36~", "ghs_~alnum36~", "ghr_~alnum36~", "github_pat_~alnum22~_~alnum59~",
        "glpat-~url20~", "glrt-~url20~", "gldt-~url20~", "glptt-~hex40~", "glcbt-1_~url20~", "glsoat-~url20~",
        "glft-~url20~", "glagent-~url50~", "gloas-~hex64~", "glimt-~url25~", "GR1348941~url20~", "npm_~alnum36~",
        "pypi-AgEIcHlwaS5vcmc~url80~", "dckr_pat_~url27~", "ATATT3xFfGF0~url100~", "rubygems_~hex48~",
        "glpat-~url27~.01.~lower9~",
    ),
    "models": (
        "hf_~letters34~", "api_org_~letters34~", "sk-~alnum48~", "sk-proj-~url60~", "sk-ant-api03-~url93~AA",
        "sk-svcacct-~url60~", "sk-or-v1-~hex64~", "nvapi-~url64~", "wandb login ~hex40~", "wandb: key ~hex40~ read",
        "wandb login --relogin ~hex40~", "gsk_~alnum52~", "r8_~alnum37~", "xai-~alnum80~", "pplx-~alnum48~",
        "wandb_v1_~alnum80~",
    ),
    "chat": (
        "xoxb-~digits12~-~digits12~-~alnum24~", "xoxp-~digits12~-~alnum32~", "xapp-1-A~upper10~-~digits13~-~hex64~",
        "https://hooks.slack.com/services/T~upper8~/B~upper10~/~alnum24~", "https://discord.com/api/webhooks/~digits18~/~url68~",
        "https://discordapp.com/api/webhooks/~digits18~/~url68~", "https://x.webhook.office.com/webhookb2/~hex32~/IncomingWebhook/~hex32~/a",
        "bot~digits10~:AA~url33~", "~digits9~:AA~url33~", "MT~url24~.~url6~.~url38~",
    ),
    "services": (
        "sk_live_~alnum24~", "rk_test_~alnum24~", "whsec_~alnum32~", "SG.~url22~.~url43~", "SK~hex32~", "key-~hex32~",
        "hvs.~url90~", "hvb.~url120~", "s.~alnum24~", "glsa_~alnum32~_~hex8~", "tskey-auth-~alnum12~-~alnum32~",
        "PMAK-~hex24~-~hex34~", "shpat_~hex32~", "NRAK-~upper27~", "pul-~hex40~", "~alnum14~.atlasv1.~url64~",
        "~hex32~-us12", "dt0c01.~upper24~.~upper64~", "sntrys_~base60~", "lin_api_~alnum40~",
    ),
    "machines": (
        "AGE-SECRET-KEY-1~age58~", "MUNGE:~base120~:", "root:$6$~crypt8~$~crypt86~:19000:0:", "$5$rounds=5000$~crypt16~$~crypt43~",
        "$2b$12$~crypt53~", "$y$j9T$~crypt22~$~crypt43~", "$1$~crypt8~$~crypt22~", "$apr1$~crypt8~$~crypt22~",
        "{SSHA}~base32~", "eyJ~url20~.eyJ~url60~.~url43~", "SLURM_JWT=eyJ~url20~.eyJ~url60~.~url43~",
        "$argon2id$v=19$m=65536,t=3,p=4$~base22~$~base43~",
    ),
    "keys": (
        "-----BEGIN RSA PRIVATE KEY-----\n~base64~\n~base64~\n~base22~==\n-----END RSA PRIVATE KEY-----\n",
        "-----BEGIN OPENSSH PRIVATE KEY-----\n~base70~\n~base70~\n-----END OPENSSH PRIVATE KEY-----\n",
        "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: \"x\"\n~base70~\n~base30~==\n---- END SSH2 ENCRYPTED PRIVATE KEY ----\n",
        "PuTTY-User-Key-File-3: ssh-rsa\nEncryption: none\nComment: x\nPrivate-Lines: 3\n~base64~\n~base64~\n~base32~\nPrivate-MAC: ~hex64~\n",
        '{"log":"-----BEGIN PRIVATE KEY-----\\n"}\n{"log":"~base64~\\n"}\n{"log":"~base22~==\\n"}\n{"log":"-----END PRIVATE KEY-----\\n"}\n',
        "n1: -----BEGIN EC PRIVATE KEY-----\nn1: ~base64~\nn1: ~base22~==\nn1: -----END EC PRIVATE KEY-----\n",
        "conf/a.yaml:9:-----BEGIN PRIVATE KEY-----\nconf/a.yaml:10:~base64~\nconf/a.yaml:11:~base20~\nconf/a.yaml:12:-----END PRIVATE KEY-----\n",
        "Nov 22 03:12:44 gpu07 train[41]: -----BEGIN RSA PRIVATE KEY-----\nNov 22 03:12:44 gpu07 train[41]: ~base64~\n"
        "Nov 22 03:12:45 gpu07 train[41]: ~base20~\nNov 22 03:12:45 gpu07 train[41]: -----END RSA PRIVATE KEY-----\n",
        "> -----BEGIN PRIVATE KEY-----\n> ~base64~\n> ~base12~\n> -----END PRIVATE KEY-----\n",
        '"key": "-----BEGIN PRIVATE KEY-----\\n~base64~\\n~base22~==\\n-----END PRIVATE KEY-----\\n"',
        "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n~base64~\n~base40~\n=~base4~\n-----END PGP PRIVATE KEY BLOCK-----\n",
        "key = \"\"\"-----BEGIN PRIVATE KEY-----\n~base64~\n-----END PRIVATE KEY-----\"\"\"\n",
        "  tls.key: |\n    -----BEGIN PRIVATE KEY-----\n    ~base64~\n    ~base20~\n    -----END PRIVATE KEY-----\n",
        "«-----BEGIN PRIVATE KEY-----\n~base64~\n-----END PRIVATE KEY-----\n»",
        "-----BEGIN OpenVPN Static key V1-----\n~hex32~\n~hex32~\n-----END OpenVPN Static key V1-----\n",
    ),
    "addresses": (
        "postgres://u:a/~word~@h/db", "https://~user~:~pass~@example.org/x", "redis://:~word~@cache:6379/0",
        "mongodb+srv://~user~:~word~@c.example/x", "amqp://~user~:p@~word~@mq:5672", "git clone https://~alnum20~@example.org/x.git",
        "jdbc:oracle:thin:~user~/~word~@db:1521/x", "jdbc:mysql://h/db?user=u&password=~word~", "ftp://~user~:~digits6~@h/",
        "ldap://cn=admin:~word~@h", "https://oauth2:~word~@example.org/g/p.git", "smb://~user~:~word~@h/share",
    ),
}  # fmt: skip

BY_ARGUMENT: tuple[str, ...] = (
    "docker login -u ~user~ -p ~word~ nvcr.io", "podman login --username u -p~word~ host", "mysql -u root -p~word~ jobs",
    "mysqldump --password=~word~ db", "redis-cli -h h -a ~word~ ping", "ldapsearch -x -D cn=a -w ~word~ -b dc=x",
    "ipmitool -I lanplus -H bmc -U admin -P ~word~ sdr", "openssl enc -aes-256-cbc -k ~word~ -in x",
    "openssl rsa -in k -passin pass:~word~", "openssl req -passout pass:'~word~' -x509", "smbclient //h/s -U ~user~%~word~",
    "snmpwalk -v2c -c ~word~ switch1 ifTable", "snmpget -v3 -u a -A ~word~ -X ~word~ h oid", "curl -u ~user~:~word~ http://h",
    "curl --user ~user~:~word~ -s http://h", "curl -u~user~:~word~ h", "wget --user=u --password=~word~ http://h",
    "sshpass -p ~word~ ssh n1", "sshpass -p'~word~' ssh n1", "echo ~word~ | kinit ~user~@EXAMPLE.ORG",
    "kinit ~user~ <<< '~word~'", "htpasswd -bc f ~user~ ~word~", "htpasswd -nb ~user~ ~word~", "echo '~user~:~word~' | chpasswd",
    "echo ~word~ | docker login -u u --password-stdin", "echo '~word~' | sudo -S dmesg", "printf '%s' '~word~' | kinit u",
    "mongosh --username u -p ~word~ h", "rpcclient -U '~user~%~word~' h", "az login --service-principal -u u -p ~word~ --tenant t",
    "unzip -P ~word~ x.zip", "7z x -p~word~ a.7z", "vault login ~word~", "skopeo copy --src-creds ~user~:~word~ a b",
    "useradd -p '~word~' u", "mount -t cifs //h/s /m -o username=u,password=~word~", "sqlcmd -S h -U sa -P ~word~",
    "lftp -u ~user~,~word~ h", "etcdctl --user root:~word~ get x", "wpa_passphrase ssid ~word~",
    "racadm -r h -u root -p ~word~ getsysinfo", "mosquitto_pub -u u -P ~word~ -t t", "xfreerdp /u:a /p:~word~ /v:h",
    "ipmipower -h bmc -u a -p ~word~ --stat", "rabbitmqctl add_user ~user~ ~word~", "sudo ipmitool -U a -P ~word~ -H b sel list",
    "[\"mysql\", \"-p~word~\"]", "/usr/bin/redis-cli -a '~word~' --tls", "net ads join -U admin%~word~", "gpg --passphrase ~word~ -d x",
    "mpirun -x MY_TOKEN=~word~ ./a", "ps: 4711 root mysql -p~word~ -h db",
    "ngc config set --api-key ~word~", "doctl auth init -t ~word~", "huggingface-cli login --token ~word~",
    "keytool -storepass ~word~ -list", "twine upload -u __token__ -p ~word~ d/x",
    "pulumi config set --secret dbPassword ~word~", "cryptsetup luksOpen d n <<< \"~word~\"",
    "storcli /c0 set securitykey=~word~ keyid=x",
    "cmd=\"sshpass -p ~word~ ssh admin@gpu-07\"", "level=info cmd=\"curl -sku admin:~word~ https://bmc07/\"", "cmd='mysql -p~word~ jobs' rc=0",
    "conf/run.sh:12:mysql -h db -u root -p~word~ jobs", "12:ipmitool -H b -U admin -P ~word~ sdr", "run.sh-12-ipmitool -H b -U admin -P ~word~ sdr",
    "-ipmitool -I lanplus -H bmc07 -U admin -P ~word~ chassis status", "+curl -u admin:~word~ https://bmc07/", "cmd=redis-cli -a ~word~ ping",
    "run.sh:7:/usr/bin/mysql -p~word~ jobs", "exec=[\"sshpass\", \"-p\", \"~word~\", \"ssh\"]", "net use Z: \\\\nas\\ckpt ~word~ /user:lab\\ml",
    "net use \\\\nas\\ckpt ~word~", "ConvertTo-SecureString -String '~word~' -AsPlainText -Force", "$p = ConvertTo-SecureString \"~word~\" -AsPlainText -Force",
    "Enter passphrase for /root/.ssh/id_ed25519: ~word~", "Enter passphrase for key '/root/.ssh/id': ~word~", "[sudo] password for bob: ~word~",
    "net use Z: \\\\nas\\ckpt /user:lab\\ml ~word~", "net use \\\\nas\\ckpt /u:ml ~word~ /persistent:no", "net use * \\\\nas\\ckpt /user:ml /savecred ~word~",
    "net.exe use Z: \"\\\\nas\\my share\" ~word~ /user:ml", "net user ml ~word~ /add", "NET USER ml ~word~", "samba-tool user create ml ~word~",
    "ipmitool -H bmc07 -I lanplus user set password 2 ~word~ 20", "ipmitool user test 2 16 ~word~", "ipmicfg -user setpwd 2 ~word~",
    "racadm config -g cfgUserAdmin -o cfgUserAdminPassword -i 2 ~word~", "redis-cli -h n1 AUTH ~word~", "redis-cli CONFIG SET requirepass ~word~",
    "openssl passwd -6 -salt xyz ~word~", "mkpasswd -m sha-512 ~word~", "mkpasswd --method=sha-512 ~word~ saltsalt", "sqlplus -S jobs/~word~@db",
    "vault operator unseal ~word~", "vault unwrap ~word~", "bw login ml@example.org ~word~", "bw unlock ~word~", "http -a ml:~word~ GET n1/x",
    "gcloud auth activate-refresh-token ml ~word~", "rclone obscure ~word~", "rclone config create r webdav user ml pass ~word~",
    "etcdctl user add ml:~word~", "iscsiadm -m node -o update -n node.session.auth.password -v ~word~", "mc config host add m http://n1:9000 AKIAX ~word~ --api s3v4",
    "CREATE USER ml IDENTIFIED BY '~word~';", "SET PASSWORD FOR ml = PASSWORD('~word~');", "snmp-server community ~word~ ro",
    "tacacs-server host 10.0.0.1 key 7 ~word~", "radius-server key ~word~", "ip ospf message-digest-key 1 md5 ~word~",
    "client.admin AQD~base35~==", "#cloud-config\nchpasswd:\n  list: |\n    root:~word~\n    ubuntu:~word~\n  expire: false", "chpasswd:\n  list:\n    - root:~word~\n",
)  # fmt: skip

AS_WRITTEN: tuple[str, ...] = (
    "docker login --username=bob --password=~word~ registry.example.org",
    "docker login registry.example.org -u bob -p \"~pass~\"",
    "mysql --user=root --password ~word~ -e 'select 1'",
    "mysqladmin -uroot -p~word~ status",
    "psql \"host=db user=u password=~word~ dbname=x\"",
    "PGPASSWORD=~word~ psql -h db",
    "redis-cli -u redis://default:~word~@cache:6379 ping",
    "REDISCLI_AUTH=~word~ redis-cli",
    "ldapsearch -H ldap://h -D \"cn=admin,dc=x\" -w \"~word~\" -LLL",
    "ipmitool -H 10.1.1.1 -U ADMIN -P '~word~' -I lanplus chassis power status",
    "openssl pkcs12 -export -in a -out b -password pass:~word~",
    "smbclient -L //srv -U 'DOMAIN\\bob%~word~'",
    "snmpwalk -v 2c -c ~word~ 10.0.0.1 1.3.6.1",
    "snmpwalk -v3 -l authPriv -u adm -a SHA -A \"~word~\" -x AES -X \"~word~\" sw1",
    "curl -s -u \"bob:~word~\" https://h/api",
    "curl -H 'Authorization: token ~word~' https://h",
    "curl -H \"X-Auth-Token:~word~\" h",
    "curl --data '{\"password\":\"~word~\"}' h",
    "curl -d \"user=bob&password=~word~\" h",
    "wget --http-user=bob --http-password=~word~ h",
    "wget --header=\"Authorization: Bearer ~word~\" h",
    "sshpass -p\"~word~\" rsync a b:",
    "sshpass -e ssh; SSHPASS=~word~",
    "kubectl config set-credentials bob --token=~word~",
    "helm install x --set auth.password=~word~",
    "echo \"~word~\" | kinit bob",
    "htpasswd -b /etc/htpasswd bob ~word~",
    "<user name=\"bob\" pass=\"~word~\"/>",
    "<dbPassword>~word~</dbPassword>",
    "<param name=\"password\" value='~word~' />",
    "<secret-key>~word~</secret-key>",
    "[registry]\ntoken = \"~word~\"",
    "api_key = '~word~'   # prod",
    "secretKey: ~word~",
    "clientSecret: \"~word~\"",
    "\"clientSecret\":\"~word~\",",
    "\"accessKey\" : \"~word~\"",
    "\"refresh_token\": \"~word~\"",
    "\"id_token\":\"eyJ~url20~.eyJ~url40~.~url43~\"",
    "id: 5\npasswd : ~word~",
    "Password : ~word~",
    "PASSWORD:~word~",
    "pwd : ~word~",
    "DB_PASS=~word~",
    "db.password=~word~",
    "spring.datasource.password=~word~",
    "--db_password ~word~",
    "--wandb-key ~hex40~",
    "--hf-token=hf_~letters34~",
    "WANDB_KEY=~hex40~",
    "wandb: Appending key for api.wandb.ai to your netrc file: /root/.netrc key ~hex40~",
    "machine api.wandb.ai\n  login user\n  password ~hex40~",
    "default login bob password ~word~",
    "https://bob:~word~@proxy:3128",
    "http_proxy=http://bob:~word~@proxy:3128",
    "s3://AKIA~upper16~:~base40~@bucket",
    "https://h/x?access_token=~word~&a=1",
    "https://h/x?api_key=~word~",
    "https://h/x?token=~word~",
    "https://acct.blob.core.windows.net/c/b?sv=2022&ss=b&srt=o&sp=r&se=2026&sig=~alnum43~%3D",
    "SharedAccessSignature=sv=2022&sig=~alnum43~%3D",
    "setenv WANDB_API_KEY ~hex40~",
    "setenv AWS_SECRET_ACCESS_KEY \"~base40~\"",
    "set -Ux OPENAI_API_KEY ~word~",
    "set -lx DB_PW ~word~",
    "env AWS_SECRET_ACCESS_KEY=~base40~ ./run",
    "AWS_SECRET_ACCESS_KEY = ~base40~",
    "aws_session_token=~base120~",
    "USER=bob\nMYVAR=~word~\nHOME=/home/bob\nOTHER=~word~",
    "LANG=C\nTHING=~word~\nLOGNAME=bob",
    "FOO=~word~\nBAR=~word~\nOLDPWD=/tmp",
    "\u001b[36mDB_PASSWORD\u001b[0m=\u001b[35m~word~\u001b[0m",
    "\u001b[1;34mtoken\u001b[0m\u001b[1m:\u001b[0m ~word~",
    "{\"level\":\"info\",\"msg\":\"login\",\"password\":\"~word~\"}",
    "{\"msg\":\"connecting with password=~word~\"}",
    "{\"msg\":\"token: ~word~\"}",
    "level=info msg=\"start\" token=~word~",
    "time=1 level=debug secret=\"~word~\"",
    "password:\n    ~word~",
    "api_key: >\n  ~word~",
    "token: |-\n  ~word~",
    "  \"secret\" :\n    \"~word~\",",
    "\"passwords\": [ \"~word~\",\n \"~word~\" ]",
    "private_key: |\n  -----BEGIN EC PRIVATE KEY-----\n  ~base64~\n  ~base20~==\n  -----END EC PRIVATE KEY-----",
    "{\"line\":\"-----BEGIN RSA PRIVATE KEY-----\"}\n{\"line\":\"~base64~\"}\n{\"line\":\"-----END RSA PRIVATE KEY-----\"}",
    "{\"message\":\"-----BEGIN OPENSSH PRIVATE KEY-----\"}\n{\"message\":\"~base70~\"}\n{\"message\":\"-----END OPENSSH PRIVATE KEY-----\"}",
    "\"-----BEGIN PRIVATE KEY-----\",\n\"~base64~\",\n\"~base64~\",\n\"-----END PRIVATE KEY-----\"",
    "Authorization: Digest username=\"bob\", response=\"~hex32~\"",
    "authorization: Basic «bob:~word~»",
    "-H \"authorization: Bearer ~word~\"",
    "Cookie: sessionid=~word~; csrftoken=~word~",
    "Set-Cookie: JSESSIONID=~word~; HttpOnly",
    "proxy-authorization: Basic «bob:~word~»",
    "«{\"password\":\"~word~\"}»",
    "«AWS_SECRET_ACCESS_KEY=~base40~»",
    "«https://bob:~word~@host/»",
    "config: «[db]\npassword=~word~\n»",
    "{\"data\":{\"config\":\"«token: ~word~»\"}}",
    "user:$6$rounds=656000$~crypt16~$~crypt86~:1:0",
    "bob:$apr1$~crypt8~$~crypt22~",
    "$2y$10$~crypt53~",
    "bot token ~digits10~:AA~url33~",
    "glrt-t1_~url20~",
    "hvs.CAESI~url90~",
    "export NGC_CLI_API_KEY=nvapi-~url64~",
    "pass = ~word~",
    "user = bob, pass = ~word~",
    "username: bob password: ~word~",
    "client-key-data: ~base120~==",
    "client-certificate-data: x\nclient-key-data: ~base120~",
    "secret_access_key ~base40~",
    "SECRET=\"~word~\"; export SECRET",
    "$secret = '~word~';",
    "const apiKey = \"~word~\";",
    "let password: &str = \"~word~\";",
    "password => ~word~",
    "'api_key' => \"~word~\",",
    ":password: ~word~",
    "password -> ~word~",
    "set password ~word~",
    "password ~word~",
    "signing_key=~hex64~",
    "license_key: ~upper25~",
    "encryption-key ~hex64~",
    "munge: cred MUNGE:~base120~==:",
    "ENCRYPTION_KEY=\"~base43~=\"",
    "TF_VAR_db_password=~word~",
    "ansible_ssh_pass=~word~",
    "ansible_password: ~word~",
    "vault_token: s.~alnum24~",
    "VAULT_TOKEN=hvs.~url90~",
    "s3cmd --secret_key=~base40~ ls",
    "rclone config create r s3 secret_access_key=~base40~",
    "scontrol token -> SLURM_JWT=eyJ~url20~.eyJ~url40~.~url43~",
    "mongodb://bob:~word~@h1,h2/db",
    "amqps://bob:~word~/x@h",
    "mssql+pyodbc://sa:~word~@h/db",
    "Server=tcp:h;User ID=sa;Password=~word~;Encrypt=True",
    "Data Source=h;uid=sa;pwd=~word~",
    "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=~base86~==",
    "Endpoint=sb://h/;SharedAccessKeyName=k;SharedAccessKey=~base43~=",
    "sas_token: sv=2022&sig=~alnum43~%3D",
    "\"sas\": \"?sv=1&sig=~alnum43~%3D\"",
    "ssh-keygen -N ~word~ -f k",
    "cryptsetup --key-file=- <<< ~word~",
    "gpg --batch --passphrase '~word~' -c x",
    "zip -P ~word~ a.zip b",
    "nmcli dev wifi connect ssid password ~word~",
    "{'password': b'~word~'}",
    "{'api_key': u'~word~', 'x': 1}", "{'password': b')~word~'}", "{'password': b' ~word~', 'x': 1}",
    "{b'token': b'~word~'}",
    "password=b'~word~'",
    "db_password = rb\"~word~\"",
    "{\"msg\": \"{'password': b'~word~'}\"}",
    "(\"password\", b\"~word~\")",
    "db_password = <<EOT\n~word~\nEOT",
    "password <<EOF\n~word~\nEOF",
    "  api_key = <<-EOT\n    ~word~\n  EOT",
    "PASSWORD=$(cat <<'EOF'\n~word~\n~word~\nEOF\n)",
    "cat >password <<EOF\n~word~\nEOF",
    "$secret = <<<EOT\n~word~\nEOT;",
    "2026-01-01T00:00:00Z HOME=/root\n2026-01-01T00:00:00Z ODDVAR=~word~",
    "2026-01-01T00:00:00.123456789Z ODDVAR=~word~\n2026-01-01T00:00:00.123456799Z HOME=/root",
    "2026-01-01T00:00:00.123456789Z stdout F HOME=/root\n2026-01-01T00:00:00.123456799Z stdout F ODDVAR=~word~",
    "Jan  1 00:00:00 gpu01 prog[12]: HOME=/root\nJan  1 00:00:00 gpu01 prog[12]: ODDVAR=~word~",
    "2026-01-01T00:00:00+0100 gpu01 prog[12]: ODDVAR=~word~\n2026-01-01T00:00:00+0100 gpu01 prog[12]: SHLVL=1",
    "Environment=HOME=/root SHELL=/bin/sh ODDVAR=~word~",
    "Environment=HOME=/root ODDVAR=~word~",
    "using fm2_~url120~", "using sbp_~hex40~", "using pscale_pw_~url43~", "using dp.pt.~alnum43~", "using dp.st.dev.~alnum43~",
    "using ops_eyJ~base120~", "using bkua_~hex40~", "using CCIPAT_~alnum22~_~hex40~", "using ntn_~alnum46~", "using figd_~url40~",
    "using pat~alnum14~.~hex64~", "using pat-na1-~hex8~-~hex4~-~hex4~-~hex4~-~hex12~", "using AKCp~alnum69~",
    "using cmVmdGtuOjAxO~alnum51~", "using rpa_~upper40~", "using v1.0-~hex24~-~hex146~",
    "curl -subob:~word~ https://x", "curl -sSu bob:~word~ https://x", "curl -fsSLu 'bob:~word~' https://x",
    "echo -n ~word~ | cryptsetup luksOpen /dev/sdb x", "password\uff1a~word~", "password\uff1d ~word~",
    "environ({b'HOME': b'/root', b'ODDVAR': b'~word~'})",
)  # fmt: skip
"""Lines as people and programs write them, made up without a look at the patterns: they measure what is not trained."""


def all_templates() -> list[tuple[str, str]]:
    """Topic and template of every planted text."""
    by_topic = [(topic, template) for table in (BY_NAME, BY_FORM) for topic, many in table.items() for template in many]
    arguments = [("arguments", template) for template in BY_ARGUMENT]
    as_written = [("as written", template) for template in AS_WRITTEN]
    by_others = [("found by others", template) for template in FOUND_BY_OTHERS]
    in_others = [("in programs", template) for template in IN_PROGRAMS]
    in_others += [("in sources", template) for template in IN_SOURCES]
    in_others += [("in configurations", template) for template in IN_CONFIGURATIONS]
    return [*by_topic, *arguments, *as_written, *by_others, *in_others]
