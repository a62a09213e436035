# Keeps AMOUNT of a load at work, and ends it. Set before: MARK, AMOUNT, LONGEST (seconds), load and what belongs to it.
# In braces, so that the shell has read all of it before it runs: what follows on standard input is not for the shell.
{
    exec 3<&0 </dev/null
    # Three shells deep, so that nothing here needs job control: every process is ended by its id.
    workers=
    finish() {
        trap '' TERM HUP INT
        kill $listener $timer 2>/dev/null
        for worker in $workers; do kill "$worker" 2>/dev/null; done
        wait
        load_clean
        printf '%s ended\n' "$MARK"
        times
        exit 0
    }
    why=$(load_check) || { printf '%s\n' "${why:-this load cannot work here}" >&2; exit 1; }
    trap finish TERM HUP INT
    # Whoever asked holds our standard input open as long as the load may work, whatever lies between.
    ( trap - TERM HUP INT; while read -r line <&3; do :; done; kill -TERM $$ ) >/dev/null 2>&1 &
    listener=$!
    # Behind a cut link nobody hears of an end: the load knows its own time.
    (
        # The sleep would outlive its shell: it ends with it.
        trap 'kill $! 2>/dev/null; exit 0' TERM HUP INT
        sleep "$LONGEST" &
        wait $!
        kill -TERM $$
    ) 3<&- >/dev/null 2>&1 &
    timer=$!
    number=0
    while [ "$number" -lt "${WORKERS:-1}" ]; do
        number=$((number + 1))
        (
            # What the worker runs at the moment ends with it.
            trap 'kill $! 2>/dev/null; wait $!; exit 0' TERM HUP INT
            until_s=$(($(date +%s) + LONGEST))
            while [ "$(date +%s)" -lt "$until_s" ]; do
                load "$number" &
                wait $! || { status=$?; kill $! 2>/dev/null; exit "$status"; }
            done
        ) 3<&- >/dev/null &
        workers="$workers $!"
    done
    sleep 1
    for worker in $workers; do
        kill -0 "$worker" 2>/dev/null || { echo "the load ended at once" >&2; status=1; }
    done
    [ "${status:-0}" = 0 ] && printf '%s ready\n' "$MARK"
    [ "${status:-0}" = 0 ] || { kill $listener $timer $workers 2>/dev/null; load_clean; exit 1; }
    for worker in $workers; do wait "$worker"; done
    # All have ended by themselves, although nobody told them to.
    load_clean
    echo "the load ended by itself" >&2
    kill $listener $timer 2>/dev/null
    exit 1
}
