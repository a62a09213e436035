# sends to another node over TCP as fast as it goes: one stream, or as many as you say (network:4); needs Python there
WORKERS=${AMOUNT:-1}
[ -n "$PEER" ] || WORKERS=0
load_check() {
    "$PYTHON" -c '' 2>/dev/null || { echo "there is no $PYTHON"; return 1; }
    [ -z "$RECEIVES" ] || [ -n "$PORT" ] || { echo "no port"; return 1; }
}
load_clean() { :; }
# Every node is ready to receive; which one sends to it is settled by whoever asked.
if [ -n "$RECEIVES" ]; then
    WORKERS=$((WORKERS + 1))
fi
load() {
    if [ -n "$RECEIVES" ] && [ "$1" = 1 ]; then
        exec "$PYTHON" -c '
import socket, sys, threading
def drain(taken):
    room = bytearray(1 << 20)
    while taken.recv_into(room): pass
place = socket.create_server(("", int(sys.argv[1])), backlog=64)
while True:
    threading.Thread(target=drain, args=(place.accept()[0],), daemon=True).start()
' "$PORT" 2>/dev/null
    fi
    exec "$PYTHON" -c '
import socket, sys, time
for attempt in range(50):
    try:
        to = socket.create_connection((sys.argv[1], int(sys.argv[2])), 2)
        break
    except OSError:
        time.sleep(0.1)
else:
    sys.exit(1)
to.settimeout(None)
block = bytes(1 << 20)
while True:
    to.sendall(block)
' "$PEER" "$PORT" 2>/dev/null
}
