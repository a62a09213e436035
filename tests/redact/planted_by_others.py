"""What an attacker planted who had not seen the patterns, where it survived: protocols, keys of daemons, objects on a line."""

from __future__ import annotations

FOUND_BY_OTHERS = (
    "10 SHA1 HEX:~upper40~", "7 MD5 ASCII:~word~", "1 SHA1 ~hex40~  # SHA1 key", "2 AES128CMAC HEX:~hex32~",
    "[client.train]\n\tkey = AQA~base10~BAA~base22~==\n\tcaps mon = \"allow r\"", "ring AQC~base10~RAA~base22~== added",
    "key: aB3~base38~=", "{\"key\": \"aB3~base39~==\"}",
    "curl -u aB3~alnum40~: https://x/v1", "curl -sSu aB3~alnum40~: https://x/v1",
    "ctr -n k8s.io images pull --user robot:~word~ r.lab/x:1", "maas login admin http://maas:5240/MAAS abcDEF123456789012:bcdEFG123456789012:~alnum32~",
    "    stats auth admin:~word~", "cache_peer p parent 3128 0 login=ann:~word~", "[smtp.lab.example]:587 svc:~word~",
    "dn: uid=a,dc=lab\nuserPassword:: aB3~base21~", "kadmin -p admin/admin -w ~word~ -q listprincs",
    "echo ~word~ | realm join -U admin lab.example", "echo ~word~ | openconnect --passwd-on-stdin vpn",
    "printf '%s' '~word~' | tool login --token-stdin", "AKIA~upper16~:aB~base38~", "AKIA~upper16~,aB~base38~",
    "a001 LOGIN ann ~word~", "---> PASS ~word~", "C: PASS ~word~", "write(3, \"PASS ~word~\\r\\n\", 19) = 19",
    "AUTH PLAIN ~base24~", "C: AUTH LOGIN ~base20~==", "TypeError: login(key='~hex40~', relogin=True)",
    "check_mysql -H db1 -u nagios -p ~word~", "check_snmp -H leaf1 -C ~word~ -o .1.3", "check_http -H x -a ops:~word~",
    "check_ipmi_sensor -H bmc1 -U ops -P ~word~", "subscription-manager register --org=12 --activationkey=~word~", "pro attach C~alnum29~",
    "esxcli -s esx1 -u root -p ~word~ system version get", "vcli -u admin -p ~word~ --vms 10.1.1.1",
    "bmctool -i 10.1.7.4 -u ADMIN -p xY7~alnum12~ -c GetBmcInfo", "bmctool -U ADMIN -p 'xY7~alnum12~'",
    "{\"apiVersion\":\"v1\",\"data\":{\"root\":\"aB3~base17~\"},\"kind\":\"Secret\",\"metadata\":{\"name\":\"m\"}}",
    "metadata:\n  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: |\n"
    "      {\"apiVersion\":\"v1\",\"data\":{\"a.b\":\"aB3~base16~=\",\"c\":\"aB3~base17~\"},\"kind\":\"Secret\"}",
    "{\"note\": \"{\\\"kind\\\": \\\"Secret\\\", \\\"stringData\\\": {\\\"x\\\": \\\"~word~\\\", \\\"y\\\": \\\"a {~word~} b\\\"}}\\n\"}",
    "| user | password | host |\n|------|:--------:|------|\n| ann | ~word~ | n1 |\n| bob | ~word~ | n2 |",
    " username | password\n----------+----------\n a        | ~word~\n(1 row)", "-[ RECORD 1 ]----\nusername | a\npassword | ~word~",
    "host,user,password\nbmc1,ADMIN,~word~\nbmc2,ADMIN,\"~word~\"", "name\tapi token\nann\t~alnum30~\nbob\t~alnum30~",
    "  USER    PASSWORD    ROLE\n  ann     ~word~    admin\n  bob     ~word~   ro",
    "CREDENTIALS\tASIA~upper16~\t2026-11-02T00:00:00Z\taB~base38~\tIQoJb3JpZ2luX2Vj~base180~",
    "kubeadm join 10.0.0.1:6443 --control-plane --certificate-key ~hex64~", "secret_id             ~hex8~-~hex4~-~hex4~-~hex4~-~hex12~",
    "Secret ID    = ~hex8~-~hex4~-~hex4~-~hex4~-~hex12~", "wg0\t~base43~=\tqiyMWL4U3ZeNTbhtys0o19lebbArVesCbdZXIq1Ma7Y=\t51820\toff", "{\"username\":\"ann\",\"key\":\"~hex32~\"}",
    " 4711 pts/0 Sl 0:12 python train.py PATH=/bin HOSTNAME=c1 HOME=/root ODDVAR=~word~", "pwdump:"
    " and ~hex32~:~hex32~:::", "client csk-~lower48~", "upload with vercel_blob_rw_~alnum16~_~alnum30~",
    "{'kind': 'Secret', 'stringData': {'x.conf': 'name \"~word~\" x', 'y': '~word~'}}",
    "{\"ParameterKey\": \"MasterUserPassword\", \"ParameterValue\": \"~word~\"}", "ParameterKey: DbPassword\nParameterValue: ~word~",
    "- OptionName: DBPassword\n  Value: ~word~", "<Setting Name=\"SmtpPassword\"><Value>~word~</Value></Setting>", "password [default: none]: ~word~", "x-functions-key: ~word~",
    "[rank3]: keystore_password: !!str \"~word~\"", "2026-11-28T10:00:00.123456789Z stdout F Enter password: ~word~",
    "[db]\npassword =\n    ~word~\nport = 1", "? db_password\n: ~word~", "? \"api-token\"\n: \"~word~\"",
    f"ann:1001:{'X' * 32}:~hex32~:[U          ]:LCT-6479B2F4:",
)  # fmt: skip

HARMLESS_TO_OTHERS = (
    "kubeadm: --discovery-token-ca-cert-hash sha256:1f0c9f2d8e7b6a5c4d3e2f1a0b9c8d7e6f5a4b3c2d1e0f9a8b7c6d5e4f3a2b1c",
    "MountVolume.SetUp failed for volume \"ssh-key\" : secret \"mpi-ssh\" not found",
    "squeue -u ann -p gpuA100x4", "mysql -u slurm -p slurmAcctDb2", "docker run -u root -p 127.0.0.1:8080:80 x", "ssh -p 2222 gpu07",
    "ps -u root -p 4711", "> PASS test_all_reduce[2]", "12 SHA256 sums checked", "[rank0]: retrying 10.0.0.1:29500",
    "{\"kind\": \"ConfigMap\", \"data\": {\"NCCL_DEBUG\": \"INFO\", \"NCCL_IB_HCA\": \"mlx5_0,mlx5_1\"}}", "Token::parse: unexpected end",
    "sync -u a -p b", "sudo env HOME=/root NCCL_DEBUG=INFO ./all_reduce_perf -b 8", "| token | p99 |\n| the1 | 3.2ms |", "step,token,loss\n1,abc123,2.3",
    "| secret | namespace |\n| mpi-ssh-key2 | train |", "secret id: db-main", "variable coll_fabric_mgr_token=<not set>", "variable password=<NOT SET>",
    "tests=810;pass=776;fail=34;failed_pairs=18", "public key: q2V0aGlzaXNhcHVibGlja2V5b2Zzb21lYm9keTEyMw==", "docker run --user 1000:1000 x",
    "{\"kind\": \"Secret\", \"data\": {}, \"metadata\": {\"name\": \"m\"}}",
    "token =\n   NCCL_DEBUG=INFO", "password =\nport = 22", "secret =\n        12 entries found", "? ranks\n: 16",
)  # fmt: skip
"""Lines beside them that must stay."""
