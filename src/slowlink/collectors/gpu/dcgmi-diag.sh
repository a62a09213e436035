# title: dcgmi diag, level 2: it loads the GPUs for about two minutes
# needs: dcgmi
# about: nvidia-gpu
# timeout: 900
# when: asked
# root: better
# Only when asked for: it takes memory, power and PCIe of every GPU, and would disturb a job. Its status tells failing
# tests, which is an answer.
answer=$(dcgmi diag -r 2 2>&1)
status=$?
printf '%s\n' "$answer"
case $answer in
*"| Diagnostic "*) exit 0 ;;
esac
printf '%s\n' "$answer" | tail -n 1 >&2
[ "$status" -eq 0 ] && status=1
exit "$status"
