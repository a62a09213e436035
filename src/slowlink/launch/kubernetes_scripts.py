"""What runs inside the pods, and what follows them from here. Plain sh: images have nothing else for certain."""

from __future__ import annotations

from slowlink.launch.mpi_flags import Mpi, environment_flags, openmpi_placement
from slowlink.model.plan import RankJob
from slowlink.quoting import assignments, quote

SSH_PORT = 2222
"""Not 22: with the node's own network the node's sshd has that."""
FILES = "/etc/slowlink/run"
KEYS = "/etc/slowlink/ssh"
STATE = "/tmp/slowlink-run"  # noqa: S108  (inside a pod of its own)
_START_LIMIT_S = 600
_STOP_S = 8
"""Between SIGTERM and SIGKILL of mpirun, which tells its daemons in other pods to end their ranks."""
_SEND_S = 30
"""For the files of one pod."""
GRACE_S = 60
"""For all that a pod does when it is to end."""

SSHD_CONFIG = f"""\
Port {SSH_PORT}
HostKey {STATE}/host_key
AuthorizedKeysFile {KEYS}/authorized_keys
PidFile {STATE}/sshd.pid
PasswordAuthentication no
PermitRootLogin prohibit-password
StrictModes no
UsePAM no
MaxStartups 256
"""
"""``StrictModes no``: a mounted Secret consists of links in a directory that every user may read."""

SSH_CONFIG = f"""\
Host *
  Port {SSH_PORT}
  IdentityFile {STATE}/id_ed25519
  IdentitiesOnly yes
  UserKnownHostsFile {STATE}/known_hosts
  StrictHostKeyChecking accept-new
  BatchMode yes
  ConnectTimeout 10
  ServerAliveInterval 5
  ServerAliveCountMax 3
  LogLevel ERROR
"""

WORKER_SCRIPT = f"""\
#!/bin/sh
# Every pod: takes logins with this run's key until pod 0 says that the run is over.
set -eu
mkdir -p {STATE} /run/sshd
chmod 700 {STATE}
cp {KEYS}/id_ed25519 {STATE}/id_ed25519
chmod 600 {STATE}/id_ed25519
sshd=$(command -v sshd || echo /usr/sbin/sshd)
[ -x "$sshd" ] || {{ echo "slowlink: the image has no sshd; mpirun needs it in every pod" >&2; exit 3; }}
[ -e {STATE}/host_key ] || ssh-keygen -q -t ed25519 -N '' -f {STATE}/host_key
# A login does not get the variables of the image by itself; mpirun's daemons and ranks need them.
{{
    cat {FILES}/sshd_config
    echo "SetEnv \\"PATH=$PATH\\" \\"LD_LIBRARY_PATH=${{LD_LIBRARY_PATH:-}}\\""
}} >{STATE}/sshd_config
"$sshd" -f {STATE}/sshd_config
[ ! -e {FILES}/before.sh ] || sh {FILES}/before.sh || echo "slowlink: no place for what ranks write" >&2
index=${{JOB_COMPLETION_INDEX:-0}}
if [ "$index" = 0 ]; then
    exec sh {FILES}/launch.sh
fi
while [ ! -e {STATE}/over ]; do
    sleep 1
done
"""


WITHOUT_SSHD_SCRIPT = f"""\
#!/bin/sh
# Every pod, where the image has no sshd: waits for commands that come by the API until pod 0 says that the run is over.
set -eu
mkdir -p {STATE}
chmod 700 {STATE}
[ ! -e {FILES}/before.sh ] || sh {FILES}/before.sh || echo "slowlink: no place for what ranks write" >&2
index=${{JOB_COMPLETION_INDEX:-0}}
if [ "$index" = 0 ]; then
    exec sh {FILES}/launch.sh
fi
while [ ! -e {STATE}/over ]; do
    sleep 1
done
"""
_UNTIL_THE_END = f"""\
ranks=$!
ended=
# A shell takes no signal while it waits for a program in the foreground.
trap 'ended=143; kill "$ranks" 2>/dev/null; (sleep {_STOP_S}; kill -KILL "$ranks") 2>/dev/null &' INT TERM HUP
while :; do
    wait "$ranks"
    status=$?
    kill -0 "$ranks" 2>/dev/null || break
done
trap '' INT TERM HUP
gather
exit "${{ended:-$status}}"
"""
"""Behind the start of mpirun in the background: its end, what ranks wrote, and its status."""
_BY_SSH, _BY_EXEC = f"ssh -F {FILES}/ssh_config", f"sh {FILES}/ask.sh"


def launch_script(job: RankJob, hosts: tuple[str, ...], extra: tuple[str, ...], *, sshd: bool = True) -> str:
    """Pod 0: waits for the others, runs mpirun, prints what ranks of all pods wrote, tells the others that it is over,
    and ends with its status. A pod that is to end (SIGTERM) ends its ranks first, and prints what they wrote, too.
    ``sshd``: pods reach one another; else only pod 0 can have commands run in others."""
    openmpi, hydra = Mpi("mpirun", "openmpi", None, ""), Mpi("mpirun", "hydra", None, "")
    agent = _BY_SSH if sshd else _BY_EXEC
    from_here = [] if sshd else ["--mca", "plm_rsh_no_tree_spawn", "1"]
    count = ["-n", str(job.nranks)]
    # uid 0 is what containers have; the flag does no harm elsewhere.
    by_openmpi = [
        *("mpirun", "--mca", "plm_rsh_agent", agent, *from_here, *openmpi_placement(0, oversubscribed=False)),
        *("--hostfile", f"{FILES}/hostfile", *count, *environment_flags(openmpi, job.env), *extra, *job.argv),
    ]
    by_hydra = [
        *(
            "mpirun",
            "-launcher",
            "ssh",
            "-launcher-exec",
            f"{FILES}/{'ssh' if sshd else 'ask'}.sh",
            "-f",
            f"{FILES}/hostfile.hydra",
            *count,
        ),
        *("-ppn", str(job.ranks_per_node), *environment_flags(hydra, job.env), *extra, *job.argv),
    ]
    enter = f"cd {quote([job.cwd])}\n" if job.cwd else ""
    forwarded = "".join(f"export {line}\n" for line in assignments(_mpi_parameters(job)))
    return f"""\
#!/bin/sh
set -u
{enter}{forwarded}hosts={quote([" ".join(hosts)])}
over() {{
    for host in $hosts; do
        {agent} "$host" touch {STATE}/over 2>/dev/null
    done
}}
trap 'exit 143' INT TERM HUP
trap over EXIT
{_gather(job, agent)}left={_START_LIMIT_S}
for host in $hosts; do
    until {agent} "$host" true 2>{STATE}/why; do
        left=$((left - 1))
        [ "$left" -gt 0 ] || {{ echo "slowlink: $host does not answer: $(cat {STATE}/why)" >&2; exit 3; }}
        sleep 1
    done
done
case $(mpirun --version 2>&1) in
*"Open MPI"* | *OpenRTE*)
    {quote(by_openmpi)} &
    ;;
*HYDRA* | *Intel*)
    {quote(by_hydra)} &
    ;;
*)
    echo "slowlink: the image has no mpirun of Open MPI or MPICH" >&2
    exit 3
    ;;
esac
{_UNTIL_THE_END}"""


MPIJOB_WORKER_SCRIPT = f"""\
#!/bin/sh
# A worker of an MPIJob: the operator brings keys and names; the launcher comes in by ssh.
[ ! -e {FILES}/before.sh ] || sh {FILES}/before.sh || echo "slowlink: no place for what ranks write" >&2
exec "$@"
"""


def mpijob_launch_script(job: RankJob, mpirun: list[str], agent: str) -> str:
    """The launcher of an MPIJob: runs mpirun, then prints what ranks of all workers wrote. The operator has waited for
    the workers and names them in its host file."""
    return f"""\
#!/bin/sh
set -u
hosts=
while read -r host slots; do
    hosts="$hosts $host"
done <"${{OMPI_MCA_orte_default_hostfile:-/etc/mpi/hostfile}}"
{_gather(job, agent)}{quote(mpirun)} &
{_UNTIL_THE_END}"""


def _gather(job: RankJob, agent: str) -> str:
    """``gather`` prints the frames of all pods, one after another; ``$hosts`` are their names."""
    if job.around is None:
        return "gather() { :; }\n"
    mark = job.around.mark
    return f"""\
gather() {{
    # A line that was cut in the middle must not swallow the next one.
    echo
    echo "#slowlink-nodes {mark} $hosts"
    for host in $hosts; do
        echo "#slowlink-node {mark} $host"
        {agent} "$host" timeout {_SEND_S} sh {FILES}/after.sh 2>/dev/null </dev/null
        echo
    done
    echo "#slowlink-all {mark}"
}}
"""


def collect_script(kubectl: tuple[str, ...], selector: str, job: str) -> str:
    """Here, after the end: where the launching pod still runs, the Job is deleted, and what the pod prints until it is
    gone is shown. The other objects stay until then: pods find one another by the Service."""
    get = f"{quote([*kubectl, 'get', 'pods', '--selector', selector])} -o"
    return f"""\
#!/bin/sh
set -u
[ "$({get} 'jsonpath={{.items[0].status.phase}}' 2>/dev/null)" = Running ] || exit 0
{quote([*kubectl, "logs", "--follow", "--tail=0", "--selector", selector])} &
logs=$!
sleep 1
{quote([*kubectl, "delete", job, "--ignore-not-found", "--cascade=foreground", f"--timeout={GRACE_S}s"])} >&2
left=5
while [ "$left" -gt 0 ] && kill -0 "$logs" 2>/dev/null; do
    left=$((left - 1))
    sleep 1
done
kill "$logs" 2>/dev/null
exit 0
"""


def _mpi_parameters(job: RankJob) -> dict[str, str]:
    return {name: value for name, value in job.env.items() if name.startswith("OMPI_MCA_")}


SSH_SCRIPT = f"""\
#!/bin/sh
exec ssh -F {FILES}/ssh_config "$@"
"""


def follow_script(kubectl: tuple[str, ...], selector: str, start_limit_s: int, beside: str = "") -> str:
    """Here: waits until the launching pod runs, streams its output, and ends with its exit status. ``beside``: a script
    that runs meanwhile."""
    get = f"{quote([*kubectl, 'get', 'pods', '--selector', selector])} -o"
    waiting = r"""jsonpath={range .items[*]}{.metadata.name}{": "}{.status.phase}{" "}"""
    waiting += r"""{.status.conditions[?(@.status=="False")].message}{" "}"""
    waiting += r"""{.status.containerStatuses[*].state.waiting.reason}{"\n"}{end}"""
    return f"""\
#!/bin/sh
set -u
left={start_limit_s}
while :; do
    phase=$({get} 'jsonpath={{.items[0].status.phase}}' 2>/dev/null)
    case $phase in
    Running | Succeeded | Failed) break ;;
    esac
    left=$((left - 1))
    if [ "$left" -le 0 ]; then
        echo "slowlink: the pods did not start within {start_limit_s} s:" >&2
        {get} {quote([waiting])} >&2
        exit 3
    fi
    sleep 1
done
{_started(beside)}{quote([*kubectl, "logs", "--follow", "--tail=-1", "--selector", selector])}
{_ended(beside)}left=30
while [ "$left" -gt 0 ]; do
    status=$({get} 'jsonpath={{.items[0].status.containerStatuses[0].state.terminated.exitCode}}' 2>/dev/null)
    [ -z "$status" ] || exit "$status"
    left=$((left - 1))
    sleep 1
done
echo "slowlink: the log ended, but the pod did not" >&2
exit 3
"""


def _started(script: str) -> str:
    return f"sh {script} </dev/null >&2 &\nbeside=$!\n" if script else ""


def _ended(script: str) -> str:
    return 'kill "$beside" 2>/dev/null\n' if script else ""
