#!/bin/sh
# Builds the scan in machine code (native/) and puts it into the package. Without cargo nothing is built, and slowlink
# reads with Python alone. Usage: sh tools/build_native.sh [python]
set -eu
cd "$(dirname "$0")/.."
python=${1:-python3}
command -v cargo >/dev/null 2>&1 || {
    echo "native: no cargo here; slowlink reads with Python alone, as right and slower"
    exit 0
}
# Exact versions of all crates, checked before anything of them is compiled.
[ native/Cargo.lock -nt native/Cargo.toml ] || {
    cargo generate-lockfile --quiet --manifest-path native/Cargo.toml || {
        echo "native: its crates cannot be had here; slowlink reads with Python alone, as right and slower"
        exit 0
    }
    sed 's/ [0-9a-f]*$//' native/crates.txt | while read -r name version; do
        cargo update --quiet --manifest-path native/Cargo.toml --precise "$version" "$name" 2>/dev/null || true
    done
    touch native/Cargo.lock
}
"$python" tools/check_crates.py
cargo fetch --quiet --locked --manifest-path native/Cargo.toml || {
    echo "native: its crates cannot be had here; slowlink reads with Python alone, as right and slower"
    exit 0
}
cargo build --quiet --locked --release --manifest-path native/Cargo.toml --target-dir native/target
built=native/target/release/libslowlink_native
for library in "$built.so" "$built.dylib"; do
    [ -e "$library" ] || continue
    cp "$library" src/slowlink/.slowlink_native.$$
    mv src/slowlink/.slowlink_native.$$ src/slowlink/slowlink_native.abi3.so
done
