# Switches something on, and off again when nobody listens any more. Set before: MARK, switch_on, switch_off.
{
    exec 3<&0 </dev/null
    # It must come to its own end, whoever is in a hurry: what was switched on is to be switched off.
    trap '' TERM HUP INT
    switch_on 3<&-
    status=$?
    if [ "$status" = 0 ]; then
        printf '%s ready\n' "$MARK"
        while read -r line <&3; do :; done
    else
        echo "the command that switches it on ended with status $status" >&2
    fi
    switch_off 3<&-
    off=$?
    [ "$off" = 0 ] || echo "the command that switches it off ended with status $off" >&2
    printf '%s ended\n' "$MARK"
    [ "$status" = 0 ] || exit "$status"
    exit "$off"
}
