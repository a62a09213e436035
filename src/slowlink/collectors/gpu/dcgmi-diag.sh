# title: dcgmi diag, level $LEVEL: it loads the GPUs, from seconds (1) and two minutes (2) to hours (4)
# needs: dcgmi
# about: nvidia-gpu
# timeout: 900
# when: asked
# root: better
# also: LEVEL 1=120 3=3600 4=10800 eud=3600
# Only when asked for: it takes memory, power and PCIe of every GPU, and would disturb a job. Its status tells failing
# tests, which is an answer. EUD is NVIDIA's vendor test; it has a package of its own.
LEVEL=2
answer=$(dcgmi diag -r $LEVEL 2>&1)
status=$?
printf '%s\n' "$answer"
case $answer in
*"| Diagnostic "*) exit 0 ;;
esac
printf '%s\n' "$answer" | tail -n 1 >&2
[ "$status" -eq 0 ] && status=1
exit "$status"
