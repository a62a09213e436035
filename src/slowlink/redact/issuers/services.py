"""Tokens of more services: prefixes with hyphens, dots or tildes, and parts in hex or small letters.

Their shape alone is also that of a host, a digest or the name of a pod, so each is known by what its issuer puts
before it, and by its length. A run of characters of ``runs.RUN_CHARS`` is mark enough; others have a mark.
"""

from __future__ import annotations

from slowlink.redact.form import Form

_MIXED = r"(?=[\w-]{0,60}\d)(?=[\w-]{0,60}[a-z])(?=[\w-]{0,60}[A-Z])"
_UUID = r"[a-f\d]{8}(?:-[a-f\d]{4}){3}-[a-f\d]{12}"
_ENDS = r"(?![\w-])"

SERVICES = (
    Form(
        "OpenShift, K3s and RKE2, Rancher",
        ("sha256~",),
        rf"sha256~[\w-]{{43}}{_ENDS}|K10[a-f\d]{{64}}::[\w.-]{{1,80}}(?::[\w.-]{{1,200}})?"
        r"|kubeconfig-u(?:ser)?-[\w.-]{3,40}:[a-z\d]{54}(?![a-z\d])",
        "OpenShift: OAuth tokens; K3s: cluster tokens; Rancher: API keys",
    ),
    Form(
        "Grafana",
        ("eyjrijoi",),
        rf"eyJrIjoi[A-Za-z\d+/]{{60,400}}={{0,2}}{_ENDS}",
        "Grafana: API keys before service accounts, JSON in Base64 whose first member is the key",
    ),
    Form(
        "NATS",
        (),
        r"S[ACNOUX](?=[A-Z]{0,40}\d)[A-Z\d]{56}(?![A-Za-z\d])",
        "NATS: nkeys, a seed is S, its kind and 32 bytes with a sum in Base32",
    ),
    Form(
        "Fireworks, Jina, Modal, Voyage, Nomic, LlamaCloud, Cursor, Amazon Bedrock",
        (),
        rf"fw_{_MIXED}[A-Za-z\d]{{20,40}}{_ENDS}|jina_{_MIXED}[\w-]{{50,80}}{_ENDS}|a[ks]-{_MIXED}[A-Za-z\d]{{22}}{_ENDS}"
        rf"|(?:pa|nk)-{_MIXED}[\w-]{{43}}{_ENDS}|llx-{_MIXED}[\w-]{{40,60}}{_ENDS}|key_[a-f\d]{{64}}{_ENDS}"
        r"|bedrock-api-key-[A-Za-z\d+/]{40,8000}={0,2}",
        "their API references",
    ),
    Form(
        "Tencent, Alibaba, Yandex",
        ("sts.n",),
        rf"AKID{_MIXED}[A-Za-z\d]{{30,50}}{_ENDS}|STS\.N{_MIXED}[A-Za-z\d]{{18,40}}{_ENDS}"
        rf"|t1\.[\w-]{{20,400}}={{0,2}}\.[\w-]{{86}}={{0,2}}|AQVN{_MIXED}[\w-]{{35,40}}{_ENDS}",
        "Tencent Cloud: CAM; Alibaba Cloud: STS; Yandex Cloud: IAM tokens and API keys",
    ),
    Form(
        "Neon, Supabase, Prefect, Harness, Infracost, Honeycomb",
        ("sb_secret_",),
        rf"napi_[a-z\d]{{40,80}}{_ENDS}|sb_secret_[\w-]{{22}}_[\w-]{{8}}{_ENDS}|pn[ub]_[A-Za-z\d]{{36}}{_ENDS}"
        rf"|[ps]at\.[\w-]{{22}}\.[a-f\d]{{24}}\.[A-Za-z\d]{{20}}{_ENDS}|ico-[A-Za-z\d]{{32}}{_ENDS}"
        rf"|hc[abx][iml]k_[a-z\d]{{58}}{_ENDS}",
        "their API references",
    ),
    Form(
        "Infisical, Bitwarden, LaunchDarkly",
        ("api-", "sdk-"),
        rf"st\.(?:{_UUID}|[a-f\d]{{24}})\.[a-f\d]{{32}}\.[a-f\d]{{32}}|0\.{_UUID}\.[A-Za-z\d]{{30}}:[A-Za-z\d+/]{{22}}={{0,2}}"
        rf"|(?:api|sdk)-{_UUID}{_ENDS}",
        "Infisical: service tokens; Bitwarden: access tokens of machine accounts; LaunchDarkly: SDK keys",
    ),
    Form(
        "NVMe over Fabrics",
        ("dhhc-1:", "nvmetlskey-1:"),
        r"DHHC-1:0[0-3]:[A-Za-z\d+/]{40,120}={0,2}:?|NVMeTLSkey-1:0[0-2]:[A-Za-z\d+/]{40,120}={0,2}:?",
        "NVMe: in-band authentication and TLS, representation of secrets and of preshared keys",
    ),
    Form(
        "Fernet: OpenStack's Keystone, Airflow",
        ("gaaaaa",),
        # A version of 0x80, then eight bytes of a time: six of their characters stay the same until 2038.
        rf"gAAAAA[AB][\w-]{{40,8000}}={{0,2}}{_ENDS}",
        "Fernet: specification",
    ),
    Form(
        "Docker Swarm",
        ("swmtkn-",),
        rf"SWMTKN-\d-[a-z\d]{{40,60}}-[a-z\d]{{20,30}}{_ENDS}",
        "SwarmKit: join tokens, a digest of the root and a secret in base 36",
    ),
    Form(
        "Anaconda",
        ("an-",),
        rf"(?<![\w-])an-{_UUID}{_ENDS}",
        "anaconda.org: tokens of a channel",
    ),
    Form(
        "Okta and Asana",
        ("ssws",),
        r"(?<=SSWS )[\w-]{30,100}"
        rf"|[12]/\d{{8,20}}(?:/\d{{8,20}})?:[a-f\d]{{32}}{_ENDS}",
        "Okta: API tokens; Asana: personal access tokens",
    ),
    Form(
        "Brevo, Square, Flutterwave, Razorpay, Shippo, EasyPost, Duffel",
        ("sq0", "rzp_", "duffel_"),
        rf"x(?:keysib|smtpsib)-[a-f\d]{{64}}-[A-Za-z\d]{{16}}|sq0(?:atp|csp|idp)-[\w-]{{22,60}}{_ENDS}"
        rf"|FLWSECK(?:_TEST)?-[a-fA-F\d]{{12,40}}(?:-X)?{_ENDS}|rzp_(?:live|test)_[A-Za-z\d]{{14,24}}{_ENDS}"
        rf"|shippo_(?:live|test)_[a-f\d]{{40}}{_ENDS}|EZ[AT]K[A-Za-z\d]{{54}}{_ENDS}|duffel_(?:live|test)_[\w-]{{43}}{_ENDS}",
        "their API references",
    ),
    Form(
        "Typeform, Contentful, Dropbox, Facebook, ReadMe, Rootly",
        ("tfp_", "cfpat-"),
        rf"tfp_[\w.-]{{40,80}}|CFPAT-[\w-]{{40,60}}{_ENDS}|sl\.(?:u\.)?[\w-]{{100,2000}}|EAA[A-Za-z\d]{{80,400}}{_ENDS}"
        rf"|rdme_[a-z\d]{{70}}{_ENDS}|rootly_[a-f\d]{{64}}{_ENDS}",
        "their API references",
    ),
    Form(
        "Fly.io, Coder, Lambda, Backblaze, Opsgenie",
        ("fo1_", "fm1r_", "fm2_", "k00", "geniekey"),
        rf"fo1_[\w-]{{43}}{_ENDS}|fm(?:1[ar]|2)_[A-Za-z\d+/]{{40,4000}}={{0,2}}"
        rf"|(?<![\w-])(?=[\w-]{{0,40}}\d)[A-Za-z\d]{{10}}-(?=[A-Za-z]{{0,22}}\d){_MIXED}[A-Za-z\d]{{22}}{_ENDS}"
        rf"|secret_[A-Za-z\d-]{{1,60}}_[A-Za-z\d]{{32}}\.[A-Za-z\d]{{32}}{_ENDS}"
        rf"|K00\d[A-Za-z\d+/]{{27}}(?![A-Za-z\d+/=])|(?<=GenieKey ){_UUID}{_ENDS}",
        "their API references; Coder: an identifier of 10 and a secret of 22 characters",
    ),
    Form(
        "JSON web keys",
        ('"d"', '"k"', '"p"', '"q"', '"dp"', '"dq"', '"qi"'),
        r"(?:(?<=\"[dkpq]\":\")|(?<=\"[dkpq]\": \")|(?<=\"(?:dp|dq|qi)\":\")|(?<=\"(?:dp|dq|qi)\": \"))"
        r"(?=[\w-]{0,80}\d)(?=[\w-]{0,40}[a-z])(?=[\w-]{0,40}[A-Z])[\w-]{40,700}(?=\")",
        "RFC 7518, sections 6.2.2, 6.3.2 and 6.4: the private members",
    ),
    Form(
        "ngrok, Databento, Pinecone, Resend, Notion, MongoDB Atlas, JFrog",
        (),
        rf"[12][A-Za-z\d]{{26}}_{_MIXED}[A-Za-z\d]{{20,22}}{_ENDS}|db-{_MIXED}[A-Za-z\d]{{29}}{_ENDS}"
        rf"|pcsk_[A-Za-z\d]{{5,6}}_[A-Za-z\d]{{60,70}}{_ENDS}|re_[A-Za-z\d]{{8}}_[A-Za-z\d]{{24}}{_ENDS}"
        rf"|secret_{_MIXED}[A-Za-z\d]{{43}}{_ENDS}|mdb_sa_sk_[\w-]{{40}}{_ENDS}"
        r"|cmVmdGtu[A-Za-z\d+/]{48,90}={0,2}",
        "their API references; a reference token of JFrog is Base64 of 'reftkn'",
    ),
)
