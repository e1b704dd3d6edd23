#!/bin/sh
# mpirun -n R talweg gives what one process gives, to the bit, for R = 1, 2, 3, 4; a rank that fails or dies ends them all
# with its reason, and any number of ranks goes on from the checkpoint. Usage: mpi.sh BUILD
set -eu
# shellcheck source=tests/cli/support.sh
. tests/cli/support.sh
command -v mpirun >/dev/null 2>&1 || { echo "skipped: there is no mpirun"; exit 77; }
"$talweg" --version | grep -q '^MPI: [^n]' || { echo "skipped: this talweg was built without MPI"; exit 77; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_orte_base_help_aggregate=0
export OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_plm_rsh_agent=/bin/false OPENBLAS_NUM_THREADS=1
export OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1
# mpirun waits for a second, twice, for the ranks of a job that failed: they have met in MPI_Finalize by then
export OMPI_MCA_odls_base_sigkill_timeout=0
# Open MPI keeps a folder for each user under TMPDIR, and a mpirun that ends removes it although another has just begun:
# every mpirun gets a TMPDIR of its own. Its name is short, since sockets of at most 107 letters are in it.
short=${TMPDIR:-/tmp}
[ "${#short}" -le 40 ] || short=/tmp
sessions=$(mktemp -d "$short/tw.XXXXXX")
trap 'rm -rf "$place" "$sessions"' EXIT
mkdir "$place/bin"
{
    echo '#!/bin/sh'
    echo "TMPDIR=\$(mktemp -d '$sessions/XXXXXX') && export TMPDIR && exec '$(command -v mpirun)' \"\$@\""
} >"$place/bin/mpirun"
chmod +x "$place/bin/mpirun"
PATH=$place/bin:$PATH
mpirun -n 2 true >"$place/out" 2>&1 || { echo "skipped: mpirun -n 2 true fails here: $(head -n 3 "$place/out")"; exit 77; }
d=$place
works demo --data-only --directory "$d/demo" --cases 40 --test-cases 5
data=$d/demo/two_classes.csv

# ranks R ARGUMENTS...: as run, by R processes
ranks() {
    count=$1
    shift
    checks=$((checks + 1))
    code=0
    mpirun -n "$count" "$talweg" "$@" >"$d/out" 2>"$d/err" || code=$?
}
without_times() {
    sed 's/"[a-z_]*seconds[a-z_]*":[^,}]*//g; /seconds/d; /"files":/d' "$1"
}
# same COUNTS ARGUMENTS...: by so many ranks the output, and the file $d/file.csv, are those of one process. The jobs run beside
# each other, each in a folder of its own: mpirun waits for most of its time.
same() {
    counts="0 $1"
    shift
    rm -rf "$d"/by.*
    begun=
    for count in $counts; do
        checks=$((checks + 1))
        mkdir "$d/by.$count"
        starter="mpirun -n $count"
        [ "$count" != 0 ] || starter= # one process without mpirun
        # shellcheck disable=SC2086 # the words are meant to be split
        (cd "$d/by.$count" && $starter "$talweg" "$@" >out 2>err && : >ended) &
        begun="$begun $!"
    done
    # shellcheck disable=SC2086
    wait $begun || true
    for count in $counts; do
        [ -e "$d/by.$count/ended" ] || complain "mpirun -n $count talweg $*: $(cat "$d/by.$count/err")"
        without_times "$d/by.0/out" >"$d/whole"
        without_times "$d/by.$count/out" | cmp -s - "$d/whole" || complain "mpirun -n $count talweg $*: not the output of one process"
        [ ! -e "$d/by.0/file.csv" ] || cmp -s "$d/by.0/file.csv" "$d/by.$count/file.csv" ||
            complain "mpirun -n $count talweg $*: other draws"
    done
}

# aside NAME COMMAND...: begin a job that runs beside the others; ended NAME: wait for it, was it good?
aside() {
    checks=$((checks + 1))
    name=$1
    shift
    { "$@" >"$d/$name.out" 2>"$d/$name.err" && : >"$d/$name.good"; : >"$d/$name.end"; } &
}
ended() {
    until [ -e "$d/$1.end" ]; do sleep 0.05; done
    [ -e "$d/$1.good" ]
}
printf 'x,y\n0,1\n0.4,1\n0.9,-1\n1.3,1\n1.8,-1\n2.1,-1\n2.9,-1\n3.3,1\n' >"$d/few.csv"
aside faults timeout 600 mpirun -n 3 "$build/tests/ranks_faults" "$d/few.csv" 29
# shellcheck disable=SC2016 # the inner shell expands them
aside alone sh -c 'code=0; timeout 100 mpirun -n 2 "$0" --alone || code=$?; [ "$code" != 0 ] && [ "$code" != 124 ]' "$build/tests/ranks_faults"
[ ! -x "$build/examples/many_machines" ] || aside machines mpirun -n 2 "$build/examples/many_machines"
[ ! -x "$build/tests/ranks_distributed" ] || aside matrix timeout 600 mpirun -n 2 "$build/tests/ranks_distributed" 70

# (Starting the ranks is what takes the time: all four numbers where chains and where levels of a ladder are shared out. How
# work is cut for each number of members is tested in the rooms, by teams of threads.)
same '1 2 3 4' sample "$data" --log-sigma 1 --method hmc --chains 70 --warmup 30 --draws 5 --quiet --json -o file.csv
same 3 sample "$data" --kernel matern32 --log-sigma 1 --method rmhmc --chains 5 --warmup 10 --draws 5 --quiet --json -o file.csv
same '2 3 4' evidence "$data" --log-sigma 1 --method ais,pt,rm --particles 40 --rounds 30 --temperatures 4 --quiet --json
same 4 grid "$data" --log-ell 0:1:3 --log-sigma 0:1:2 --quiet --json
same 2 fit "$data" --quiet --json
works model "$data" -o "$d/smooth.json" --quiet
works model "$data" --kernel matern32 -o "$d/rough.json" --quiet
same 2 compare "$d/smooth.json" "$d/rough.json" --points 64 --quiet --json

# ---- ranks with other arguments, other data or another limit on memory: an error, no wrong answer and no rank that waits for ever
mkdir "$d/stale"
sed '3s/,/e1,/' "$data" >"$d/stale/two_classes.csv"
! cmp -s "$data" "$d/stale/two_classes.csv" || complain "the stale copy is none"
differ() { # differ MESSAGE, folder and arguments of two ranks
    checks=$((checks + 1))
    said=$1 one=$2 other=$3
    shift 3
    # shellcheck disable=SC2086 # the words are meant to be split
    if timeout 600 mpirun --wdir "$one" -n 1 "$talweg" $1 : --wdir "$other" -n 1 "$talweg" $2 >"$d/out" 2>"$d/err"; then
        complain "two ranks differ, and nobody noticed: $*"
    fi
    grep -q "$said" "$d/err" || complain "two ranks differ ($*): $(cat "$d/err")"
}
command="evidence two_classes.csv --log-sigma 1 --quiet"
differ 'the data and parameters of rank 1 differ' "$d/demo" "$d/stale" "$command" "$command"
differ 'arguments (or versions of talweg) of rank 1 differ' "$d/demo" "$d/demo" "$command" "$command --seed 2"
differ 'arguments (or versions of talweg) of rank 1 differ' "$d/demo" "$d/demo" "$command" --version

# ---- the same in C
if [ -x "$build/examples/many_machines" ]; then
    "$build/examples/many_machines" >"$d/whole"
    { ended machines && cmp -s "$d/whole" "$d/machines.out"; } || complain "many_machines: 2 ranks print other digits than one"
fi

# ---- a rank that fails while the other waits for it elsewhere
{ ended alone && grep -q 'rank 1 of 2: nothing is left here' "$d/alone.err"; } || complain "a rank fails alone: $(cat "$d/alone.out" "$d/alone.err")"

# ---- one matrix over several processes
if [ -x "$build/tests/ranks_distributed" ]; then
    ended matrix || complain "a distributed model: $(cat "$d/matrix.out" "$d/matrix.err")"
fi

# The same from the program: --distribute. EP to the end and draws in the prior's metric agree to 1e-8.
apart() { # FILE FILE: the largest difference of two CSV files of numbers
    awk -F, 'NR == FNR { line[FNR] = $0; next }
        { n = split(line[FNR], a); for (i = 1; i <= n; i++) { d = a[i] - $i; if (d < 0) d = -d; if (d > most) most = d } }
        END { print (FNR > 1 && most <= 1e-8) ? "near" : "apart by " most }' "$1" "$2"
}
if "$talweg" approx --help | grep -q distribute && [ -x "$build/tests/ranks_distributed" ]; then
    set -- "$data" --kernel matern32 --log-ell 0 --log-sigma 1 --quiet
    works approx "$@" --tol 1e-12 --site-tol 1e-11 --marginals "$d/one.csv"
    works sample "$@" --method hmc --metric prior --init prior --warmup 20 --draws 5 --json -o "$d/draws.csv"
    ranks 4 approx "$@" --tol 1e-12 --site-tol 1e-11 --marginals "$d/four.csv" --save-approx "$d/four.json" --distribute
    grep -q 'over 4 processes: approximations agree with those of one process' "$d/out" || complain "--distribute: $(cat "$d/out" "$d/err")"
    [ "$(apart "$d/one.csv" "$d/four.csv")" = near ] || complain "EP by 4 ranks: $(apart "$d/one.csv" "$d/four.csv")"
    ranks 2 sample "$@" --method hmc --metric prior --init prior --warmup 20 --draws 5 --json -o "$d/two.csv" --distribute
    grep -q '"distributed_processes": *2' "$d/out" || complain "--distribute: $(cat "$d/out" "$d/err")"
    [ "$(apart "$d/draws.csv" "$d/two.csv")" = near ] || complain "HMC by 2 ranks: $(apart "$d/draws.csv" "$d/two.csv")"
    works predict "$d/four.json" "$data" -o "$d/one.csv" --force
    ranks 2 predict "$d/four.json" "$data" -o "$d/two.csv" --force --distribute
    [ "$(apart "$d/one.csv" "$d/two.csv")" = near ] || complain "predictions by 2 ranks: $(apart "$d/one.csv" "$d/two.csv")"
    ranks 2 approx "$data" --log-ell 3 --quiet --distribute
    jitter=$(sed -n 's/.*--jitter: .*singular.* a jitter of \([^ ]*\) helps.*/\1/p' "$d/err")
    ranks 2 approx "$data" --log-ell 3 --quiet --distribute --jitter "${jitter:-missing}"
    [ "$code" = 0 ] || complain "a singular K: the jitter '$jitter' does not help: $(cat "$d/err")"
    ranks 1 sample "$data" --prior default --distribute
    grep -q 'unknown parameters .*--fix all' "$d/err" || complain "--distribute with unknown parameters: $(cat "$d/err")"
    ranks 1 sample "$@" --method mgrad --distribute
    grep -q 'does not support an eigendecomposition' "$d/err" || complain "--distribute with mgrad: $(cat "$d/err")"
    refuses 1 'mpirun -n 4' approx "$@" --distribute
fi

# ---- errors: of all ranks, said once; of one rank, said by the first
ranks 2 sample "$d/nothing.csv"
[ "$code" = 1 ] || complain "no data: exit $code"
[ "$(grep -c 'talweg: error' "$d/err")" = 1 ] || complain "no data: not one error: $(cat "$d/err")"
checks=$((checks + 1))
code=0
(cd "$d/demo" && mpirun -n 1 "$talweg" sample two_classes.csv --draws 5 --warmup 10 --method hmc : \
    -n 1 -wdir "$d" "$talweg" sample two_classes.csv --draws 5 --warmup 10 --method hmc) >"$d/out" 2>"$d/err" || code=$?
[ "$code" = 1 ] || complain "a rank that cannot open its data: exit $code"
says err 'rank 1 of 2: two_classes.csv: cannot be opened'
ranks 2 sample "$data" --log-sigma 1 --method hmc --draws 5 --warmup 10 --chains 40 --quiet -o /dev/full --force
[ "$code" != 0 ] || complain "a full disk went unnoticed"

# ---- an allocation fails on one rank: all end with its message, and none waits for ever
ended faults || complain "failing allocations: $(grep -v '^ ' "$d/faults.out" | head -n 5)"

# ---- a signal at one rank, not the first, ends the run of all with what there is
# signalled FILE ARGUMENTS...: two ranks, of which the second is sent SIGTERM when FILE has more than 64 kB
signalled() {
    checks=$((checks + 1))
    file=$1
    shift
    rm -f "$d/second"
    code=0
    # shellcheck disable=SC2016 # the second rank's own shell is meant
    timeout 600 nice mpirun -n 1 "$talweg" "$@" : -n 1 sh -c 'echo $$ >"$0"; exec "$@"' "$d/second" "$talweg" "$@" >"$d/out" 2>"$d/err" &
    job=$!
    await "${file##*/}" 64
    kill -TERM "$(cat "$d/second")" || complain "the second rank of talweg $* was gone: $(cat "$d/err")"
    wait "$job" || code=$?
}
signalled "$d/ended.nc.journal" sample "$data" --log-ell 0 --log-sigma 1 --json --quiet --method hmc --chains 40 --warmup 20 --draws 1000000 -o "$d/ended.nc"
[ "$code" = 0 ] || complain "SIGTERM at rank 1 of sample: exit $code: $(cat "$d/err")"
gives '0 < r["draws"] < 1000000 and "interrupted" in [w["code"] for w in r["warnings"]]'
works summary "$d/ended.nc" --json
signalled "$d/state" evidence "$data" --log-ell 0 --log-sigma 1 --json --quiet --method pt --rounds 30000 --checkpoint "$d/state" --checkpoint-every 0.02
[ "$code" = 3 ] || complain "SIGTERM at rank 1 of evidence: exit $code: $(cat "$d/err")"
says err 'interrupted before an estimate was complete'

# ---- a rank dies: so do all, and another number of ranks goes on
works sample "$data" --log-sigma 1 --method hmc --chains 40 --warmup 20 --draws 400 --quiet --json -o "$d/one.nc"
cp "$d/out" "$d/whole"
gone_on=0
for _ in 1 2 3; do # again where the job was done before it could be killed
    [ "$gone_on" = 0 ] || break
    rm -f "$d/many.nc" "$d/state"
    checks=$((checks + 1))
    nice mpirun -n 3 "$talweg" sample "$data" --log-sigma 1 --method hmc --chains 40 --warmup 20 --draws 400 --quiet \
        --json -o "$d/many.nc" --checkpoint "$d/state" --checkpoint-every 0.02 >"$d/out" 2>"$d/err" &
    job=$!
    await state
    # the last rank of this job, found by the part of its arguments that no other has
    victim=$(pgrep -f "${d##* }/many.nc" | tail -n 1)
    [ -z "$victim" ] || kill -KILL "$victim" 2>/dev/null || true
    wait "$job" 2>/dev/null || true
    waited=0 # mpirun may return while a rank still ends, and that rank still holds the file
    while pgrep -f "${d##* }/many.nc" >/dev/null && [ "$waited" -lt 15000 ]; do
        sleep 0.02
        waited=$((waited + 1))
    done
    if [ -s "$d/state" ]; then
        gone_on=$((gone_on + 1))
        ranks 2 sample "$data" --log-sigma 1 --method hmc --chains 40 --warmup 20 --draws 400 --quiet \
            --json -o "$d/many.nc" --resume "$d/state"
        [ "$code" = 0 ] || complain "going on after a rank died: exit $code: $(cat "$d/err")"
        without_times "$d/out" | grep -v many.nc >"$d/rest"
        without_times "$d/whole" | grep -v one.nc | cmp -s - "$d/rest" || complain "another result after a rank of 3 died"
    fi
done
# a grid goes on, too
set -- grid "$data" --log-ell -1:2:20 --log-sigma 0:3:20 --json --quiet
works "$@"
cp "$d/out" "$d/whole"
rm -f "$d/state"
nice mpirun -n 2 "$talweg" "$@" --checkpoint "$d/state" --checkpoint-every 0.01 >"$d/out" 2>"$d/err" &
job=$!
await state
victim=$(pgrep -P "$job" talweg | tail -n 1)
[ -z "$victim" ] || kill -KILL "$victim" 2>/dev/null || true
wait "$job" 2>/dev/null || true
if [ -s "$d/state" ]; then
    ranks 3 "$@" --resume "$d/state"
    without_times "$d/out" >"$d/rest"
    without_times "$d/whole" | cmp -s - "$d/rest" || complain "another grid after a rank died: $(head -n 3 "$d/err")"
fi
[ "$gone_on" -ge 1 ] || complain "no job was killed before its end"
finish
