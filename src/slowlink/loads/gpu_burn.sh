# runs gpu-burn on every GPU
WORKERS=1
gpu_burn_program() { command -v gpu_burn || command -v gpu-burn; }
load_check() { gpu_burn_program >/dev/null || { echo "there is no gpu_burn on PATH"; return 1; }; }
load_clean() { :; }
# It reads its kernel from the directory in which it lies.
load() {
    program=$(gpu_burn_program)
    cd "$(dirname "$(readlink -f "$program")")" && exec "$program" "$LONGEST"
}
