"""Secrets that are known by their own form: one row an issuer, with where the form is documented.

Lengths, prefixes and alphabets are facts that issuers publish, or that secret scanners document as theirs (GitHub's
list of supported patterns, the rules of gitleaks and detect-secrets). They are taken a little wider here: a key of a
coming length must not pass.
"""

from __future__ import annotations

from slowlink.patterns import regex
from slowlink.redact.form import Form
from slowlink.redact.hashes import ELSEWHERE
from slowlink.redact.issuers.services import SERVICES
from slowlink.redact.issuers.unlisted import UNLISTED
from slowlink.redact.reading.held import ask_for
from slowlink.redact.runs import RUN, RUN_CHARS, runs

_MIXED = r"(?=[\w-]{0,60}\d)"
"""A digit among the next characters: words of a language hold none."""

FORMS = (
    Form(
        "AWS",
        ("akia", "asia", "aroa", "aida", "abia", "acca"),
        r"(?:AKIA|ASIA|AROA|AIDA|ABIA|ACCA)(?=[A-Z]{0,16}\d)[A-Z\d]{12,124}"
        r"|(?:AKIA|ASIA)[A-Z]{16}\b",
        "IAM: understanding unique ID prefixes",
    ),
    Form(
        "AWS Bedrock",
        ("absk",),
        r"ABSK[A-Za-z\d+/]{100,300}={0,2}",
        "Bedrock: API keys",
    ),
    Form(
        "Google",
        ("aiza", "ya29.", "gocspx-", "1//0"),
        r"AIza[\w-]{30,60}|ya29\.[\w-]{16,400}|GOCSPX-[\w-]{20,60}|1//0[\w-]{30,200}",
        "Google Cloud: authentication, API keys and OAuth clients",
    ),
    Form(
        "AWS sessions",
        ("iqojb3jpz2lu", "fwogzxivyxdz"),
        r"(?:IQoJb3JpZ2lu|FwoGZXIvYXdz)[A-Za-z\d+/=]{50,4000}",
        "STS: what AssumeRole answers",
    ),
    Form(
        "Cerebras and Vercel",
        ("csk-", "vercel_blob_rw_"),
        r"csk-(?=[a-z]{0,47}\d)[a-z\d]{48}|vercel_blob_rw_[A-Za-z\d]{8,40}_[A-Za-z\d]{20,60}",
        "Cerebras: API keys; Vercel: Blob",
    ),
    Form(
        "Ceph",
        (),
        r"AQ[A-D][A-Za-z\d+/]{10}[BRhx]AA[A-Za-z\d+/]{22}==",
        "Ceph: src/auth/Crypto.cc, how a key is encoded: its type, when it was made, its length, 16 bytes",
    ),
    Form(
        "Azure",
        ("q~",),
        r"[\w~.-]{3}\dQ~[\w~.-]{31,36}",
        "Microsoft Entra: client secrets",
    ),
    Form(
        "EKS",
        ("k8s-aws-v1.",),
        r"k8s-aws-v1\.[\w-]{16,8000}",
        "aws-iam-authenticator: how a token is made",
    ),
    Form(
        "Alibaba",
        ("ltai",),
        r"LTAI[A-Za-z\d]{12,30}",
        "Alibaba Cloud: AccessKey pairs",
    ),
    Form(
        "DigitalOcean",
        (),
        r"do[opr]_v1_[a-f\d]{32,100}",
        "DigitalOcean: API tokens",
    ),
    Form(
        "Databricks",
        (),
        r"dapi[a-f\d]{32}(?:-\d)?",
        "Databricks: personal access tokens",
    ),
    Form(
        "GitHub",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat"),
        r"gh[pousr]_[A-Za-z\d]{16,255}|github_pat_\w{16,255}",
        "GitHub: about authentication, token formats",
    ),
    Form(
        "GitLab",
        (
            "glpat-",
            "gldt-",
            "glrt-",
            "glrtr-",
            "glcbt-",
            "glptt-",
            "glft-",
            "glimt-",
            "glagent-",
            "glsoat-",
            "glffct-",
            "gloas-",
            "glwt-",
            "gr1348941",
        ),
        r"gl(?:pat|dt|rtr?|cbt|ptt|ft|imt|agent|soat|ffct|oas|wt)-[\w.-]{16,300}"
        r"|GR1348941[\w-]{16,60}",
        "GitLab: token overview, prefixes",
    ),
    Form(
        "Atlassian",
        ("atatt3", "atbb", "atctt3"),
        r"(?:ATATT3|ATCTT3)[\w=-]{60,300}|ATBB[A-Za-z\d]{24,60}",
        "Atlassian: API tokens",
    ),
    Form(
        "npm",
        (),
        r"npm_[A-Za-z\d]{30,60}",
        "npm: about access tokens",
    ),
    Form(
        "PyPI",
        ("pypi-",),
        r"pypi-[\w-]{16,400}",
        "PyPI: API tokens",
    ),
    Form(
        "RubyGems",
        (),
        r"rubygems_[a-f\d]{40,60}",
        "RubyGems: API keys",
    ),
    Form(
        "Docker",
        ("dckr_",),
        r"dckr_(?:pat|oat)_[\w-]{16,100}",
        "Docker Hub: access tokens",
    ),
    Form(
        "Hugging Face",
        ("hf_", "api_org_"),
        r"(?:hf|api_org)_[A-Za-z\d]{16,100}",
        "Hugging Face: user access tokens",
    ),
    Form(
        "OpenAI, Anthropic and alike",
        ("sk-",),
        rf"sk-(?:proj|svcacct|admin|None|ant|or|lf)-{_MIXED}[\w-]{{16,300}}"
        rf"|sk-(?:[a-z\d]{{1,10}}-){{0,2}}{_MIXED}[A-Za-z\d_]{{16,300}}[\w-]{{0,200}}",
        "OpenAI and Anthropic: API keys",
    ),
    Form(
        "NVIDIA",
        ("nvapi-",),
        r"nvapi-[\w-]{16,200}",
        "NGC: generating API keys",
    ),
    Form(
        "Weights & Biases",
        ("wandb_v",),
        r"wandb_v\d_[\w-]{30,200}",
        "Weights & Biases: API keys",
    ),
    Form(
        "Groq, Replicate, xAI, Perplexity, LangSmith",
        (),
        r"gsk_[A-Za-z\d]{40,80}|r8_[A-Za-z\d]{30,60}|xai-[A-Za-z\d]{60,100}|pplx-[A-Za-z\d]{40,80}"
        r"|lsv2_[a-z]{2}_[a-f\d]{32}_[a-f\d]{6,20}",
        "their API references",
    ),
    Form(
        "Slack",
        ("xox", "xapp-"),
        r"xox[a-z](?:\.xox[a-z])?-[A-Za-z\d-]{10,255}|xapp-[A-Za-z\d-]{10,255}",
        "Slack: token types",
    ),
    Form(
        "Slack webhooks",
        ("slack.com/",),
        r"(?<=hooks\.slack\.com/)(?:services|workflows|triggers)/[\w/+-]{10,200}",
        "Slack: incoming webhooks",
    ),
    Form(
        "Discord webhooks",
        ("/api/webhooks/",),
        r"(?<=/api/webhooks/)\d{10,25}/[\w-]{30,100}",
        "Discord: webhook resource",
    ),
    Form(
        "Teams webhooks",
        ("webhook.office.com/",),
        r"(?<=webhook\.office\.com/)[\w@/-]{20,300}",
        "Microsoft Teams: incoming webhooks",
    ),
    Form(
        "Discord",
        (),
        r"[MNO][A-Za-z\d][\w-]{21,27}\.[\w-]{6}\.[\w-]{27,40}(?![\w.-])",
        "Discord: authentication",
    ),
    Form(
        "Telegram",
        (":aa",),
        r"\d{8,10}:AA[\w-]{33}(?![\w-])|bot\d{8,10}:AA[\w-]{33}(?![\w-])",
        "Telegram: Bot API, authorizing your bot",
    ),
    Form(
        "Stripe",
        ("sk_", "rk_", "whsec_"),
        r"[rs]k_(?:live|test|prod)_[A-Za-z\d]{16,200}|whsec_[A-Za-z\d+/=]{20,100}",
        "Stripe: API keys",
    ),
    Form(
        "SendGrid",
        ("sg.",),
        r"SG\.[\w-]{16,40}\.[\w-]{30,80}",
        "SendGrid: API keys",
    ),
    Form(
        "Twilio",
        (),
        r"SK[a-f\d]{32}(?![A-Za-z\d])",
        "Twilio: API keys",
    ),
    Form(
        "Mailgun and Mailchimp",
        (),
        r"key-[a-f\d]{32}(?![A-Za-z\d])|[a-f\d]{32}-us\d{1,2}(?!\d)",
        "Mailgun and Mailchimp: API keys",
    ),
    Form(
        "HashiCorp Vault",
        ("hvs.", "hvb.", "hvr."),
        r"hv[bsr]\.[\w-]{20,400}"
        r"|(?<![./-])s\.(?=[A-Za-z\d]{0,23}\d)(?=[A-Za-z\d]{0,23}[A-Z])[A-Za-z\d]{24}(?![\w.])",
        "Vault: tokens",
    ),
    Form(
        "Terraform",
        (".atlasv1.",),
        r"[A-Za-z\d]{14}\.atlasv1\.[\w=-]{40,100}",
        "HCP Terraform: API tokens",
    ),
    Form(
        "Grafana",
        (),
        r"glsa_[A-Za-z\d]{20,60}_[a-f\d]{8}|glc_[A-Za-z\d+/=]{32,400}",
        "Grafana: service accounts",
    ),
    Form(
        "Postman, Shopify, New Relic, Pulumi",
        (),
        r"PMAK-[a-f\d]{24}-[a-f\d]{34}|shp(?:at|ca|pa|ss)_[a-fA-F\d]{32}|NRAK-[A-Z\d]{20,40}"
        r"|pul-[a-f\d]{40}",
        "their API references",
    ),
    Form(
        "Dynatrace, Sentry, Linear, Tailscale",
        ("sntrys_", "sntryu_", "tskey-"),
        r"dt0c01\.[A-Z\d]{24}\.[A-Z\d]{64}|sntry[su]_[\w+/=-]{40,400}|lin_api_[A-Za-z\d]{32,60}"
        r"|tskey-[a-z]{2,10}-[A-Za-z\d-]{16,80}",
        "their API references",
    ),
    Form(
        "Fly, Supabase, PlanetScale, Doppler, 1Password",
        ("fm2_", "pscale_", "dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit.", "ops_eyj"),
        r"fm2_[\w+/=-]{30,4000}|sbp_(?:v\d_)?[a-f\d]{40}|pscale_(?:pw|tkn|oauth)_[\w.=-]{30,100}"
        r"|dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z\d_-]{2,35}\.)?[A-Za-z\d]{40,50}|ops_eyJ[\w+/=-]{50,4000}",
        "their API references",
    ),
    Form(
        "Buildkite, CircleCI, Notion, Figma, RunPod",
        ("figd_",),
        r"bkua_[a-f\d]{40}|CCIPAT_[A-Za-z\d]{16,30}_[a-f\d]{40}|ntn_[A-Za-z\d]{40,60}|figd_[\w-]{30,60}"
        r"|rpa_[A-Z\d]{30,60}[A-Za-z\d]{0,20}",
        "their API references",
    ),
    Form(
        "Airtable, HubSpot, JFrog, Cloudflare",
        ("pat-na", "pat-eu", "pat-ap"),
        r"pat[A-Za-z\d]{14}\.[a-f\d]{64}|pat-(?:na|eu|ap)\d-[a-f\d]{8}(?:-[a-f\d]{4}){3}-[a-f\d]{12}"
        r"|AKCp[A-Za-z\d]{60,73}|cmVmdGtuOj[A-Za-z\d+/]{40,80}={0,2}|v1\.0-[a-f\d]{24}-[a-f\d]{146}",
        "their API references",
    ),
    Form(
        "SonarQube, Sourcegraph, ElevenLabs",
        (),
        r"sq[pua]_[a-f\d]{40}|sgp_(?:(?:[a-f\d]{16}|local)_)?[a-f\d]{40}|sk_[a-f\d]{48}(?![A-Za-z\d])",
        "their API references",
    ),
    Form(
        "Clojars, NuGet, Heroku, Square, Tavily, VK",
        ("hrku-aa", "eaaa", "vk1.a."),
        r"CLOJARS_[a-z\d]{60}|oy2[a-z\d]{43}(?![A-Za-z\d])|HRKU-AA[\w-]{50,70}|EAAA[\w-]{56,64}(?![\w-])"
        r"|tvly-(?:dev-)?[A-Za-z\d]{20,60}|vk1\.a\.[\w-]{60,300}",
        "their API references",
    ),
    Form(
        "Together, Nostr",
        ("tgp_v1_",),
        r"tgp_v1_[\w-]{40,60}|nsec1[a-z\d]{58}(?![a-z\d])",
        "their API references",
    ),
    *SERVICES,
    UNLISTED,
    Form(
        "Ceph",
        (),
        r"AQ[A-D][A-Za-z\d+/]{35}==",
        "ceph-authtool(8): a key of AES with its type, 28 bytes in Base64",
    ),
    Form(
        "age",
        ("age-secret-key-1", "age-plugin-"),
        r"AGE-(?:SECRET-KEY|PLUGIN-[A-Z\d]{1,20})-1[A-Z\d]{40,120}",
        "age: file format specification",
    ),
    Form(
        "MUNGE",
        ("munge:",),
        r"MUNGE:[A-Za-z\d+/=]{16,8000}:?",
        "munge(7)",
    ),
    Form(
        "JSON web tokens",
        ("eyj",),
        r"eyJ[\w-]{8,500}\.[\w-]{8,8000}(?:\.[\w-]{0,4000}){0,3}",
        "RFC 7519",
    ),
)
"""A form begins where no letter and no digit stands before it, unless its own pattern says otherwise."""

_BEGINS = r"(?:(?<![A-Za-z\d])|(?<=\\[abefnrtv0])|(?<=\\x[\da-f]{2})|(?<=\\0[0-3]\d)|(?<=#0[0-3]\d)|(?<=\^[A-Z]))"
"""Nothing of a word stands before it; the letter of an escape (``\\n``, syslog's ``#012``, ``^M``) is of no word."""
KEYS = regex(
    _BEGINS + "(?:" + "|".join(form.pattern for form in FORMS) + ")|" + "|".join(form.pattern for form in ELSEWHERE)
)
_MARKED = ask_for(mark for form in (*FORMS, *ELSEWHERE) for mark in form.marks)
_SHORTEST_SIGN = 35
SIGN = regex(r"\.[\w-]{6}\.[\w-]{27}")
"""The form that has no word of its own: bots of Discord."""


def has_form(text: str, words: int) -> bool:
    """May ``text``, of which ``held`` says ``words``, hold one of these forms?"""
    if words & _MARKED:
        return True
    if len(text) < RUN_CHARS:
        return False
    return RUN in runs(text) or (len(text) >= _SHORTEST_SIGN and SIGN.search(text) is not None)
