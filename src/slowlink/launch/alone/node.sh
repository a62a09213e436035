# Runs one program on this node by itself, and ends it when nobody listens any more.
# Set before: the program with its words as "$@", own_variables (a function that exports those of the run), and MARK, a
# word that no program prints.
# In braces, so that the shell has read all of it before it runs: what follows on standard input is not for the shell.
{
    # A scheduler's and another mpirun's variables would make an mpirun of our own take part in their job.
    for name in $(env | sed -n 's/^\([A-Za-z_][A-Za-z0-9_]*\)=.*/\1/p'); do
        case $name in
            SLURM_* | PMI_* | PMIX_* | PRTE_LAUNCHED | OMPI_COMM_* | OMPI_UNIVERSE_* | OMPI_FILE_* | HYDRA_*) unset "$name" ;;
        esac
    done
    own_variables
    exec 3<&0
    "$@" </dev/null 3<&- &
    program=$!
    # Whoever asked holds our standard input open as long as it lives, whatever lies between.
    (
        while read -r line <&3; do :; done
        kill -TERM "$program"
        sleep 5
        kill -KILL "$program"
    ) >/dev/null 2>&1 &
    listener=$!
    trap 'kill -TERM "$program" 2>/dev/null' TERM HUP INT
    wait "$program"
    status=$?
    # Interrupted by a signal to this shell, wait tells of that one: the program itself is still ending.
    while kill -0 "$program" 2>/dev/null; do
        wait "$program"
        status=$?
    done
    kill "$listener" 2>/dev/null
    printf '%s ended %s\n' "$MARK" "$status" >&2
    exit 0
}
