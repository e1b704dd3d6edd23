#!/bin/sh
# Ctrl-C and SIGTERM, alike in every long command at any moment: exit code 0 with a usable result and a warning whose
# code begins with "interrupted", or 3 with a message and without a result; nothing unfinished stays. Each command would
# take minutes; no test depends on how far it gets. Usage: interrupt.sh BUILD
set -eu
# shellcheck source=tests/cli/support.sh
. tests/cli/support.sh
# (What a script starts in the background ignores SIGINT unless something sets it back; env can.)
env --default-signal=INT true 2>/dev/null || { echo "env --default-signal is needed"; exit 77; }
[ -r /proc/self/status ] || { echo "/proc is needed"; exit 77; }
d=$place
works demo --data-only --directory "$d/demo" --cases 60 --test-cases 10
data=$d/demo/two_classes.csv
works model "$data" --prior default -o "$d/a.json" --no-warnings
works model "$data" --kernel matern32 --prior default -o "$d/b.json" --no-warnings

# start ARGUMENTS...: the program as $job, from the moment when it handles both signals.
start() {
    checks=$((checks + 1))
    env --default-signal=INT --default-signal=TERM "$talweg" "$@" >"$d/out" 2>"$d/err" &
    job=$!
    until case $(sed -n 's/^SigCgt:.*\(....\)$/\1/p' "/proc/$job/status" 2>/dev/null) in
        [4-7c-f]??[2367abef]) true ;; # SIGTERM and SIGINT, beside others
        *) ! grep -q '^State:.[^Z]' "/proc/$job/status" 2>/dev/null ;; # it has ended
    esac; do sleep 0.01; done
}
# ends SIGNAL ARGUMENTS...: what is said above, of $job.
ends() {
    signal=$1
    shift
    kill -s "$signal" "$job" 2>/dev/null || complain "$* ended by itself: $(cat "$d/err")"
    code=0
    wait "$job" || code=$?
    case $code in
        0) grep -q '"code": *"interrupted' "$d/out" || complain "$signal, $*: exit 0 without a warning: $(cat "$d/out")" ;;
        3)
            [ ! -s "$d/out" ] || complain "$signal, $*: exit 3 and a result: $(cat "$d/out")"
            grep -q '^talweg: error: .*interrupted' "$d/err" || complain "$signal, $*: exit 3, but: $(cat "$d/err")"
            ;;
        *) complain "$signal, $*: exit $code: $(cat "$d/err")" ;;
    esac
    for left in "$d"/*.part "$d"/.*.lock; do [ ! -e "$left" ] || complain "$signal, $*: left $left"; done
}
obeys() {
    for signal in INT TERM; do
        start "$@" --json --quiet
        [ "$signal" = INT ] || sleep 0.2 # at the start, and later
        ends "$signal" "$@"
    done
}
known="--log-ell 0 --log-sigma 1"
# shellcheck disable=SC2086 # several words
{
    for method in hmc rmhmc ess mgrad auto; do
        obeys sample "$data" $known --method $method --warmup 100 --draws 2000000 --thin 100 -o "$d/run.nc" --force
    done
    obeys sample "$data" --prior default --points 1000000 -o "$d/theta.nc" --force
    obeys sample "$data" --prior default --points 1000000 --hyper-method chain
    for method in ais ais-reverse pt rm; do
        obeys evidence "$data" $known --method $method --particles 20000 --temperatures 200 -o "$d/z.nc" --force
    done
    obeys evidence "$data" --prior default --points 1000000
    obeys grid "$data" --log-ell 0:1:1000 --log-sigma 0:1:1000 -o "$d/grid.csv" --force
    obeys grid "$data" --log-ell 0:1:1000 --log-sigma 0:1:1000 --checkpoint "$d/grid.state" --force
    obeys fit "$data" --prior default --starts 1000 -o "$d/fit.json" --force
    obeys check "$data" $known --against ep --draws 1000000
    obeys compare "$d/a.json" "$d/b.json" --points 1000000
    obeys predict "$d/a.json" "$data" -o "$d/p.csv" --force
    obeys selftest
}

# with draws there is a result, whatever the signal
for signal in INT TERM; do
    # shellcheck disable=SC2086
    start sample "$data" $known --method ess --draws 100000000 --thin 100 --warmup 10 -o "$d/run.nc" --json --force
    until [ -n "$(find "$d" -name run.nc.journal -size +128k)" ] || ! grep -q '^State:.[^Z]' "/proc/$job/status"; do sleep 0.05; done
    ends "$signal" "sample with draws"
    [ "$code" = 0 ] || complain "$signal: draws, but exit $code"
    works summary "$d/run.nc" --no-warnings --quiet
done
finish
