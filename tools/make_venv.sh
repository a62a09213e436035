#!/bin/sh
# Makes a virtual environment: make_venv.sh PYTHON DIRECTORY. Says what to do where Python alone cannot make one.
set -eu
python=$1
venv=$2

if ! command -v "$python" >/dev/null 2>&1; then
    echo "slowlink needs Python 3.10 or newer; '$python' was not found (make PYTHON=/path/to/python3 ...)" >&2
    exit 2
fi
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))'; then
    echo "slowlink needs Python 3.10 or newer; '$python' is $("$python" -V 2>&1) (make PYTHON=/path/to/python3 ...)" >&2
    exit 2
fi
[ -x "$venv/bin/python" ] && "$venv/bin/python" -m pip --version >/dev/null 2>&1 && exit 0
# Debian ships venv without ensurepip; virtualenv and uv bring their own pip.
"$python" -m venv "$venv" 2>/dev/null && exit 0
rm -rf "$venv"
"$python" -m virtualenv --quiet "$venv" 2>/dev/null && exit 0
command -v uv >/dev/null 2>&1 && uv venv --quiet --seed --python "$python" "$venv" && exit 0
echo "This Python cannot make a virtual environment. Install one of: the package python3-venv, virtualenv, uv." >&2
exit 2
