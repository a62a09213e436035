# Samples a node while a benchmark runs: who else uses its CPUs, GPUs, disks and networks, which of its own processes stand
# still, and the counters of its ports.
# Set before: INTERVAL (seconds), COUNTERS_EVERY (samples), RUN (SLOWLINK_RUN of our ranks), ROOT, LONGEST (seconds), OURS (names),
# STARTED_ON and STARTED_BY (host and pid of who started the run).
# One awk does all, so that a sample costs a few forks. It ends when nobody reads any more: the next write kills it.
# Names of processes only: their arguments and environments stay where they are.
export SLOWLINK_RUN="$RUN" LC_ALL=C
started=$(date +%s.%N 2>/dev/null)
case $started in '' | *[!0-9.]*) started=$(date +%s) ;; esac
gpus= listing=
command -v nvidia-smi >/dev/null 2>&1 && gpus=nvidia-smi
for each in mx-smi mthreads-gmi; do command -v "$each" >/dev/null 2>&1 && listing=$each; done
[ -d "$ROOT/sys/class/kfd/kfd/proc" ] && kfd=1 || kfd=
[ "$(uname -n)" = "$STARTED_ON" ] && OURS="$OURS $STARTED_BY"
ss=
command -v ss >/dev/null 2>&1 && ss=ss
rdma=
command -v rdma >/dev/null 2>&1 && rdma=rdma
limit=
timeout 5 true 2>/dev/null && limit='timeout 10 '
timeout -k 1 5 true 2>/dev/null && limit='timeout -k 2 10 '
exec awk -v interval="$INTERVAL" -v every="$COUNTERS_EVERY" -v run="$RUN" -v root="$ROOT" -v longest="$LONGEST" \
    -v started="$started" -v hz="$(getconf CLK_TCK 2>/dev/null || echo 100)" -v gpus="$gpus" -v listing="$listing" -v kfd="$kfd" -v ss="$ss" -v rdma="$rdma" -v page="$(getconf PAGESIZE 2>/dev/null || echo 4096)" -v limit="$limit" \
    -v names="$OURS" '
# Seconds since the machine started: a file, where date would be one more process.
function uptime(    line, parts) {
    getline line < "/proc/uptime"
    close("/proc/uptime")
    split(line, parts, " ")
    return parts[1] + 0
}
function first_line(file,    line) {
    line = ""
    getline line < file
    close(file)
    return line
}
# What the kernel says of a process. Its name, of 15 letters at most, may hold ends of lines: who hides so is seen all the same.
function stat_of(pid,    file, line, whole) {
    file = root "/proc/" pid "/stat"
    while (length(whole) < 80 && (getline line < file) > 0) whole = whole == "" ? line : whole "_" line
    close(file)
    return whole
}
function whole_file(file,    line) {
    while ((getline line < file) > 0) print file ":" line
    close(file)
}
# Is this process one of the run, or of this script? Asked once for each process.
function is_ours(pid, born,    key) {
    key = pid " " born
    if (!(key in ours)) {
        ours[key] = system("grep -qsa SLOWLINK_RUN=" run " " root "/proc/" pid "/environ") == 0
    }
    return ours[key]
}
# The rank that the launcher gave to a process; "-" for none.
function rank_of(pid,    command, line) {
    command = "tr \"\\\\0\" \"\\\\n\" <" root "/proc/" pid "/environ 2>/dev/null | " \
        "sed -n \"s/^\\(OMPI_COMM_WORLD_RANK\\|PMIX_RANK\\|PMI_RANK\\|RANK\\|SLURM_PROCID\\)=\\([0-9]*\\)$/\\2/p\" | head -n 1"
    line = "-"
    command | getline line
    close(command)
    return line == "" ? "-" : line
}
# A process of the run that is stopped, has ended or waits in the kernel, sample after sample; and that it goes on again.
function standing(pid, born, name, state, worked,    key, lasting) {
    key = pid " " born
    lasting = state ~ /[TtZ]/ ? 3 : state == "D" && !worked ? 10 : 0
    if (!lasting) {
        still[key] = 0
        if (!(key in told_of)) return
        delete told_of[key]
    } else if (++still[key] < lasting || !(name in named || pid in named || is_ours(pid, born))) return
    else told_of[key]
    gsub(/[^A-Za-z0-9_.:+\/-]/, "_", name)
    printf "rank %s pid %s %s state %s 0.0 %% cpu at -\n", rank_of(pid), pid, name, state
}
function cpus(    line, parts, count, total, i) {
    line = first_line(root "/proc/stat")
    count = split(line, parts, " ")
    total = 0
    for (i = 2; i <= count && i <= 9; i++) total += parts[i]
    cpu_all = total
    cpu_idle = parts[5] + parts[6]
}
# Processor time of every process since the sample before.
function processes(seconds, told,    pid, line, open, shut, name, parts, used, born, key, share, list, worked) {
    list = "ls " root "/proc"
    while ((list | getline pid) > 0) {
        # Threads of the kernel are most of what a large node has, and no work of anybody; asked again now and then.
        if (pid !~ /^[0-9]+$/ || ((pid in kernel) && n % 60)) continue
        line = stat_of(pid)
        open = index(line, "(")
        if (!open) continue
        shut = open
        while (match(substr(line, shut + 1), /\)/)) shut += RSTART
        name = substr(line, open + 1, shut - open - 1)
        split(substr(line, shut + 2), parts, " ")
        delete kernel[pid]
        # PF_KTHREAD of the flags (include/linux/sched.h).
        if (int(parts[7] / 2097152) % 2) {
            kernel[pid]
            continue
        }
        used = parts[12] + parts[13]
        born = parts[20]
        key = pid " " born
        if (told && (parts[1] != "S" && parts[1] != "R" || key in told_of)) standing(pid, born, name, parts[1], used > before[key])
        # A process that was not there before has begun since: all of its time is of this sample.
        if (seconds > 0) {
            share = 100 * (used - before[key]) / hz / seconds
            if (share >= 5) {
                if (name in named || pid in named || is_ours(pid, born)) own += share
                else if (told) somebody(pid, born, name, share, "% cpu")
            }
        }
        if (told && memory && parts[22] * page >= memory * least_memory / 100) holds(pid, born, name, 100 * parts[22] * page / memory)
        if (told && (used > before[key] || parts[1] == "D")) {
            worked = worked " " root "/proc/" pid "/io"
            born_of[pid] = born
            name_of[pid] = name
        }
        before[key] = used
    }
    close(list)
    if (worked) disks(worked)
}
# A process that keeps much of the memory keeps it for long: told of again when that has changed by a percent.
function holds(pid, born, name, share,    key) {
    key = pid " " born
    if (key in held_of && (share - held_of[key]) ^ 2 < 1) return
    held_of[key] = share
    somebody(pid, born, name, share, "% memory")
}
# What processes that worked since the sample before have read from disks and written to them meanwhile. Some awks end where
# a file may not be read, so that grep reads them.
function disks(files,    command, line, parts, pid, key, bytes, rate) {
    command = "grep -sE \"^(read|write)_bytes\" " files " /dev/null 2>/dev/null"
    while ((command | getline line) > 0) {
        sub(/\/io:/, " ", line)
        split(line, parts, " ")
        sub(/.*\//, "", parts[1])
        bytes[parts[1]] += parts[3]
    }
    close(command)
    for (pid in bytes) {
        key = pid " " born_of[pid]
        if (key in disk_bytes && now > disk_at[key]) {
            rate = (bytes[pid] - disk_bytes[key]) / (now - disk_at[key]) / 1000000
            if (rate >= least_rate) somebody(pid, born_of[pid], name_of[pid], rate, "MB/s disk")
        }
        disk_bytes[key] = bytes[pid]
        disk_at[key] = now
    }
}
function somebody(pid, born, name, amount, what) {
    if (name in named || pid in named || is_ours(pid, born)) return
    gsub(/[^A-Za-z0-9_.:+\/-]/, "_", name)
    printf "process %s %s %.1f %s\n", pid, name, amount, what
}
# Bytes over all interfaces but the loopback: as long as they are few, nobody is asked whose they are.
function traffic(    file, line, parts, total) {
    file = root "/proc/net/dev"
    total = 0
    while ((getline line < file) > 0) {
        sub(/^ */, "", line)
        split(line, parts, /[: ]+/)
        if (parts[1] != "lo" && parts[2] ~ /^[0-9]+$/) total += parts[2] + parts[10]
    }
    close(file)
    return total
}
# Whose TCP sockets carry much. Those of the kernel (file servers) and, without privileges, of other users have no process.
function sockets(seconds,    command, line, parts, pid, name, inside, rate) {
    split("", carried)
    command = limit "ss -tnipH 2>/dev/null"
    while ((command | getline line) > 0) {
        if (line !~ /^[ \t]/) {
            pid = 0
            name = "kernel-or-another-user"
            if (match(line, /"[^"]*",pid=[0-9]+/)) {
                pid = name = substr(line, RSTART + 1, RLENGTH - 1)
                sub(/.*pid=/, "", pid)
                sub(/",pid=.*/, "", name)
            }
            socket_name[pid] = name
            # What stays on the node takes no network.
            split(line, parts, " ")
            inside = parts[5] ~ /^(127\.|\[::1\]|\[::ffff:127\.)/
        }
        while (!inside && match(line, / bytes_(sent|received):[0-9]+/)) {
            carried[pid] += substr(line, index(substr(line, RSTART), ":") + RSTART, RLENGTH)
            line = substr(line, RSTART + RLENGTH)
        }
    }
    close(command)
    if (seconds > 0) for (pid in carried) if (pid in carried_before) {
        rate = (carried[pid] - carried_before[pid]) / seconds / 1000000
        if (rate >= least_rate) somebody(pid, "net", socket_name[pid], rate, "MB/s network")
    }
    split("", carried_before)
    for (pid in carried) carried_before[pid] = carried[pid]
}
function networks(    total) {
    total = traffic()
    if (n && (total - traffic_before) / (now - last) / 1000000 >= least_rate) {
        sockets(n == asked_at + 1 ? now - last : 0)
        asked_at = n
    }
    traffic_before = total
}
function counters(    file, list) {
    list = "ls -d " root "/sys/class/infiniband/*/ports/*/counters/* " root "/sys/class/infiniband/*/ports/*/hw_counters/* " \
        root "/sys/class/net/*/statistics/[rt]x_bytes " root "/sys/class/net/*/statistics/[rt]x_errors " \
        root "/sys/class/net/*/statistics/[rt]x_dropped " root "/sys/class/net/*/carrier_changes 2>/dev/null"
    while ((list | getline file) > 0) print file ":" first_line(file)
    close(list)
    whole_file(root "/proc/pressure/io")
    whole_file(root "/proc/pressure/memory")
}
# Who else holds connected queue pairs, on which HCA: what RDMA carries is in no file of a process.
function queue_pairs(    command, line, parts, i, at, key, pairs) {
    command = limit "rdma resource show qp 2>/dev/null"
    while ((command | getline line) > 0) {
        split("", at)
        for (i = split(line, parts, " "); i > 1; i--) at[parts[i - 1]] = parts[i]
        if (at["state"] != "RTS" || at["type"] !~ /^(RC|UC|XRC_INI|DRIVER)$/ || at["pid"] !~ /^[0-9]+$/) continue
        sub(/\/.*/, "", at["link"])
        pairs[at["pid"] " " at["link"]]++
        name_of[at["pid"]] = at["comm"]
    }
    close(command)
    for (key in pairs) {
        split(key, parts, " ")
        somebody(parts[1], "rdma", name_of[parts[1]], pairs[key], "queue pairs on " parts[2])
    }
}
function graphics(    command, line, parts, head, pid) {
    command = limit "nvidia-smi --format=csv --query-gpu=index,utilization.gpu,clocks.sm,power.draw,temperature.gpu," \
        "clocks_throttle_reasons.hw_slowdown,clocks_throttle_reasons.hw_thermal_slowdown 2>/dev/null"
    while ((command | getline line) > 0) print line
    close(command)
    command = limit "nvidia-smi --format=csv --query-compute-apps=gpu_uuid,pid,process_name,used_memory 2>/dev/null"
    head = ""
    while ((command | getline line) > 0) {
        if (head == "") {
            head = line
            continue
        }
        split(line, parts, ", ")
        pid = parts[2]
        if (pid ~ /^[0-9]+$/ && !is_ours(pid, "gpu")) {
            if (head != "told") print head
            head = "told"
            # Some drivers put the arguments behind the name, and secrets stand in arguments.
            sub(/ .*/, "", parts[3])
            print parts[1] ", " pid ", " parts[3] ", " parts[4]
        }
    }
    close(command)
}
# The tables of mx-smi and mthreads-gmi: GPU, process, name, memory in MiB.
function listed(    command, line, parts, below) {
    command = limit listing " 2>/dev/null"
    below = 0
    while ((command | getline line) > 0) {
        gsub(/[|]/, " ", line)
        if (line ~ /Process/) below = 1
        else if (below && split(line, parts, " ") == 4 && parts[1] ~ /^[0-9]+$/ && parts[2] ~ /^[0-9]+$/) {
            sub(/.*\//, "", parts[3])
            somebody(parts[2], "gpu", parts[3], parts[4] + 0, "MiB gpu")
        }
    }
    close(command)
}
# The driver of AMD has a directory for each process with queues on its GPUs.
function queues(    list, file, parts, count, held, pid) {
    list = "ls -d " root "/sys/class/kfd/kfd/proc/*/vram_* 2>/dev/null"
    while ((list | getline file) > 0) {
        count = split(file, parts, "/")
        held[parts[count - 1]] += first_line(file)
    }
    close(list)
    for (pid in held) somebody(pid, "gpu", first_line(root "/proc/" pid "/comm"), held[pid] / 1048576, "MiB gpu")
}
BEGIN {
    "nproc" | getline cores
    close("nproc")
    count = split(names, list, " ")
    for (n = 1; n <= count; n++) named[list[n]]
    least_rate = 20
    least_memory = 10
    if ((getline line < (root "/proc/meminfo")) > 0 && split(line, parts, " ") > 1 && parts[1] == "MemTotal:") memory = parts[2] * 1024
    close(root "/proc/meminfo")
    asked_at = -1
    zero = last = uptime()
    cpus()
    all_before = cpu_all
    idle_before = cpu_idle
    processes(0, 0)
    for (n = 0; ; n++) {
        now = uptime()
        printf "slowlink-sample %.2f every %s s\n", started + now - zero, interval
        own = 0
        if (n) {
            processes(now - last, 1)
            cpus()
            if (cpu_all > all_before) {
                busy = 100 * (1 - (cpu_idle - idle_before) / (cpu_all - all_before))
                printf "cpu %.1f %% of %d cores busy, %.1f %% of one core by this run\n", busy, cores, own
            }
            all_before = cpu_all
            idle_before = cpu_idle
        }
        if (ss) networks()
        # Until a rank works here, what grows is of others: often enough to tell.
        if (own > 0) begun = 1
        if (n % every == 0 || !begun && n < 30) counters()
        if (rdma && n % every == 0) queue_pairs()
        if (gpus) graphics()
        if (listing) listed()
        if (kfd) queues()
        fflush()
        last = now
        if (now - zero > longest) exit
        if (system("sleep " interval)) exit
    }
}'
