# Says what the ranks of a run do on a node: their state, the processor time that they take, where they wait in the kernel.
# Set before: RUN (SLOWLINK_RUN of our ranks), OURS (names of processes that are ranks, too), ROOT, OVER (seconds).
# Two looks, so that who stands still differs from who works. Names of processes only; of environments, the rank alone.
export LC_ALL=C
ticks=$(getconf CLK_TCK 2>/dev/null || echo 100)

# Processes of the run, and those that somebody named.
candidates() {
    [ -n "$RUN" ] && grep -lsazxF "SLOWLINK_RUN=$RUN" "$ROOT"/proc/[0-9]*/environ
    for name in $OURS; do grep -lsx -e "$name" "$ROOT"/proc/[0-9]*/comm; done
}

# The rank that the launcher gave to a process. One of an allocation's first step stands in the environment of all.
rank_of() {
    tr '\0' '\n' <"$ROOT/proc/$1/environ" 2>/dev/null | awk -F= '
        { value[$1] = $2 }
        END {
            count = split("OMPI_COMM_WORLD_RANK PMIX_RANK PMI_RANK MV2_COMM_WORLD_RANK RANK SLURM_PROCID", names, " ")
            for (i = 1; i <= count; i++) if (value[names[i]] ~ /^[0-9]+$/) { print value[names[i]]; exit }
        }'
}

# State and processor time (clock ticks) of a process, behind its name, which may hold anything.
look() {
    tr '\n' ' ' <"$ROOT/proc/$1/stat" 2>/dev/null | sed 's/.*) //' | awk '{ print $1, $12 + $13 }'
}

looks= ranks=
for pid in $(candidates | sed -n 's#.*/proc/\([0-9]*\)/[a-z]*$#\1#p' | sort -nu); do
    [ "$pid" = "$$" ] && continue
    rank=$(rank_of "$pid")
    name=$(tr -c 'A-Za-z0-9_.+/-' '_' <"$ROOT/proc/$pid/comm" 2>/dev/null)
    name=${name%_}
    # Whoever has the run's variable and no rank is its launcher; whoever was named is a rank by that.
    case " $OURS " in *" $name "*) ;; *) [ -n "$rank" ] || continue ;; esac
    set -- $(look "$pid")
    [ -n "$2" ] && looks="$looks $pid:${rank:--}:$name:$2" && ranks="$ranks $rank"
done
echo "slowlink-ranks $(date +%s) over $OVER s"
[ -n "$looks" ] || exit 0
sleep "$OVER"
quiet=
for each in $looks; do
    IFS=: read -r pid rank name before <<EOF
$each
EOF
    set -- $(look "$pid")
    if [ -z "$2" ]; then
        echo "rank $rank pid $pid ${name:--} gone"
        continue
    fi
    state=$1 used=$(($2 - before)) where="$ROOT/proc/$pid"
    # One thread that waits in the kernel for a device or a file server holds up its process.
    if [ "$state" = S ] || [ "$state" = R ]; then
        for task in "$ROOT/proc/$pid"/task/*/stat; do
            case $(tr '\n' ' ' <"$task" 2>/dev/null | sed 's/.*) //') in D*) state=D where=${task%/stat} ;; esac
        done
    fi
    at=$(cat "$where/wchan" 2>/dev/null | tr -c 'A-Za-z0-9_.' '_')
    case $at in '' | 0) at=- ;; esac
    share=$(awk -v used="$used" -v hz="$ticks" -v over="$OVER" 'BEGIN { printf "%.1f", 100 * used / hz / over }')
    echo "rank $rank pid $pid ${name:--} state $state $share % cpu at $at"
    [ "${share%.*}" -lt 20 ] && quiet="$quiet $pid"
done
limit=
timeout 5 true 2>/dev/null && limit='timeout 10'
timeout -k 1 5 true 2>/dev/null && limit='timeout -k 2 10'
# What those do that work little; a stopped process can be read only without stopping it once more.
if command -v py-spy >/dev/null 2>&1; then
    for pid in $quiet; do $limit py-spy dump --nonblocking --pid "$pid" 2>/dev/null; done
fi
# NCCL knows who waits for whom; any of its processes answers for all, so the node of rank 0 asks.
case " $ranks " in *' 0 '*) command -v ncclras >/dev/null 2>&1 && $limit ncclras -v 2>/dev/null ;; esac
exit 0
