"""Secrets as literals in a program: defaults of lookups and options; and arguments that are printed with their numbers."""

from __future__ import annotations

import pytest

from slowlink.redact import Redaction

SECRET = "Vq3rTz8mKp2Lw"
LEADS = ["", "    ", "[rank0]:     ", "train.py:41:", "+", "     42     ", "gpu17: ", "[1,0]<stderr>:"]


@pytest.mark.parametrize("lead", LEADS)
@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('api_token = os.environ.get("API_TOKEN", "{}")', "token"),
        ("db_password = os.getenv('DB_PASSWORD', '{}')", "password"),
        ('client = wandb.Api(api_key=os.environ.get("WANDB_API_KEY", "{}"))', "key"),
        ('String password = System.getProperty("db.pw", "{}");', "password"),
        ('password = config.get("db", "password", fallback="{}")', "password"),
        ('DB_PASSWORD = config("DB_PASSWORD", default="{}")', "password"),
        ('let token = std::env::var("T").unwrap_or_else(|_| "{}".into());', "token"),
        ('const password = process.env.DB_PASSWORD || "{}"', "password"),
        ('char *password = getenv("PW") ? getenv("PW") : "{}";', "password"),
        ("password: {{{{ lookup('env', 'PW') | default('{}') }}}}", "password"),
        ('parser.add_argument("--password", default="{}")', "password"),
        ("parser.add_argument('--hf-token', type=str, default='{}')", "token"),
        ('    password: str = Field("{}", env="PW")', "password"),
        ('argv[5]="--password" argv[6]="{}" argv[7]="--lr"', "password"),
        ("argv[0]=./train argv[1]=--api-key argv[2]={} argv[3]=--lr", "key"),
        ("arg[3]: '--token', arg[4]: '{}'", "token"),
        ('{{0x7ffc12a0 "--password", 0x7ffc12b0 "{}"}}', "password"),
        ("munge_key: {}", "key"),
    ],
)
def test_the_literal_goes_and_the_rest_stays(lead: str, text: str, kind: str) -> None:
    out = Redaction().text(lead + text.format(SECRET))
    assert out == lead + text.format(f"<redacted:{kind}>")
    assert Redaction().text(out) == out


@pytest.mark.parametrize("form", ["argv[{}] = {}", "argv[{}]: {}", "Arg {}: {}"])
def test_an_argument_on_the_next_line_goes_behind_its_number(form: str) -> None:
    lines = "\n".join(form.format(number, word) for number, word in ((1, "--password"), (2, SECRET), (3, "--lr")))
    assert Redaction().text(lines) == lines.replace(SECRET, "<redacted:password>")


@pytest.mark.parametrize(
    "text",
    [
        'max_tokens = cfg.get("max_tokens", "4096")',
        'parser.add_argument("--token-budget", type=int, default=4096)',
        "argv[1]=--max-tokens argv[2]=4096 argv[3]=--password-file argv[4]=/run/secret",
        'key = rows.groupby("column1")',
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert Redaction().text(text) == text
