#!/bin/sh
# What is on a terminal: a line of progress that fits, is redrawn at a modest rate and leaves nothing behind; colours
# where they are wanted; plain lines elsewhere. Usage: terminal.sh BUILD. Without a script(1) that runs a command on a
# terminal of its own, only the last part is checked.
# shellcheck disable=SC2016 # the shell of the terminal expands what is in single quotes
set -eu
# shellcheck source=tests/cli/support.sh
. tests/cli/support.sh
d=$place
escape=$(printf '\033')
unset NO_COLOR COLUMNS
export TERM=xterm

works demo --data-only --directory "$d/demo" --cases 60 --test-cases 10
data=$d/demo/two_classes.csv

# on_terminal COLUMNS COMMAND: a shell command on a terminal of that width, with the names that are exported here; what
# it showed is in $d/seen. (script(1) starts the shell that SHELL names.)
export SHELL=/bin/sh talweg data d
on_terminal() {
    checks=$((checks + 1))
    code=0
    script -qec "stty cols $1; $2" /dev/null </dev/null >"$d/seen" || code=$?
}
# lines: what was on the line of progress, one state after the other.
lines() {
    tr '\r' '\n' <"$d/seen" | sed "s/$escape\[K//g"
}
shows() {
    lines | grep -q -- "$1" || complain "no '$1' on the terminal, but: $(lines | head -n 20)"
}

if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    # ---- every stage, all that is known of it, and within the width; the last state of a stage is always shown,
    # those before it only where the machine takes long enough
    on_terminal 100 '"$talweg" sample "$data" --log-ell 0 --log-sigma 1 --chains 32 --warmup 300 --draws 400 >"$d/out"'
    [ "$code" = 0 ] || complain "sample on a terminal: exit $code: $(cat "$d/seen")"
    shows '^pilot of ess/ep  \[.*/[0-9]* iterations'
    shows '^warm-up  \[=*\]  \([0-9]*\)/\1 iterations  [0-9.]*/s .*acceptance [01]\.[0-9]'
    shows '^sampling  \[=*\]  400/400 draws  [0-9.]*/s .*acceptance [01]\.[0-9]'
    says out 'bulk'
    tail -c 4 "$d/seen" | grep -q "$escape\[K\$" || complain "something is left on the line: $(tail -c 40 "$d/seen")"
    on_terminal 80 '"$talweg" sample "$data" --log-ell 0 --log-sigma 1 --draws 300 --chains 4 --quiet --no-warnings >/dev/null'
    [ ! -s "$d/seen" ] || complain "--quiet showed: $(cat "$d/seen")"
    for width in 24 80; do
        on_terminal "$width" '"$talweg" evidence "$data" --log-ell 0 --log-sigma 1 --method ais-reverse,pt,rm --particles 64 >/dev/null'
        [ "$(lines | awk -v w="$width" 'length > w - 1' | wc -l)" = 0 ] ||
            complain "wider than $width: $(lines | awk -v w="$width" 'length > w - 1' | head -n 3)"
    done
    shows '^ais-reverse, upwards .*50/50 '
    shows '^ais-reverse  .*50/50  .*log Z -[0-9.]* +- '
    shows '^pt, warm-up  \[.*100/100 '
    shows '^pt  \[.*100/100 .*log Z -[0-9.]* +- '
    shows '^rm'
    on_terminal 90 '"$talweg" grid "$data" --log-ell 0:2:20 --log-sigma 0:2:20 >/dev/null'
    shows '^grid  \[=*\]  400/400 points'

    # ---- at most ten states a second
    start=$(date +%s)
    on_terminal 100 '"$talweg" sample "$data" --log-ell 0 --log-sigma 1 --method hmc --warmup 100 --draws 3000 --chains 4 >/dev/null'
    seconds=$(($(date +%s) - start + 1))
    [ "$(lines | wc -l)" -le $((10 * seconds + 20)) ] || complain "$(lines | wc -l) states in $seconds s"

    # ---- colours, and none where they are not wanted
    on_terminal 80 '"$talweg" approx "$d/absent.csv"'
    grep -q "talweg: $escape\[31merror:$escape\[0m " "$d/seen" || complain "an error is not red: $(cat "$d/seen")"
    on_terminal 80 '"$talweg" sample "$data" --log-sigma 3 --method ess --metric prior --draws 30 --warmup 30 >/dev/null'
    grep -q "talweg: $escape\[33mwarning:$escape\[0m " "$d/seen" || complain "a warning is not yellow"
    on_terminal 80 '"$talweg" evidence "$data" --log-sigma 1 --particles 64 2>/dev/null'
    grep -q "$escape\[32m" "$d/seen" || complain "agreement is not green"
    for setting in NO_COLOR=1 TERM=dumb; do
        on_terminal 80 'env '"$setting"' "$talweg" approx "$d/absent.csv"'
        ! grep -q "$escape\[3" "$d/seen" || complain "$setting has colours"
    done
    on_terminal 80 'env NO_COLOR= "$talweg" approx "$d/absent.csv"'
    grep -q "$escape\[31m" "$d/seen" || complain "an empty NO_COLOR takes colours away"
    on_terminal 80 'env TERM=dumb "$talweg" sample "$data" --log-ell 0 --log-sigma 1 --draws 300 --chains 4'
    ! grep -q "$escape" "$d/seen" || complain "TERM=dumb is sent escapes"
    on_terminal 80 '"$talweg" approx "$d/absent.csv" 2>&1 | cat'
    ! grep -q "$escape" "$d/seen" || complain "a pipe is sent escapes"

    # ---- an end by a signal takes the line away first (what the shell says of it is not wanted)
    on_terminal 80 '"$talweg" grid "$data" --log-ell 0:2:200 --log-sigma 0:2:200 >/dev/null &
        exec 2>/dev/null; until grep -q "grid " "$d/seen"; do sleep 0.1; done; kill -TERM $!; wait $!'
    shows '^grid '
    [ "$(lines | grep . | tail -n 1)" = 'talweg: error: interrupted: there is no result' ] ||
        complain "a killed program leaves its line: $(tail -c 60 "$d/seen")"
fi

# ---- elsewhere plain lines: none in the first seconds, then few, and no escapes
works approx "$data" --log-sigma 1
! grep -q 'expectation' "$d/err" || complain "progress of a short run: $(cat "$d/err")"
works sample "$data" --log-sigma 1 --method rmhmc --metric hessian --warmup 1 --draws 5 --eps 0.02 --steps 200 --chains 4 --threads 1
! grep -q "$escape" "$d/err" || complain "escapes in a file"
if grep -q '^talweg: sampling: ' "$d/err"; then
    grep -q '^talweg: sampling: 5 of 5 draws, [0-9.]* per second, [0-9]* s, acceptance ' "$d/err" ||
        complain "the last line of a stage: $(cat "$d/err")"
    [ "$(grep -c '^talweg: sampling: ' "$d/err")" -le 20 ] || complain "too many lines"
fi
finish
