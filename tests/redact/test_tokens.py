"""Tokens that stand bare in a message go, by the list or by their shape; names that are nearly as mixed stay."""

from __future__ import annotations

import random
import string

import pytest

from slowlink.redact import Redaction
from slowlink.redact.names import is_secret_name

SMALL = string.ascii_lowercase + string.digits
CAPITALS = string.ascii_uppercase + string.digits
BASE62 = SMALL + string.ascii_uppercase
HEX = "0123456789abcdef"
BASE32 = string.ascii_lowercase + "234567"
SEEDS = range(5)
LEADS = ("rank 3: upload refused for {}", "[{}] is not valid", "retry with {}, then stop", "{}")


def run(chance: random.Random, alphabet: str, length: int) -> str:
    """``length`` characters; of Base62 with one of each kind, as nearly all tokens have them."""
    out = [chance.choice(alphabet) for _ in range(length)]
    if alphabet == BASE62:
        out[:3] = chance.choice(string.digits), chance.choice(string.ascii_uppercase), chance.choice("ghijk")
    return "".join(out)


def filled(template: str, chance: random.Random) -> str:
    """``template`` with each ``{alphabet length}`` made up."""
    alphabets = {"hex": HEX, "small": SMALL, "capitals": CAPITALS, "mixed": BASE62, "base32": BASE32}
    uuid = "-".join(f"{{hex {length}}}" for length in (8, 4, 4, 4, 12))
    out = []
    for part in template.replace("{uuid}", uuid).split("{"):
        field, brace, rest = part.partition("}")
        if brace:
            alphabet, _, length = field.partition(" ")
            out.append(run(chance, alphabets[alphabet], int(length)))
        out.append(rest if brace else part)
    return "".join(out)


LISTED = (
    "sha256~{mixed 43}", "K10{hex 64}::server:{hex 32}", "K10{hex 64}::node:{hex 32}", "kubeconfig-user-k2x9q:{small 54}",
    "SU{capitals 55}9", "SA4{capitals 55}", "fw_{mixed 22}", "jina_{mixed 60}", "ak-{mixed 22}", "as-{mixed 22}",
    "pa-{mixed 20}-{mixed 22}", "nk-{mixed 43}", "llx-{mixed 48}", "key_{hex 64}", "bedrock-api-key-{mixed 90}", "AKID{mixed 32}",
    "STS.N{mixed 24}", "t1.{mixed 60}.{mixed 86}", "AQVN{mixed 35}", "napi_{small 64}", "sb_secret_{mixed 22}_{mixed 8}",
    "pnu_{small 36}", "pnb_{mixed 36}", "pat.{mixed 22}.{hex 24}.{mixed 20}", "sat.{mixed 22}.{hex 24}.{mixed 20}", "ico-{mixed 32}",
    "hcaik_{small 58}", "hcxlk_{small 58}", "st.{uuid}.{hex 32}.{hex 32}", "0.{uuid}.{mixed 30}:{mixed 22}==", "api-{uuid}", "sdk-{uuid}",
    "1/1203456789012345:{hex 32}", "2/1203456789012/1203456789013:{hex 32}", "xkeysib-{hex 64}-{mixed 16}",
    "xsmtpsib-{hex 64}-{mixed 16}", "sq0atp-{mixed 22}", "sq0csp-{mixed 43}", "FLWSECK_TEST-{hex 32}-X", "FLWSECK-{hex 32}-X",
    "rzp_live_{mixed 14}", "shippo_live_{hex 40}", "EZAK{mixed 54}", "duffel_test_{mixed 20}-{mixed 22}", "tfp_{mixed 44}_{mixed 14}",
    "CFPAT-{mixed 20}_{mixed 22}", "sl.B{mixed 130}", "EAAC{mixed 150}", "rdme_{small 70}", "rootly_{hex 64}", "2{mixed 26}_{mixed 21}",
    "db-{mixed 29}", "pcsk_{mixed 6}_{mixed 63}", "re_{mixed 8}_{mixed 24}", "secret_{mixed 43}", "mdb_sa_sk_{mixed 19}-{mixed 20}",
    "cmVmdGtu{mixed 56}",
)  # fmt: skip

NAMES = (
    "sk-train-gpu-a100-0042", "pa-node-h200-0031.rack4.example", "as-leaf-17-swp31s2", "db-worker-large-0000000042", "api-server-7c9d8b6f5-k2x4z",
    "ip-10-3-117-20.region-2.compute.internal", "llama-8b-6b8d5f7c9b-q7z2x", "job-{uuid}", "train-{uuid}-worker-5", "GPU-{uuid}", "MIG-{uuid}",
    "sha256:{hex 64}", "sha256-{hex 64}.sig", "sha256-{mixed 43}=", "sha512-{mixed 86}==", "SHA256:{mixed 43}", "md5-{hex 32}", "git-{hex 40}",
    "v2.21-4-g{hex 12}", "v0.0.0-20250102030405-{hex 12}", "snapshot_{hex 40}", "layer_{hex 64}", "docker-{hex 64}.scope",
    "cri-containerd-{hex 64}.scope", "run-r{hex 32}.scope", "systemd-private-{hex 32}-sshd.service-Ab3xYz", "cache-{hex 16}.arrow",
    "openmpi-5.0.3-{base32 32}", "libfabric-{base32 32}", "module_{base32 40}", "ocid1.instance.oc1.iad.{small 60}", "i-{hex 17}",
    "nvme-eui.{hex 32}", "wwn-0x{hex 16}", "scsi-3{hex 32}", "0x{hex 16}", "commHash 0x{hex 16}", "nonce-{mixed 24}", "nonce_{hex 32}",
    "req_{mixed 24}", "chatcmpl-{mixed 29}", "file-{mixed 24}", "call_{mixed 24}", "chatcmpl-{hex 32}", "ap-{mixed 22}", "raysubmit_{mixed 16}",
    "run-MixtralMoE8x7BInstructV02GPTQInt4", "exp-gpt3XLtp4PP8dp32mbs2GBS768seq4096bf16FP8v3", "vllm-Qwen3VLForConditionalGenerationV2",
    "bench_Llama3ForSequenceClassificationV2", "eval-NVLSTreeLL128SimpleBf16SumU8Run2", "fw_28.40.1000_MT_0000000838", "rzp_plan_4", "sl.12x3",
    "S{capitals 40}", "STS.NIC.3", "t1.micro.7", "sq0-node-12", "tfp_rank_0",
)  # fmt: skip

UNLISTED = (
    "zorb-{mixed 32}", "quux~{mixed 40}", "brill_{mixed 30}", "acme_v1_{mixed 36}", "vantis-{mixed 48}", "norl_{small 40}", "plim_v2_{small 48}",
)  # fmt: skip


@pytest.mark.parametrize("template", LISTED)
def test_a_token_of_a_listed_service_goes(template: str) -> None:
    for seed in SEEDS:
        token = filled(template, random.Random(seed))
        for lead in LEADS:
            once = Redaction().text(lead.format(token) + "\n")
            assert once == lead.format("<redacted:key>") + "\n"
            assert Redaction().text(once) == once


@pytest.mark.parametrize("template", NAMES)
def test_a_name_that_is_nearly_as_mixed_stays(template: str) -> None:
    for seed in SEEDS:
        name = filled(template, random.Random(seed))
        for lead in LEADS:
            assert Redaction().text(lead.format(name) + "\n") == lead.format(name) + "\n"


@pytest.mark.parametrize("template", UNLISTED)
def test_a_token_of_an_unlisted_service_goes_by_its_shape(template: str) -> None:
    """Chance makes some runs that read like names: a few may stay."""
    tokens = [filled(template, random.Random(seed)) for seed in range(100)]
    assert sum(token in Redaction().text(f"refused: {token}\n") for token in tokens) <= (
        20 if "small" in template else 10
    )


def test_the_scheme_of_okta_tells_its_token() -> None:
    assert Redaction().text("SSWS 00" + "aB3-_x9Q" * 5 + "\n") == "SSWS <redacted:key>\n"


def test_a_pull_secret_has_a_password_and_is_also_a_name() -> None:
    assert is_secret_name("global.pullSecret.password")
    assert not is_secret_name("imagePullSecrets")
    assert not is_secret_name("image_pull_secret")


def test_how_long_a_mounted_token_lasts_stays() -> None:
    line = "  - serviceAccountToken: expirationSeconds: 7200\n"
    assert Redaction().text(line) == line
    assert "s3same7200" not in Redaction().text("serviceAccountToken: s3same7200\n")
