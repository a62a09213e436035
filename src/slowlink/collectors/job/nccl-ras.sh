# title: the running jobs of this node, as NCCL's RAS tells them: who is lost, who is behind
# timeout: 110
# when: asked
# Any process of a job answers for all of its ranks, and STATUS only reads. Asked are the addresses that processes and
# nccl.conf name, and the usual one, where something listens there and the address is this node's own.
ADDRESSES=
PATIENCE=30
ASK=yes
limit=
timeout 5 true 2>/dev/null && limit="timeout $PATIENCE"

named() {
  echo localhost:28028
  sed -n 's/^[[:space:]]*NCCL_RAS_ADDR=//p' "$ROOT/etc/nccl.conf" "$ROOT${HOME:-/root}/.nccl.conf"
  for file in $(grep -lsaz '^NCCL_RAS_ADDR=' "$ROOT"/proc/[0-9]*/environ); do
    tr '\0' '\n' <"$file" | sed -n 's/^NCCL_RAS_ADDR=//p'
  done
}

listens() {
  cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | awk -v end=":$(printf '%04X' "$1")" '
    $4 == "0A" && substr($2, length($2) - 4) == end { found = 1 }
    END { exit !found }'
}

# The client connects from the very address that it connects to: where that fails it is another node's.
with_python() {
  python3 -IS - "$1" "$2" "$PATIENCE" <<'END'
import json
import socket
import sys
import time

host, port, until, most = sys.argv[1], int(sys.argv[2]), time.monotonic() + int(sys.argv[3]), 3 << 20


class Foreign(Exception):
    pass


def connected():
    trouble = OSError("no such address")
    for family, kind, protocol, _, place in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
        asking = socket.socket(family, kind, protocol)
        try:
            asking.settimeout(5)
            asking.bind((place[0], 0, *place[2:]))
            asking.connect(place)
            return asking
        except OSError as error:
            trouble = error
            asking.close()
    raise trouble


def received(asking, size):
    left = until - time.monotonic()
    if left <= 0:
        raise socket.timeout("timed out")
    asking.settimeout(left)
    return asking.recv(size)


def line(asking):
    text = b""
    while not text.endswith(b"\n") and len(text) < 300:
        got = received(asking, 1)
        if not got:
            break
        text += got
    return text.decode("ascii", "replace").strip()


def status(form):
    """How it was told, and what: over ``most`` bytes where there was more."""
    with connected() as asking:
        asking.sendall(b"CLIENT PROTOCOL 2\n")
        if not line(asking).startswith("SERVER PROTOCOL "):
            raise Foreign
        asking.sendall(b"TIMEOUT 10\n")
        line(asking)
        if form == "json":
            asking.sendall(b"SET FORMAT json\n")
            said = line(asking)
            if not said:
                return status("text")
            form = "json" if said == "OK" else "text"
        asking.sendall(b"VERBOSE STATUS\n")
        found = b""
        try:
            while len(found) <= most:
                got = received(asking, 1 << 16)
                if not got:
                    return form, found, ""
                found += got
        except OSError as error:
            return form, found, str(error)
    return form, found, "more than 3 MiB"


def shown(text):
    return "".join(each if each >= " " and each != "\x7f" or each in "\n\t" else " " for each in text)


try:
    form, found, trouble = status("json")
    if form == "json" and trouble:
        form, found, trouble = status("text")
    text = found[:most].decode("utf-8", "replace")
    whole = not trouble and "\nWarnings\n" in text
    if form == "json":
        try:
            json.loads(text)
            whole = True
        except (ValueError, RecursionError):
            pass
        text = "\n".join(each.strip() for each in text.splitlines())
    print(shown(text), flush=True)
    end = "answered" if whole else "cut: " + (trouble or "it ends before its end") if found else "silent: " + (trouble or "no answer")
except Foreign:
    end = "foreign: what listens there does not speak RAS"
except (OSError, ValueError) as error:
    end = "silent: " + (str(error) or type(error).__name__)
print("\nslowlink-ras end %s:%d %s" % (host, port, shown(end.replace("\n", " "))[:200]))
END
}

# bash and ncclras take the text, which every version knows.
with_text() {
  case $1 in localhost | 127.* | 0.0.0.0 | ::1 | "$(uname -n)") ;; *)
    case " $(hostname -I 2>/dev/null) " in *" $1 "*) ;; *)
      printf '\nslowlink-ras end %s:%s silent: it is no address of this node\n' "$1" "$2"
      return
      ;;
    esac
    ;;
  esac
  if [ "$3" = bash ]; then
    text=$($limit bash -c 'exec 3<>"/dev/tcp/$1/$2" || exit
      printf "CLIENT PROTOCOL 2\n" >&3
      read -r -t 5 said <&3
      case $said in "SERVER PROTOCOL "*) ;; *) echo foreign; exit ;; esac
      printf "TIMEOUT 10\n" >&3
      read -r -t 5 said <&3
      printf "VERBOSE STATUS\n" >&3
      cat <&3' bash "$1" "$2" 2>/dev/null | head -c 3145728 | tr -c '\n\t -~' ' ')
  else
    text=$($limit ncclras -v -t 10 -h "$1" -p "$2" 2>/dev/null </dev/null | head -c 3145728 | tr -c '\n\t -~' ' ')
  fi
  case $text in
  foreign) end='foreign: what listens there does not speak RAS' ;;
  '') end='silent: no answer' ;;
  *'
Warnings
'*) end=answered ;;
  *) end='cut: it ends before its end' ;;
  esac
  [ "${end%%:*}" = foreign ] || printf '%s\n' "$text"
  printf '\nslowlink-ras end %s:%s %s\n' "$1" "$2" "$end"
}

client=
for each in python3 bash ncclras; do
  [ -n "$client" ] || ! command -v "$each" >/dev/null 2>&1 || client=$each
done
all=${ADDRESSES:-$(named 2>/dev/null)}
set -f # an address is anybody's, and no pattern: /*/*/*/*/* would be looked up in the whole file system
all=$(printf '%s\n' $all | grep -xE '[][A-Za-z0-9_.:%-]{1,200}:[0-9]{1,5}' | sort -u)
count=0
for address in $all; do
  host=${address%:*} port=${address##*:}
  host=${host#[} host=${host%]}
  printf 'slowlink-ras %s %s:%s by %s\n' "$(date +%s)" "$host" "$port" "${client:--}"
  count=$((count + 1))
  if ! listens "$port"; then
    printf 'slowlink-ras end %s:%s absent: nothing listens there\n' "$host" "$port"
  elif [ "$ASK" = no ]; then
    printf 'slowlink-ras end %s:%s unasked: other nodes were\n' "$host" "$port"
  elif [ "$count" -gt 6 ]; then
    printf 'slowlink-ras end %s:%s silent: too many addresses, it was not asked\n' "$host" "$port"
  elif [ -z "$client" ]; then
    printf 'slowlink-ras end %s:%s silent: this node has neither python3 nor bash nor ncclras\n' "$host" "$port"
  elif [ "$client" = python3 ]; then
    with_python "$host" "$port"
  else
    with_text "$host" "$port" "$client"
  fi
done
exit 0
