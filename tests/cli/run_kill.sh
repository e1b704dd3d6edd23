#!/bin/sh
# talweg sample -o RUN.nc, killed at random moments: the next command makes the file and says so, and no draw that
# had reached the journal is lost. Usage: run_kill.sh BUILD
set -eu
# shellcheck source=tests/cli/support.sh
. tests/cli/support.sh
# (What a script starts in the background ignores SIGINT unless something sets it back; env can.)
env --default-signal=INT true 2>/dev/null || { echo "env --default-signal is needed"; exit 77; }
d=$place
chains=2
cases=40

works demo --data-only --directory "$d/demo" --cases $cases --test-cases 10
data=$d/demo/two_classes.csv
new=$d/demo/two_classes_test.csv
[ -f "$new" ] || new=$data
set -- "$data" --log-sigma 1 --method hmc --chains $chains --warmup 20 --quiet

# The journal's own numbers: bytes in front of the first draw (a frame of 24 bytes whose length is its second word),
# and bytes of a draw.
head_bytes() {
    echo $((24 + $(od -An -t u8 -j 8 -N 8 "$1")))
}
draw_bytes=$((48 + chains * (56 + 8 * cases)))

# start ARGUMENTS...: talweg with these in the background, as $job.
start() {
    checks=$((checks + 1))
    nice env --default-signal=INT "$talweg" "$@" >"$d/out" 2>"$d/err" &
    job=$!
}

# wait_for_journal [KB]: until it has more than KB kB (0).
wait_for_journal() {
    await run.nc.journal "${1:-0}"
    [ -e "$d/run.nc" ] || [ "$(wc -c <"$d/run.nc.journal")" -gt $((1024 * ${1:-0})) ] ||
        complain "the journal does not grow: $(cat "$d/err")"
}

# killed: how $job ended does not matter.
killed() {
    kill -9 "$job" 2>/dev/null || true
    wait "$job" 2>/dev/null || true
}

# completed FROM [TO]: the next command finds from FROM to TO draws (default: any number) and says so.
completed() {
    works predict "$d/run.nc" "$new" --json
    found=$(sed -n 's/.*completed from the journal, with \([0-9]*\) draws.*/\1/p' "$d/err")
    if [ -z "$found" ] || [ "$found" -lt "$1" ] || [ "$found" -gt "${2:-$found}" ]; then
        complain "of at least $1 draws, '$found' are there: $(cat "$d/err")"
    fi
    [ ! -e "$d/run.nc.journal" ] || complain "the journal is still there"
    works predict "$d/run.nc" "$new" --json # the second time there is nothing to say
    ! grep -q completed "$d/err" || complain "completed twice"
}

# ---- kill -9 at four random moments. What the journal held before the kill is in the file after it.
for pause in 0.014 0.298 0.002 0.126; do
    start sample "$@" --draws 100000000 -o "$d/run.nc"
    wait_for_journal
    sleep "$pause"
    before=$(wc -c <"$d/run.nc.journal")
    killed
    cp "$d/run.nc.journal" "$d/last.journal"
    draws=$(((before - $(head_bytes "$d/run.nc.journal")) / draw_bytes))
    if [ "$draws" -gt 0 ]; then
        completed "$draws"
    fi
    rm -f "$d"/run.nc*
done

# ---- while it runs: the journal grows all the time, and the run is not taken from its writer
start sample "$@" --draws 100000000 -o "$d/run.nc"
wait_for_journal 64
wait_for_journal $(($(wc -c <"$d/run.nc.journal") / 1024 + 64))
own=$job
refuses 1 'another talweg is still writing this run' predict "$d/run.nc" "$new" --quiet
job=$own
killed
# ---- nor is it overwritten without being asked
refuses 1 'draws of an unfinished run' sample "$@" --draws 10 -o "$d/run.nc"
completed 1
rm -f "$d"/run.nc*

# ---- cut anywhere, as a torn write would leave it
first=$(head_bytes "$d/last.journal")
for bytes in 0 1 23 24 25 $((draw_bytes - 1)) $draw_bytes $((draw_bytes + 7)) $((3 * draw_bytes - 1)) $((3 * draw_bytes)); do
    head -c $((first + 2 * draw_bytes + bytes)) "$d/last.journal" >"$d/run.nc.journal"
    completed $((2 + bytes / draw_bytes)) $((2 + bytes / draw_bytes))
    rm -f "$d"/run.nc*
done
head -c $((first - 1)) "$d/last.journal" >"$d/run.nc.journal"
refuses 1 'run.nc.journal is not the journal of a run' predict "$d/run.nc" "$new" --quiet
rm -f "$d"/run.nc*

# ---- kill -9 while the file is made of the journal
part_is_there() {
    for part in "$d"/run.nc.*.part; do [ -e "$part" ] && return; done
    return 1
}
for pause in 0 0.01; do
    start sample "$@" --draws 20000 -o "$d/run.nc"
    wait_for_journal
    until part_is_there || [ -e "$d/run.nc" ] || ! kill -0 "$job" 2>/dev/null; do sleep 0.002; done
    sleep "$pause"
    killed
    if [ -e "$d/run.nc.journal" ]; then
        completed 20000 20000
    else
        works predict "$d/run.nc" "$new" --json
    fi
    rm -f "$d"/run.nc*
done

# ---- Ctrl-C and SIGTERM end the run, with a complete file
for signal in INT TERM; do
    start sample "$@" --draws 100000000 -o "$d/run.nc" --json
    wait_for_journal 64
    kill -"$signal" "$job"
    code=0
    wait "$job" || code=$?
    [ "$code" = 0 ] || complain "SIG$signal: exit $code: $(cat "$d/err")"
    gives 'r["interrupted"] and r["draws"] > 0'
    [ ! -e "$d/run.nc.journal" ] || complain "SIG$signal left a journal"
    works predict "$d/run.nc" "$new" --json
    ! grep -q completed "$d/err" || complain "SIG$signal left a file to be completed"
    rm -f "$d"/run.nc*
done

# ---- a full disk: the draws so far are safe
(
    ulimit -f 300 # blocks of 512 bytes, or of 1024
    trap '' XFSZ
    exec "$talweg" sample "$@" --draws 100000 -o "$d/run.nc"
) >"$d/out" 2>"$d/err" && complain "a full disk went unnoticed"
says err 'run.nc.journal: could not be written'
completed 10
finish
