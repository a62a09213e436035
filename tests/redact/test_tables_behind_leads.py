"""Columns under a secret's name are cut whatever stands before each line of their table; other tables stay."""

from __future__ import annotations

import random

import pytest

from redact.test_leads import LEADS, behind
from redact.test_planted import redacted

SECRETS = ("vzj60WCkqpBvf", "Kx9Q2mVt7LrPz")
ROWS = (("node01", "admin", SECRETS[0]), ("node02", "admin", SECRETS[1]))


def _table(heading: str, rule: str, row: str) -> str:
    return "\n".join(part for part in (heading, rule, *(row.format(*cells) for cells in ROWS)) if part)


TABLES = {
    "psql": _table("  host  | bmc_user | bmc_password", "--------+----------+--------------", " {} | {}    | {}"),
    "psql, boxed": _table(
        "| host   | bmc_user | bmc_password  |", "+--------+----------+---------------+", "| {} | {}    | {} |"
    ),
    "psql, unaligned": _table("host|bmc_user|bmc_password", "", "{}|{}|{}"),
    "Markdown": _table("| host | bmc_user | bmc_password |", "|---|:---:|---|", "| {} | {} | `{}` |"),
    "Markdown without bars around": _table("host | bmc_user | bmc_password", "--- | --- | ---", "{} | {} | {}"),
    "CSV": _table("host,bmc_user,bmc_password", "", "{},{},{}"),
    "CSV in quotes": _table('"host";"bmc_user";"bmc_password"', "", '"{}";"{}";"{}"'),
    "CSV, two words": _table("Node name,user,BMC password", "", "{},{},{}"),
    "CSV, secret first": _table("bmc_password,user,host", "", "{2},{1},{0}"),
    "tabs": _table("host\tbmc_user\tbmc_password", "", "{}\t{}\t{}"),
    "columns": _table("HOST    USER   PASSWORD", "", "{}  {}  {}"),
    "columns, to the right": _table("    HOST   USER       PASSWORD", "", "  {}  {}  {}"),
}
MORE_LEADS = {
    lead: lambda at, lead=lead: lead.format(at=at % 10, line=at + 8)
    for lead in (
        *("[rank3]: ", "3: ", "[1,3]<stdout>: ", "gpu03 ", "gpu03-ib0.cluster.local: ", "stdout: ", "srun: ", "  ", "\t"),
        *("2026-11-28 10:00:0{at},123 INFO root - ", "2026-11-28 10:00:0{at},123 INFO [worker] ", "pod/train-0 ", "- "),
        *("train-0 main ", "<stderr>[3] ", "(WorkerGroup pid=1) ", "gpu03 | SUCCESS | rc=0 >> ", "ada@gpu03:~$ "),
        *("[2026-11-28T09:00:0{at}Z] [gpu03] ", "[gpu03:00123] ", "conf/bmc.csv-{line}-", "bmc.csv:{line}:"),
        *("#12 {at}.127 ", "[ {line}.12345{at}] ", '10.0.0.1 - - [28/Nov/2026:10:00:0{at} +0000] ', "> > ", "| "),
    )
}  # fmt: skip
ALL_LEADS = LEADS | MORE_LEADS


@pytest.mark.parametrize("lead", sorted(ALL_LEADS))
def test_no_secret_of_a_table_survives_behind_a_lead(lead: str) -> None:
    surviving = []
    for name, table in TABLES.items():
        given = behind(ALL_LEADS[lead], f"{table}\nok step 3")
        expected = given
        for secret in SECRETS:
            expected = expected.replace(secret, "<redacted:password>")
        out = redacted(given)
        if out != expected or redacted(out) != out or redacted(given, 3, 40, 1, 25) != out:
            surviving.append((name, out))
    assert surviving == []


PAIRS = (
    ("gpu03: ", "gpu04: "),
    ("[default3]:", "[default4]:"),
    ("[rank3]: ", "[rank4]: "),
    ("train-0 main ", "train-1 main "),
    ("pod/train-0 ", "pod/train-1 "),
    ("a.csv:12:", "b.csv:12:"),
    ("2026-11-28 10:00:00,123 INFO root - ", "2026-11-28 10:00:00,123 INFO other - "),
    ("trainer-1  | ", "trainer-2  | "),
    ("gpu03 ", "gpu04 "),
    ("> ", "gpu04: "),
)
LOG = "node:1:2 [0] NCCL INFO Channel 00/16 : 0 1\nx, y, z\nstep 3, loss 2.3, lr 0.1\n\ndone"


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_no_secret_of_a_table_survives_between_lines_of_others(first: str, second: str) -> None:
    source = random.Random(17)
    surviving = []
    for name, table in TABLES.items():
        for other_name, other in (*TABLES.items(), ("log", LOG)):
            rows = [[first + line for line in table.split("\n")], [second + line for line in other.split("\n")]]
            lines: list[str] = []
            while any(rows):
                lines.append(source.choice([row for row in rows if row]).pop(0) + "\n")
            out = redacted("".join(lines))
            if any(secret in out for secret in SECRETS) or redacted(out) != out:
                surviving.append((name, other_name, out))
    assert surviving == []


HARMLESS = (
    "index, name, uuid, utilization.gpu [%]\n0, NVIDIA H100 80GB HBM3, GPU-5f3c0a1e-0d4b-4c2a-9b1f-2f7e6c1d8a90, 97 %",
    "#       size         count      type   redop    root     time   algbw   busbw #wrong\n"
    "     1048576        262144     float     sum      -1    36.53   28.70   53.82      0",
    "step,token_count,tokens_per_s\n100,524288,51234.5\n200,1048576,51277.1",
    "step | pad_token | token_count\n-----+-----------+------------\n   1 | <pad>     | 4096abc17",
    "JobID|JobName|State|ExitCode\n4711|train|COMPLETED|0:0\n4711.batch|batch|COMPLETED|0:0",
    "NAME                TYPE     DATA   AGE\ndb-password         Opaque   1      12d\nregcred-token       Opaque   1      3d",
    "| rank | token | host |\n|---|---|---|\n| 3 | 17 | gpu-node-01.rack7 |",
    "node  token  p99_latency\ngpu01  rank0:node01  17.25ms",
    "user, password, host\nwere asked for; gpu01 said that mlx5_0, mlx5_1 and mlx5_2 are up",
    "enable secret\nsk-cluster-gpu-node-a100-0001",
    "password, host\n100,200,300\nNCCL INFO comm 0x55d0c8a1f2e0 rank 0 nranks 16 cudaDev 0 busId 17000",
)


@pytest.mark.parametrize("lead", sorted(ALL_LEADS))
def test_harmless_tables_stay_behind_a_lead(lead: str) -> None:
    given = [behind(ALL_LEADS[lead], text) for text in (*HARMLESS, "\n".join(HARMLESS))]
    assert [(text, out) for text in given if (out := redacted(text)) != text] == []


def test_the_name_of_a_file_that_reads_as_part_of_a_heading_hides_nothing() -> None:
    lead = lambda at: f"bmc.csv-{at + 8}-"  # noqa: E731
    outs = [redacted(behind(lead, table)) for table in TABLES.values()]
    assert [out for out in outs if any(secret in out for secret in SECRETS)] == []


def test_one_table_may_stand_below_another_s_heading_and_a_line_of_log_ends_one() -> None:
    text = "gpu03: host,bmc_password\ngpu03: n1,vzj60WCkqpBvf\ngpu03: step 3 is done\ngpu03: n1,vzj60WCkqpBvf\n"
    assert redacted(text) == text.replace("vzj60WCkqpBvf", "<redacted:password>", 1)


def test_a_service_that_says_the_name_of_a_secret_heads_no_table() -> None:
    text = "trainer-1  | password\ntrainer-1  | abc12345xyz67\n"
    assert redacted(text) == text


def test_an_environment_behind_a_pod_goes() -> None:
    text = "pod/train-0 ODD=Quartz-Velvet\npod/train-0 HOME=/root\npod/train-0 OTHER=Quartz-Velvet\n"
    hidden = "pod/train-0 {}=<redacted:environment>\n"
    assert redacted(text) == "".join(map(hidden.format, ("ODD", "HOME", "OTHER")))


def test_switches_of_a_kernel_stay_beside_the_working_directory() -> None:
    text = "PWD=/scratch/run7\npassthrough=on iommu=pt\npassthrough=on\n"
    assert redacted(text) == text
    for value in ("Quartz-Velvet", "on other=Quartz7Velvet", "/home/ada/run", "on and more"):
        assert redacted(f"PWD=/scratch/run7\nodd={value}\n").endswith("odd=<redacted:environment>\n")
