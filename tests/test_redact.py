"""Secrets never survive, numbers always do, and how the text was cut makes no difference."""

from __future__ import annotations

import json
import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slowlink.model.plan import Plan, PlannedFile
from slowlink.redact import Redaction, Redactor, environment_for_bundle
from slowlink.redact.pieces import LONGEST_LINE_CHARS
from slowlink.simulate.job import SimulatedJob, job_log
from slowlink.simulate.nccl_log_output import VERSIONS, LoggedCluster, nccl_log
from slowlink.simulate.nccl_tests_output import LAYOUTS, Measured, Node, Run, Step, render

unhurried = settings(deadline=None, max_examples=60)
"""No time limit: this machine may be busy."""

SECRET = "Zq7Xw9KfT2mN4bVc8RyL"
KEY_LINE = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDK" + SECRET


def redacted(text: str) -> str:
    redactor = Redactor()
    return redactor.feed(text) + redactor.finish()


SHAPES = [
    "HF_TOKEN={}",
    "export HF_TOKEN={}",
    "export DB_PASSWORD='{}'",
    'API_KEY="{}" ./run.sh',
    "mpirun -np 2 -x WANDB_API_KEY={} ./all_reduce_perf -b 8",
    "srun --export=ALL,REGISTRY_AUTH={} hostname",
    "tool --password {} --size 8",
    "tool --api-key={} --size 8",
    "tool --auth-token '{}'",
    "sshpass -p {} ssh node1",
    'curl -H "Authorization: Bearer {}" host',
    "Authorization: Basic {}",
    "X-Api-Key: {}",
    "Cookie: session={}",
    "sent bearer {} to the server",
    "git clone https://user:{}@example.org/x.git",
    "git clone https://{}@example.org/x.git",
    "curl -u admin:{} http://example.org",
    "https://example.org/blob?sv=1&sig={}&x=1",
    '{{"token": "{}", "n": 1}}',
    '{{"args": ["--token", "{}", "-b", "8"]}}',
    '{{"args": ["--secret={}", "-b", "8"]}}',
    '"log": "{{\\"password\\": \\"{}\\"}}"',
    '{{"name": "S3_SECRET", "value": "{}"}}',
    "password: {}",
    "client_secret = {}",
    "AccountKey={};EndpointSuffix=x",
    "Server=x;Uid=u;Pwd={};",
    "AKIA{}",
    "ghp_{}abcd",
    "github_pat_{}_x",
    "glpat-{}",
    "hf_{}",
    "xoxb-123-{}",
    "nvapi-{}",
    "sk-proj-{}",
    "eyJhbGciOiJI.{}.abc",
    "ya29.{}",
    "node1: HF_TOKEN={}",
    "[1,0]<stdout>:HF_TOKEN={}",
    "node1:12:12 [0] NCCL INFO password={}",
]


@pytest.mark.parametrize("shape", SHAPES)
def test_a_secret_of_any_shape_is_taken_out(shape: str) -> None:
    secret = SECRET.upper() if shape.startswith("AKIA") else SECRET
    out = redacted(shape.format(secret) + "\nnext 1 2 3\n")
    assert secret not in out
    assert "<redacted:" in out
    assert out.endswith("\nnext 1 2 3\n")


BLOCKS = [
    f"-----BEGIN OPENSSH PRIVATE KEY-----\n{KEY_LINE}\n{KEY_LINE}\nab==\n-----END OPENSSH PRIVATE KEY-----\n",
    f"node1: -----BEGIN PRIVATE KEY-----\nnode1: {KEY_LINE}\nnode1: -----END PRIVATE KEY-----\n",
    f'"key": "-----BEGIN RSA PRIVATE KEY-----\\n{KEY_LINE}\\n-----END RSA PRIVATE KEY-----\\n",\n',
    f'{{"env": ["HOME=/root", "MY_THING={SECRET}", "NCCL_DEBUG=INFO"], "results": []}}\n',
    f'  "env": [\n    "HOME=/root",\n    "X=a {SECRET}\nmore {SECRET}",\n    "B={SECRET}"\n  ],\n',
    f'[1,0]<stdout>: "env": [\n[1,0]<stdout>:   "MY_THING={SECRET}",\n[1,0]<stdout>: ],\n',
    f"PATH=/bin\nHOME=/root\nMY_THING={SECRET}\n",
    f'declare -x HOME="/root"\ndeclare -x MY_THING="{SECRET}"\n',
    f"- name: REGISTRY_TOKEN\n  value: {SECRET}\n",
    f'        "name": "REGISTRY_TOKEN",\n        "value": "{SECRET}"\n',
    f'[{{"name": "A"}}, {{"name": "A_KEY", "value": "{SECRET}"}}, {{"name": "B_KEY", "value": "{SECRET}"}}]\n',
    f"stringData:\n  anything: {SECRET}\n  block: |\n    {SECRET}\n",
    f"data:\n  anything: {SECRET}\nkind: Secret\n",
]


@pytest.mark.parametrize("block", BLOCKS)
def test_a_secret_over_several_lines_is_taken_out(block: str) -> None:
    out = redacted(f"before\n{block}after 1 2 3\n")
    assert SECRET not in out
    assert out.startswith("before\n")
    assert out.endswith("after 1 2 3\n")


def test_what_nccl_logs_between_the_lines_of_a_key_is_kept() -> None:
    out = redacted(f"-----BEGIN PRIVATE KEY-----\n{KEY_LINE}\nn1:1:1 [0] NCCL INFO hello\n{KEY_LINE}\n")
    assert out == "<redacted:private-key>\nn1:1:1 [0] NCCL INFO hello\n"


def test_of_a_whole_environment_only_what_matters_is_left_and_the_document_stays_one() -> None:
    document = {
        "args": ["all_reduce_perf", "-b", "8"],
        "env": ["HOME=/root", "NCCL_DEBUG=INFO", "OMPI_MCA_btl=tcp", "NCCL_API_KEY=abc", 'PS1=\\u "x" ]'],
        "results": [{"size": 8, "out_of_place": {"time": 1.5}}],
    }
    removed: Counter[str] = Counter()
    for indent in (None, 1):
        redactor = Redactor(removed)
        out = json.loads(redactor.feed(json.dumps(document, indent=indent)) + redactor.finish())
        assert out == {
            **document,
            "env": ["<redacted:environment>", "NCCL_DEBUG=INFO", "OMPI_MCA_btl=tcp"] + ["<redacted:environment>"] * 2,
        }
    assert removed == {"environment": 6}


def test_kubernetes_environments_are_not_taken_for_whole_ones() -> None:
    text = '"env": [\n  {\n    "name": "NCCL_DEBUG",\n    "value": "INFO"\n  }\n],\n"image": "x"\n'
    assert redacted(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "node1:12:12 [0] NCCL INFO NCCL_IB_PKEY set by environment to 3.\n",
        "node1:12:12 [0] NCCL INFO ncclCommSplit comm 0x55 rank 0 color 1 key 3 - Init COMPLETE\n",
        "NET/IB : req 1/2 tag 7 peer 10.0.0.1<4711> rkey 0x1000 lkey=0x2000\n",
        "throughput: 5123 tokens/s, tokens per second: 5123, num_tokens=4096, max_tokens: 2048\n",
        "OMPI_MCA_hnp_uri=1.0;tcp://10.0.0.1:4711\n",
        "HF_TOKEN=$HF_TOKEN --password ${PASSWORD} token: null auth=true\n",
        "docker run -u 1000:1000 curl\n",
        "secretName: registry\n",
        "std::token::x data: 5\n",
    ],
)
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    assert redacted(text) == text


times = st.floats(1.0, 1e7)
steps = st.builds(
    Step,
    st.integers(0, 1 << 36),
    st.builds(Measured, times, st.none() | st.integers(0, 9)),
    st.none() | st.builds(Measured, times, st.none() | st.integers(0, 9)),
)


@unhurried
@given(st.lists(steps, max_size=8), st.sampled_from(sorted(LAYOUTS)), st.sampled_from(["all_reduce", "alltoall"]))
def test_tables_pass_unchanged(steps_: list[Step], layout: str, collective: str) -> None:
    text = "\n".join(render(Run(collective, (Node("node01", 4711, 8),), tuple(steps_)), layout)) + "\n"
    assert redacted(text) == text


@pytest.mark.parametrize("version", VERSIONS)
def test_logs_pass_unchanged(version: str) -> None:
    text = nccl_log(LoggedCluster(version=version, env={"NCCL_IB_HCA": "mlx5"}))
    assert redacted(text) == text


def test_whole_jobs_pass_unchanged() -> None:
    for prefix in ("", "mpirun --tag-output", "srun -l"):
        text = job_log(SimulatedJob(prefix=prefix))
        assert redacted(text) == text


pieces = st.sampled_from(
    [shape.format(SECRET) for shape in SHAPES]
    + [line for block in BLOCKS for line in block.splitlines(keepends=True)]
    + [
        "\n",
        " ",
        '"',
        "'",
        "\\",
        "token",
        "=",
        ": ",
        "--password ",
        "]",
        "{",
        "<redacted:token>",
        "-----BEGIN PRIVATE KEY-----",
    ]
)
texts = st.lists(pieces | st.text(max_size=12), max_size=12).map("".join)


@unhurried
@given(texts, st.lists(st.integers(1, 40), min_size=1, max_size=8))
def test_how_the_text_is_cut_makes_no_difference(text: str, lengths: list[int]) -> None:
    redactor = Redactor()
    out, at, turn = "", 0, 0
    while at < len(text):
        length = lengths[turn % len(lengths)]
        out += redactor.feed(text[at : at + length])
        at, turn = at + length, turn + 1
    assert out + redactor.finish() == redacted(text)


@unhurried
@given(texts)
def test_twice_is_as_good_as_once(text: str) -> None:
    once = redacted(text)
    assert redacted(once) == once


@unhurried
@given(
    st.sampled_from(SHAPES[:-13]),
    st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=20, max_size=60),
)
def test_any_secret_behind_a_name_is_taken_out(shape: str, secret: str) -> None:
    if re.search(r"\d", secret) and secret not in shape:
        assert secret not in redacted(shape.format(secret) + "\n")


def test_lines_without_end_are_bounded_and_cut_the_same_way_however_they_come() -> None:
    text = ("word " * 400 + f"TOKEN={SECRET} ") * (LONGEST_LINE_CHARS // 1900)
    assert len(text) > LONGEST_LINE_CHARS
    redactor = Redactor()
    out = "".join(redactor.feed(text[at : at + 300_007]) for at in range(0, len(text), 300_007)) + redactor.finish()
    assert out == redacted(text)
    assert SECRET not in out


def test_the_environment_of_a_bundle_is_an_allow_list() -> None:
    environ = {
        "NCCL_DEBUG": "INFO",
        "SLURM_JOB_NODELIST": "n[1-2]",
        "CUDA_VISIBLE_DEVICES": "0",
        "OMPI_MCA_pml": "ucx",
        "OMPI_MCA_orte_precondition_transports": SECRET,
        "NCCL_SECRET": SECRET,
        "HOME": "/root",
        "WHATEVER": SECRET,
    }
    kept = environment_for_bundle(environ)
    assert kept == {
        "CUDA_VISIBLE_DEVICES": "0",
        "NCCL_DEBUG": "INFO",
        "OMPI_MCA_pml": "ucx",
        "SLURM_JOB_NODELIST": "n[1-2]",
    }
    redaction = Redaction()
    assert redaction.environment(environ) == kept
    assert redaction.removed == {"environment": 4}


def test_command_lines_and_plans_hold_no_secrets() -> None:
    plan = Plan(
        "ssh",
        ("run", "--password", "a b " + SECRET, f"TOKEN=x {SECRET}", "--token", "--np", "4"),
        env={"NCCL_DEBUG": "INFO", "OTHER": SECRET},
        files=(PlannedFile("job.sh", f"export HF_TOKEN={SECRET}\n"),),
        stdin=f"password: {SECRET}\n",
    )
    clean = Redaction().plan(plan)
    assert SECRET not in repr(clean)
    assert clean.argv == ("run", "--password", "<redacted:password>", "TOKEN=<redacted:token>", "--token", "--np", "4")
    assert clean.env == {"NCCL_DEBUG": "INFO", "OTHER": "<redacted:environment>"}
