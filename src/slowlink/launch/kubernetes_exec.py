"""How commands get from pod 0 into the others where the image has no sshd: pod 0 asks, and slowlink hands on.

In pod 0 ``ask.sh`` stands in for ssh. It leaves what is to be run in a directory and waits for the end. Here
``hand_on.sh`` listens to that directory by ``kubectl exec``, runs each command in its pod by ``kubectl exec``, and
brings back what it printed and its status. Nothing listens on the pods' network, and no key is made.
"""

from __future__ import annotations

from slowlink.quoting import quote

_TAKEN_S = 60
"""Where nobody takes a command within this, nobody is there to hand it on."""


def ask_script(state: str) -> str:
    """In pod 0: ``ask.sh [-OPTION ...] HOST COMMAND ...``, as ssh is called; 255 where the command did not run."""
    return f"""\
#!/bin/sh
# Stands in for ssh: the image has no sshd. Whoever started this run hands the command on to the pod of that host.
while case ${{1:-}} in -*) true ;; *) false ;; esac; do shift; done
host=$1
shift
mkdir -p {state}/asked
place=$(mktemp -d {state}/asked/XXXXXXXX) || exit 255
printf '%s\\n' "$host" >"$place/host"
printf '%s\\n' "$*" >"$place/command"
: >"$place/ready"
left={_TAKEN_S}
while [ ! -e "$place/taken" ]; do
    left=$((left - 1))
    [ "$left" -gt 0 ] || {{ echo "slowlink: nobody hands commands on to $host" >&2; exit 255; }}
    sleep 1
done
trap 'exit 255' INT TERM HUP
while [ ! -e "$place/status" ]; do
    # A program in the background, because a shell takes no signal while it waits for one in the foreground.
    sleep 1 &
    wait $!
done
cat "$place/stdout" 2>/dev/null
cat "$place/stderr" >&2 2>/dev/null
status=$(cat "$place/status")
rm -rf "$place"
exit "$status"
"""


def hand_on_script(kubectl: tuple[str, ...], first: str, every: str, state: str) -> str:
    """Here, beside the one that follows pod 0: runs in pods what it asks for, until it is ended. ``first``, ``every``:
    selectors of pod 0 and of all pods."""
    pods = 'jsonpath={range .items[*]}{.spec.hostname}{" "}{.metadata.name}{"\\n"}{end}'
    name_of_first = quote([*kubectl, "get", "pods", "--selector", first, "-o", "jsonpath={.items[0].metadata.name}"])
    listen = (
        f"mkdir -p {state}/asked && cd {state}/asked && while :; do for each in *; do "
        '[ -e "$each/ready" ] && [ ! -e "$each/taken" ] && : >"$each/taken" && echo "$each"; done; sleep 1; done'
    )
    return f"""\
#!/bin/sh
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 143' INT TERM HUP
first=
while [ -z "$first" ]; do
    first=$({name_of_first} 2>/dev/null)
    [ -n "$first" ] || sleep 1
done
# In a pod: its name, then the words.
within() {{
    pod=$1
    shift
    {quote([*kubectl, "exec", "-i"])} "$pod" -c slowlink -- "$@"
}}
pod_of() {{
    {quote([*kubectl, "get", "pods", "--selector", every, "-o", pods])} | while read -r host pod; do
        [ "$host" != "${{1%%.*}}" ] || echo "$pod"
    done
}}
# One command: its number in the directory of pod 0.
hand_on() {{
    place={state}/asked/$1
    pod=$(pod_of "$(within "$first" cat "$place/host" </dev/null)")
    {{
        if [ -n "$pod" ]; then
            # The whole command is read before it runs: it has no other input.
            within "$first" cat "$place/command" </dev/null | within "$pod" sh -c 'exec sh -c "$(cat)"' 2>"$work/$1.err"
        else
            echo "no such pod" >"$work/$1.err"
            false
        fi
        echo $? >"$work/$1.status"
    }} | within "$first" sh -c "cat >$place/stdout"
    within "$first" sh -c "cat >$place/stderr" <"$work/$1.err"
    within "$first" sh -c "cat >$place/status.new && mv $place/status.new $place/status" <"$work/$1.status"
}}
while :; do
    within "$first" sh -c {quote([listen])} </dev/null | while read -r number; do
        # Whatever the image printed: a name of our own and nothing else.
        case $number in '' | *[!A-Za-z0-9]*) continue ;; esac
        hand_on "$number" &
    done
    sleep 1
done
"""
