"""Secrets in the sources, settings and tickets of others, which lie beside logs."""

from __future__ import annotations

IN_SOURCES = (
    "$cfg{'db_password'} = '~word~';", "$cfg{db_password} = '~word~';", "$cfg->{\"password\"} = \"~word~\";",
    "$ENV{PGPASSWORD}=\"~word~\"", "ENV{DB_PASSWORD} = '~word~'", "config['db']['password']['prod'] = '~word~'",
    "char password[32] = \"~word~\";", "static char password[] = \"~word~\";", "var password string = \"~word~\"",
    "string Password { get; set; } = \"~word~\";", "{password, \"~word~\"}.", "{password, <<\"~word~\">>}", "(password . \"~word~\")",
    "**Password:** `~word~`", "**Password**: ~word~", "<tr><td>password</td><td>~word~</td></tr>",
    "<th>API token:</th><td class=\"x\"><b>~alnum20~</b></td>", "<input type=\"password\" name=\"p\" value=\"~word~\">",
    "password,~word~", "\"db_password\";\"~word~\";",
)  # fmt: skip

HARMLESS_IN_SOURCES = (
    "<tr><th>token</th><th>latency_p99</th></tr>", "<td>Token</td><td>p99 12ms</td>", "<td>secret</td><td>unchanged</td>",
    "token,throughput", "secret,mpi_operator", "char key[32] = \"ring\";", "{tokens, \"4096\"}", "(key . \"ring\")",
    "<input type=\"text\" value=\"mlx5_0\">", "**Key:** `NCCL_IB_HCA`", "pad_token { get; } = \"x\"",
)  # fmt: skip
"""Lines beside them that must stay."""
