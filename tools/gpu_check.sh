#!/bin/sh
# Everything about slowlink that needs a GPU, in one command, for whoever has one: the state of the node as nvidia-smi tells it, a
# real NCCL run with its log, JSON and iterations, NCCL's RAS while ranks run, and the probe's nccl back end.
#
#   sh tools/gpu_check.sh OUT [NCCL_TESTS_DIRECTORY]
#
# Without a directory of nccl-tests they are cloned and built. Nothing is installed; all that is made lies in OUT. The exit status
# is 0 when every part was measured and read, 1 when one was not, 2 when this machine cannot take part.
set -u
[ "$#" -ge 1 ] || {
    sed -n '2,9s/^# \{0,1\}//p' "$0"
    exit 2
}
mkdir -p "$1" && out=$(cd "$1" && pwd) || exit 2
tests=${2:-}
command -v nvidia-smi >/dev/null 2>&1 || { echo "gpu_check: no nvidia-smi here: this needs an NVIDIA GPU" >&2; exit 2; }
gpus=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU ')
[ "$gpus" -ge 1 ] || { echo "gpu_check: nvidia-smi lists no GPU" >&2; exit 2; }
cd "$(dirname "$0")/.." || exit 2
slowlink=${SLOWLINK:-.venv/bin/slowlink}
[ -x "$slowlink" ] || { echo "gpu_check: no $slowlink: make .venv/core.stamp first, or set SLOWLINK" >&2; exit 2; }

failed=
# A part: its name, and the command. What it prints lies in OUT; 0 and 1 are answers, everything else is not.
part() {
    name=$1
    shift
    echo "gpu_check: $name"
    "$@" >"$out/$name.txt" 2>"$out/$name.err"
    status=$?
    [ "$status" -le 1 ] || { echo "  exit status $status: $(tail -n 1 "$out/$name.err")" && failed="$failed $name"; }
}

if [ -z "$tests" ]; then
    tests=$out/nccl-tests/build
    [ -x "$tests/all_reduce_perf" ] || part build-tests "$slowlink" build-tests --fetch --source "$out/nccl-tests"
fi
# One GPU can hold two ranks for NCCL where it is allowed to, else each rank has to be a host of its own.
ranks=$gpus
if [ "$gpus" = 1 ]; then
    ranks=2
    export NCCL_MULTI_RANK_GPU_ENABLE=1
fi
export NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,ENV,GRAPH,NET,TUNING,RAS
part snapshot "$slowlink" snapshot -o "$out/state" --format json
part nccl-tests "$slowlink" run all_reduce,all_gather --benchmark nccl-tests --path "$tests" -n "$ranks" -e 1G \
    --bundle "$out/nccl-tests.bundle" --format json
part nccl-probe "$slowlink" run all_reduce --benchmark probe --backend nccl -n "$gpus" -e 256M \
    --bundle "$out/nccl-probe.bundle" --format json
# RAS answers only while ranks live: a long run of its own, which is ended when it was asked.
if command -v ncclras >/dev/null 2>&1; then
    "$tests/all_reduce_perf" -g "$gpus" -b 1G -e 1G -n 2000 >"$out/ras-run.txt" 2>&1 &
    long=$!
    sleep 20
    part ncclras ncclras -v
    kill "$long" 2>/dev/null
    wait "$long" 2>/dev/null
else
    echo "gpu_check: no ncclras here; RAS was not asked"
fi
part analyze "$slowlink" analyze "$out" --format json
"$slowlink" analyze "$out"
[ -z "$failed" ] && echo "gpu_check: every part was measured; all of it lies in $out" && exit 0
echo "gpu_check: not measured:$failed; see the .err files in $out" >&2
exit 1
