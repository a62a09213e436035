"""Forms that a specification fixes, and names that are a secret's only in two words; what is like them stays."""

from __future__ import annotations

import random

import pytest

from redact.test_planted import redacted
from redact.test_tokens import LEADS, filled
from slowlink.redact.names import is_secret_name, reading

FORMS = (
    "DHHC-1:00:{mixed 48}:", "DHHC-1:02:{mixed 70}==:", "DHHC-1:03:{mixed 91}=:", "NVMeTLSkey-1:01:{mixed 48}:", "NVMeTLSkey-1:02:{mixed 70}==:",
    "gAAAAAB{mixed 94}==", "gAAAAABp{mixed 40}_{mixed 40}-{mixed 40}", "SWMTKN-1-{small 50}-{small 25}", "an-{uuid}",
)  # fmt: skip
LIKE_THEM = (
    "DHHC-1", "dhchap: none, hash sha256, dhgroup ffdhe2048", "NVMeTLSkey-1:01", "gAAAAAB", "gAAAAABv2", "SWMTKN-1", "vlan-{uuid}", "job-an-{uuid}",
    "an-{hex 8}", "q2wz8k.t5m1xhv0bd9r3ycj", "nqn.2014-08.org.nvmexpress:uuid:{uuid}",
)  # fmt: skip
MADE = "Umber-Sledge41"
NAMED = (
    "fernet_key = {}", 'fernet_key: "{}"', "--fernet-key {}", "[core]\nfernet_key={}", "activation_key={}", "bind_cred: {}", "auth_string = '{}'",
    "client_assertion={}", "code_verifier={}", '"codeVerifier": "{}"', "otp_seed={}", "TOTP_SEED={}", "totp={}", "recovery_code: {}",
    "unlock-code={}", "wallet_seed={}", "kafka_sasl={}", "X-Honeycomb-Team: {}", '"x-honeycomb-team": "{}"', "client: api_key from env: {}",
    "hub: auth_token in the config file: {}", "config snmp community add {} RO", "sudo config snmp community del {}", "password ops {}",
    "(echo {}; echo {}) | smbpasswd -s -a ada", "{{ printf {}; printf {}; }} | sudo smbpasswd -as ada", "password_pbkdf2 ops {}",
)  # fmt: skip
STAY = (
    "seed=4711", "wallet_seed=4711", "code=0x12", "unlock_code=0x1f", "recovery_code: failed", "kafka_sasl=SCRAM-SHA-512", "kafka_sasl: PLAIN",
    "client_assertion_type=urn:ietf:params:oauth:client-assertion-type:jwt-bearer", "code_challenge_method=S256", "team: fabric7", "string: Node17",
    "activation: gelu4", "mnemonic: HFMA2.MMA", "recovery code path took 12 us", "token in config: ok", "secret in config: nccl-config-2",
    "max_tokens in config: 4096", "api_key from config: /root/.config/k9Y", "password hash SHA512-crypt", "password for Root17",
    "(echo start; echo Node17) | tee log", "cipher suite: DIGEST-MD5", "ip community-list standard C1 permit 65000:17",
)  # fmt: skip


@pytest.mark.parametrize("template", FORMS)
def test_a_form_goes_wherever_it_stands(template: str) -> None:
    for seed in range(3):
        value = filled(template, random.Random(seed))
        for lead in (*LEADS, "| id   | {} |", "a\t{}\tb"):
            clean = redacted(lead.format(value) + "\n")
            assert clean == lead.format("<redacted:key>") + "\n"
            assert redacted(clean) == clean


@pytest.mark.parametrize("template", LIKE_THEM)
def test_what_is_like_a_form_stays(template: str) -> None:
    text = filled(template, random.Random(1)) + " is up\n"
    assert redacted(text) == text


@pytest.mark.parametrize("template", NAMED)
def test_a_value_goes_by_its_name(template: str) -> None:
    text = template.format(*[MADE] * template.count("{}")) + "\n"
    clean = redacted(text + "step 4 loss 2.31\n")
    assert MADE not in clean
    assert clean.endswith("\nstep 4 loss 2.31\n")
    assert clean.split("<redacted:")[0] == text.split(MADE)[0]
    assert redacted(clean) == clean


@pytest.mark.parametrize("line", STAY)
def test_a_value_of_something_else_stays(line: str) -> None:
    assert redacted(f"{line}\nstep 4\n") == f"{line}\nstep 4\n"


@pytest.mark.parametrize("name", ["mnemonic", "wallet_seed", "seed phrase", "MNEMONIC"])
def test_the_words_of_a_wallet_go(name: str) -> None:
    words = " ".join(["umber", "sledge", "fable"] * 4)
    assert redacted(f"{name}: {words}\n") == f"{name}: <redacted:key>\n"
    assert redacted(f'{name}="{words}"\n') == f'{name}="<redacted:key>"\n'
    assert redacted(f"{name}: umber sledge fable\n") == f"{name}: umber sledge fable\n"


def test_a_name_of_two_words_is_one_only_with_both() -> None:
    assert reading("otp_seed").surety == "sure"
    assert reading("data_seed").surety == "no"
    assert not is_secret_name("error_code")
    assert reading("recovery_codes").surety == "weak"
    assert reading("client_assertion_type").surety == "no"
