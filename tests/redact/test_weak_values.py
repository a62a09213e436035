"""Behind a sure name and a sure sign any value goes, however plain; and source code that only fetches one stays."""

from __future__ import annotations

import pytest

from slowlink.redact import Redaction


@pytest.mark.parametrize(
    ("text", "out"),
    [
        ('#define DB_PASSWORD "harbour"', '#define DB_PASSWORD "<redacted:password>"'),
        ("#define WIFI_PASSWORD harbour26", "#define WIFI_PASSWORD <redacted:password>"),
        ("masterauth harbour", "masterauth <redacted:password>"),
        ("bindpw harbour", "bindpw <redacted:password>"),
        ("requirepass harbour", "requirepass <redacted:password>"),
        ("+ export SLURM_JWT=q7Rm2vKx9Tz41LdW", "+ export SLURM_JWT=<redacted:secret>"),
        ("SLURM_JWT=daemon", "SLURM_JWT=daemon"),
        ("<tr><td>Password</td><td>rain7</td></tr>", "<tr><td>Password</td><td><redacted:password></td></tr>"),
        (
            " id | name | api_token\n----+------+-----------\n  1 | bob  | rainTk36\n",
            " id | name | api_token\n----+------+-----------\n  1 | bob  | <redacted:token>\n",
        ),
        # in lists of pairs only the value goes
        (
            "srun --export=ALL,WANDB_API_KEY=rain,NCCL_DEBUG=INFO ./a",
            "srun --export=ALL,WANDB_API_KEY=<redacted:key>,NCCL_DEBUG=INFO ./a",
        ),
        (
            "srun --export=WANDB_API_KEY=ra,in7,NCCL_DEBUG=INFO,NCCL_IB_HCA=mlx5_0 ./a",
            "srun --export=WANDB_API_KEY=<redacted:key>,NCCL_DEBUG=INFO,NCCL_IB_HCA=mlx5_0 ./a",
        ),
        (
            "jdbc:postgresql://db01/hpo?user=ada&password=rain&ssl=true",
            "jdbc:postgresql://db01/hpo?user=ada&password=<redacted:password>&ssl=true",
        ),
        ("GET /x?access_token=ra&in&c=2", "GET /x?access_token=<redacted:token>&c=2"),
        # brackets make no call of a password, and an argument may be one
        ("password=rainfall()", "password=<redacted:password>"),
        ('password = decrypt("abcDEF1")', 'password = decrypt("<redacted:password>")'),
    ],
)
def test_values_go(text: str, out: str) -> None:
    assert Redaction().text(text) == out
    assert Redaction().text(out) == out


@pytest.mark.parametrize("lead", ["", "[1,3]<stderr>:", "train.py-12-"])
@pytest.mark.parametrize(
    "text",
    [
        'api_key=os.environ["API_KEY"]',
        "token = get_token()",
        "password = getpass.getpass()",
        "password = os.getenv('DB_PASSWORD')",
        'token = cfg.get("token", None)',
        'if not token: raise ValueError("token missing")',
        "if password: return",
        "license=lmgr:2 token_bucket=rate:100 burst_tokens=500",
        '{"token_bucket": "rate:100", "tokenBucket": "refill:5k1"}',
        "token_bucket: rate100x",
        "#define TOKEN_MAX_LENGTH 32",
    ],
)
def test_calls_lookups_and_limits_stay(text: str, lead: str) -> None:
    assert Redaction().text(lead + text) == lead + text


def test_each_pair_of_a_long_list_is_read_by_itself() -> None:
    """Not timed: that took minutes where each pair read all others."""
    text = "--export=ALL" + ",API_KEY=" * 3000 + ",API_KEY=rain7Vq" * 3000
    out = Redaction().text(text)
    assert "rain7Vq" not in out
    assert out.count("API_KEY=") == 6000
