#!/bin/sh
# Runs the property tests with new examples, round after round, until MINUTES are over or one fails:
#     tools/fuzz.sh PYTEST MINUTES [TESTS ...]
# The status is 0 when no round failed. A round that has begun is finished. A test that stands still for ten minutes
# has found an endless loop: its stack is printed, and the round fails.
set -eu
pytest=$1 minutes=$2
shift 2
[ $# -gt 0 ] || set -- tests
[ "$minutes" -ge 0 ] || exit 2
end=$(($(date +%s) + minutes * 60))
round=0
while :; do
    round=$((round + 1))
    seed=$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')
    echo "fuzz: round $round, seed $seed"
    if ! "$pytest" -x -m hypothesis -o faulthandler_timeout=600 -o faulthandler_exit_on_timeout=true \
        -n auto --dist loadgroup --hypothesis-profile=fuzz --hypothesis-seed="$seed" "$@"; then
        echo "fuzz: round $round failed; the example is above. To see it again:" >&2
        echo "    $pytest -x -m hypothesis --hypothesis-profile=fuzz --hypothesis-seed=$seed $*" >&2
        exit 1
    fi
    [ "$(date +%s)" -lt "$end" ] || break
done
echo "fuzz: nothing failed in $round rounds"
