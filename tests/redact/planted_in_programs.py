"""Secrets in the sources of programs, in statements, plans, workflows and installers: where a name and its value are kept
apart by other signs than ``=`` and ``:``."""

from __future__ import annotations

IN_PROGRAMS = (
    "process.env.SESSION_SECRET ||= \"~word~\";", "db_password ??= '~word~'", "if password != '~word~':", "PASSWORD !== \"~word~\"",
    "api_key <- \"~word~\"", "my.password <- '~word~'", "const t = process.env.API_TOKEN || \"~word~\"", "t = env.apiToken ?? '~word~'",
    "token = ENV['API_TOKEN'] || '~word~'", "std::string password{\"~word~\"};", "secret_key{'~word~'}", "client.setPassword(\"~word~\");",
    "b.with_token('~word~').build()", "local secret_key <const> = [[~word~]]", "local api_key <const> = '~word~'", "config = {\n  password =>\n    '~word~'\n}",
    "mpiexec -genv API_TOKEN ~word~ -n 4 ./a", "mpirun -env DB_PASSWORD ~word~ -n 2 ./a", "d-i passwd/user-password-again password ~word~",
    "bindpw aQ7Z-~lower6~?", "masterauth aQ7Z#~lower9~", "requirepass aQ7Z!~lower9~@x",
    "  ~ db_password = \"~word~\" -> \"~word~\"", "      + \"api_token\" = null -> \"~word~\"", "-password: '~word~' => '~word~'",
    "INSERT INTO users (name, password, age) VALUES ('ann', '~word~', 3), ('bob', '~word~', 4);", "insert into t(`api_token`,b) values('~word~',now());",
    "CREATE ROLE ann LOGIN PASSWORD '~word~';", "ALTER USER ann WITH ENCRYPTED PASSWORD '~word~'", "psql -c \"alter role ann password '~word~'\"",
    "::add-mask::~alnum24~", "::set-output name=token::~word~", "::save-state name=deployPassword::~word~",
    "channels:\n  - https://conda.lab.example/t/ab-~alnum20~/main", "GET https://conda.lab.example/t/aB3~alnum30~/linux-64/repodata.json",
    "fs.azure.account.key.lab.blob.core.windows.net=~base80~==", "<name>fs.azure.account.key.lab.dfs.core.windows.net</name>\n<value>~base80~==</value>",
    "stringData: {blob: \"~word~\", other: ~word~}", "data: {blob: YWJj~base19~=, x: 'YWJj~base19~='}",
    "A temporary password is generated for root@localhost: aQ7Z~alnum8~", "Generated password for the administrator: aQ7Z~alnum12~",
    "the password for user ann is aQ7Z!~alnum6~", "gh secret set DEPLOY_KEY --body \"~word~\"", "gh secret set X -b~word~", "nsupdate -y hmac-sha256:k:~base43~=", "dig @ns1 -y k:~base43~= lab.example axfr", "influx config create -n a -u http://x -o o -t ~word~",
    "password [string]: ~word~", "Passphrase (will not be shown): ~word~", "restic --password-command 'echo ~word~' backup",
    "password_pbkdf2 root grub.pbkdf2.sha512.10000.~upper32~.~upper32~".replace("~upper32~", "AB~digits30~"),
)  # fmt: skip
"""Each of them survived once."""

HARMLESS_IN_PROGRAMS = (
    "password: (not set)", "passwd: all authentication tokens updated successfully.", "yum install -y dig", "token: (read from the file)", "passphrase (empty for none): yes", "gh secret list", "rank 3: token != expected", "elif token != _MINUS:", "token (rank): 17",
    "getPassword(\"db-1\")", "store.getSecret('lab-7')", "password authentication failed for user: Root1", "token for rank 3 is 17",
    "data: {NCCL_DEBUG: INFO, algo: Ring}", "{\"data\": {\"algo\": \"RingRing\"}}", "::set-output name=version::2.27.3", "::group::Run tests",
    "https://files.lab.example/t/releases-2026-11/x.tar", "INSERT INTO runs (rank, key, busbw) VALUES (1, 'rank0', 38.1);", "provide a token or 'key'",
    "  ~ max_tokens = \"4096\" -> \"8192\"", "token (or 'key') required", "#wrong values: 0", "fs.s3a.token.renewer.svc.lab.example: 12",
    "Failed password for root from 10.0.0.7 port 5022 ssh2", "-genv NCCL_DEBUG INFO -env I_MPI_PIN 1",
)  # fmt: skip
"""Lines beside them that must stay."""
