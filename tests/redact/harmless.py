"""Lines that diagnosis needs, and that look like secrets to whoever looks at words alone. All of them must stay."""

from __future__ import annotations

from redact.planted_by_others import HARMLESS_TO_OTHERS
from redact.planted_in_configurations import HARMLESS_IN_CONFIGURATIONS
from redact.planted_in_programs import HARMLESS_IN_PROGRAMS
from redact.planted_in_sources import HARMLESS_IN_SOURCES

SETTINGS = (
    "I_MPI_PIN=1", "I_MPI_PIN=yes", "P_KEY=0x8001", "Q_KEY: 0x80010000", "pkey: 0xffff", "pkey=0x7fff", "pkeys[0]: 0xffff",
    "PKEY_INDEX=0", "NCCL_IB_PKEY=3", "UCX_IB_PKEY=0xffff", "qkey 0x11111111", "M_KEY=0x0000000000000000", "L_KEY: 0x1ff",
    "R_KEY=0x2ff", "rkey: 0x1000 lkey: 0x2000", "MKey:...........................0x0000000000000000", "key 3 color 1",
    "CPU_PIN=0-3", "OMP_PLACES=cores", "GPU_PIN=0,1,2,3", "authentication method: munge", "AuthType = auth/munge",
    "AuthInfo=(null)", "CredType = cred/munge", "auth=true", "PasswordAuthentication no", "PubkeyAuthentication yes",
    "password: no", "token: null", "secret: none", "password: ********", "HF_TOKEN=$HF_TOKEN", "--password ${PASSWORD}",
    "passthrough", "iommu=pt passthrough=1", "iommu.passthrough=1", "pass: 12 fail: 0", "PASS: all_reduce_perf", "passed=8",
    "keyboard: evdev", "keyboard=us", "monkey=banana", "hotkey: F1", "primary_key=id", "sort_key: busbw", "foreign_key=node_id",
    "hash_key=rank", "public_key=/etc/ssh/x.pub", "key_type: rsa", "token_type: bearer", "secretName: registry",
    "tokenizer=gpt2", "tokenizer: /models/llama", "compass=north", "bypass=1", "bypass: 0", "surpass: 3", "SLURM_CPUS_PER_TASK=8",
    "use_auth_token=False", "password_file=/run/secrets/db", "token_file: /var/run/token", "PASSWORD_FILE=/run/secrets/db",
    "credential_helper: store", "secret_ref: registry", "auth_method=munge", "api_key_required: true", "password_prompt=false",
    "session_id=17", "pwd=/root/nccl-tests", "SALT_LEN=8", "cookie_count: 4",
)  # fmt: skip

TRAINING = (
    "pad_token=0", "max_token=4096", "max_tokens: 2048", "num_tokens=4096", "eos_token_id=2", "eos_token=</s>",
    "bos_token: <|endoftext|>", "pad_token: <pad>", "unk_token='[UNK]'", "tokens per second: 5123", "tokens/s: 51234.5",
    "throughput: 5123 tokens/s", "tokens_per_sec=9123.2", "token_count: 12345", "total_tokens: 8388608", "tokens: 1048576",
    "consumed tokens: 4.2B", "loss 2.31 | tokens 524288", "n_tokens = 128", "prompt_tokens: 33, completion_tokens: 77",
    "| tokens per gpu per second (tgs): 3914.1", "token throughput: 1.2e6", "mask_token=4", "sep_token: [SEP]", "new_token=7",
    "max_new_tokens=128", "token budget: 4096", "tokens_seen=1.3e9", "tokens: 3.2M", "token: 17", "step 12 token=4096",
    "key 'default_pg/0//cuda//0'", "store key: default_pg/0//cuda//0", "keys: ['rank0', 'rank1']", "key=store_based_barrier_key:1",
)  # fmt: skip

FABRIC = (
    "Port GUID: 0x506b4b0300a1b2c4", "node_guid: 506b:4b03:00a1:b2c4", "sys_image_guid=0x506b4b0300a1b2c4", "LID: 0x2a",
    "base lid: 42", "SMlid: 1", "GID[0]: fe80:0000:0000:0000:506b:4b03:00a1:b2c4", "fe80::506b:4bff:fea1:b2c4",
    "hca_id: mlx5_0", "Partition key 0xffff", "P_Key table: 0x7fff 0x8001", "Q_Key violations: 0", "pkey_violations=0",
    "PKeyViolations:..................0", "MKeyViolations:..................0", "QKeyViolations:..................0",
    "qp 0x1a4 rkey 0x1fff02 vaddr 0x7f3a10000000", "local address: LID 0x01 QPN 0x0127 PSN 0xb2c3d4 RKey 0x17ff00 VAddr 0x007f1c2a3000",
    "remote address: LID 0x02 QPN 0x0123 PSN 0x1f2e3d RKey 0x17fe00 VAddr 0x007f1c2b3000", "0000:17:00.0", "00000000:CA:00.0",
    "/sys/devices/pci0000:16/0000:16:01.0/0000:17:00.0/infiniband/mlx5_0/ports/1/state", "GPU-5f3c0a1e-0d4b-4c2a-9b1f-2f7e6c1d8a90",
    "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-5f3c0a1e-0d4b-4c2a-9b1f-2f7e6c1d8a90)", "MIG-0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9",
    "commId 0x9e3779b97f4a7c15", "comm 0x55d0c8a1f2e0 rank 0 nranks 16 cudaDev 0 busId 17000 commId 0x9e3779b97f4a7c15",
    "NCCL INFO Connected all rings", "tcp4://10.0.0.1:22@x", "tcp://10.0.0.1:4711@v2", "http://10.0.0.1:8080/a@b", "udp6://[fe80::1]:22@x",
    "tcp://node01:29500", "https://docs.example.org/token/guide", "1.0;tcp://10.0.0.1:4711", "ib://mlx5_0:1@lid42",
    "NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB ; OOB eth0:10.0.0.1<0>", "Firmware 28.39.1002 PSID MT_0000000838",
    "PSID: MT_0000000838", "serial=MT2151X00001", "MAC: 0c:42:a1:5e:7b:3c", "link_layer=InfiniBand", "switch_guid=0xb83fd203005a6f00",
)  # fmt: skip

MACHINES = (
    "imagePullSecrets: [{name: regcred}]", "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
    "libtorch_cuda.so(_ZN4c10d16ProcessGroupNCCL8WorkNCCL15checkForNCCLErrorsEv+0x1a)", "username admin logged in",
    "ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_nn", "enable secret rotation", "Unseal Key 3: hidden",
    "sk-cluster-gpu-node-a100-0001", "sk-cluster-gpu-node-h100-00012: up", "host sk-training-rack12-node0007 is up",
    "hf-cluster-node-0001", "s.node01.cluster.example", "SG-rack-12-node-0004", "key-node-0001", "gpu-pass-01", "token-ring-7",
    "password-server.example.org is up", "npm-cache-01", "xai-gpu-0012", "r8-node-000123", "sk-a100-80gb-sxm4-cluster-node-0001",
    "commit 3f786850e387550fdab836ed7e6dc881de23001b", "HEAD is now at 3f786850e387550fdab836ed7e6dc881de23001b",
    "89e6c98d92887913cadf06b2adb97f26cde4849b", "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08  captures/run-1/stdout", "md5: d41d8cd98f00b204e9800998ecf8427e",
    "image: nvcr.io/nvidia/pytorch@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "build id 5f3c0a1e0d4b4c2a9b1f2f7e6c1d8a90", "uuid 123e4567-e89b-12d3-a456-426614174000", "boot_id 123e4567-e89b-12d3-a456-426614174000",
    "wandb: run abc12xyz synced", "wandb: Tracking run with wandb version 0.16.2", "Git SHA 3f786850e387550fdab836ed7e6dc881de23001b",
    "/usr/local/lib/python3/dist/packages/torch/distributed/launch", "LD_LIBRARY_PATH=/usr/local/nccl/lib:/opt/ofi/lib",
    "AKIAN is a name", "asia-northeast1-b", "us12", "kernel: amdgpu 0000:03:00.0: PSP loading KEYDATABASE", "sigma=0.5", "sig=9",
    "signal=15 sig=11 code=1", "exited with sig = 6", "Nov 22 12:00:01 node01 sshd[812]: Failed password for root from 10.0.0.2 port 4022",
    "Permission denied (publickey,password).", "Host key verification failed.", "sudo: a password is required",
    "munge: Invalid credential", "slurmd: error: Munge decode failed: Expired credential", "Connection string is empty",
    "2026-01-31T23:59:59.999999999Z", "1700000000:12", "12345678:90", "ntn_collectives_per_rank 8", "path/pattern.match v1.0-rc1", "dp.rank.0 dp.pt.0", "rpa_enabled figd_",
    "Nov 22 12:00:01 node01 app[812]: NCCL_DEBUG=INFO", "cat <<EOF > hosts", "Environment=NCCL_DEBUG=INFO", "node01:4711:4720 [3] NCCL INFO Channel 00/16 : 0 1 2 3",
)  # fmt: skip

COMMANDS = (
    "docker run -p 8080:80 image", "docker run --gpus all -p8888:8888 nvcr.io/x", "mkdir -p /tmp/x", "mpirun -np 16 ./all_reduce_perf -b 8",
    "ssh -p 2222 node01", "sshd -p 22", "scp -P 2222 a b:", "nc -p 4000 h", "srun -p gpu -N 2 hostname", "sbatch -p batch job.sh",
    "docker run -u 1000:1000 curl", "ib_write_bw -p 18515 -d mlx5_0 -x 3", "iperf3 -c 10.0.0.1 -p 5201", "cp -p a b", "ps -p 4711",
    "nvidia-smi -pm 1", "curl -p 1080 http://h", "make -p", "netstat -p", "mysql -p jobs", "snmpwalk -v2c", "ldapsearch -x -b dc=x",
    "redis-cli -p 6379 ping", "ipmitool -I lanplus -H bmc -p 623 sdr", "kinit -k -t /etc/krb5.keytab host/node01", "openssl version",
    "mpirun -x LD_LIBRARY_PATH -x NCCL_DEBUG=INFO ./a", "curl -u admin http://h", "perf stat -p 4711", "taskset -p 0xff 4711",
    "git commit -m 'add token parser'", "docker ps -a", "echo done | tee log", "python train.py --seed 7 --max-tokens 4096",
    "torchrun --nproc-per-node 8 train.py --tokenizer gpt2", "slowlink run all_reduce --env NCCL_ALGO=Ring",
    "ipmitool user set name 2 root", "ipmitool user list 1", "net user", "net user ml /delete", "samba-tool user list", "redis-cli CONFIG GET maxmemory",
    "openssl passwd -6 -stdin", "mkpasswd --help", "sqlplus / as sysdba", "sqlplus @/opt/check.sql", "vault operator unseal -status", "bw login --check",
    "http GET n1/metrics", "etcdctl user add ml", "iscsiadm -m node -o update -n node.startup -v automatic", "no snmp-server location",
)  # fmt: skip

ROWS = (
    "forward_pass 0.1234", "backward_pass: 12.3ms", "num_pass=120 num_fail=3", "lowpass=fir2_64", "multipass: mlx5_0",
    "auth_method   munge", "NAME                TYPE     DATA   AGE", "db-password         Opaque   1      12d",
    "sh.helm.release.v1.db-password.v1   helm.sh/release.v1   1      41d", "vault-secret-0      gpu-node-01.cluster:8200",
    "regcred-token    kubernetes.io/dockerconfigjson   1    3d", "token    p99_latency", "token   rank0:node01   17", "hf_token   None",
    "gpu01  IpmiPassword  --       --", "gpu01  IpmiUserName  --       admin7", "password          required", "Password                  <not set>",
    "snmp-server group ops v3 priv read view17", "snmp-server host 192.0.2.7 version 3 priv ops17", "authentication-key mismatch",
    "ip ospf authentication message-digest", "key-string missing", "authentication-key lifetime 3600", "ntp authentication-key 12 removed",
    '{"name": "train/token", "value": 2.3175}', '{"name": "token_throughput", "type": "gauge", "value": "51234x"}',
    '{"Name": "/train/nodes", "Type": "StringList", "Value": "gpu01,gpu02"}', '{"max_tokens": {"value": 4096, "type": "number"}}',
    '{"nodes": {"sensitive": false, "type": "string", "value": "gpu01"}}', "{print $9$10}", "awk '{print $8$9$10}' x", "costs $9$ or $14$",
    "grep -f <(echo mlx5_0) hosts.txt", "diff <(echo n17a) <(echo n18b)", "user ops on >=8 nodes", "PWD=/scratch/ops/run-17", "OLDPWD=/scratch/ops",
)  # fmt: skip
"""Tables, files of settings, mappings: what stands beside a name there is no secret."""

MESSAGES = (
    "passwd:     files sss systemd",
    "token: expired", "token: invalid, retrying", "token: missing", "password: incorrect for ml on gpu07", "password: expired",
    '{"token": "missing"}', "credentials: rejected", "token: not found", "api_key: not set", '"secret": "not given"',
    "secret_id: 17", "secret_ids: 4", "token set to expire in 3600 s", "password for ml was not set", "token for rank 3 is ready",
    "invalid token [mlx5_0]", "Permission denied [publickey,password]", "key [store_based_barrier_key:1] is set to 16",
    "  num_layers ...................................... 32", "  tokenizer_type ............................ GPT2BPETokenizer",
    "  tiktoken_pattern ................................ v2", "  moe_token_dispatcher_type ....................... allgather",
    "  eod_token ....................................... 50256", "  wandb_api_key ................................... None",
    "  special_token ............................. <fim_prefix>", "  calculate_per_token_loss ........................ False",
    "  kv_channels ..................................... 128", "  vocab_size ...................................... 50257",
    "Checking password .......... ok", "Reading api_key ..... done", "password ... [OK]", "credentials ......... ok",
    "Reading token ..... rank3 of 8", "| step | tokens | p50(ms) | tflops |", "| token | latency_p99 |", "| rank | token | tokens_per_s |",
    "routing_key=gpu.node01.metrics", "node01:5432:5433 [0] NCCL INFO Channel 00", "file:5432:4:x:12", "a:5432:b",
    "https_proxy=http://proxy:3128", "no_proxy=localhost,10.0.0.1:8080", "http_proxy: proxy.example.org:3128",
    "enclave: sgx2ab9", "clave: default_pg/0", "parolable: x", "float sum -1 3 -p 4", "fence_ipmilan: Failed: Unable to obtain plug status",
    '[{"name": "A_TOKEN"}, {"value": "mlx5_0", "name": "NCCL_IB_HCA"}]', '{"value": "mlx5_0", "name": "NCCL_IB_HCA"}',
    "[Proxy Service 1] Device 0 CPU core 4", "username admin secret missing", "ftp> user anonymous", "CHECK_COMMAND='echo mlx5_0'",
    "token-ring-7 | rank0:node01", "cat ring | sort | token | mlx5_0:1", "| secret | none |", "\u2502 max_tokens \u2502 524288tok \u2502",
)  # fmt: skip
"""What programs say of secrets, how they dump their settings, and headings of tables."""

IN_OTHER_TEXTS = (
    '{"log":"total tokens: 3,407,872\\n","stream":"stdout"}', '"{\\"log\\": \\"password: no\\", \\"token\\": null}"', "cookie%3A%200x1d2e3f%20%28rdma_cm%29",
    "secret_sauce: skipped 3 of 8 ranks", "token_bucket: refilled 12 times in 4 seconds",
    "Enter passphrase for /root/.ssh/id_ed25519: ", "Enter PIN for 'ssh agent': No such device",
    "docker run --name=mysql -p3306:3306 mysql:8", 'cmd="docker run -p 3306:3306 mysql:8"', "conf/run.sh:12:mkdir -p /scratch/run", "-mkdir -p /scratch/run",
    "net use Z: \\\\nas\\scratch /persistent:yes", "net use Z: \\\\nas\\scratch * /user:ml", '{"name": "NCCL_DEBUG", "value": "INFO"}',
    '{"log":"100%|##########| 8/8 [00:04<00:00, 1.9it/s] token 4 \\u2588\\n"}', 'GET /metrics?query=rate%28tokens_total%5B5m%5D%29',
)  # fmt: skip
"""Also in strings, addresses and behind what tools put before a line."""

ALL = (
    *SETTINGS,
    *TRAINING,
    *FABRIC,
    *MACHINES,
    *COMMANDS,
    *ROWS,
    *MESSAGES,
    *IN_OTHER_TEXTS,
    *HARMLESS_TO_OTHERS,
    *HARMLESS_IN_PROGRAMS,
    *HARMLESS_IN_SOURCES,
    *HARMLESS_IN_CONFIGURATIONS,
)
